/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the table of rules over a frame and sets its findings, marks and verdicts.
 */
#include "stages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diagnosis {
	struct diagnosis_setup setup;
	struct thresholds limits;
	unsigned long seen;
	struct device_index index;
	struct history history;
	struct layers layers;
	struct device_view *view;
	size_t view_cap;
	struct claims claims;
	struct rule_check *check; /* one for each rule */
	struct persistence persistence;
	struct report report;
};

/* A run this short shows what held in every frame of it. */
enum { DIAGNOSE_SHORT_RUN = 2 };

struct diagnosis *diagnosis_new(const struct diagnosis_setup *setup)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	if (!diagnosis)
		return NULL;
	thresholds_init(&diagnosis->limits);
	diagnosis->setup = *setup;
	diagnosis->history.keep_away = setup->kind == DIAGNOSIS_REPORT;
	diagnosis->check = calloc(rules_count(), sizeof(*diagnosis->check));
	if (!diagnosis->check) {
		free(diagnosis);
		return NULL;
	}
	return diagnosis;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	if (!diagnosis)
		return;
	index_release(&diagnosis->index);
	history_release(&diagnosis->history);
	layers_release(&diagnosis->layers);
	persistence_release(&diagnosis->persistence);
	report_release(&diagnosis->report);
	free(diagnosis->check);
	free(diagnosis->view);
	free(diagnosis->claims.claim);
	free(diagnosis);
}

static double *diagnose_threshold(struct thresholds *limits, const char *name)
{
	for (const struct threshold_info *info = threshold_infos(); info->name; info++)
		if (strcmp(info->name, name) == 0)
			return (double *)((char *)limits + info->offset);
	return NULL;
}

int diagnosis_set(struct diagnosis *diagnosis, const char *threshold, double value)
{
	double *at = diagnose_threshold(&diagnosis->limits, threshold);

	if (!at)
		return -ENOENT;
	if (!isfinite(value) || value < 0)
		return -EINVAL;
	*at = value;
	return 0;
}

double diagnosis_get(const struct diagnosis *diagnosis, const char *threshold)
{
	struct thresholds limits = diagnosis->limits;
	const double *at = diagnose_threshold(&limits, threshold);

	return at ? *at : NAN;
}

void diagnosis_break(struct diagnosis *diagnosis)
{
	history_forget(&diagnosis->history);
	report_section(&diagnosis->report);
}

int diagnosis_report(struct diagnosis *diagnosis, const struct finding **finding, size_t *n)
{
	int err = report_finish(&diagnosis->report, n);

	*finding = diagnosis->report.finding;
	return err ? -ENOMEM : 0;
}

const struct rule_check *diagnosis_check(const struct diagnosis *diagnosis, size_t rule)
{
	return &diagnosis->check[rule];
}

static bool diagnose_is_report(const struct diagnosis *diagnosis)
{
	return diagnosis->setup.kind == DIAGNOSIS_REPORT;
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
			    const struct device_row *row)
{
	char disk[DEVICE_NAME_MAX];

	if (row->info)
		return row->info->parent[0] &&
		       index_find(index, frame, row->info->parent) != INDEX_NONE;
	return layers_partition_of(row->name, disk) && index_find(index, frame, disk) != INDEX_NONE;
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
		view->silent = diagnose_silent(&diagnosis->index, frame, row);
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
	claim->finding = (struct finding){.rule = rule_infos()[rule].name, .severity = SEVERITY_INFO};
	snprintf(claim->finding.subject, sizeof(claim->finding.subject), "system");
	claim->rule = rule;
	claim->device = claim->absorbs = CLAIM_NO_DEVICE;
	claim->weight = 0;
	claim->at_once = claim->explained = false;
	claim->span = 0;
	claim->lacks = NULL;
	claim->last_above = CLAIM_NO_DEVICE;
	claim->nabove = claim->nunnamed = 0;
	claim->above[0] = '\0';
	return claim;
}

/* Runs a rule and keeps account of whether it could judge. True: there is a claim. */
static bool diagnose_ask(struct diagnosis *diagnosis, struct rule_input *in, struct claim *claim)
{
	struct rule_check *check = &diagnosis->check[claim->rule];
	enum rule_answer answer;

	in->claim = diagnosis->claims.claim; /* it may have moved */
	in->nclaim = diagnosis->claims.n;
	answer = rules_at(claim->rule)->function(in, claim);
	check->looked++;
	if (answer == RULE_LACKS) {
		if (!check->lacks) {
			check->lacks = claim->lacks;
			text_clean(check->subject, sizeof(check->subject),
				   claim->finding.subject);
		}
		check->lacking++;
	}
	if (answer != RULE_CLAIMS)
		return false;
	if (in->frame->since_boot && rules_at(claim->rule)->level == RULE_DEVICE)
		claim->finding.severity = SEVERITY_INFO;
	diagnosis->claims.n++;
	return true;
}

