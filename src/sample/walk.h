/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk that the task worker does, and what it shares with who looks after it. */
#ifndef IOTRIAGE_SAMPLE_WALK_H
#define IOTRIAGE_SAMPLE_WALK_H

#include "lockwatch.h"
#include "tasklist.h"
#include "tasks.h"

#include <pthread.h>

struct worker {
	struct tasks *tasks;
	int32_t pid;        /* what it is reading; 0: nothing */
	atomic_ulong reads; /* how many tasks and threads it has begun to read */
	bool abandoned;     /* left hanging; another does its work */
};

struct tasks {
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	struct root *root;
	bool uids;
	bool all_threads; /* wanted from the next walk on */
	bool closing;
	struct worker *worker; /* the one at work, NULL: none */
	unsigned long seen_reads; /* of the worker, when last looked after */
	int64_t seen_ns;          /* since when that number stands */
	unsigned hanging;
	int ready_fd;

	bool walking, ended;
	uint64_t forks; /* before this walk; 0: unknown */
	bool as_before; /* the list is that of the walk before, */
	bool gone;      /* and of it one is gone */
	struct task_list list;
	size_t at; /* list.file[at] is read next */
	size_t kept_max;
	struct lock_watch locks;
	struct task_snapshot fill;
	task_source *source; /* NULL: /proc alone */
	void *source_data;
};

/*
 * The lock is held before and after each of these, and not while they read. false:
 * this worker was given up meanwhile.
 */

/* The process that is next in the list, into the snapshot. */
bool walk_one(struct worker *worker);

/* The n-th writer that is looked at between two walks. */
bool walk_lock(struct worker *worker, size_t n);

#endif
