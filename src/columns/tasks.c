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
COLUMN_NUMBER(swapin_pct, struct task_row, swapin_pct)
COLUMN_NUMBER(inh_rkb, struct task_row, inh_rkb)
COLUMN_NUMBER(inh_wkb, struct task_row, inh_wkb)
COLUMN_NUMBER(req, struct task_row, req)
COLUMN_NUMBER(req_await, struct task_row, req_await)
COLUMN_NUMBER(blocked_threads, struct task_row, blocked_threads)

/* A figure from a look at the task's files, or why there is none. */
#define COLUMN_USE(name)                                                                           \
	static struct value name(const void *data)                                                 \
	{                                                                                          \
		const struct task_use *use = ((const struct task_row *)data)->use;                 \
		return use ? use->name : value_absent(ABSENT_NEW);                                 \
	}

COLUMN_USE(contexts)
COLUMN_USE(rings)
COLUMN_USE(sq)
COLUMN_USE(cq)
COLUMN_USE(files)

/* Read and written together. */
static struct value both_kb(const void *data)
{
	const struct task_row *row = data;

	return value_known(row->rkb) ? value_of(row->rkb.n + value_or(row->wkb, 0)) : row->wkb;
}

/* What children brought that it reaped, read and written together. */
static struct value inherited_kb(const void *data)
{
	const struct task_row *row = data;

	return value_known(row->inh_rkb) ? value_of(row->inh_rkb.n + value_or(row->inh_wkb, 0)) : row->inh_wkb;
}

static struct value task_pid(const void *data)
{
	const struct task_row *row = data;

	return row->kind == TASK_UNATTRIBUTED ? value_absent(ABSENT_UNSUPPORTED) : value_of(row->task->pid);
}

/* Of a process: its main thread's, which is the same number. */
static struct value task_tid(const void *data)
{
	const struct task_row *row = data;

	return row->kind == TASK_THREAD ? value_of(row->task->tid) : task_pid(data);
}

static struct value task_threads(const void *data)
{
	const struct task_row *row = data;

	if (row->kind != TASK_PROCESS || row->task->stat_state != PRESENT)
		return value_absent(row->kind != TASK_PROCESS ? ABSENT_UNSUPPORTED : (enum absent)row->task->stat_state);
	return value_of(row->task->threads);
}

/* "." where it was looked at and does none of these. */
static const char *task_mode(const void *data, char *buf, size_t size)
{
	const struct task_use *use = ((const struct task_row *)data)->use;

	(void)buf, (void)size;
	if (!use || use->why != PRESENT)
		return NULL;
	return *use->mode ? use->mode : ".";
}

static const char *task_device(const void *data, char *buf, size_t size)
{
	const struct task_use *use = ((const struct task_row *)data)->use;

	(void)buf, (void)size;
	return use && use->why == PRESENT && *use->device ? use->device : NULL;
}

static const char *task_top_device(const void *data, char *buf, size_t size)
{
	const struct task_row *row = data;

	(void)buf, (void)size;
	return row->top ? row->top->device->name : NULL;
}

static const char *task_ioprio(const void *data, char *buf, size_t size)
{
	const struct task_use *use = ((const struct task_row *)data)->use;

	(void)buf, (void)size;
	return use && *use->ioprio ? use->ioprio : NULL;
}

static const char *task_wchan(const void *data, char *buf, size_t size)
{
	const struct task_row *row = data;

	(void)buf, (void)size;
	return *row->task->wchan ? row->task->wchan : NULL;
}

static const char *task_user(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct task_row *)data)->user;
}

static const char *task_state(const void *data, char *buf, size_t size)
{
	const struct task_row *row = data;

	(void)size;
	if (row->blocked)
		return "blocked";
	if (row->kind == TASK_UNATTRIBUTED)
		return NULL;
	buf[0] = row->state;
	buf[1] = '\0';
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

	if (row->kind == TASK_THREAD && row->task->tid != row->task->pid)
		return row->task->comm; /* a thread's own name says more than its program's arguments */
	if (row->command)
		return row->command;
	if (row->kind == TASK_UNATTRIBUTED || row->names == TASK_NAMES_NEVER)
		return row->task->comm;
	snprintf(buf, size, row->blocked ? "[%s] (blocked)" : "[%s]", row->task->comm);
	return buf;
}

