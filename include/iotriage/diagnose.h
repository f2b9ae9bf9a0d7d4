/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules, and the stage behind them that keeps findings from flickering.
 */
#ifndef IOTRIAGE_DIAGNOSE_H
#define IOTRIAGE_DIAGNOSE_H

#include "iotriage/frame.h"

struct diagnosis;

/*
 * A rule, as the table of rules has it. Documentation is made from these.
 */
struct rule_info {
	const char *name;
	enum severity worst; /* the strongest it can be */
	const char *meaning; /* one or two sentences */
};

/* All rules, strongest claim first; NULL name ends it. */
const struct rule_info *rule_infos(void);

/* A number that rules compare with. */
struct threshold_info {
	const char *name;
	size_t offset; /* where the diagnosis keeps it */
	double by_default;
	const char *meaning; /* with its unit */
};

/* All thresholds; a NULL name ends it. */
const struct threshold_info *threshold_infos(void);
/* NULL where there is none of that name. */
const struct threshold_info *threshold_find(const char *name);
/* Finite, and not below 0. */
bool threshold_may_be(double value);

enum diagnosis_kind {
	DIAGNOSIS_LIVE,  /* frames as they come: what holds is shown after some ticks */
	DIAGNOSIS_REPORT /* a saved report: judged as a whole at its end */
};

struct diagnosis_setup {
	enum diagnosis_kind kind;
	/* live: how many frames the run will have, 0 if it has no end. A finding is shown
	 * once it held in 3 of the last 4 frames, or in all of a shorter run */
	unsigned frames;
};

/* NULL without memory. Freed by diagnosis_free, which takes NULL. */
struct diagnosis *diagnosis_new(const struct diagnosis_setup *setup);
void diagnosis_free(struct diagnosis *diagnosis);

/* Overrides a threshold for the frames to come. 0, -ENOENT, or -EINVAL (it may not be that). */
int diagnosis_set(struct diagnosis *diagnosis, const char *threshold, double value);
/* The value in use; NAN where there is none of that name. */
double diagnosis_get(const struct diagnosis *diagnosis, const char *threshold);

/*
 * Runs every rule over the frame and the ones before it; sets the frame's
 * findings and each device row's mark and verdict. 0 or -ENOMEM (findings are
 * then incomplete).
 *
 * A finding that is shown no more is kept among the frame's ended ones: the last
 * 100 of them. One that is shown again within 8 frames goes on: it is the same
 * finding, with the start it had.
 *
 * Live, a since-boot frame gets marks but no findings. Of a report it gets what
 * can be said of an average; the frame's own findings are always empty there,
 * diagnosis_report has them.
 */
int diagnose(struct diagnosis *diagnosis, struct frame *frame);

/*
 * Of a report: what comes next has nothing to do with the frames before (another
 * host, another layout). They are forgotten, their findings are kept.
 */
void diagnosis_break(struct diagnosis *diagnosis);

/*
 * Live: for so many seconds before the frame that comes nothing was read (a
 * pause). What holds before and after it counts as holding within it; what was
 * not shown yet begins anew.
 */
void diagnosis_gap(struct diagnosis *diagnosis, double seconds);

/*
 * Of a report: its findings, strongest first, once its last frame was diagnosed.
 * 0 or -ENOMEM. They live until the diagnosis is freed.
 */
int diagnosis_report(struct diagnosis *diagnosis, const struct finding **finding, size_t *n);

/*
 * Whether a rule had what it needs. `looked` counts devices, tasks or machines it
 * was tried on, frame by frame, `lacking` those of them it could not judge.
 */
struct rule_check {
	unsigned long looked, lacking;
	const char *lacks;         /* what was missing the first time; NULL: nothing */
	char subject[SUBJECT_MAX]; /* and of what: a device, "pid N" or "system" */
};

/* Of the rule that is n-th in rule_infos. */
const struct rule_check *diagnosis_check(const struct diagnosis *diagnosis, size_t rule);

#endif
