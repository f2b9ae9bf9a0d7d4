/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing: what only the kernel itself can measure, added up by BPF programs
 * and read once a tick. Optional in every way: it may not be built in, not be
 * permitted, or not be possible on this kernel, and each part on its own.
 *
 * Nothing is pinned: when the program ends, by whatever signal, all of it goes.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "iotriage/snapshot.h"

struct trace;

enum { TRACE_WHY_MAX = 128 };

/* What may be asked for beside block requests. */
enum trace_parts {
	TRACE_AIO = 1 << 0,  /* counts of asynchronous I/O */
	TRACE_TASKS = 1 << 1 /* all tasks in one reading */
};

/*
 * Loads and attaches what can be of block requests and these parts. 0, or -errno where no part works (-ENOSYS:
 * not built in); why is then one line for people, without a full stop.
 */
int trace_open(struct trace **ret, unsigned parts, char why[TRACE_WHY_MAX]);

/* Takes NULL. */
void trace_close(struct trace *trace);

/*
 * Counters of block requests since tracing began, and the extremes of the time
 * since the last reading; and whose requests they were. The memory in *latency
 * and *pairs is used again. trace NULL: absent. -ENOMEM, else 0: what cannot be
 * read is absent.
 */
int trace_requests(struct trace *trace, struct latency_snapshot *latency, struct pair_snapshot *pairs);

/* A walk over all tasks can be made by trace_tasks. */
bool trace_has_tasks(const struct trace *trace);

/* A task_source (sample/tasks.h); data is the trace. Only one thread may call it at a time. */
int trace_tasks(void *data, struct task_snapshot *tasks);

/*
 * Counters of asynchronous I/O, from the first call with watch on. Watching costs
 * every system call of the machine some 50 ns. The rest as trace_requests.
 */
int trace_aio(struct trace *trace, bool watch, struct aio_activity *activity);

#endif
