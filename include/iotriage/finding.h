/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finding: one sentence about a frame, with its evidence, its severity and
 * what to do next.
 */
#ifndef IOTRIAGE_FINDING_H
#define IOTRIAGE_FINDING_H

#include <stdint.h>

enum severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_CRIT };

enum { SUBJECT_MAX = 128, FINDING_TEXT_MAX = 640, GROUP_MAX = 160, INTERVALS_MAX = 96 };

struct finding {
	const char *rule; /* the rule's name: "serial-io" */
	enum severity severity;
	char subject[SUBJECT_MAX]; /* a device's name, "pid N", or "system" */
	uint64_t identity;         /* a device's diskseq or a task's start; 0 else */
	double since_epoch;        /* wall clock when it began to hold */
	double lasted_s;           /* how long it has held by now */
	char text[FINDING_TEXT_MAX];     /* a sentence that can be read alone */
	char evidence[FINDING_TEXT_MAX]; /* "name=value name=value" */
	char advice[FINDING_TEXT_MAX];   /* one or two sentences */
	/* findings of one frame that share it have one cause on several devices (a pool,
	 * a link) and may be told in one sentence; "": it stands alone */
	char group[GROUP_MAX];

	/* of a report: */
	char intervals[INTERVALS_MAX]; /* frames it held in: "2-4,7"; "..." ends a long list */
	unsigned held;                 /* in how many frames */
	unsigned long frame;           /* number of the one that text and evidence are about */
};

/* "info", "warn", "crit". */
const char *severity_name(enum severity severity);

#endif
