/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How tasks do I/O and on which files: from /proc/PID/{fd,fdinfo,maps,mountinfo,
 * cgroup} and the limits of cgroups, read by a helper process, because those reads can hang.
 *
 * A look at a process is made in pieces, so that no number of descriptors holds
 * the helper up; it is killed and replaced when late, and the process it hung on
 * is left alone for 30 s, or until it is in another state. The helper takes an
 * eighth of a CPU in the long run: where that is not enough, looks come later.
 * Nothing here opens or stats a user's file.
 */
#ifndef IOTRIAGE_USES_H
#define IOTRIAGE_USES_H

#include "iotriage/frame.h"

struct uses;

/* What is asked for beside active tasks and those on show in detail. */
enum uses_wants {
	USES_ALL_AIO = 1 << 0 /* look for AIO contexts and rings in every process, little by little */
};

/*
 * story: the root is a recorded tree, whose answers are waited for. 0 or -errno.
 */
int uses_open(struct uses **ret, bool story);

/* Starts the helper, which else starts with the first question. */
void uses_start(struct uses *uses);

/* Ends the helper without waiting for it. Takes NULL. */
void uses_close(struct uses *uses);

/* The process that this program is: its own files are looked at once a minute at most. */
void uses_own(struct uses *uses, int32_t pid);

/* Where /proc is at this tick: a path, for the helper to open. Copied. */
void uses_root(struct uses *uses, const char *proc_path);

/*
 * The process whose files (frame->file) and sheet are wanted; pid 0: none. Asked
 * for at once and at every tick then.
 */
void uses_watch(struct uses *uses, int32_t pid, uint64_t start_ticks, bool files, bool sheet);

/*
 * Sets use of the task rows, the AIO rows, files and sheet from what is known by
 * now: of a process what its last look found, weighed with this frame's rates.
 * B and M stay for 5 s. Rows of the AIO table count as on show, for their names,
 * while all processes are looked at. Pointers stay good until the next call of
 * uses_attach.
 */
void uses_attach(struct uses *uses, struct frame *frame);

/*
 * Asks about tasks that are active (task_table.active), or on show and calling,
 * and about the watched one. A process is looked at again after 5 s, the first
 * time after 0.9 s, for then it is known which positions move; where a look took long
 * after 200 times as long. While it has rings or contexts these are looked at at every
 * tick, and so are the positions of files it reads directly. In the round over all
 * processes it has its turn when it ran since its last look, after 60 s. The limits of
 * tasks in D are read every 5 s, active or not. A story: returns when all is answered.
 */
void uses_ask(struct uses *uses, const struct frame *frame, unsigned wants);

/* As names_fd, names_timeout_ms, names_tend and names_pending. News are told at most ten times
 * a second while more is to come. */
int uses_fd(const struct uses *uses);
int uses_timeout_ms(const struct uses *uses);
bool uses_tend(struct uses *uses);
bool uses_pending(const struct uses *uses);

/* Something is known that the last frame attached does not have. */
bool uses_is_new(const struct uses *uses);

#endif
