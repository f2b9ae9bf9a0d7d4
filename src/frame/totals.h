/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every task did since the start, ended ones included. */
#ifndef IOTRIAGE_FRAME_TOTALS_H
#define IOTRIAGE_FRAME_TOTALS_H

#include "iotriage/frame.h"

struct totals;

struct totals *totals_new(void);
void totals_free(struct totals *totals);

/*
 * Adds a frame's tasks. Call it once a frame, after names were attached. In
 * thread view the threads of a process are added up.
 */
void totals_add(struct totals *totals, const struct frame *frame);

/*
 * Sets frame->total: rows by task, program (comm) or user. What the devices did
 * and no task accounts for is a row of programs and of users too.
 * Pointers stay good until the next call. 0 or -ENOMEM.
 */
int totals_attach(struct totals *totals, struct frame *frame, enum total_by by);

#endif
