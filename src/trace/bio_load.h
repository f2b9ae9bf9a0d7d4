/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that measure bios: those of disks without requests, and on the others
 * the wait for a request.
 */
#ifndef TRACE_BIO_LOAD_H
#define TRACE_BIO_LOAD_H

#include "iotriage/snapshot.h"

struct probe;
struct bio_trace;

/* 0 or -errno; -ENOENT: the kernel lacks the tracepoints. */
int bio_trace_open(struct bio_trace **ret, const struct probe *probe);
void bio_trace_close(struct bio_trace *trace); /* takes NULL */

/* Adds to a reading of requests. 0 or -ENOMEM. */
int bio_trace_read(struct bio_trace *trace, struct latency_snapshot *latency);

#endif