static const struct column columns[] = {
	{"pid", "PID", "", "process", 7, 0, 1, COLUMN_SCREEN | COLUMN_ASCENDING, task_pid, NULL},
	{"tid", "TID", "", "thread; of a process its main thread", 7, 0, 15, COLUMN_ASCENDING, task_tid, NULL},
	{"user", "USER", "", "effective user", 8, 0, 7, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, task_user},
	{"state", "S", "", "R running, S sleeping, D waiting for I/O, I idle kernel thread, Z ended, X ended in the interval, T stopped; blocked: /proc does not answer",
	 1, 0, 5, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, task_state},
	{"mode", "MODE", "", "how it does I/O: D direct (O_DIRECT), S synchronous (O_SYNC, O_DSYNC), A libaio, U io_uring, "
	 "B buffered, M mmap; . none of these", 5, 0, 4, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, task_mode},
	{"dev", "DEV", "", "devices its open files are on, the likeliest first", 7, 0, 6,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, task_device},
	{"rkB/s", NULL, "KiB/s", "read from storage, its own", 7, 1, 3, COLUMN_SCREEN, rkb, NULL},
	{"wkB/s", NULL, "KiB/s", "written to storage (dirtied, for buffered writes)", 7, 1, 2,
	 COLUMN_SCREEN, wkb, NULL},
	{"kB/s", NULL, "KiB/s", "read and written, together", 8, 1, 13, 0, both_kb, NULL},
	{"inhkB/s", NULL, "KiB/s", "inherited: read and written by children it reaped in the interval", 7, 1, 8, 0,
	 inherited_kb, NULL},
	{"inh_rkB/s", NULL, "KiB/s", "of that, read", 9, 1, 16, 0, inh_rkb, NULL},
	{"inh_wkB/s", NULL, "KiB/s", "of that, written", 9, 1, 16, 0, inh_wkb, NULL},
	{"IO%", NULL, "%", "time it waited for block I/O, of a process its worst thread's; needs kernel.task_delayacct=1",
	 5, 1, 5, COLUMN_SCREEN, io_pct, NULL},
	{"SWAPIN%", NULL, "%", "traced: time it waited for memory to come back from swap, likewise",
	 7, 1, 16, 0, swapin_pct, NULL},
	{"ckB/s", NULL, "KiB/s", "writes cancelled: dirty data that was truncated away", 8, 1, 14, 0, ckb, NULL},
	{"rchar/s", NULL, "KiB/s", "asked of read calls, from cache or not", 8, 1, 9, 0, rchar, NULL},
	{"wchar/s", NULL, "KiB/s", "handed to write calls", 8, 1, 9, 0, wchar, NULL},
	{"syscr/s", NULL, "1/s", "read calls", 7, 1, 8, 0, syscr, NULL},
	{"syscw/s", NULL, "1/s", "write calls", 7, 1, 8, 0, syscw, NULL},
	{"B/call", NULL, "bytes", "bytes per read or write call", 7, 0, 10, 0, bytes_call, NULL},
	{"cache%", NULL, "%", "share of what was read that never reached a device", 6, 1, 11, 0, cache_pct,
	 NULL},
	{"threads", "THR", "threads", "how many it has", 5, 0, 15, 0, task_threads, NULL},
	{"blocked", "THRD", "threads", "of them, those in D; known of processes that do I/O", 5, 0, 15, 0, blocked_threads, NULL},
	{"wchan", NULL, "", "the kernel function a task in D waits in", 16, 0, 14, COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, task_wchan},
	{"ioprio", "PRIO", "", "I/O priority: class (rt, be, idle, none) and level", 6, 0, 12,
	 COLUMN_LEFT | COLUMN_ASCENDING, NULL, task_ioprio},
	{"contexts", "CTX", "contexts", "AIO contexts (io_setup)", 5, 0, 13, 0, contexts, NULL},
	{"rings", "RING", "rings", "io_uring rings", 5, 0, 13, 0, rings, NULL},
	{"sq/s", NULL, "1/s", "io_uring submissions", 7, 1, 13, 0, sq, NULL},
	{"cq/s", NULL, "1/s", "io_uring completions", 7, 1, 13, 0, cq, NULL},
	{"req/s", NULL, "1/s", "traced: block requests it issued itself", 7, 1, 17, 0, req, NULL},
	{"req_await", NULL, "ms", "traced: mean time of these, queue and service", 9, 2, 17, 0, req_await, NULL},
	{"req_dev", "REQDEV", "", "traced: the device most of these went to", 8, 0, 17, COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, task_top_device},
	{"files", "FILES", "", "open descriptors", 6, 0, 16, 0, files, NULL},
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

	return row->blocked || row->state == 'D' || value_or(row->inh_rkb, 0) > 0 ||
	       value_or(row->inh_wkb, 0) > 0 || value_or(row->rkb, 0) > 0 ||
	       value_or(row->wkb, 0) > 0 || value_or(row->ckb, 0) > 0 || value_or(row->io_pct, 0) > 0;
}

static uint64_t task_identity(const void *data)
{
	const struct task_sample *task = ((const struct task_row *)data)->task;
	uint64_t id = (uint64_t)(task->tid ? task->tid : task->pid);

	return (id << 40) ^ task->start_ticks;
}

const struct table task_table = {
	.name = "tasks",
	.help = "processes: what they read and write, and how",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "kB/s",
	.then = "inhkB/s",
	.count = task_count,
	.row = task_at,
	.active = task_active,
	.identity = task_identity,
};
