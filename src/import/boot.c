/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a block an average since boot? Its rates are counts divided by the length
 * of the interval: no short interval gives rates like 0.67, 3.74 and 2.02.
 */
#include "block.h"

#include <math.h>

static const enum field counts[] = {FIELD_R,    FIELD_W,    FIELD_F,   FIELD_D,
				    FIELD_RRQM, FIELD_WRQM, FIELD_IOPS};

enum { COUNTS = sizeof(counts) / sizeof(*counts) };

/* Above this a double keeps no hundredths worth testing. */
static const double rate_max = 1e9;

static bool is_whole(double n)
{
	return fabs(n - round(n)) < 1e-6;
}

bool boot_whole(const struct block *block)
{
	for (size_t i = 0; i < block->frame.ndevice; i++)
		for (size_t k = 0; k < COUNTS; k++) {
			struct value v = block->field[i][counts[k]];
			if (value_known(v) && !is_whole(v.n))
				return false;
		}
	return true;
}

/* Printed with two decimals: is there a count that this interval makes into it? */
static bool fits(double rate, double seconds)
{
	double count = round(rate * seconds);

	return fabs(count / seconds - rate) <= 0.00501;
}

static bool all_fit(const struct block *block, double seconds)
{
	for (size_t i = 0; i < block->frame.ndevice; i++)
		for (size_t k = 0; k < COUNTS; k++) {
			struct value v = block->field[i][counts[k]];
			if (value_known(v) && v.n > 0 && v.n < rate_max && !fits(v.n, seconds))
				return false;
		}
	return true;
}

/* Whole seconds, as people ask for, and what a busy machine makes of them. */
bool boot_by_rates(const struct block *block)
{
	enum { SHORT = 20, LONGEST = 80 };

	for (int seconds = 1; seconds < LONGEST; seconds++) {
		int from = seconds <= SHORT ? -2 : -1, to = seconds <= SHORT ? 3 : 1;

		for (int cs = from; cs <= to; cs++)
			if (all_fit(block, seconds + cs / 100.0))
				return false;
	}
	return true;
}
