/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the table of rules over a frame and sets its findings, marks and verdicts.
 */
#include "stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diagnosis {
	struct thresholds limits;
	unsigned frames; /* of the whole run; 0: no end */
	unsigned long seen;
	struct device_index index;
	struct history history;
	struct device_view *view;
	size_t view_cap;
	struct claims claims;
	struct persistence persistence;
};

/* A run this short shows what held in every frame of it. */
enum { DIAGNOSE_SHORT_RUN = 2 };

struct diagnosis *diagnosis_new(unsigned frames)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	if (!diagnosis)
		return NULL;
	thresholds_init(&diagnosis->limits);
	diagnosis->frames = frames;
	return diagnosis;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	if (!diagnosis)
		return;
	index_release(&diagnosis->index);
	history_release(&diagnosis->history);
	persistence_release(&diagnosis->persistence);
	free(diagnosis->view);
	free(diagnosis->claims.claim);
	free(diagnosis);
}

/* Without a measured svctm await dominates nothing. */
static char diagnose_mark(const struct device_row *row, const struct thresholds *limits)
{
	double await = value_or(row->await, 0), svctm = value_or(row->svctm, 0);

	if (svctm <= 0)
		return ' ';
	if (await >= limits->mark_strong_ratio * svctm && await >= limits->mark_strong_ms)
		return 'W';
	if (await >= limits->mark_ratio * svctm && await >= limits->mark_ms)
		return 'w';
	return ' ';
}

static bool diagnose_silent(const struct device_index *index, const struct frame *frame,
			    const struct device_info *info)
{
	return info && info->parent[0] && index_find(index, frame, info->parent) != INDEX_NONE;
}

static const char *diagnose_plain_verdict(const struct device_view *view, bool since_boot)
{
	const struct device_row *row = view->row;

	if (view->silent)
		return "";
	if (row->why != PRESENT || since_boot)
		return "";
	if (view_no_completion(row) && value_or(row->inflight, 0) <= 0)
		return "idle";
	if (!value_known(row->avgqu_sz) && !value_known(row->await))
		return ""; /* rates without times: nothing can be said */
	return "ok";
}

/* Views, marks and the verdicts that hold without a finding. */
static int diagnose_look(struct diagnosis *diagnosis, struct frame *frame)
{
	int err = index_build(&diagnosis->index, frame);

	if (err < 0)
		return err;
	err = stage_reserve((void **)&diagnosis->view, &diagnosis->view_cap, frame->ndevice,
			    sizeof(*diagnosis->view));
	if (err < 0)
		return err;
	for (size_t i = 0; i < frame->ndevice; i++) {
		struct device_row *row = &frame->device[i];
		struct device_view *view = &diagnosis->view[i];

		view_fill(view, row, &diagnosis->limits);
		view->silent = diagnose_silent(&diagnosis->index, frame, row->info);
		row->mark = diagnose_mark(row, &diagnosis->limits);
		row->verdict = diagnose_plain_verdict(view, frame->since_boot);
	}
	return 0;
}

/* The finding's text is empty, all else that a rule need not set is set. */
static struct claim *diagnose_claim(struct diagnosis *diagnosis, unsigned rule)
{
	struct claims *claims = &diagnosis->claims;
	struct claim *claim;

	if (stage_reserve((void **)&claims->claim, &claims->cap, claims->n + 1,
			  sizeof(*claims->claim)) < 0)
		return NULL;
	claim = &claims->claim[claims->n];
	claim->finding.rule = rule_infos()[rule].name;
	claim->finding.severity = SEVERITY_INFO;
	claim->finding.identity = 0;
	snprintf(claim->finding.subject, sizeof(claim->finding.subject), "system");
	claim->finding.text[0] = claim->finding.evidence[0] = claim->finding.advice[0] = '\0';
	claim->rule = rule;
	claim->device = CLAIM_NO_DEVICE;
	claim->weight = 0;
	claim->at_once = claim->explained = false;
	claim->last_above = CLAIM_NO_DEVICE;
	claim->nabove = claim->nunnamed = 0;
	claim->above[0] = '\0';
	return claim;
}

/* Does what is already claimed of the device leave room for this rule? */
static bool diagnose_applies(const struct diagnosis *diagnosis, const struct device_view *view,
			     const struct rule *rule)
{
	const struct device_info *info = view->row->info;

	if (rule->level != RULE_DEVICE || (view->tainted && rule->cause != CAUSE_FAULT))
		return false;
	if (!rule->on_memory && info && info->class == DEVICE_MEMORY)
		return false;
	for (size_t i = 0; i < view->nclaim; i++) {
		const struct claim *claim = &diagnosis->claims.claim[view->claim + i];
		enum rule_cause cause = rules_at(claim->rule)->cause;

		if (cause == rule->cause || (cause == CAUSE_STALL && rule->cause == CAUSE_LATENCY))
			return false;
	}
	return true;
}

