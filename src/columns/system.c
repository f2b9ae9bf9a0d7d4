/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the machine's figures: system and AIO. One row each. */
#include "columns.h"

COLUMN_NUMBER(iowait, struct system_row, iowait)
COLUMN_NUMBER(blocked, struct system_row, blocked)
COLUMN_NUMBER(psi_some, struct system_row, psi_some)
COLUMN_NUMBER(psi_full, struct system_row, psi_full)
COLUMN_NUMBER(psi_some_avg10, struct system_row, psi_some_avg10)
COLUMN_NUMBER(psi_full_avg10, struct system_row, psi_full_avg10)
COLUMN_NUMBER(dirty, struct system_row, dirty_kib)
COLUMN_NUMBER(writeback, struct system_row, writeback_kib)
COLUMN_NUMBER(dirty_limit, struct system_row, dirty_limit_kib)
COLUMN_NUMBER(pgpgin, struct system_row, pgpgin)
COLUMN_NUMBER(pgpgout, struct system_row, pgpgout)
COLUMN_NUMBER(pswpin, struct system_row, pswpin)
COLUMN_NUMBER(pswpout, struct system_row, pswpout)
COLUMN_NUMBER(asked_rkb, struct system_row, asked_rkb)
COLUMN_NUMBER(asked_wkb, struct system_row, asked_wkb)
COLUMN_NUMBER(done_rkb, struct system_row, done_rkb)
COLUMN_NUMBER(done_wkb, struct system_row, done_wkb)
COLUMN_NUMBER(unattributed_rkb, struct system_row, unattributed_rkb)
COLUMN_NUMBER(unattributed_wkb, struct system_row, unattributed_wkb)
COLUMN_NUMBER(forks, struct system_row, forks)
COLUMN_NUMBER(ntasks, struct system_row, tasks)
COLUMN_NUMBER(unreadable, struct system_row, unreadable)

static struct value interval(const void *data)
{
	return value_of(((const struct system_row *)data)->seconds);
}

static struct value since_boot(const void *data)
{
	return value_of(((const struct system_row *)data)->since_boot);
}

static const struct column system_columns[] = {
	{"iowait", NULL, "%", "CPU time idle while a task waited for I/O; io_uring and AIO mislead it", 6, 1, 1,
	 COLUMN_SCREEN, iowait, NULL},
	{"blocked", NULL, "tasks", "tasks waiting uninterruptibly", 7, 0, 1, COLUMN_SCREEN, blocked, NULL},
	{"psi_some", NULL, "%", "share of the interval in which some task was stalled on I/O", 8, 2, 2,
	 COLUMN_SCREEN, psi_some, NULL},
	{"psi_full", NULL, "%", "the same, all tasks at once", 8, 2, 2, COLUMN_SCREEN, psi_full, NULL},
	{"psi_some_avg10", NULL, "%", "the kernel's own 10 s average of it", 14, 2, 5, 0, psi_some_avg10, NULL},
	{"psi_full_avg10", NULL, "%", "the kernel's own 10 s average of it", 14, 2, 5, 0, psi_full_avg10, NULL},
	{"dirty", NULL, "KiB", "page cache waiting to be written", 8, 0, 3, COLUMN_SCREEN, dirty, NULL},
	{"writeback", NULL, "KiB", "page cache being written", 9, 0, 3, COLUMN_SCREEN, writeback, NULL},
	{"dirty_limit", NULL, "KiB", "where writers are made to wait", 11, 0, 6, 0, dirty_limit, NULL},
	{"pgpgin/s", NULL, "KiB/s", "read by all block I/O, as vmstat counts it", 8, 1, 4, 0, pgpgin, NULL},
	{"pgpgout/s", NULL, "KiB/s", "written by all block I/O", 9, 1, 4, 0, pgpgout, NULL},
	{"pswpin/s", NULL, "pages/s", "swapped in", 8, 1, 4, 0, pswpin, NULL},
	{"pswpout/s", NULL, "pages/s", "swapped out", 9, 1, 4, 0, pswpout, NULL},
	{"asked_rkB/s", NULL, "KiB/s", "read by tasks, all together", 11, 1, 2, COLUMN_SCREEN, asked_rkb, NULL},
	{"asked_wkB/s", NULL, "KiB/s", "written by tasks", 11, 1, 2, COLUMN_SCREEN, asked_wkb, NULL},
	{"done_rkB/s", NULL, "KiB/s", "read from the lowest physical devices", 10, 1, 2, COLUMN_SCREEN,
	 done_rkb, NULL},
	{"done_wkB/s", NULL, "KiB/s", "written to them", 10, 1, 2, COLUMN_SCREEN, done_wkb, NULL},
	{"unattributed_rkB/s", NULL, "KiB/s", "read from devices, by no task that was seen", 18, 1, 4, 0,
	 unattributed_rkb, NULL},
	{"unattributed_wkB/s", NULL, "KiB/s", "written to devices, by no task that was seen", 18, 1, 4, 0,
	 unattributed_wkb, NULL},
	{"forks/s", NULL, "1/s", "processes and threads started", 8, 1, 6, 0, forks, NULL},
	{"tasks", NULL, "tasks", "processes seen", 6, 0, 6, 0, ntasks, NULL},
	{"unreadable", NULL, "tasks", "of them, those whose io file is refused", 10, 0, 6, 0, unreadable, NULL},
	{"interval", NULL, "s", "length of the interval", 8, 3, 7, COLUMN_CSV_ONLY, interval, NULL},
	{"since_boot", NULL, "", "1: an average since boot, no interval", 10, 0, 7, COLUMN_CSV_ONLY,
	 since_boot, NULL},
};

