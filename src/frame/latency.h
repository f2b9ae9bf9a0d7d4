/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tracing measured, by device and class, from two readings. */
#ifndef IOTRIAGE_FRAME_LATENCY_H
#define IOTRIAGE_FRAME_LATENCY_H

#include "iotriage/frame.h"

/*
 * Sets the measured figures of the frame's device rows, which are built. before
 * NULL: nothing is known of the interval. 0 or -ENOMEM.
 */
int latency_build(struct frame *frame, const struct latency_snapshot *before,
                  const struct latency_snapshot *now);

/* All measured figures of a row are absent, for this reason. */
void latency_absent(struct device_row *row, enum absent why);

#endif
