/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changing a task's I/O priority: ioprio_set(2). */
#ifndef IOTRIAGE_SAMPLE_IOPRIO_H
#define IOTRIAGE_SAMPLE_IOPRIO_H

#include <stdint.h>

enum ioprio_class { IOPRIO_NONE, IOPRIO_REALTIME, IOPRIO_BEST_EFFORT, IOPRIO_IDLE };

/*
 * tid 0: every thread of the process that has this start; else that thread.
 * 0 or -errno (-ESRCH: it is another process by now).
 */
int ioprio_change(int32_t pid, uint64_t start_ticks, int32_t tid, enum ioprio_class class, int level);

#endif
