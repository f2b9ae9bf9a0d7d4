/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules that put a figure right: a disk bound by seeks, a parallel device that
 * only looks busy, a device that keeps no times.
 */
#include "rules.h"

/* ---- small-random ---- */

/* Requests that cost a seek each, in the number that one spindle can do. */
static bool random_holds(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double kib = view_request_kib(view);
	double merged = value_or(row->rrqm, 0) + value_or(row->wrqm, 0);

	if (view->kind == KIND_OTHER || !value_known(row->await) || view->nlower > 1 ||
	    !view_enough_requests(view, limits) || kib <= 0 || kib > limits->random_kib ||
	    merged > limits->random_merged * view->iops.n ||
	    value_or(view->little, 0) <= limits->serial_high)
		return false;
	if (view->util_tainted || !value_known(row->svctm))
		return row->await.n > view->limit_ms && view->iops.n >= limits->enough_requests;
	return row->util.n >= limits->random_util && row->svctm.n >= limits->random_serve_ms &&
	       row->await.n >= limits->random_await * view->limit_ms;
}

static void random_formula(struct claim *claim, const struct device_view *view,
			   const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double merged = value_or(row->rrqm, 0) + value_or(row->wrqm, 0);

	claim_formula(claim, "size of a request = %s KiB, at most %s", F(view_request_kib(view)),
		      F(limits->random_kib));
	claim_formula(claim, "merged / iops = %s / %s = %.2f, at most %s", F(merged),
		      F(view->iops.n), merged / view->iops.n, F(limits->random_merged));
	claim_formula(claim, "L = await x iops / 1000 = %.2f, above %s", view->little.n,
		      F(limits->serial_high));
	if (view->util_tainted || !value_known(row->svctm)) {
		claim_formula_long(claim, view);
		claim_formula(claim, "iops is at least %s", F(limits->enough_requests));
		return;
	}
	claim_formula(claim, "%%util = %s, at least %s", F(row->util.n), F(limits->random_util));
	claim_formula(claim, "svctm = %s ms, at least %s", F(row->svctm.n),
		      F(limits->random_serve_ms));
	claim_formula(claim, "await = %s ms, at least %s x %s = %s, a warning above %s",
		      F(row->await.n), F(limits->random_await), F(view->limit_ms),
		      F(limits->random_await * view->limit_ms), F(view->limit_ms));
}

