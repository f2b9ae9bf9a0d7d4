/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finding: one sentence about a frame, with its evidence, its severity and
 * what to do next. It is a value: text and numbers are in it.
 */
#ifndef IOTRIAGE_FINDING_H
#define IOTRIAGE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

enum severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_CRIT };

enum { SUBJECT_MAX = 128, FINDING_TEXT_MAX = 640, GROUP_MAX = 160, INTERVALS_MAX = 96 };
enum { FORMULA_MAX = 384 };

struct finding {
	const char *rule;    /* the rule's name: "serial-io" */
	const char *meaning; /* what the rule means: one or two sentences */
	enum severity severity;
	char subject[SUBJECT_MAX]; /* a device's name, "pid N", or "system" */
	uint64_t identity;         /* a device's diskseq or a task's start; 0 else */
	double since_epoch;        /* wall clock when it began to hold */
	double lasted_s;           /* how long it has held by now, or until it ended */
	bool ended;                /* it holds no more: the rest is as it was last */
	double ended_epoch;        /* wall clock at the end of the last interval it held in */
	char text[FINDING_TEXT_MAX];     /* a sentence that can be read alone */
	char evidence[FINDING_TEXT_MAX]; /* "name=value name=value" */
	char advice[FINDING_TEXT_MAX];   /* one or two sentences */
	/* what the rule compared: "L = await x iops / 1000 = 6.13 x 163 / 1000 = 1.00,
	 * within 0.7 to 1.3"; clauses are separated by "; " */
	char formula[FORMULA_MAX];
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