COLUMN_NUMBER(aio_contexts, struct aio_row, contexts)
COLUMN_NUMBER(aio_rings, struct aio_row, rings)
COLUMN_NUMBER(aio_sq, struct aio_row, sq)
COLUMN_NUMBER(aio_cq, struct aio_row, cq)
COLUMN_NUMBER(aio_submit, struct aio_row, submit)
COLUMN_NUMBER(aio_complete, struct aio_row, complete)
COLUMN_NUMBER(aio_outstanding, struct aio_row, outstanding)
COLUMN_NUMBER(aio_nr, struct aio_row, aio_nr)
COLUMN_NUMBER(aio_max_nr, struct aio_row, aio_max_nr)
COLUMN_NUMBER(aio_pct, struct aio_row, aio_pct)
COLUMN_NUMBER(kioctx, struct aio_row, kioctx.active)
COLUMN_NUMBER(kioctx_total, struct aio_row, kioctx.total)
COLUMN_NUMBER(kiocb, struct aio_row, kiocb.active)
COLUMN_NUMBER(kiocb_total, struct aio_row, kiocb.total)
COLUMN_NUMBER(io_kiocb, struct aio_row, io_kiocb.active)
COLUMN_NUMBER(io_kiocb_total, struct aio_row, io_kiocb.total)

/* Where a slab figure came from: says how far it can be trusted. */
static const char *slab_source(enum slab_state state)
{
	static const char *const names[] = {
		[SLAB_COUNTED] = "slabinfo", [SLAB_SHARED] = "shared",           [SLAB_MERGED] = "merged",
		[SLAB_DENIED] = "denied",    [SLAB_UNAVAILABLE] = "unavailable", [SLAB_UNREAD] = "unread",
	};
	return names[state];
}

/* The slabs are the machine's; a process's row has none. */
#define SLAB_SOURCE(name, field)                                                                   \
	static const char *name(const void *data, char *buf, size_t size)                          \
	{                                                                                          \
		const struct aio_row *row = data;                                                  \
		(void)buf, (void)size;                                                             \
		return row->task ? NULL : slab_source(row->field.state);                           \
	}

SLAB_SOURCE(kioctx_source, kioctx)
SLAB_SOURCE(kiocb_source, kiocb)
SLAB_SOURCE(io_kiocb_source, io_kiocb)

/* The machine's row: processes have theirs by PID. */
static struct value aio_pid(const void *data)
{
	const struct aio_row *row = data;

	return row->task ? value_of(row->task->task->pid) : value_absent(ABSENT_UNSUPPORTED);
}

static const char *aio_command(const void *data, char *buf, size_t size)
{
	const struct aio_row *row = data;

	(void)buf, (void)size;
	if (!row->task)
		return NULL;
	return row->task->command ? row->task->command : row->task->task->comm;
}

static const char *aio_mode(const void *data, char *buf, size_t size)
{
	const struct aio_row *row = data;

	(void)buf, (void)size;
	return row->task && row->task->use && *row->task->use->mode ? row->task->use->mode : NULL;
}