enum rule_answer device_rule_small_random(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	if (view_lacks(row->await) || view_lacks(view->iops) || view_lacks(row->rkb) ||
	    view_lacks(row->wkb))
		return rule_lacks(claim, "await, the rates and their sizes");
	if (!random_holds(view, in->limits))
		return RULE_SILENT;
	claim->finding.severity = row->await.n > view->limit_ms ? SEVERITY_WARN : SEVERITY_INFO;
	claim->weight = row->await.n;
	claim_text(claim,
		   "%s is bound by seeks: %s requests/s of only %s KiB, hardly any merged, keep it "
		   "busy with %s KiB/s in all, and each takes %s ms with %s in it.",
		   row->name, N(view->iops.n), N(view_request_kib(view)), N(view_kib(view)),
		   N(row->await.n), N(value_or(row->avgqu_sz, 0)));
	claim_advice(claim,
		     "Larger requests help, not a deeper queue: more readahead (blockdev --setra), "
		     "larger pages or records, an index that spares reads; or put the data on a "
		     "device without a spindle.");
	random_formula(claim, view, in->limits);
	leader_name(claim, in);
	claim_evidence(claim, "request_KiB", "%.1f", view_request_kib(view));
	claim_evidence(claim, "merged/s", "%.2f", value_or(row->rrqm, 0) + value_or(row->wrqm, 0));
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- busy-not-saturated ---- */

static void busy_formula(struct claim *claim, const struct device_view *view,
			 const struct thresholds *limits, bool empty)
{
	const struct device_row *row = view->row;

	claim_formula(claim, "%%util = %s, at least %s", F(row->util.n), F(limits->busy_util));
	claim_formula(claim, "iops = %s, at least %s", F(view->iops.n), F(limits->busy_requests));
	if (empty)
		claim_formula(claim, "Q = avgqu-sz = %.2f, below %s", row->avgqu_sz.n,
			      F(limits->busy_queue));
	else
		claim_formula(claim, "await = %s ms, at most %s x %s = %s", F(row->await.n),
			      F(limits->busy_await), F(view->limit_ms),
			      F(limits->busy_await * view->limit_ms));
}

enum rule_answer device_rule_busy_not_saturated(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	bool empty, quick;

	if (view_lacks(row->util) || view_lacks(row->await) || view_lacks(row->avgqu_sz) ||
	    view_lacks(view->iops))
		return rule_lacks(claim, "%util, await, avgqu-sz and requests completed");
	if (view->util_tainted || row->util.n < limits->busy_util ||
	    view->iops.n < limits->busy_requests)
		return RULE_SILENT;
	empty = row->avgqu_sz.n < limits->busy_queue;
	quick = view->kind != KIND_SPINDLE && row->await.n <= limits->busy_await * view->limit_ms;
	if (!empty && !quick)
		return RULE_SILENT;
	claim->weight = view->iops.n;
	claim_text(
	    claim,
	    "%s shows a %%util of %s and is not saturated: it completes %s requests/s in %s ms "
	    "each, with %.2f in it on average. ",
	    row->name, N(row->util.n), N(view->iops.n), N(row->await.n), row->avgqu_sz.n);
	if (empty)
		claim_text(claim, "So it was empty part of the time and its %%util is not to be "
				  "trusted.");
	else
		claim_text(claim, "%%util only says that something was in flight.");
	claim_advice(claim,
		     "Nothing to do here: judge this device by await. If the load is too slow, "
		     "look at what it does between requests (iotriage --panel tasks).");
	busy_formula(claim, view, limits, empty);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- unaccounted ---- */

static bool zero(struct value value)
{
	return value_known(value) ? value.n <= 0 : value.why == ABSENT_IDLE;
}

enum rule_answer device_rule_unaccounted(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	double least =
	    view->layer ? in->limits->unaccounted_layer : in->limits->unaccounted_requests;
	/* live, a driver without times has none of them; a report may just not show them */
	bool none = row->await.why == ABSENT_UNSUPPORTED && row->util.why == ABSENT_UNSUPPORTED;

	if (view_lacks(view->iops) || (in->report && none))
		return rule_lacks(claim, "requests completed, await, avgqu-sz and %util");
	if (view->iops.n < least ||
	    !(none || (zero(row->await) && zero(row->avgqu_sz) && zero(row->util))))
		return RULE_SILENT;
	claim->weight = view->iops.n;
	claim_text(claim,
		   "%s completes %s requests/s (%s KiB/s) and reports no time for them: its driver "
		   "keeps no times, so nothing can be said of its latency or load. It is not idle.",
		   row->name, N(view->iops.n), N(view_kib(view)));
	claim_advice(claim, "Look at the devices below it, if there are any (lsblk shows what "
			    "stands on what); md and dm keep times on newer kernels.");
	claim_formula(claim, "iops = %s, at least %s%s", F(view->iops.n), F(least),
		      view->layer ? " for a layer" : "");
	claim_formula(claim, none ? "await, avgqu-sz and %%util are not kept"
				  : "await, avgqu-sz and %%util are 0");
	claim_evidence_value(claim, "r/s", row->r);
	claim_evidence_value(claim, "w/s", row->w);
	claim_evidence_value(claim, "await", row->await);
	claim_evidence_value(claim, "avgqu-sz", row->avgqu_sz);
	claim_evidence_value(claim, "%util", row->util);
	return RULE_CLAIMS;
}
