/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that list tasks: loading them, and a pass over all of them. */
#ifndef TRACE_TASK_LOAD_H
#define TRACE_TASK_LOAD_H

#include "iotriage/snapshot.h"

struct probe;
struct task_trace;

/* 0 or -errno; -ENOENT: this kernel, or this PID namespace, cannot. */
int task_trace_open(struct task_trace **ret, const struct probe *probe);
void task_trace_close(struct task_trace *trace); /* takes NULL */

/*
 * A walk over all tasks, as the /proc sampler's, but for wchan. all_threads of
 * *tasks says which threads are wanted; its memory is used again. Only one
 * thread may call it at a time. 0 or -errno.
 */
int task_trace_read(struct task_trace *trace, struct task_snapshot *tasks);

#endif
