/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures that cannot be: how far they taint what is said of the device, and the
 * rule that reports them.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

struct figure {
	const char *name;
	size_t offset;
	bool busy;    /* derived from the busy counter: taints no other figure */
	double scale; /* of what is too much */
};

#define FIGURE(name, field, busy, scale)                                                           \
	{                                                                                          \
		name, offsetof(struct device_row, field), busy, scale                              \
	}

static const struct figure figures[] = {
    FIGURE("r/s", r, false, 1),
    FIGURE("w/s", w, false, 1),
    FIGURE("d/s", d, false, 1),
    FIGURE("f/s", f, false, 1),
    FIGURE("rkB/s", rkb, false, 1),
    FIGURE("wkB/s", wkb, false, 1),
    FIGURE("dkB/s", dkb, false, 1e6),
    FIGURE("rrqm/s", rrqm, false, 1),
    FIGURE("wrqm/s", wrqm, false, 1),
    FIGURE("drqm/s", drqm, false, 1),
    FIGURE("avgqu-sz", avgqu_sz, false, 1e-3),
    FIGURE("await", await, false, 1),
    FIGURE("r_await", r_await, false, 1),
    FIGURE("w_await", w_await, false, 1),
    FIGURE("d_await", d_await, false, 1),
    FIGURE("f_await", f_await, false, 1),
    FIGURE("inflight", inflight, false, 1),
    FIGURE("%util", util, true, 1),
    FIGURE("svctm", svctm, true, 1),
    FIGURE("depth", depth, true, 1),
};

static bool fault_impossible(struct value value, double huge)
{
	if (value.why == ABSENT_IMPLAUSIBLE)
		return true;
	return value_known(value) && (!isfinite(value.n) || value.n < 0 || value.n >= huge);
}

static void fault_note(struct device_view *view, const char *name, double n)
{
	if (view->bad_figure)
		return;
	view->bad_figure = name;
	view->bad_value = n;
}

/* A request split in parts moves some bytes before it completes: allow for that. */
static void fault_bytes_without_requests(struct device_view *view, double least_kib)
{
	const struct device_row *row = view->row;
	double kib = (value_or(row->rkb, 0) + value_or(row->wkb, 0)) * view->seconds;

	if (!value_known(row->r) || !value_known(row->w) || row->ios > 0)
		return;
	if (row->r.n + row->w.n + value_or(row->d, 0) > 0 || kib < least_kib)
		return;
	fault_note(view, "bytes", kib);
	view->tainted = true;
}

static void fault_busy_time(struct device_view *view, const struct thresholds *limits)
{
	double util = value_or(view->row->util, 0);
	double excess_ms = (util / 100 - 1) * view->seconds * 1000;

	if (util <= limits->fault_util || excess_ms < limits->fault_excess_ms)
		return;
	fault_note(view, "%util", util);
	view->util_tainted = true;
}

void view_find_faults(struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;

	if (row->why == ABSENT_IMPLAUSIBLE) {
		fault_note(view, "counters", NAN);
		view->tainted = true;
	}
	if (row->why != PRESENT)
		return;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct figure *figure = &figures[i];
		const struct value *value = (const void *)((const char *)row + figure->offset);

		if (!fault_impossible(*value, figure->scale * limits->fault_huge))
			continue;
		fault_note(view, figure->name, value_or(*value, NAN));
		*(figure->busy ? &view->util_tainted : &view->tainted) = true;
	}
	fault_bytes_without_requests(view, limits->fault_kib);
	fault_busy_time(view, limits);
}

static void fault_words(struct claim *claim, const struct device_view *view)
{
	const char *name = view->row->name;

	if (!view->tainted && !isfinite(view->bad_value))
		claim_text(claim,
			   "%s has a busy counter that cannot be right (%s): its %%util and "
			   "svctm mean nothing, its queue and await still do.",
			   name, view->bad_figure);
	else if (!view->tainted)
		claim_text(claim,
			   "%s reports a %%util of %s, more than an interval holds: its busy "
			   "counter is wrong, so its %%util and svctm mean nothing. Its queue and "
			   "await still do.",
			   name, N(view->bad_value));
	else if (strcmp(view->bad_figure, "bytes") == 0)
		claim_text(claim,
			   "%s moved %s KiB without completing one request: its driver does not "
			   "account for requests, so nothing can be said of its queue or latency.",
			   name, N(view->bad_value));
	else
		claim_text(claim,
			   "%s reports figures no device can have (%s%s%s), so nothing can be said "
			   "about it.",
			   name, view->bad_figure, isfinite(view->bad_value) ? " of " : "",
			   isfinite(view->bad_value) ? N(view->bad_value) : "");
}

static double fault_most(const char *name, double huge)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (strcmp(figures[i].name, name) == 0)
			return figures[i].scale * huge;
	return huge;
}

static void fault_formula(struct claim *claim, const struct device_view *view,
			  const struct thresholds *limits)
{
	const char *name = view->bad_figure;
	double n = view->bad_value, t = view->seconds, most = fault_most(name, limits->fault_huge);

	if (!isfinite(n))
		claim_formula(claim, "%s: no number from 0 to %s within T = %s s", name, F(most),
			      F(t));
	else if (strcmp(name, "bytes") == 0)
		claim_formula(claim,
			      "(rkB/s + wkB/s) x T = %s KiB with 0 requests completed, at least %s",
			      F(n), F(limits->fault_kib));
	else if (n < 0)
		claim_formula(claim, "%s = %s, below 0", name, F(n));
	else if (n >= most)
		claim_formula(claim, "%s = %s, at least %s", name, F(n), F(most));
	else
		claim_formula(claim,
			      "%%util = %s, above %s; (%s / 100 - 1) x T = %s ms, at least %s",
			      F(n), F(limits->fault_util), F(n), F((n / 100 - 1) * t * 1000),
			      F(limits->fault_excess_ms));
}

enum rule_answer device_rule_counter_fault(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;

	if (!view->bad_figure)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = view->tainted ? 2 : 1;
	fault_words(claim, view);
	fault_formula(claim, view, in->limits);
	claim_advice(claim, "It is a fault of the driver or of the kernel's accounting, not of the "
			    "load: measure with the vendor's tool or by block tracing (blktrace), "
			    "and look for a newer kernel or driver.");
	if (isfinite(view->bad_value))
		claim_evidence(claim, view->bad_figure, "%.2f", view->bad_value);
	else
		claim_evidence(claim, view->bad_figure, "implausible");
	claim_evidence(claim, "seconds", "%.2f", view->seconds);
	return RULE_CLAIMS;
}
