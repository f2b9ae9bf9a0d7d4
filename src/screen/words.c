/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words for how a task does I/O, what it is at, and what a device is.
 */
#include "words.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void words_mode(const char *letters, char *out, size_t size)
{
	static const struct {
		char letter;
		const char *words;
	} modes[MODE_LETTERS] = {
	    {'D', "direct (O_DIRECT)"}, {'S', "synchronous (O_SYNC, O_DSYNC)"},
	    {'A', "libaio"},		{'U', "io_uring"},
	    {'B', "buffered"},		{'M', "mapped files (mmap)"},
	};
	out[0] = '\0';
	for (size_t i = 0; i < MODE_LETTERS; i++) {
		size_t len = strlen(out);
		if (strchr(letters, modes[i].letter))
			snprintf(out + len, size - len, "%s%s", len ? ", " : "", modes[i].words);
	}
}

const char *words_state(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "waiting for I/O";
	case 'I':
		return "idle, a kernel thread";
	case 'Z':
		return "ended, not yet waited for";
	case 'X':
		return "ended in the interval";
	case 'T':
		return "stopped";
	case 't':
		return "stopped by a tracer";
	}
	return "state unknown";
}

void words_class(const struct device_info *info, char *out, size_t size)
{
	static const char *const words[] = {
	    [DEVICE_DISK] = "disk",	     [DEVICE_PARTITION] = "partition",
	    [DEVICE_DM] = "device mapper",   [DEVICE_MD] = "md array",
	    [DEVICE_STACKED] = "stacked device", [DEVICE_LOOP] = "loop device",
	    [DEVICE_MEMORY] = "memory",	     [DEVICE_PATH] = "hidden path",
	};
	snprintf(out, size, "%s%s%s", words[info->class], *info->parent ? " of " : "", info->parent);
}

void words_duration(double seconds, char *out, size_t size)
{
	unsigned long s = seconds > 0 && seconds < 1e9 ? (unsigned long)seconds : 0;
	if (s < 60)
		snprintf(out, size, "%lus", s);
	else if (s < 3600)
		snprintf(out, size, "%lum%02lus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(out, size, "%luh%02lum", s / 3600, s / 60 % 60);
	else
		snprintf(out, size, "%lud%02luh", s / 86400, s / 3600 % 24);
}

void words_clock(double epoch, double now, char *out, size_t size)
{
	time_t then = (time_t)epoch, present = (time_t)now;
	struct tm tm, today;
	out[0] = '\0';
	if (!localtime_r(&then, &tm) || !localtime_r(&present, &today))
		return;
	bool same = tm.tm_year == today.tm_year && tm.tm_yday == today.tm_yday;
	(void)strftime(out, size, same ? "%H:%M:%S" : "%m-%d %H:%M", &tm);
}