/* Does what is already claimed, or shown, of the device leave room for this rule? */
static bool diagnose_applies(const struct diagnosis *diagnosis, const struct device_view *view,
			     const struct rule *rule)
{
	const struct device_info *info = view->row->info;

	if (rule->level != RULE_DEVICE || (view->tainted && rule->cause != CAUSE_FAULT))
		return false;
	if (!(rule->flags & ON_MEMORY) && info && info->class == DEVICE_MEMORY)
		return false;
	if (view->told && rule->flags & GENERAL)
		return false;
	for (size_t i = 0; i < view->nclaim; i++) {
		const struct claim *claim = &diagnosis->claims.claim[view->claim + i];
		enum rule_cause cause = rules_at(claim->rule)->cause;

		if (cause == rule->cause || (cause == CAUSE_STALL && rule->cause == CAUSE_LATENCY))
			return false;
	}
	return true;
}

static bool diagnose_runs(const struct rule_input *in, const struct rule *rule)
{
	return !in->frame->since_boot || rule->flags & ON_BOOT;
}

static int diagnose_device(struct diagnosis *diagnosis, struct rule_input *in, size_t at)
{
	struct device_view *view = &diagnosis->view[at];

	in->device = view;
	view->claim = diagnosis->claims.n;
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (!diagnose_runs(in, rules_at(i)) ||
		    !diagnose_applies(diagnosis, view, rules_at(i)))
			continue;
		claim = diagnose_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		text_clean(claim->finding.subject, sizeof(claim->finding.subject), view->row->name);
		claim->finding.identity = view->row->diskseq;
		claim->device = (long)at;
		view->nclaim += diagnose_ask(diagnosis, in, claim);
	}
	return 0;
}

static int diagnose_devices(struct diagnosis *diagnosis, struct rule_input *in)
{
	const struct frame *frame = in->frame;

	in->view = diagnosis->view;
	in->layer = diagnosis->layers.lower;
	if (!frame->since_boot && frame->devices_state == PRESENT)
		rule_input_link(in);
	if (frame->devices_state != PRESENT)
		return 0;
	for (size_t i = 0; i < frame->ndevice; i++) {
		enum absent why = frame->device[i].why;
		int err;

		if (diagnosis->view[i].silent || (why != PRESENT && why != ABSENT_IMPLAUSIBLE))
			continue;
		err = diagnose_device(diagnosis, in, i);
		if (err < 0)
			return err;
	}
	in->device = NULL;
	stack_absorb(frame, &diagnosis->layers, diagnosis->view, &diagnosis->claims);
	return 0;
}

static int diagnose_level(struct diagnosis *diagnosis, struct rule_input *in, enum rule_level level)
{
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (rules_at(i)->level != level || !diagnose_runs(in, rules_at(i)))
			continue;
		claim = diagnose_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		if (level == RULE_TASK)
			leader_subject(claim, in->task);
		diagnose_ask(diagnosis, in, claim);
	}
	return 0;
}

static int diagnose_tasks(struct diagnosis *diagnosis, struct rule_input *in)
{
	const struct frame *frame = in->frame;
	int err = 0;

	if (frame->tasks_state != PRESENT || frame->since_boot)
		return 0;
	rule_input_writers(in);
	for (size_t i = 0; err == 0 && i < frame->ntask; i++) {
		in->task = &frame->task[i];
		/* a task that neither moves nor waits for anything is not asked about */
		if (in->task->task && in->task->kind != TASK_UNATTRIBUTED && !in->task->late &&
		    (value_or(in->task->rkb, 0) > 0 || value_or(in->task->wkb, 0) > 0 ||
		     in->task->state == 'D' || in->task->lock_seen > 0 ||
		     value_or(in->task->blocked_threads, 0) > 0))
			err = diagnose_level(diagnosis, in, RULE_TASK);
	}
	in->task = NULL;
	return err;
}

/* What a finding about the machine explains is not told of the device again. */
static void diagnose_absorb(struct diagnosis *diagnosis)
{
	struct claims *claims = &diagnosis->claims;

	for (size_t i = 0; i < claims->n; i++)
		for (size_t k = 0; claims->claim[i].absorbs != CLAIM_NO_DEVICE && k < claims->n; k++)
			if (claims->claim[k].device == claims->claim[i].absorbs &&
			    rules_at(claims->claim[k].rule)->cause == CAUSE_LATENCY)
				claims->claim[k].explained = true;
}

