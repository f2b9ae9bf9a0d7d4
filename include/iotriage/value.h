/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A value is a number, or absent for a stated reason. Zero is a measured zero.
 *
 * Absent values print as "-" on screen and as an empty CSV cell, sort last
 * both ways and stay out of sums. Nothing here allocates.
 */
#ifndef IOTRIAGE_VALUE_H
#define IOTRIAGE_VALUE_H

#include <stdbool.h>

enum absent {
	PRESENT = 0,
	ABSENT_NEW,         /* first seen: no earlier reading to subtract */
	ABSENT_RESET,       /* counters went back: device or task replaced */
	ABSENT_IDLE,        /* nothing to take it of: no requests, no calls, no ring */
	ABSENT_UNREAD,      /* threads of a process that does nothing */
	ABSENT_DENIED,      /* the kernel refuses this file to this user */
	ABSENT_OFF,         /* accounting is switched off */
	ABSENT_OLDER,       /* the task is older than the switch of its accounting */
	ABSENT_UNTRACED,    /* only tracing measures it, which is off or lacks that part */
	ABSENT_BIO,         /* the device makes no requests of its own (dm, md, zram) */
	ABSENT_UNSUPPORTED, /* this kernel, or this kind of device, has no such figure */
	ABSENT_MERGED,      /* slab cache merged with others: its count is unknown */
	ABSENT_LATE,        /* not read in time for this tick */
	ABSENT_BLOCKED,     /* the read is stuck in the kernel */
	ABSENT_IMPLAUSIBLE, /* no hardware can do that */
	ABSENT_REASONS
};

struct value {
	double n;
	enum absent why; /* PRESENT: n holds */
};

static inline struct value value_of(double n)
{
	return (struct value){.n = n, .why = PRESENT};
}

static inline struct value value_absent(enum absent why)
{
	return (struct value){.n = 0, .why = why};
}

static inline bool value_known(struct value v)
{
	return v.why == PRESENT;
}

/* The number, or `otherwise` where there is none. */
static inline double value_or(struct value v, double otherwise)
{
	return v.why == PRESENT ? v.n : otherwise;
}

/* One word naming the reason ("denied"), for people and for scripts. */
const char *absent_name(enum absent why);

/* One sentence: why it is absent and what would bring it. */
const char *absent_help(enum absent why);

#endif
