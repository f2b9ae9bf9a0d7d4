/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of what was done since the start: by task, program or user. */
#include "columns.h"

#include <math.h>

static const double seconds_per_day = 86400, kib_per_mib = 1024;

static struct value sum(const struct total_row *row, double kib)
{
	return isnan(kib) ? value_absent(row->why ? row->why : ABSENT_UNSUPPORTED) : value_of(kib);
}

/* Defines a column of what was added up so far. */
#define COLUMN_SUM(name)                                                                           \
	static struct value name(const void *data)                                                 \
	{                                                                                          \
		const struct total_row *row = data;                                                \
		return sum(row, row->name);                                                        \
	}

COLUMN_SUM(rkib)
COLUMN_SUM(wkib)
COLUMN_SUM(inh_rkib)
COLUMN_SUM(inh_wkib)
COLUMN_SUM(ckib)

static struct value seconds(const void *data)
{
	return value_of(((const struct total_row *)data)->seconds);
}

static struct value both_kib(const void *data)
{
	struct value read = rkib(data), written = wkib(data);

	return value_known(read) ? value_of(read.n + value_or(written, 0)) : written;
}

/* What came of children that are in no other row, read and written together. */
static struct value inherited_kib(const void *data)
{
	struct value read = inh_rkib(data), written = inh_wkib(data);

	return value_known(read) ? value_of(read.n + value_or(written, 0)) : written;
}

static struct value per_day(const struct total_row *row, struct value kib)
{
	if (row->seconds <= 0)
		return value_absent(ABSENT_NEW);
	return value_known(kib) ? value_of(kib.n / kib_per_mib / row->seconds * seconds_per_day) : kib;
}

static struct value read_per_day(const void *data)
{
	return per_day(data, rkib(data));
}

static struct value written_per_day(const void *data)
{
	return per_day(data, wkib(data));
}

static struct value total_pid(const void *data)
{
	const struct total_row *row = data;

	return row->pid ? value_of(row->pid) : value_absent(ABSENT_UNSUPPORTED);
}

/* What no task accounts for has none. */
static struct value total_tasks(const void *data)
{
	const struct total_row *row = data;

	return row->tasks ? value_of((double)row->tasks) : value_absent(ABSENT_UNSUPPORTED);
}

static const char *total_mark(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct total_row *)data)->ended ? "x" : NULL;
}

static const char *total_user(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct total_row *)data)->user;
}

static const char *total_name(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct total_row *)data)->name;
}

static const char *total_by(const void *data, char *buf, size_t size)
{
	static const char *const names[] = {[TOTAL_TASKS] = "task", [TOTAL_PROGRAMS] = "program", [TOTAL_USERS] = "user"};

	(void)buf, (void)size;
	return names[((const struct total_row *)data)->by];
}

static const struct column columns[] = {
	{"mark", " ", "", "x: ended", 1, 0, 1, COLUMN_SCREEN | COLUMN_LEFT, NULL, total_mark},
	{"by", "BY", "", "task, program or user", 7, 0, 9, COLUMN_KEY | COLUMN_LEFT | COLUMN_ASCENDING, NULL, total_by},
	{"pid", "PID", "", "process; none for a program or a user", 7, 0, 3, COLUMN_SCREEN | COLUMN_ASCENDING, total_pid, NULL},
	{"user", "USER", "", "effective user", 8, 0, 5, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, total_user},
	{"tasks", "TASKS", "tasks", "processes it had, ended ones too", 6, 0, 6, COLUMN_SCREEN, total_tasks, NULL},
	{"rkB", NULL, "KiB", "read from storage so far", 8, 0, 2, COLUMN_SCREEN, rkib, NULL},
	{"wkB", NULL, "KiB", "written to storage so far", 8, 0, 2, COLUMN_SCREEN, wkib, NULL},
	{"kB", NULL, "KiB", "read and written, together", 8, 0, 9, 0, both_kib, NULL},
	{"inhkB", NULL, "KiB", "inherited: read and written by children it reaped that are in no other row", 8, 0, 5,
	 COLUMN_SCREEN, inherited_kib, NULL},
	{"inh_rkB", NULL, "KiB", "of that, read", 8, 0, 8, 0, inh_rkib, NULL},
	{"inh_wkB", NULL, "KiB", "of that, written", 8, 0, 8, 0, inh_wkib, NULL},
	{"ckB", NULL, "KiB", "writes cancelled", 8, 0, 9, 0, ckib, NULL},
	{"rMB/day", NULL, "MiB/day", "read, at this pace", 9, 0, 7, COLUMN_SCREEN, read_per_day, NULL},
	{"wMB/day", NULL, "MiB/day", "written, at this pace", 9, 0, 4, COLUMN_SCREEN, written_per_day, NULL},
	{"seconds", NULL, "s", "time it was watched", 8, 1, 9, 0, seconds, NULL},
	{"name", "NAME", "", "task, program or user", 15, 0, 1,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING | COLUMN_FILL, NULL, total_name},
};

static size_t total_count(const struct frame *frame)
{
	return frame->ntotal;
}

static void *total_at(const struct frame *frame, size_t i)
{
	return (void *)&frame->total[i];
}

static uint64_t total_identity(const void *data)
{
	const struct total_row *row = data;

	return hash_text(row->name, (uint64_t)row->pid << 32 ^ row->start_ticks);
}

static bool total_active(const void *data)
{
	return value_or(both_kib(data), 0) + value_or(inherited_kib(data), 0) + value_or(ckib(data), 0) > 0;
}

const struct table total_table = {
	.name = "totals",
	.help = "what was read and written since the start, ended tasks included",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "kB",
	.then = "",
	.count = total_count,
	.row = total_at,
	.active = total_active,
	.identity = total_identity,
	.apart = true,
};
