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

/* How many rates are there to tell an interval by? */
static unsigned rates_of(const struct block *block)
{
	unsigned n = 0;

	for (size_t i = 0; i < block->frame.ndevice; i++)
		for (size_t k = 0; k < COUNTS; k++) {
			struct value v = block->field[i][counts[k]];
			n += value_known(v) && v.n > 0 && v.n < rate_max;
		}
	return n;
}

/*
 * A rate is one of these by chance in asked cases of a hundred. The machine may
 * make the interval a bit longer or shorter; the more that is tried, the more
 * rates there must be.
 */
bool boot_as_asked(const struct block *block)
{
	enum { SLACK = 10 }; /* hundredths of a second */
	static const double chance_max = 1e-3;
	double chance = pow(block->asked / 100, rates_of(block));

	if (block->asked < 1)
		return false;
	for (int slack = 0; slack <= SLACK && (2 * slack + 1) * chance < chance_max; slack++)
		if (all_fit(block, block->asked - slack / 100.0) ||
		    all_fit(block, block->asked + slack / 100.0))
			return true;
	return false;
}

/* Such an average is rare, and the block that somebody shows is often such. */
static bool busy_throughout(const struct block *block)
{
	static const double busy = 90;

	for (size_t i = 0; i < block->frame.ndevice; i++)
		if (value_or(block->field[i][FIELD_UTIL], 0) >= busy)
			return true;
	return false;
}

/*
 * Whole seconds, as people ask for (long ones are round: nearly every rate would
 * fit one of many), and what a busy machine makes of them.
 */
bool boot_by_rates(const struct block *block)
{
	enum { SHORT = 20, LONGEST = 60, ROUND = 5 };

	if (busy_throughout(block))
		return false;
	for (int seconds = 1; seconds <= LONGEST; seconds++) {
		if (seconds > SHORT && seconds % ROUND)
			continue;
		int from = seconds <= SHORT ? -2 : -1, to = seconds <= SHORT ? 3 : 1;

		for (int cs = from; cs <= to; cs++)
			if (all_fit(block, seconds + cs / 100.0))
				return false;
	}
	return true;
}
