/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's rows from its snapshots. */
#ifndef IOTRIAGE_FRAME_SYSTEM_H
#define IOTRIAGE_FRAME_SYSTEM_H

#include "iotriage/frame.h"

/* The frame's system row; its device rows must be there, they are added up. */
void system_build(struct frame *frame, const struct system_snapshot *before,
                  const struct system_snapshot *now, double seconds);

void aio_build(struct aio_row *row, const struct aio_snapshot *now);

#endif