static const struct column aio_columns[] = {
	{"pid", "PID", "", "process; empty for the machine as a whole", 7, 0, 1,
	 COLUMN_SCREEN | COLUMN_ASCENDING, aio_pid, NULL},
	{"contexts", "CONTEXTS", "contexts", "AIO contexts (io_setup); of the machine: of the processes looked at", 8, 0, 2,
	 COLUMN_SCREEN, aio_contexts, NULL},
	{"rings", "RINGS", "rings", "io_uring rings", 6, 0, 2, COLUMN_SCREEN, aio_rings, NULL},
	{"sq/s", NULL, "1/s", "io_uring submissions", 8, 1, 3, COLUMN_SCREEN, aio_sq, NULL},
	{"cq/s", NULL, "1/s", "io_uring completions", 8, 1, 3, COLUMN_SCREEN, aio_cq, NULL},
	{"submit/s", NULL, "1/s", "libaio requests submitted", 8, 1, 4, COLUMN_SCREEN, aio_submit, NULL},
	{"complete/s", "compl/s", "1/s", "libaio requests whose completion was taken", 8, 1, 4, COLUMN_SCREEN,
	 aio_complete, NULL},
	{"outstanding", "OUTST", "requests", "libaio requests under way or not taken yet", 7, 0, 4, COLUMN_SCREEN,
	 aio_outstanding, NULL},
	{"mode", "MODE", "", "how the process does I/O, as in tasks", 6, 0, 2, COLUMN_SCREEN | COLUMN_LEFT, NULL, aio_mode},
	{"command", "COMMAND", "", "command line of the process", 10, 0, 1,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING | COLUMN_FILL, NULL, aio_command},
	/* the machine's: on screen they are told in words */
	{"aio-nr", NULL, "slots", "AIO slots reserved by io_setup(2), not requests in flight", 10, 0, 1,
	 COLUMN_CSV_ONLY, aio_nr, NULL},
	{"aio-max-nr", NULL, "slots", "their limit (fs.aio-max-nr)", 10, 0, 1, COLUMN_CSV_ONLY, aio_max_nr, NULL},
	{"%aio", NULL, "%", "aio-nr as a share of the limit", 6, 1, 1, COLUMN_CSV_ONLY, aio_pct, NULL},
	{"kioctx", NULL, "objects", "AIO contexts, active slab objects", 8, 0, 2, COLUMN_CSV_ONLY, kioctx, NULL},
	{"kioctx_total", NULL, "objects", "AIO contexts, all slab objects", 12, 0, 4, COLUMN_CSV_ONLY, kioctx_total, NULL},
	{"kioctx_source", NULL, "", "where that figure came from", 13, 0, 4, COLUMN_LEFT | COLUMN_CSV_ONLY, NULL, kioctx_source},
	{"kiocb", NULL, "objects", "AIO requests, active slab objects (kiocb or aio_kiocb)", 8, 0, 2,
	 COLUMN_CSV_ONLY, kiocb, NULL},
	{"kiocb_total", NULL, "objects", "AIO requests, all slab objects", 11, 0, 4, COLUMN_CSV_ONLY, kiocb_total, NULL},
	{"kiocb_source", NULL, "", "where that figure came from", 12, 0, 4, COLUMN_LEFT | COLUMN_CSV_ONLY, NULL, kiocb_source},
	{"io_kiocb", NULL, "objects", "io_uring requests, active slab objects", 8, 0, 3, COLUMN_CSV_ONLY,
	 io_kiocb, NULL},
	{"io_kiocb_total", NULL, "objects", "io_uring requests, all slab objects", 14, 0, 4, COLUMN_CSV_ONLY,
	 io_kiocb_total, NULL},
	{"io_kiocb_source", NULL, "", "where that figure came from", 15, 0, 4, COLUMN_LEFT | COLUMN_CSV_ONLY, NULL,
	 io_kiocb_source},
};

static size_t one(const struct frame *frame)
{
	(void)frame;
	return 1;
}

/* Rows belong to sinks, which mark them; hence not const. */
static void *system_at(const struct frame *frame, size_t i)
{
	(void)i;
	return (void *)&frame->system;
}

static size_t aio_count(const struct frame *frame)
{
	return 1 + frame->naio_task;
}

static void *aio_at(const struct frame *frame, size_t i)
{
	return i ? (void *)&frame->aio_task[i - 1] : (void *)&frame->aio;
}

static uint64_t aio_identity(const void *data)
{
	const struct aio_row *row = data;

	return row->task ? task_table.identity(row->task) : 0;
}

static uint64_t machine_identity(const void *row)
{
	(void)row;
	return 0;
}

const struct table system_table = {
	.name = "system",
	.help = "the machine: iowait, pressure, dirty pages, swap, totals",
	.column = system_columns,
	.ncolumn = COUNT_OF(system_columns),
	.sort = "",
	.then = "",
	.count = one,
	.row = system_at,
	.identity = machine_identity,
};

const struct table aio_table = {
	.name = "aio",
	.help = "asynchronous I/O: slots reserved, contexts and requests",
	.column = aio_columns,
	.ncolumn = COUNT_OF(aio_columns),
	.sort = "",
	.then = "",
	.count = aio_count,
	.row = aio_at,
	.identity = aio_identity,
};
