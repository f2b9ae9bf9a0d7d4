/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values as bars, in blocks or, without Unicode, in signs of growing weight.
 */
#include "sparkline.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 8, BLOCK_BYTES = 3 };

static const char signs[] = ".:-=+*#"; /* a blank is what was absent */

/* The k-th newest, 0 being the newest. */
static double sparkline_value(const float *ring, const struct device_history *history, size_t k)
{
	return (double)ring[(history->at + 2 * HISTORY_FRAMES - 1 - k) % HISTORY_FRAMES];
}

struct value sparkline_most(const float *ring, const struct device_history *history, size_t frames)
{
	struct value most = value_absent(ABSENT_NEW);
	for (size_t k = 0; k < history->n && k < frames; k++) {
		double v = sparkline_value(ring, history, k);
		if (!isnan(v) && (!value_known(most) || v > most.n))
			most = value_of(v);
	}
	return most;
}

/* Which of `levels` bars a value is, from 0 on. */
static unsigned sparkline_level(double v, double scale, unsigned levels)
{
	if (!(v > 0) || !(scale > 0))
		return 0;
	double level = ceil(v / scale * levels) - 1;
	return level >= levels - 1 ? levels - 1 : level > 0 ? (unsigned)level : 0;
}

void sparkline_draw(int y, int x, int cells, const float *ring, const struct device_history *history,
		    double scale)
{
	char line[HISTORY_FRAMES * BLOCK_BYTES + 1];
	size_t frames = cells > 0 ? (size_t)cells : 0, n = 0;
	frames = frames < history->n ? frames : history->n;
	for (size_t k = frames; k-- > 0;) {
		double v = sparkline_value(ring, history, k);
		if (isnan(v)) {
			line[n++] = ' ';
		} else if (text_unicode()) {
			unsigned level = sparkline_level(v, scale, BLOCKS);
			memcpy(line + n, "\xe2\x96", 2);
			line[n + 2] = (char)(0x81 + level);
			n += BLOCK_BYTES;
		} else {
			line[n++] = signs[sparkline_level(v, scale, sizeof(signs) - 1)];
		}
	}
	line[n] = '\0';
	text_put_right(y, x, cells, line);
}
