/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last frames and the peaks of each device. */
#ifndef IOTRIAGE_FRAME_HISTORY_H
#define IOTRIAGE_FRAME_HISTORY_H

#include "iotriage/frame.h"

struct histories;

/* NULL without memory. Freed by histories_free, which takes NULL. */
struct histories *histories_new(void);
void histories_free(struct histories *histories);

/*
 * Adds a frame and sets history and peaks of its device rows. A device is its
 * name and diskseq; one that is gone for 600 frames is forgotten. Allocates only
 * for a device that is new. An average since boot is not added.
 */
void histories_add(struct histories *histories, struct frame *frame);

/* The peaks begin anew, in the frame too. */
void histories_reset_peaks(struct histories *histories, struct frame *frame);

#endif
