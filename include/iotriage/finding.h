/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finding: one sentence about a frame, with its evidence, its severity and
 * what to do next.
 */
#ifndef IOTRIAGE_FINDING_H
#define IOTRIAGE_FINDING_H

#include <stdint.h>

enum severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_CRIT };

enum { SUBJECT_MAX = 128, FINDING_TEXT_MAX = 480 };

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
};

/* "info", "warn", "crit". */
const char *severity_name(enum severity severity);

#endif
