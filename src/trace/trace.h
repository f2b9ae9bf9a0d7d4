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

/*
 * Loads and attaches what can be. 0, or -errno where no part works (-ENOSYS:
 * not built in); why is then one line for people, without a full stop.
 */
int trace_open(struct trace **ret, char why[TRACE_WHY_MAX]);

/* Takes NULL. */
void trace_close(struct trace *trace);

/*
 * Counters of block requests since tracing began, and the extremes of the time
 * since the last reading. The memory in *latency is used again. trace NULL:
 * absent. -ENOMEM, else 0: what cannot be read is absent.
 */
int trace_latency(struct trace *trace, struct latency_snapshot *latency);

/*
 * Counters of asynchronous I/O, from the first call with watch on. Watching costs
 * every system call of the machine some 50 ns. The rest as trace_latency.
 */
int trace_aio(struct trace *trace, bool watch, struct aio_activity *activity);

#endif
