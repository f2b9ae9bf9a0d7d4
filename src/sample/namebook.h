/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helper has told of names, of tasks and of users: inside the module of names.h. */
#ifndef IOTRIAGE_SAMPLE_NAMEBOOK_H
#define IOTRIAGE_SAMPLE_NAMEBOOK_H

#include "iotriage/frame.h"

#include <sys/types.h>

enum { NAME_BUCKETS = 4096 };

enum name_state {
	NAME_ASKED,
	NAME_KNOWN,
	NAME_RENEWED, /* known, and asked again */
	NAME_LATE
};

struct task_name {
	struct task_name *next;
	int32_t pid;
	uint64_t start_ticks;
	enum name_state state;
	char asked_in; /* the task's state when asked: a late one is asked again in another */
	pid_t hung;    /* the helper that hung on it; not asked again before that one has gone,
			* and the task has another state */
	unsigned long seen; /* the last frame it was in */
	int64_t asked_ns;
	bool uid_known; /* else it was gone before it could be asked */
	uint32_t uid;
	char *command; /* NULL: none */
	char comm[COMM_MAX]; /* when asked: another one is another program by now */
};

struct user_name {
	struct user_name *next;
	uint32_t uid;
	bool asked;
	char *name; /* the number, until the name is known */
};

/* Zero-initialised; released by namebook_release. */
struct namebook {
	struct task_name *task[NAME_BUCKETS]; /* by PID */
	struct user_name *user;
	size_t ntask;
	unsigned long frame; /* number of the newest one */
};

void namebook_release(struct namebook *book);

/* The first of those that may have this PID; the others follow. */
static inline struct task_name *namebook_first(const struct namebook *book, int32_t pid)
{
	return book->task[(uint32_t)pid % NAME_BUCKETS];
}

/* NULL: nothing is known of it. */
struct task_name *namebook_task(const struct namebook *book, const struct task_sample *sample);

/* An empty entry for a task that has none. NULL: no memory. */
struct task_name *namebook_add(struct namebook *book, const struct task_sample *sample);

/* Forgets tasks that are in the newest frame no more, when there are many of them. */
void namebook_sweep(struct namebook *book, size_t living);

/* NULL: nothing is known of this user. */
struct user_name *namebook_user(const struct namebook *book, uint32_t uid);

/* A user whose name is not known, or never will be, is a number. NULL: no memory. */
struct user_name *namebook_add_user(struct namebook *book, uint32_t uid);

/* The task that a row has its names from: of a thread its main thread, which is the process. */
const struct task_sample *name_source(const struct frame *frame, const struct task_row *row);

#endif
