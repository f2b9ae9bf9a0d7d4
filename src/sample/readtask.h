/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process: its files, its threads, and which part of its counters is its
 * own. Reading them can hang; only a worker does.
 *
 * The kernel adds the counters of a child to its parent's when that waits for
 * it. Whether it did shows in its stat line (reaped). Where it did not, all that
 * the process's counters grew is its own, threads that ended included. Where it
 * did, its own is what its living threads did, and that takes the process's
 * counters less theirs, the share, of the reading before: known once the threads
 * were read, and the same for as long as nothing is reaped and no thread ends.
 */
#ifndef IOTRIAGE_SAMPLE_READTASK_H
#define IOTRIAGE_SAMPLE_READTASK_H

#include "threads.h"

struct task_file {
	struct leaves leaf;
	bool blocked; /* a worker hangs on it */
	bool known;   /* last was read */
	bool writes;  /* it wrote, or called to, between the last two readings */
	bool again;   /* to be read although it did not run: its parent has ended */
	bool settled; /* one thread: last holds for as long as ran does */
	struct task_ran ran;
	struct task_sample last; /* as last read */
	struct threads threads;
	unsigned quiet; /* readings since it did something or a thread was in D */
	bool hides_threads; /* it is quiet: they are of no interest */
	bool share_known;
	uint64_t share[TASK_COUNTERS]; /* of ended threads and reaped children */
};

/* How many descriptors it keeps, threads included. */
unsigned task_file_kept(const struct task_file *file);

/* Its name and user, from files that do not hang: for a task not read before. */
void task_file_introduce(struct task_file *file, const struct root *root, bool uid);

/*
 * Reads it into file->last, or knows that all is as before. Its threads are read
 * where threads.current. false: it is gone.
 */
bool task_file_read(struct task_file *file, struct reader *reader);

/* What it takes to see that nothing has changed, apart from the file itself. */
struct idle_look {
	int32_t pid;
	int sched_fd;
	struct task_ran ran;
};

/* It has one thread and most likely did not run: leaf_rests tells. */
bool task_file_may_idle(const struct task_file *file, struct idle_look *look);

/* It did not run: all is as before, now. */
void task_file_stay(struct task_file *file, const struct reader *reader);

void task_file_close(struct task_file *file);

#endif
