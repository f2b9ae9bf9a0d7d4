/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The findings of a saved report as a whole: each with the frames it held in,
 * told of its strongest one. A report may have sections that have nothing to do
 * with each other; "once in several frames" is judged within each.
 */
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct report_entry *report_entry(struct report *report, const struct claim *claim)
{
	struct report_entry *entry;

	/* claims come in much the same order in each frame */
	for (size_t i = 0; i < report->n; i++) {
		size_t at = (report->hint + i) % report->n;

		entry = &report->entry[at];
		if (entry->rule == claim->rule &&
		    strcmp(entry->finding.subject, claim->finding.subject) == 0) {
			report->hint = at + 1;
			return entry;
		}
	}
	if (stage_reserve((void **)&report->entry, &report->cap, report->n + 1,
			  sizeof(*report->entry)) < 0)
		return NULL;
	entry = &report->entry[report->n++];
	memset(entry, 0, sizeof(*entry));
	entry->rule = claim->rule;
	return entry;
}

/* ---- the frames it held in: "2-4,7" ---- */

static void intervals_add(struct report_entry *entry, unsigned long from, unsigned long to)
{
	char *list = entry->finding.intervals;
	size_t used = strlen(list), size = sizeof(entry->finding.intervals);
	char range[48];
	int n;

	if (used >= 3 && strcmp(list + used - 3, "...") == 0)
		return;
	n = from == to ? snprintf(range, sizeof(range), "%s%lu", used ? "," : "", from)
		       : snprintf(range, sizeof(range), "%s%lu-%lu", used ? "," : "", from, to);
	if (used + (size_t)n + sizeof(",...") > size)
		snprintf(range, sizeof(range), ",...");
	text_append(list, size, "%s", range);
}

static void intervals_close(struct report_entry *entry)
{
	if (entry->run)
		intervals_add(entry, entry->run, entry->last);
	entry->run = 0;
}

static void report_held(struct report_entry *entry, const struct frame *frame, unsigned span)
{
	unsigned long from = frame->number - (span > 1 && span <= frame->number ? span - 1 : 0);

	entry->finding.held++;
	entry->section_held++;
	if (!entry->first)
		entry->first = from;
	if (entry->run && entry->last + 1 < from)
		intervals_close(entry);
	if (!entry->run)
		entry->run = from;
	entry->last = frame->number;
}

/* ---- a frame ---- */

/* The strongest frame's words; what belongs to the whole report stays. */
static void report_take(struct report_entry *entry, const struct claim *claim,
			const struct frame *frame)
{
	struct finding was = entry->finding;

	if (was.rule &&
	    (claim->finding.severity < entry->strongest ||
	     (claim->finding.severity == entry->strongest && claim->weight <= entry->weight)))
		return;
	entry->finding = claim->finding;
	entry->finding.severity = was.severity;
	entry->finding.held = was.held;
	entry->finding.frame = frame->number;
	entry->finding.lasted_s = was.lasted_s;
	entry->finding.since_epoch = was.rule ? was.since_epoch : frame->epoch - frame->seconds;
	memcpy(entry->finding.intervals, was.intervals, sizeof(was.intervals));
	entry->strongest = claim->finding.severity;
	entry->weight = claim->weight;
}

static int report_claim(struct report *report, const struct frame *frame,
			const struct device_view *view, const struct claim *claim)
{
	struct report_entry *entry = report_entry(report, claim);

	if (!entry)
		return -1;
	report_take(entry, claim, frame);
	if (claim->finding.severity > entry->section)
		entry->section = claim->finding.severity;
	if (claim->device != CLAIM_NO_DEVICE)
		entry->tainted |= view[claim->device].tainted;
	if (frame->since_boot) {
		entry->section_held++; /* an average is no interval */
		return 0;
	}
	report_held(entry, frame, claim->span);
	entry->finding.lasted_s += frame->seconds;
	return 0;
}

/* A short stall that completions followed was throttling. */
static void report_recovered(const struct report *report, const struct frame *frame,
			     const struct device_index *index)
{
	for (size_t i = 0; i < report->n; i++) {
		struct report_entry *entry = &report->entry[i];

		if (rules_at(entry->rule)->cause != CAUSE_STALL || entry->last == frame->number ||
		    entry->section != SEVERITY_WARN ||
		    index_find(index, frame, entry->finding.subject) == INDEX_NONE)
			continue;
		entry->section = entry->strongest = SEVERITY_INFO;
		text_append(entry->finding.text, sizeof(entry->finding.text),
			    " Completions follow, so it was a pause: throttling makes such.");
	}
}

