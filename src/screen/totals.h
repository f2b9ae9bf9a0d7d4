/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Totals since the start, in the place of the tasks.
 */
#ifndef IOTRIAGE_SCREEN_TOTALS_H
#define IOTRIAGE_SCREEN_TOTALS_H

#include "state.h"

/* Rates, totals by task, by program, by user, and rates again. */
void totals_next(struct screen *screen);

enum total_by totals_by(const struct screen *screen);

/* The frame has those that are asked for, or none at all. */
bool totals_are_there(const struct screen *screen);

/* Says by what and since when. */
void totals_title(struct screen *screen);

#endif
