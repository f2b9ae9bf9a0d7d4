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

/*
 * frames: how many frames the run will have, 0 if it has no end. A finding is
 * shown once it held in 3 of the last 4 frames, or in all of a shorter run.
 * NULL without memory. Freed by diagnosis_free, which takes NULL.
 */
struct diagnosis *diagnosis_new(unsigned frames);
void diagnosis_free(struct diagnosis *diagnosis);

/*
 * Runs every rule over the frame and the ones before it; sets the frame's
 * findings and each device row's mark and verdict. A since-boot frame gets marks
 * but no findings. 0 or -ENOMEM (findings are then incomplete).
 */
int diagnose(struct diagnosis *diagnosis, struct frame *frame);

#endif
