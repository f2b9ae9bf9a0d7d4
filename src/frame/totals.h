/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every task did since the start, ended ones included. */
#ifndef IOTRIAGE_FRAME_TOTALS_H
#define IOTRIAGE_FRAME_TOTALS_H

#include "iotriage/choice.h"

/* Ended tasks that have rows of their own; programs and users of folded ones too. */
enum { TOTALS_ENDED_MAX = 8192 };

struct totals;

/* NULL without memory. Freed by totals_free, which takes NULL. */
struct totals *totals_new(void);
void totals_free(struct totals *totals);

/*
 * Adds those of a frame's tasks that choice_has_task, after names were attached. In
 * thread view the threads of a process are added up. A frame whose tasks are late
 * adds to the time only; it may be added once more when they have come. A frame
 * never counts twice. Where only some are chosen nothing is unattributed: others
 * may have done it.
 */
void totals_add(struct totals *totals, const struct frame *frame, const struct choice *choice);

/*
 * Sets frame->total: rows by task, program (comm) or user, the largest first.
 * What the devices did and no task accounts for is a row too, "(unattributed)",
 * and so is what was folded together, "(others)". Pointers stay good until the
 * next call of this or of totals_add. 0 or -ENOMEM.
 */
int totals_attach(struct totals *totals, struct frame *frame, enum total_by by);

#endif
