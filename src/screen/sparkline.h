/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of bars, one for each frame, the newest at the right.
 */
#ifndef IOTRIAGE_SCREEN_SPARKLINE_H
#define IOTRIAGE_SCREEN_SPARKLINE_H

#include "iotriage/frame.h"

/* The largest of the newest `frames` values; absent where none is known. */
struct value sparkline_most(const float *ring, const struct device_history *history, size_t frames);

/* Draws as many as `cells`; what was absent is blank, 0 is the lowest bar. */
void sparkline_draw(int y, int x, int cells, const float *ring, const struct device_history *history,
		    double scale);

#endif
