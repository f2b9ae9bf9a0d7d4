/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame's way through the stages, and its findings, marks and verdicts.
 */
#include "stages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diagnosis *diagnosis_new(const struct diagnosis_setup *setup)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	if (!diagnosis)
		return NULL;
	thresholds_init(&diagnosis->limits);
	diagnosis->setup = *setup;
	diagnosis->history.keep_away = setup->kind == DIAGNOSIS_REPORT;
	diagnosis->check = calloc(rules_count(), sizeof(*diagnosis->check));
	if (!diagnosis->check ||
	    (setup->kind == DIAGNOSIS_LIVE && ended_init(&diagnosis->persistence.ended) < 0)) {
		diagnosis_free(diagnosis);
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
	free(diagnosis->busy);
	free(diagnosis->claims.claim);
	free(diagnosis);
}

int diagnosis_set(struct diagnosis *diagnosis, const char *threshold, double value)
{
	const struct threshold_info *info = threshold_find(threshold);

	if (!info)
		return -ENOENT;
	if (!threshold_may_be(value))
		return -EINVAL;
	*threshold_of(&diagnosis->limits, info) = value;
	return 0;
}

double diagnosis_get(const struct diagnosis *diagnosis, const char *threshold)
{
	const struct threshold_info *info = threshold_find(threshold);
	struct thresholds limits = diagnosis->limits;

	return info ? *threshold_of(&limits, info) : NAN;
}

void diagnosis_break(struct diagnosis *diagnosis)
{
	history_forget(&diagnosis->history);
	report_section(&diagnosis->report);
}

void diagnosis_gap(struct diagnosis *diagnosis, double seconds)
{
	persistence_gap(&diagnosis->persistence, seconds);
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

/* A measured service time is believed rather than svctm; without either await dominates nothing. */
static void diagnose_mark(struct device_row *row, const struct thresholds *limits)
{
	bool measured = view_measured(row);
	double await = value_or(row->await, 0);
	double serve = measured ? row->avserv.n : value_or(row->svctm, 0);

	row->mark = ' ';
	row->mark_by = serve <= 0 ? "" : measured ? "avserv" : "svctm";
	if (serve <= 0)
		return;
	if (await >= limits->mark_strong_ratio * serve && await >= limits->mark_strong_ms)
		row->mark = 'W';
	else if (await >= limits->mark_ratio * serve && await >= limits->mark_ms)
		row->mark = 'w';
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
		diagnose_mark(row, &diagnosis->limits);
		row->verdict = diagnose_plain_verdict(view, frame->since_boot);
	}
	return 0;
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

/* Is the device held up by anything but a burst of write-back? */
static bool diagnose_held_up(const struct diagnosis *diagnosis, const struct device_view *view)
{
	for (size_t i = 0; i < view->nclaim; i++) {
		const struct rule *rule = rules_at(diagnosis->claims.claim[view->claim + i].rule);

		if (rule->cause == CAUSE_STALL ||
		    (rule->cause == CAUSE_LATENCY && rule->function != device_rule_write_burst &&
		     rule->function != device_rule_busy_not_saturated))
			return true;
	}
	return false;
}

static void diagnose_settle(struct diagnosis *diagnosis, const struct frame *frame)
{
	for (size_t i = 0; i < frame->ndevice && i < diagnosis->history.n; i++)
		history_held_up(&diagnosis->history, i,
				diagnose_held_up(diagnosis, &diagnosis->view[i]));
	persistence_settle(&diagnosis->persistence, frame, &diagnosis->index, &diagnosis->history);
}

/* What is shown keeps general findings of the device down, in this frame and the next. */
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

static int diagnose_persist(struct diagnosis *diagnosis, struct frame *frame)
{
	struct persistence *persistence = &diagnosis->persistence;
	unsigned frames = diagnosis->setup.frames;
	bool last = frames && frames <= DIAGNOSE_SHORT_RUN && diagnosis->seen == frames;
	int err;

	if (frame->devices_state == PRESENT) {
		persistence_forget(persistence, frame, &diagnosis->index);
		diagnose_settle(diagnosis, frame);
	}
	err = persistence_update(persistence, frame, &diagnosis->claims, last ? frames : 0);
	if (frame->devices_state == PRESENT) {
		diagnose_told(diagnosis, frame);
		persistence_overrule(persistence, frame, &diagnosis->index, diagnosis->view);
	}
	err |= persistence_show(persistence);
	frame->finding = persistence->finding;
	frame->nfinding = persistence->nfinding;
	frame->ended = persistence->ended.finding;
	frame->nended = persistence->ended.n;
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

	frame->finding = frame->ended = NULL;
	frame->nfinding = frame->nended = 0;
	err = diagnose_look(diagnosis, frame);
	if (err < 0 || (frame->since_boot && !report))
		return err;
	diagnosis->seen += !frame->since_boot;
	err = diagnose_prepare(diagnosis, frame);
	if (err == 0)
		err = judge(diagnosis, frame);
	worse = report ? diagnose_collect(diagnosis, frame) : diagnose_persist(diagnosis, frame);
	return err < 0 ? -ENOMEM : worse;
}