int report_update(struct report *report, const struct frame *frame, const struct device_view *view,
		  const struct device_index *index, const struct claims *claims)
{
	int err = 0;

	if (!frame->since_boot && frame->ndevice) {
		report->frames++;
		report->section_frames++;
	}
	for (size_t i = 0; i < claims->n; i++)
		if (!claims->claim[i].explained)
			err |= report_claim(report, frame, view, &claims->claim[i]);
	if (!frame->since_boot)
		report_recovered(report, frame, index);
	return err;
}

/* ---- the end of a section, and of the report ---- */

/* A narrower finding on the same device holds from before this one to after it. */
static bool report_covered(const struct report *report, const struct report_entry *general)
{
	if (!(rules_at(general->rule)->flags & GENERAL))
		return false;
	for (size_t i = 0; i < report->n; i++) {
		const struct report_entry *entry = &report->entry[i];

		if (rules_at(entry->rule)->flags & NARROW && entry->section_held &&
		    entry->section >= SEVERITY_WARN && entry->first <= general->first &&
		    entry->last >= general->last &&
		    strcmp(entry->finding.subject, general->finding.subject) == 0)
			return true;
	}
	return false;
}

void report_section(struct report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		struct report_entry *entry = &report->entry[i];

		entry->covered = entry->section_held && report_covered(report, entry);
	}
	for (size_t i = 0; i < report->n; i++) {
		struct report_entry *entry = &report->entry[i];

		if (!entry->section_held)
			continue;
		if (rules_at(entry->rule)->flags & ONCE && entry->section_held == 1 &&
		    report->section_frames > 1)
			entry->section = SEVERITY_INFO;
		if (!entry->covered && (!entry->any || entry->section > entry->finding.severity))
			entry->finding.severity = entry->section;
		entry->any |= !entry->covered;
		intervals_close(entry);
		entry->section = SEVERITY_INFO;
		entry->section_held = 0;
		entry->first = entry->last = 0;
	}
	report->section_frames = 0;
}

/* Nothing else is concluded from a device whose figures cannot be. */
static bool report_tainted(const struct report *report, const struct report_entry *other)
{
	if (rules_at(other->rule)->level != RULE_DEVICE ||
	    rules_at(other->rule)->cause == CAUSE_FAULT)
		return false;
	for (size_t i = 0; i < report->n; i++)
		if (report->entry[i].tainted &&
		    strcmp(report->entry[i].finding.subject, other->finding.subject) == 0)
			return true;
	return false;
}

static bool report_keeps(const struct report *report, const struct report_entry *entry)
{
	bool average = rules_at(entry->rule)->function == system_rule_since_boot_only;

	return entry->any && !report_tainted(report, entry) && !(average && report->frames);
}

static bool report_before(const struct report *report, size_t a, size_t b)
{
	const struct report_entry *x = &report->entry[a], *y = &report->entry[b];

	return finding_before(&x->finding, x->rule, x->weight, &y->finding, y->rule, y->weight);
}

int report_finish(struct report *report, size_t *n)
{
	report_section(report);
	*n = 0;
	if (stage_reserve((void **)&report->order, &report->order_cap, report->n,
			  sizeof(*report->order)) < 0 ||
	    stage_reserve((void **)&report->finding, &report->finding_cap, report->n,
			  sizeof(*report->finding)) < 0)
		return -1;
	for (size_t i = 0; i < report->n; i++) {
		size_t at = *n;

		if (!report_keeps(report, &report->entry[i]))
			continue;
		for (; at > 0 && report_before(report, i, report->order[at - 1]); at--)
			report->order[at] = report->order[at - 1];
		report->order[at] = i;
		++*n;
	}
	for (size_t i = 0; i < *n; i++)
		report->finding[i] = report->entry[report->order[i]].finding;
	return 0;
}

void report_release(struct report *report)
{
	free(report->entry);
	free(report->finding);
	free(report->order);
}
