/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that measure block requests: loading them and reading their maps. */
#ifndef TRACE_BLOCK_LOAD_H
#define TRACE_BLOCK_LOAD_H

#include "iotriage/snapshot.h"

struct probe;
struct block_trace;

/* 0 or -errno; -ENOENT: the kernel lacks the tracepoints. */
int block_trace_open(struct block_trace **ret, const struct probe *probe);
void block_trace_close(struct block_trace *trace); /* takes NULL */

/* 0 or -errno. */
int block_trace_read(struct block_trace *trace, struct latency_snapshot *latency);

/* Right after that: whose requests they were. 0 or -errno; -ENOENT: it cannot be known here. */
int block_trace_read_pairs(struct block_trace *trace, struct pair_snapshot *pairs);

#endif
