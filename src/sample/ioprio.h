/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changing a task's I/O priority: ioprio_set(2). */
#ifndef IOTRIAGE_SAMPLE_IOPRIO_H
#define IOTRIAGE_SAMPLE_IOPRIO_H

#include <stdint.h>

enum ioprio_class { IOPRIO_NONE, IOPRIO_REALTIME, IOPRIO_BEST_EFFORT, IOPRIO_IDLE };

/*
 * tid 0: every thread of the process that has this start; else that thread of
 * the process, with its own start. level: 0 to 7, of realtime and best effort.
 * 0 or -errno: -ESRCH (it is another one by now), -ETIMEDOUT (the kernel does
 * not answer within half a second), -EPERM.
 */
int ioprio_change(int32_t pid, uint64_t start_ticks, int32_t tid, enum ioprio_class class, int level);

#endif
