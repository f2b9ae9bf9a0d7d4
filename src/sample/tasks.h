/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task worker: a thread that reads /proc/PID/{io,stat} and what is in
 * /proc/PID/task, so that a target stuck in the kernel never holds up the main thread.
 *
 * One walk at a time: tasks_start asks for it, tasks_fd becomes readable when it
 * has ended, tasks_take hands its result over. A worker that hangs on one PID
 * for over a second is left there, the PID set aside as blocked, and another
 * worker finishes the walk; at most four are left hanging.
 */
#ifndef IOTRIAGE_SAMPLE_TASKS_H
#define IOTRIAGE_SAMPLE_TASKS_H

#include "iotriage/snapshot.h"
#include "root.h"

struct tasks;

/* root must outlive it. uids: read each task's effective user too. 0 or -errno. */
int tasks_open(struct tasks **ret, struct root *root, bool uids);

/*
 * Does not wait for workers that hang; the process's end takes them. false: some
 * do, so what they use, root too, must stay. Takes NULL.
 */
bool tasks_close(struct tasks *tasks);

/*
 * Another way to know of all tasks: fills a snapshot as a walk does, but for what
 * tasks wait in; those that wait or did I/O are read for that. Called by the worker,
 * must not hang. 0 or -errno: then that walk is made in /proc. Before the first walk.
 */
typedef int task_source(void *data, struct task_snapshot *tasks);
void tasks_use(struct tasks *tasks, task_source *source, void *data);

/*
 * Begins a walk. forks: processes and threads that the kernel has made so far; where
 * there are no more the processes need not be listed again. 0: unknown. false: the
 * walk before has not ended yet.
 */
bool tasks_start(struct tasks *tasks, uint64_t forks);

/* From the next walk on: the threads of every process that has several, else of active ones. */
void tasks_all_threads(struct tasks *tasks, bool all);

/* Readable when a walk has ended and was not taken yet. */
int tasks_fd(const struct tasks *tasks);

/*
 * Looks after the worker; call it at every tick, and often while waiting for a
 * walk. True once the walk has ended: tasks_take has a result.
 */
bool tasks_done(struct tasks *tasks);

/* Swaps the result of an ended walk with *snapshot, whose memory is used again. */
void tasks_take(struct tasks *tasks, struct task_snapshot *snapshot);

#endif
