/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that count asynchronous I/O. They run at every system call of the
 * machine, so they are attached only while somebody looks.
 */
#ifndef TRACE_AIO_LOAD_H
#define TRACE_AIO_LOAD_H

#include "iotriage/snapshot.h"

struct probe;
struct aio_trace;

/* Loads; attaches nothing yet. 0 or -errno; -ENOENT: the kernel lacks the tracepoints. */
int aio_trace_open(struct aio_trace **ret, const struct probe *probe);
void aio_trace_close(struct aio_trace *trace); /* takes NULL */

/* From now on, or no more. */
void aio_trace_watch(struct aio_trace *trace, bool watch);

/* 0 or -errno; nothing is there while it is not watched. */
int aio_trace_read(struct aio_trace *trace, struct aio_activity *activity);

#endif
