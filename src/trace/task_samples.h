/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The snapshot of a pass, from the store. For task_*.c only. */
#ifndef TRACE_TASK_SAMPLES_H
#define TRACE_TASK_SAMPLES_H

#include "task_store.h"

static inline uint64_t ns_to_ticks(unsigned ticks_per_s, uint64_t ns)
{
	return ns / (1000000000 / ticks_per_s);
}

/* Those that live, and those that ended and were not idle. 0 or -ENOMEM. */
int task_samples(struct task_store *store, unsigned ticks_per_s, struct task_snapshot *tasks);

#endif
