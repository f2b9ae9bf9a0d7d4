/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one task. Reading them can hang; only a worker does. */
#ifndef IOTRIAGE_SAMPLE_READTASK_H
#define IOTRIAGE_SAMPLE_READTASK_H

#include "iotriage/snapshot.h"
#include "root.h"

/*
 * Whether a task ran, as /proc/PID/schedstat tells: time on a CPU and how often
 * it got one. A task with one thread that did not run did no I/O, so its other
 * files need not be read: schedstat costs the kernel a fraction of what they
 * cost, takes no lock and is exact. (Its state can differ in one way: a frozen
 * cgroup shows sleepers as D without running them.)
 */
struct task_ran {
	uint64_t cpu_ns, times;
};

struct task_file {
	int32_t pid;
	int io_fd, stat_fd, sched_fd; /* kept open; -1: not */
	bool blocked;                 /* a worker hangs on it */
	bool settled;                 /* last holds for as long as ran does */
	struct task_ran ran;
	struct task_sample last; /* as last read */
};

/* How many descriptors it keeps. */
unsigned task_file_kept(const struct task_file *file);

enum task_keep {
	TASK_KEEP_NONE,  /* no room for descriptors */
	TASK_KEEP_FEW,   /* a task that does not run keeps only its schedstat */
	TASK_KEEP_ALL
};

/* Its name and user, from files that do not hang: for a task not read before. */
void task_file_introduce(struct task_file *file, const struct root *root, bool uid);

/* Reads io and stat into *sample, or knows that they are as before. false: it is gone. */
bool task_file_read(struct task_file *file, const struct root *root, enum task_keep keep, bool uid,
                    struct task_sample *sample);

void task_file_close(struct task_file *file);

#endif