static int diagnose_device(struct diagnosis *diagnosis, struct rule_input *in, size_t at)
{
	struct device_view *view = &diagnosis->view[at];

	in->device = view;
	view->claim = diagnosis->claims.n;
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (!diagnose_applies(diagnosis, view, rules_at(i)))
			continue;
		claim = diagnose_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		snprintf(claim->finding.subject, sizeof(claim->finding.subject), "%s",
			 view->row->name);
		claim->finding.identity = view->row->diskseq;
		claim->device = (long)at;
		if (!rules_at(i)->function(in, claim))
			continue;
		diagnosis->claims.n++;
		view->nclaim++;
	}
	return 0;
}

static int diagnose_devices(struct diagnosis *diagnosis, struct rule_input *in)
{
	const struct frame *frame = in->frame;

	for (size_t i = 0; i < frame->ndevice; i++) {
		enum absent why = frame->device[i].why;
		int err;

		if (diagnosis->view[i].silent || (why != PRESENT && why != ABSENT_IMPLAUSIBLE))
			continue;
		err = diagnose_device(diagnosis, in, i);
		if (err < 0)
			return err;
	}
	stack_absorb(frame, &diagnosis->index, diagnosis->view, &diagnosis->claims);
	return 0;
}

static int diagnose_system(struct diagnosis *diagnosis, struct rule_input *in)
{
	in->device = NULL;
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (rules_at(i)->level != RULE_SYSTEM)
			continue;
		claim = diagnose_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		in->claim = diagnosis->claims.claim; /* it may have moved */
		in->nclaim = diagnosis->claims.n;
		if (rules_at(i)->function(in, claim))
			diagnosis->claims.n++;
	}
	return 0;
}

static int diagnose_rules(struct diagnosis *diagnosis, const struct frame *frame)
{
	struct rule_input in = {
	    .frame = frame,
	    .limits = &diagnosis->limits,
	    .short_run = diagnosis->frames && diagnosis->frames <= DIAGNOSE_SHORT_RUN,
	};
	int err = diagnose_devices(diagnosis, &in);

	return err < 0 ? err : diagnose_system(diagnosis, &in);
}

/* Does a device below say what is wrong with this one? */
static bool diagnose_told_below(const struct diagnosis *diagnosis, const struct device_view *view)
{
	for (int depth = 0; view->explained && depth < STACK_DEPTH; depth++) {
		view = &diagnosis->view[view->explained_by];
		if (view->spoken)
			return true;
	}
	return false;
}

/* A layer whose trouble is told of the device below is neither "ok" nor has a finding. */
static void diagnose_verdicts(struct diagnosis *diagnosis, struct frame *frame)
{
	const struct persistence *shown = &diagnosis->persistence;

	for (size_t i = shown->nfinding; i-- > 0;) {
		const struct finding *finding = &shown->finding[i];
		long row = index_find(&diagnosis->index, frame, finding->subject);

		if (row == INDEX_NONE || frame->device[row].diskseq != finding->identity)
			continue;
		frame->device[row].verdict = finding->rule;
		diagnosis->view[row].spoken = true;
	}
	for (size_t i = 0; i < frame->ndevice; i++)
		if (!diagnosis->view[i].spoken &&
		    diagnose_told_below(diagnosis, &diagnosis->view[i]))
			frame->device[i].verdict = "";
	/* what has not held long enough to be told is not "ok" either */
	for (size_t i = 0; i < diagnosis->claims.n; i++) {
		const struct claim *claim = &diagnosis->claims.claim[i];

		if (claim->device != CLAIM_NO_DEVICE && !diagnosis->view[claim->device].spoken &&
		    rule_infos()[claim->rule].worst > SEVERITY_INFO)
			frame->device[claim->device].verdict = "";
	}
}

static int diagnose_persist(struct diagnosis *diagnosis, struct frame *frame)
{
	struct persistence *persistence = &diagnosis->persistence;
	bool last = diagnosis->frames && diagnosis->frames <= DIAGNOSE_SHORT_RUN &&
		    diagnosis->seen == diagnosis->frames;
	int err;

	if (frame->devices_state == PRESENT)
		persistence_forget(persistence, frame, &diagnosis->index);
	err = persistence_update(persistence, frame, &diagnosis->claims,
				 last ? diagnosis->frames : 0);
	err |= persistence_show(persistence);
	frame->finding = persistence->finding;
	frame->nfinding = persistence->nfinding;
	diagnose_verdicts(diagnosis, frame);
	return err ? -ENOMEM : 0;
}

int diagnose(struct diagnosis *diagnosis, struct frame *frame)
{
	int err, worse;

	frame->finding = NULL;
	frame->nfinding = 0;
	err = diagnose_look(diagnosis, frame);
	if (err < 0 || frame->since_boot)
		return err;
	diagnosis->seen++;
	diagnosis->claims.n = 0;
	if (frame->devices_state == PRESENT)
		err = history_advance(&diagnosis->history, diagnosis->view, frame->ndevice,
				      &diagnosis->limits);
	if (err == 0)
		err = diagnose_rules(diagnosis, frame);
	worse = diagnose_persist(diagnosis, frame);
	return err < 0 ? err : worse;
}
