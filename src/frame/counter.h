/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of counters, in one place: wraps, resets, rates. */
#ifndef IOTRIAGE_FRAME_COUNTER_H
#define IOTRIAGE_FRAME_COUNTER_H

#include "iotriage/value.h"

#include <stdint.h>

/*
 * Events and sectors: 64 bits, or 32 on a 32-bit kernel, where a wrap is a fall
 * from near the top to near the bottom. false: it fell otherwise, so the thing
 * it counts was replaced; *delta is then 0.
 */
bool counter_delta(uint64_t was, uint64_t now, uint64_t *delta);

/* Milliseconds: printed by the kernel as 32 bits, each wraps on its own. Else as above. */
bool counter_delta_ms(uint64_t was, uint64_t now, uint64_t *delta);

/* a/b; absent (idle) where b is 0. */
struct value ratio(double a, double b);

#endif
