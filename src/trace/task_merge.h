/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the task programs, made a snapshot as the /proc sampler makes it.
 * No system calls here.
 *
 * What a process did itself is what its threads did, the ended ones too: their
 * last figures come with their exits. What the kernel adds of reaped children is
 * in its counter, as far as their exits were not seen, and never in its own.
 */
#ifndef TRACE_TASK_MERGE_H
#define TRACE_TASK_MERGE_H

#include "iotriage/snapshot.h"
#include "tasks.h"

struct task_merge;

struct task_merge *task_merge_new(unsigned ticks_per_s); /* NULL without memory */
void task_merge_free(struct task_merge *merge);          /* takes NULL */

/* What one pass of the programs gave. */
struct task_pass {
	const char *record; /* in the order of the kernel's list, each of its own length */
	size_t bytes;
	bool complete;      /* of all tasks; else of those that may have changed */
	int64_t boot_ns;    /* CLOCK_BOOTTIME when it began */
	const struct task_exit *exit; /* since the pass before, in their order */
	size_t nexit;
};

/*
 * tasks->mono_ns is set by the caller; all_threads says which threads it gets.
 * Processes that ended since the pass before and did storage I/O in it are there
 * with state X. The first pass must be complete. 0 or -ENOMEM.
 */
int task_merge_pass(struct task_merge *merge, const struct task_pass *pass,
		    struct task_snapshot *tasks);

/* The length of a record. */
size_t task_record_size(const struct task_record *record);

#endif
