/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers that are looked at several times between two walks: do they wait for a
 * file's lock? A walk alone sees too little of waits that are short and many; but
 * where it sees none at all, nobody is looked at.
 */
#ifndef IOTRIAGE_SAMPLE_LOCKWATCH_H
#define IOTRIAGE_SAMPLE_LOCKWATCH_H

#include "readtask.h"

/* Of one process no more than these, of all together no more than those. */
enum { LOCK_TASKS_EACH = 32, LOCK_TASKS_MAX = 64 };

/* A thread, or a process of one thread. */
struct lock_task {
	struct leaves leaf;
	int fd;           /* its wchan, kept open; -1: not */
	uint64_t program; /* a hash of its comm */
	bool waits;       /* for such a lock, at the walk or in looks before it */
	uint16_t looks, seen;
	int32_t file; /* the descriptor it was seen to write to then; -1: not known */
};

struct lock_watch {
	bool keep;                             /* descriptors may be kept */
	struct lock_task task[LOCK_TASKS_MAX]; /* ascending PID, then TID */
	struct lock_task
	    chosen[LOCK_TASKS_MAX]; /* by the walk under way, to be looked at after it */
	size_t n, nchosen;
	size_t cursor;  /* tasks before it are of PIDs that the walk has passed */
	size_t at;      /* is being looked at; SIZE_MAX: none */
	int64_t due_ns; /* the next round; meaningful where n > 0 */
};

void lock_watch_open(struct lock_watch *watch, bool keep);
void lock_watch_release(struct lock_watch *watch);

/* ---- of a walk ---- */

void lock_watch_begin(struct lock_watch *watch);

/* Sets lock_looks and lock_seen of a process, or of one of its threads; ascending, as the walk. */
void lock_watch_count(struct lock_watch *watch, struct task_sample *sample);

/* Takes those of a process that was just read into the choice: writers, and who waits now. */
void lock_watch_choose(struct lock_watch *watch, const struct task_file *file);

/* Those chosen are looked at from now on: where a program has two and one of them waits. */
void lock_watch_end(struct lock_watch *watch, int64_t now_ns);

/* ---- between walks ---- */

/* The n-th, to be looked at; given back by lock_watch_put unless lock_watch_lose came first. */
struct lock_task lock_watch_take(struct lock_watch *watch, size_t n);
void lock_watch_put(struct lock_watch *watch, const struct lock_task *task);

/* The one being looked at is given up with its descriptor: whoever took it closes that. */
void lock_watch_lose(struct lock_watch *watch);

/* A round has ended. */
void lock_watch_next(struct lock_watch *watch, int64_t now_ns);

/* Looks at it; may hang. */
void lock_task_look(struct lock_task *task, const struct root *root, bool keep);
void lock_task_close(struct lock_task *task);

#endif
