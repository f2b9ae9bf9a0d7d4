/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small files of a process or a thread. Reading them can hang; only a worker does. */
#ifndef IOTRIAGE_SAMPLE_LEAF_H
#define IOTRIAGE_SAMPLE_LEAF_H

#include "iotriage/snapshot.h"
#include "root.h"

#include <stdatomic.h>

enum { IO_TEXT = 512, STAT_TEXT = 2048 };

/* What a worker brings along to each file. */
struct reader {
	const struct root *root;
	bool uids;           /* each task's user is wanted */
	bool all_threads;    /* threads of idle processes, too */
	size_t room;         /* descriptors that may still be kept open */
	size_t plenty;       /* with less room than this, those of idle tasks are closed */
	atomic_ulong *reads; /* grows with each task and thread: the worker does not hang */
};

enum leaf { LEAF_IO, LEAF_STAT, LEAF_SCHED, LEAVES };

struct leaves {
	int32_t pid;
	int32_t tid;    /* of a thread: they are in PID/task/TID; 0: in PID */
	int fd[LEAVES]; /* kept open; -1: not */
};

/*
 * Whether a task ran, as its schedstat tells: time on a CPU and how often it got
 * one. A thread that did not run did no I/O, so its other files need not be
 * read: schedstat costs the kernel a fraction of what they cost, takes no lock
 * and is exact. (Its state can differ in one way: a frozen cgroup shows sleepers
 * as D without running them.)
 */
struct task_ran {
	uint64_t cpu_ns, times;
};

void leaves_init(struct leaves *leaves, int32_t pid, int32_t tid);
void leaves_close(struct leaves *leaves, enum leaf leaf);
void leaves_close_all(struct leaves *leaves);
unsigned leaves_kept(const struct leaves *leaves);

/* Reads it, NUL-terminated, and keeps it open if keep and there is room. Bytes or -errno. */
ssize_t leaf_read(struct leaves *leaves, struct reader *reader, enum leaf leaf, bool keep,
		  char *buf, size_t size);

/* The same of any file there; it is not kept. */
ssize_t leaf_read_once(const struct leaves *leaves, const struct root *root, const char *name,
		       char *buf, size_t size);

/* The same, with a descriptor that is kept: *fd, -1 before the first time. */
ssize_t leaf_read_kept(const struct leaves *leaves, const struct root *root, const char *name,
		       int *fd, char *buf, size_t size);

/* false: unknown, as on kernels without this file or with zeros in it. */
bool leaf_ran(struct leaves *leaves, struct reader *reader, struct task_ran *ran);
bool task_ran_same(const struct task_ran *a, const struct task_ran *b);

/* An open schedstat says that the task did not run since. */
bool leaf_rests(int sched_fd, const struct task_ran *ran);

/* The kernel function it waits in; "" where the kernel does not say. */
void leaf_wchan(const struct leaves *leaves, const struct root *root, char wchan[WCHAN_MAX]);

enum leaf_reading {
	LEAF_READ,
	LEAF_GONE, /* it has ended, or what is there is not to be understood */
	LEAF_SHORT /* descriptors or memory are short: nothing is known of it now */
};

/*
 * stat, then io, so that what a thread did that ends in between is in io. Sets
 * pid, tid and the time.
 */
enum leaf_reading leaves_read(struct leaves *leaves, struct reader *reader, bool keep,
			      struct task_sample *sample);

/* It called to write, or wrote, between two readings. */
bool task_wrote(const struct task_sample *was, const struct task_sample *now);

/* The figures of an earlier reading that could not be renewed. */
void leaves_set_late(struct task_sample *sample, const struct root *root);

#endif
