/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the table of rules: over each device, each task that does something, and
 * the machine.
 */
#include "stages.h"

#include <errno.h>
#include <stdio.h>

/* The finding's text is empty, all else that a rule need not set is set. */
static struct claim *judge_claim(struct diagnosis *diagnosis, unsigned rule)
{
	struct claims *claims = &diagnosis->claims;
	struct claim *claim;

	if (stage_reserve((void **)&claims->claim, &claims->cap, claims->n + 1,
			  sizeof(*claims->claim)) < 0)
		return NULL;
	claim = &claims->claim[claims->n];
	claim->finding.rule = rule_infos()[rule].name;
	claim->finding.meaning = rule_infos()[rule].meaning;
	claim->finding.severity = SEVERITY_INFO;
	claim->finding.identity = 0;
	claim->finding.since_epoch = claim->finding.lasted_s = claim->finding.ended_epoch = 0;
	claim->finding.ended = false;
	claim->finding.text[0] = claim->finding.evidence[0] = claim->finding.advice[0] = '\0';
	claim->finding.formula[0] = '\0';
	claim->finding.group[0] = claim->finding.intervals[0] = '\0';
	claim->finding.held = 0;
	claim->finding.frame = 0;
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
static bool judge_ask(struct diagnosis *diagnosis, struct rule_input *in, struct claim *claim)
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
			text_clean(check->subject, sizeof(check->subject), claim->finding.subject);
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
static bool judge_applies(const struct diagnosis *diagnosis, const struct device_view *view,
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

static bool judge_runs(const struct rule_input *in, const struct rule *rule)
{
	return !in->frame->since_boot || rule->flags & ON_BOOT;
}

static int judge_device(struct diagnosis *diagnosis, struct rule_input *in, size_t at)
{
	struct device_view *view = &diagnosis->view[at];

	in->device = view;
	view->claim = diagnosis->claims.n;
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (!judge_runs(in, rules_at(i)) || !judge_applies(diagnosis, view, rules_at(i)))
			continue;
		claim = judge_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		text_clean(claim->finding.subject, sizeof(claim->finding.subject), view->row->name);
		claim->finding.identity = view->row->diskseq;
		claim->device = (long)at;
		view->nclaim += judge_ask(diagnosis, in, claim);
	}
	return 0;
}

static int judge_devices(struct diagnosis *diagnosis, struct rule_input *in)
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
		err = judge_device(diagnosis, in, i);
		if (err < 0)
			return err;
	}
	in->device = NULL;
	stack_absorb(frame, &diagnosis->layers, diagnosis->view, &diagnosis->claims);
	return 0;
}

static int judge_level(struct diagnosis *diagnosis, struct rule_input *in, enum rule_level level)
{
	for (unsigned i = 0; i < rules_count(); i++) {
		struct claim *claim;

		if (rules_at(i)->level != level || !judge_runs(in, rules_at(i)))
			continue;
		claim = judge_claim(diagnosis, i);
		if (!claim)
			return -ENOMEM;
		if (level == RULE_TASK)
			leader_subject(claim, in->task);
		judge_ask(diagnosis, in, claim);
	}
	return 0;
}

static int judge_tasks(struct diagnosis *diagnosis, struct rule_input *in)
{
	const struct frame *frame = in->frame;
	int err = 0;

	if (frame->tasks_state != PRESENT || frame->since_boot)
		return 0;
	rule_input_writers(in);
	rule_input_locks(in);
	/* a task that neither moves nor waits for anything is not asked about */
	for (size_t i = 0; err == 0 && i < in->nbusy; i++) {
		in->task = in->busy[i];
		if (!in->task->late)
			err = judge_level(diagnosis, in, RULE_TASK);
	}
	in->task = NULL;
	return err;
}

static void judge_absorb_claims(struct claims *claims, long device)
{
	for (size_t i = 0; i < claims->n; i++)
		if (claims->claim[i].device == device &&
		    rules_at(claims->claim[i].rule)->cause == CAUSE_LATENCY)
			claims->claim[i].explained = true;
}

/* Those below as well, as long as they do not have mostly other work. */
static void judge_absorb_device(struct diagnosis *diagnosis, long at, int depth)
{
	const struct device_view *view = &diagnosis->view[at];

	judge_absorb_claims(&diagnosis->claims, at);
	for (size_t i = 0; depth > 0 && i < view->nlower; i++) {
		long below = (long)diagnosis->layers.lower[view->lower + i];

		if (view_kib(view) >= diagnosis->limits.swap_share *
					  view_kib(&diagnosis->view[below]))
			judge_absorb_device(diagnosis, below, depth - 1);
	}
}

/* A task's says why, and nothing of how the device fares: that stays, as information. */
static void judge_ease(struct claims *claims, long device)
{
	for (size_t i = 0; i < claims->n; i++)
		if (claims->claim[i].device == device &&
		    rules_at(claims->claim[i].rule)->cause == CAUSE_LATENCY)
			claims->claim[i].finding.severity = SEVERITY_INFO;
}

/* What a finding about the machine explains is not told of the device again. */
static void judge_absorb(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->claims.n; i++) {
		const struct claim *claim = &diagnosis->claims.claim[i];

		if (claim->absorbs == CLAIM_NO_DEVICE)
			continue;
		if (rules_at(claim->rule)->cause == CAUSE_TASK)
			judge_ease(&diagnosis->claims, claim->absorbs);
		else
			judge_absorb_device(diagnosis, claim->absorbs, STACK_DEPTH);
	}
}

/* It moves data, or waits. */
static bool is_busy(const struct task_row *task)
{
	return task->task && task->kind != TASK_UNATTRIBUTED &&
	       (value_or(task->rkb, 0) > 0 || value_or(task->wkb, 0) > 0 || task->state == 'D' ||
		task->lock_seen > 0 || value_or(task->blocked_threads, 0) > 0);
}

static int list_busy(struct diagnosis *diagnosis, struct rule_input *in)
{
	const struct frame *frame = in->frame;

	if (stage_reserve((void **)&diagnosis->busy, &diagnosis->busy_cap, frame->ntask,
			  sizeof(*diagnosis->busy)) < 0)
		return -ENOMEM;
	in->busy = diagnosis->busy;
	for (size_t i = 0; i < frame->ntask; i++)
		if (is_busy(&frame->task[i]))
			diagnosis->busy[in->nbusy++] = &frame->task[i];
	return 0;
}

int judge(struct diagnosis *diagnosis, const struct frame *frame)
{
	struct rule_input in = {
	    .frame = frame,
	    .limits = &diagnosis->limits,
	    .report = diagnosis->setup.kind == DIAGNOSIS_REPORT,
	    .short_run = diagnosis->setup.frames && diagnosis->setup.frames <= DIAGNOSE_SHORT_RUN,
	};
	int err = list_busy(diagnosis, &in);

	if (err == 0)
		err = judge_devices(diagnosis, &in);
	if (err == 0)
		err = judge_tasks(diagnosis, &in);
	if (err == 0)
		err = judge_level(diagnosis, &in, RULE_SYSTEM);
	judge_absorb(diagnosis);
	return err;
}
