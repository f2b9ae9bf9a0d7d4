/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two snapshots make a frame. Pure functions: no clock, no file, no state but
 * the memory in the frame that is used again.
 */
#ifndef IOTRIAGE_FRAME_BUILD_H
#define IOTRIAGE_FRAME_BUILD_H

#include "iotriage/frame.h"

/*
 * Everything but the tasks. before NULL: the frame is the average since boot.
 * Device rows point into now. 0 or -ENOMEM.
 */
int frame_build(struct frame *frame, const struct snapshot *before, const struct snapshot *now);

/* What is known of the walk of this tick. */
enum walk_age {
	WALK_FRESH, /* it is the newest of the two */
	WALK_LATE,  /* it has not ended: rows have no figures */
	WALK_KEPT   /* the same, but rows have those of the walk before it, and say that they are late */
};

/*
 * The task rows, which point into now, and the totals over them. before and now
 * are walks at any two times: each task has its own. before NULL: all are new.
 * threads: rows are threads, of which the walks have all. 0 or -ENOMEM.
 */
int frame_build_tasks(struct frame *frame, const struct task_snapshot *before,
                      const struct task_snapshot *now, enum walk_age age, bool threads);

void frame_release(struct frame *frame);

#endif
