/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of one process. Reading them can hang; only a worker does. */
#ifndef IOTRIAGE_SAMPLE_THREADS_H
#define IOTRIAGE_SAMPLE_THREADS_H

#include "leaf.h"

struct thread_file {
	struct leaves leaf;
	bool known;                /* last was read */
	bool listed;               /* by the listing under way */
	bool settled;              /* last holds for as long as ran does */
	bool ran_known;            /* seen was read */
	bool writes;               /* it wrote, or called to, between the last two readings */
	bool idle;                 /* seen says that it did not run since last */
	struct task_ran ran, seen; /* when last was read, and just now */
	struct task_sample last;
};

/*
 * The list belongs to whoever reads the process: a worker's copy of a task file
 * and the file itself share it, and only one of them is used at a time.
 */
struct threads {
	struct thread_file *thread; /* ascending TID */
	size_t n, cap;
	uint32_t listed_for; /* how many there were, as stat said, when they were listed */
	bool current;        /* read with the last reading of the process */
	bool looked;         /* seen is of this reading */
};

/* Looks which of them ran since they were read. true: none did, so nothing of them changed. */
bool threads_look(struct threads *threads, struct reader *reader);

/* They are as they were, now. */
void threads_touch(struct threads *threads, int64_t now_ns);

/*
 * Reads those that ran, after listing them where that is due. Adds what threads
 * had done that are gone by now, as far as it was read, to ended. false: there
 * is no list to be had.
 */
bool threads_read(struct threads *threads, struct reader *reader, const struct task_sample *process,
		  uint64_t ended[TASK_COUNTERS]);

/* What the living ones have done. false: not all of them could be read. */
bool threads_live(const struct threads *threads, uint64_t live[TASK_COUNTERS]);

/* One of them that is in D, the main thread rather than others; NULL: none. */
const struct task_sample *threads_waiting(const struct threads *threads);

/* They are not read for now: closes what was kept open. */
void threads_rest(struct threads *threads);

/* Of a process that has one thread again: forgets the others, which ended. */
void threads_end(struct threads *threads, uint64_t ended[TASK_COUNTERS]);

unsigned threads_kept(const struct threads *threads);
void threads_release(struct threads *threads);

#endif
