/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose block requests were, by device and task, from two readings. */
#ifndef IOTRIAGE_FRAME_PAIRS_H
#define IOTRIAGE_FRAME_PAIRS_H

#include "iotriage/frame.h"

/*
 * Makes the frame's pairs, after latency_build. before NULL: nothing is known of
 * the interval. 0 or -ENOMEM.
 */
int pairs_build(struct frame *frame, const struct snapshot *before, const struct snapshot *now);

/* Sets what task rows show of their requests, and the names in the pairs. */
void pairs_attach(struct frame *frame);

void pairs_release(struct frame *frame);

#endif