static int diagnose_rules(struct diagnosis *diagnosis, const struct frame *frame)
{
	struct rule_input in = {
	    .frame = frame,
	    .limits = &diagnosis->limits,
	    .report = diagnose_is_report(diagnosis),
	    .short_run = diagnosis->setup.frames && diagnosis->setup.frames <= DIAGNOSE_SHORT_RUN,
	};
	int err = diagnose_devices(diagnosis, &in);

	if (err == 0)
		err = diagnose_tasks(diagnosis, &in);
	if (err == 0)
		err = diagnose_level(diagnosis, &in, RULE_SYSTEM);
	diagnose_absorb(diagnosis);
	return err;
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
	unsigned frames = diagnosis->setup.frames;
	bool last = frames && frames <= DIAGNOSE_SHORT_RUN && diagnosis->seen == frames;
	int err;

	if (frame->devices_state == PRESENT)
		persistence_forget(persistence, frame, &diagnosis->index);
	err = persistence_update(persistence, frame, &diagnosis->claims, last ? frames : 0);
	err |= persistence_show(persistence);
	frame->finding = persistence->finding;
	frame->nfinding = persistence->nfinding;
	diagnose_verdicts(diagnosis, frame);
	return err ? -ENOMEM : 0;
}

/* Of a report a row's verdict is what is claimed of it in this frame. */
static int diagnose_collect(struct diagnosis *diagnosis, struct frame *frame)
{
	int err = report_update(&diagnosis->report, frame, diagnosis->view, &diagnosis->index,
				&diagnosis->claims);

	for (size_t i = diagnosis->claims.n; i-- > 0;) {
		const struct claim *claim = &diagnosis->claims.claim[i];

		if (claim->device != CLAIM_NO_DEVICE)
			frame->device[claim->device].verdict =
			    claim->explained ? "" : claim->finding.rule;
	}
	return err ? -ENOMEM : 0;
}

/* What was shown before this frame keeps general findings of the device down. */
static void diagnose_told(struct diagnosis *diagnosis, const struct frame *frame)
{
	const struct persistence *shown = &diagnosis->persistence;

	for (size_t i = 0; i < shown->n; i++) {
		const struct tracked *tracked = &shown->tracked[i];
		long row;

		if (!tracked->shown || !(rules_at(tracked->rule)->flags & NARROW) ||
		    tracked->finding.severity < SEVERITY_WARN)
			continue;
		row = index_find(&diagnosis->index, frame, tracked->finding.subject);
		if (row != INDEX_NONE && frame->device[row].diskseq == tracked->finding.identity)
			diagnosis->view[row].told = true;
	}
}

static void diagnose_starved(struct diagnosis *diagnosis)
{
	const struct claims *claims = &diagnosis->claims;
	struct history *history = &diagnosis->history;

	for (size_t i = 0; i < history->n; i++)
		history_starved(history, i, false);
	for (size_t i = 0; i < claims->n; i++)
		if (claims->claim[i].device != CLAIM_NO_DEVICE &&
		    rules_at(claims->claim[i].rule)->function == device_rule_read_starved)
			history_starved(history, (size_t)claims->claim[i].device, true);
}

/* Everything the rules need: views, history, layers. */
static int diagnose_prepare(struct diagnosis *diagnosis, const struct frame *frame)
{
	int err = 0;

	diagnosis->claims.n = 0;
	if (frame->devices_state == PRESENT && !frame->since_boot) {
		err = history_advance(&diagnosis->history, diagnosis->view, frame->ndevice,
				      &diagnosis->limits);
		diagnose_told(diagnosis, frame);
	}
	if (err == 0)
		err = layers_build(&diagnosis->layers, frame, &diagnosis->index, diagnosis->view,
				   &diagnosis->limits);
	return err;
}

int diagnose(struct diagnosis *diagnosis, struct frame *frame)
{
	bool report = diagnose_is_report(diagnosis);
	int err, worse;

	frame->finding = NULL;
	frame->nfinding = 0;
	err = diagnose_look(diagnosis, frame);
	if (err < 0 || (frame->since_boot && !report))
		return err;
	diagnosis->seen += !frame->since_boot;
	err = diagnose_prepare(diagnosis, frame);
	if (err == 0)
		err = diagnose_rules(diagnosis, frame);
	if (frame->devices_state == PRESENT && !frame->since_boot && err == 0)
		diagnose_starved(diagnosis);
	worse = report ? diagnose_collect(diagnosis, frame) : diagnose_persist(diagnosis, frame);
	return err < 0 ? -ENOMEM : worse;
}
