/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting what a walk has read into its snapshot. */
#ifndef IOTRIAGE_SAMPLE_TASKFILL_H
#define IOTRIAGE_SAMPLE_TASKFILL_H

#include "lockwatch.h"

/* A process that was read, and its threads where they were. */
void fill_process(struct task_snapshot *fill, const struct task_file *file,
		  struct lock_watch *locks);

/*
 * What only /proc tells of a process that is in the snapshot already: what it
 * waits in, and the locks.
 */
void fill_waits(struct task_snapshot *fill, const struct task_file *file, struct lock_watch *locks);

/* One that hangs: what is known of it is who it is. */
void fill_blocked(struct task_snapshot *fill, const struct task_file *file);

#endif
