/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks. Differences are always of CLOCK_MONOTONIC. */
#ifndef IOTRIAGE_SAMPLE_CLOCK_H
#define IOTRIAGE_SAMPLE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline int64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
