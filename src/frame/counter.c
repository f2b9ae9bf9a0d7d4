/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of counters. */
#include "counter.h"

/* How near the ends of 32 bits a counter must be for its fall to be a wrap. */
static const uint64_t wrap_margin = (uint64_t)1 << 28;
static const uint64_t wrap = (uint64_t)1 << 32;

bool counter_delta(uint64_t was, uint64_t now, uint64_t *delta)
{
	*delta = 0;
	if (now >= was)
		*delta = now - was;
	else if (was < wrap && was >= wrap - wrap_margin && now < wrap_margin)
		*delta = now + wrap - was;
	else
		return false;
	return true;
}

bool counter_delta_ms(uint64_t was, uint64_t now, uint64_t *delta)
{
	*delta = 0;
	if (now >= was)
		*delta = now - was;
	else if (was < wrap && was >= wrap / 2)
		*delta = now + wrap - was;
	else
		return false;
	return true;
}

struct value ratio(double a, double b)
{
	return b > 0 ? value_of(a / b) : value_absent(ABSENT_IDLE);
}
