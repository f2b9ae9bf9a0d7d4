/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Letters and codes in words.
 */
#ifndef IOTRIAGE_SCREEN_WORDS_H
#define IOTRIAGE_SCREEN_WORDS_H

#include "iotriage/frame.h"

/* "direct (O_DIRECT), libaio" */
void words_mode(const char *letters, char *out, size_t size);

/* "waiting for I/O" */
const char *words_state(char state);

/* "partition of sda" */
void words_class(const struct device_info *info, char *out, size_t size);

/* "12s", "3m05s", "2h07m", "1d04h" */
void words_duration(double seconds, char *out, size_t size);

/* "22:13:20", or the day too where it is not that of `now`: "11-14 22:13"; in local time. */
void words_clock(double epoch, double now, char *out, size_t size);

#endif
