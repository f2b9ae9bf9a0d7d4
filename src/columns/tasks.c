/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of task metrics. */
#include "columns.h"

#include <stdio.h>

COLUMN_NUMBER(rkb, struct task_row, rkb)
COLUMN_NUMBER(wkb, struct task_row, wkb)
COLUMN_NUMBER(ckb, struct task_row, ckb)
COLUMN_NUMBER(rchar, struct task_row, rchar)
COLUMN_NUMBER(wchar, struct task_row, wchar)
COLUMN_NUMBER(syscr, struct task_row, syscr)
COLUMN_NUMBER(syscw, struct task_row, syscw)
COLUMN_NUMBER(bytes_call, struct task_row, bytes_call)
COLUMN_NUMBER(cache_pct, struct task_row, cache_pct)
COLUMN_NUMBER(io_pct, struct task_row, io_pct)

/* Read and written together. */
static struct value both_kb(const void *data)
{
	const struct task_row *row = data;

	return value_known(row->rkb) ? value_of(row->rkb.n + value_or(row->wkb, 0)) : row->wkb;
}

static struct value task_pid(const void *data)
{
	return value_of(((const struct task_row *)data)->task->pid);
}

static const char *task_user(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct task_row *)data)->user;
}

static const char *task_state(const void *data, char *buf, size_t size)
{
	const struct task_row *row = data;

	if (row->blocked)
		return "blocked";
	snprintf(buf, size, "%c", row->task->state);
	return buf;
}

static const char *task_comm(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct task_row *)data)->task->comm;
}

/* The command line; a kernel thread, or one not answered for yet, has its name in brackets. */
static const char *task_command(const void *data, char *buf, size_t size)
{
	const struct task_row *row = data;

	if (row->command)
		return row->command;
	if (row->names == TASK_NAMES_NEVER)
		return row->task->comm;
	snprintf(buf, size, row->blocked ? "[%s] (blocked)" : "[%s]", row->task->comm);
	return buf;
}

static const struct column columns[] = {
	{"pid", "PID", "", "process", 7, 0, 1, COLUMN_SCREEN | COLUMN_ASCENDING, task_pid, NULL},
	{"user", "USER", "", "effective user", 8, 0, 6, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, task_user},
	{"state", "S", "", "R running, S sleeping, D waiting for I/O, I idle kernel thread, Z ended, T stopped; blocked: /proc does not answer",
	 1, 0, 5, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, task_state},
	{"rkB/s", NULL, "KiB/s", "read from storage", 8, 1, 3, COLUMN_SCREEN, rkb, NULL},
	{"wkB/s", NULL, "KiB/s", "written to storage (dirtied, for buffered writes)", 8, 1, 2,
	 COLUMN_SCREEN, wkb, NULL},
	{"kB/s", NULL, "KiB/s", "read and written, together", 8, 1, 13, 0, both_kb, NULL},
	{"IO%", NULL, "%", "time its main thread waited for block I/O; needs kernel.task_delayacct=1", 5, 1,
	 4, COLUMN_SCREEN, io_pct, NULL},
	{"ckB/s", NULL, "KiB/s", "writes cancelled: dirty data that was truncated away", 8, 1, 14, 0, ckb, NULL},
	{"rchar/s", NULL, "KiB/s", "asked of read calls, from cache or not", 8, 1, 9, 0, rchar, NULL},
	{"wchar/s", NULL, "KiB/s", "handed to write calls", 8, 1, 9, 0, wchar, NULL},
	{"syscr/s", NULL, "1/s", "read calls", 7, 1, 8, 0, syscr, NULL},
	{"syscw/s", NULL, "1/s", "write calls", 7, 1, 8, 0, syscw, NULL},
	{"B/call", NULL, "bytes", "bytes per read or write call", 7, 0, 10, 0, bytes_call, NULL},
	{"cache%", NULL, "%", "share of what was read that never reached a device", 6, 1, 11, 0, cache_pct,
	 NULL},
	{"comm", "NAME", "", "the kernel's name of the task", 15, 0, 12, COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, task_comm},
	{"command", "COMMAND", "", "command line; in brackets: the name, where there is none", 10, 0, 1,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING | COLUMN_FILL, NULL, task_command},
};

static size_t task_count(const struct frame *frame)
{
	return frame->ntask;
}

static void *task_at(const struct frame *frame, size_t i)
{
	return &frame->task[i];
}

static bool task_active(const void *data)
{
	const struct task_row *row = data;

	return row->blocked || row->task->state == 'D' || value_or(row->rkb, 0) > 0 ||
	       value_or(row->wkb, 0) > 0 || value_or(row->ckb, 0) > 0 || value_or(row->io_pct, 0) > 0;
}

static uint64_t task_identity(const void *data)
{
	const struct task_sample *task = ((const struct task_row *)data)->task;

	return ((uint64_t)task->pid << 40) ^ task->start_ticks;
}

const struct table task_table = {
	.name = "tasks",
	.help = "processes: what they read and write, and how",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "kB/s",
	.count = task_count,
	.row = task_at,
	.active = task_active,
	.identity = task_identity,
};
