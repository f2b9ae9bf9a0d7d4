/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules about what the load does to a device: writes that starve readers, bursts
 * of write-back, flushes that set the pace.
 */
#include "rules.h"

#include <math.h>

/* ---- read-starved ---- */

static bool starved_enough(const struct device_view *view, const struct thresholds *limits)
{
	bool extreme =
	    value_or(view->row->r_await, INFINITY) >= limits->limit_extreme * view->limit_ms;

	return view->past->starving_reads >=
	       (extreme ? limits->enough_extreme : limits->enough_requests);
}

static void starved_words(struct claim *claim, const struct device_view *view, double writes)
{
	const struct device_row *row = view->row;

	claim_text(claim,
		   "Readers of %s wait behind a burst of writes: with %s writes in flight (%s/s), ",
		   row->name, N(writes), N(row->w.n));
	if (value_known(row->r_await))
		claim_text(claim,
			   "a read takes %s ms instead of %s ms and %s/s complete instead of %s.",
			   N(row->r_await.n), N(view->past->calm_r_await), N(row->r.n),
			   N(view->past->calm_reads));
	else
		claim_text(claim, "no read completes; before, %s/s took %s ms each.",
			   N(view->past->calm_reads), N(view->past->calm_r_await));
	claim_advice(claim,
		     "Let writes come in smaller portions (a lower vm.dirty_background_bytes, "
		     "spread checkpoints, fsync more often), or protect readers: mq-deadline in "
		     "%s/queue/scheduler, or a lower wbt_lat_usec beside it.",
		     text_sysfs(row).text);
}

static void starved_formula(struct claim *claim, const struct device_view *view, double writes,
			    const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double before = view->past->calm_r_await;

	claim_formula(
	    claim, "writes in flight = w/s x w_await / 1000 = %s x %s / 1000 = %s, at least %s",
	    F(row->w.n), F(value_or(row->w_await, 0)), F(writes), F(limits->starved_queue));
	if (!value_known(row->r_await))
		claim_formula(claim, "reads completed = 0, before %s/s", F(view->past->calm_reads));
	else
		claim_formula(claim, "r_await = %s ms, at least %s x %s = %s and above %s",
			      F(row->r_await.n), F(limits->starved_ratio), F(before),
			      F(limits->starved_ratio * before), F(view->limit_ms));
	if (value_known(row->r_await))
		claim_formula(claim, "r/s = %s, at most %s x %s = %s", F(row->r.n),
			      F(limits->starved_more), F(view->past->calm_reads),
			      F(limits->starved_more * view->past->calm_reads));
	claim_formula(claim, "reads since then = %s, at least %s, or %s where r_await is %s ms",
		      F(view->past->starving_reads), F(limits->enough_requests),
		      F(limits->enough_extreme), F(limits->limit_extreme * view->limit_ms));
}

enum rule_answer device_rule_read_starved(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	struct value writes = view_writes_queued(row);

	if (!value_known(writes) || view_lacks(row->r_await) || view_lacks(row->avgqu_sz))
		return rule_lacks(claim, "r_await and w_await, each with its rate");
	if (view->past->calm == 0 && writes.n >= in->limits->starved_queue)
		return rule_lacks(claim, "reads in an interval with few writes, to compare with");
	if (!starved_enough(view, in->limits))
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = value_or(row->r_await, 0);
	starved_words(claim, view, writes.n);
	starved_formula(claim, view, writes.n, in->limits);
	claim_evidence_value(claim, "r_await", row->r_await);
	claim_evidence(claim, "r_await_before", "%.2f", view->past->calm_r_await);
	claim_evidence(claim, "r/s_before", "%.2f", view->past->calm_reads);
	claim_evidence(claim, "writes_in_flight", "%.1f", writes.n);
	claim_evidence_value(claim, "w_await", row->w_await);
	claim_evidence_latency(claim, view);
	leader_name_writer(claim, in);
	return RULE_CLAIMS;
}

/* ---- write-burst ---- */

/*
 * A queue of writes alone is write-back unless the device is busy all the time;
 * where its %util cannot be believed, nothing proves that.
 */
static bool burst_holds(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;

	if (!value_known(view->await) || view->await.n <= view->limit_ms ||
	    !view_writes_only(view, limits) || !view_enough_requests(view, limits))
		return false;
	if (view->util_tainted || !value_known(row->util) || !value_known(row->svctm))
		return view_depth(view) >= limits->queueing_depth;
	return row->util.n < limits->burst_util &&
	       view->await.n >= limits->burst_wait * row->svctm.n;
}

static void burst_formula(struct claim *claim, const struct device_view *view,
			  const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double iops = value_or(view->iops, 0);

	claim_formula_long(claim, view);
	if (value_known(row->r))
		claim_formula(claim, "r/s = %s, at most %s of all %s/s", F(row->r.n),
			      F(limits->burst_reads), F(iops));
	else
		claim_formula(claim, "rkB/s = %s, in pages at most %s of all %s/s", F(row->rkb.n),
			      F(limits->burst_reads), F(iops));
	if (view->util_tainted || !value_known(row->util) || !value_known(row->svctm)) {
		claim_formula(claim, "Q = %s = %.2f, at least %s", view_depth_name(view),
			      view_depth(view), F(limits->queueing_depth));
		return;
	}
	claim_formula(claim, "%%util = %s, below %s", F(row->util.n), F(limits->burst_util));
	claim_formula(claim, "await is at least %s x svctm = %s x %s = %s ms",
		      F(limits->burst_wait), F(limits->burst_wait), F(row->svctm.n),
		      F(limits->burst_wait * row->svctm.n));
}

enum rule_answer device_rule_write_burst(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	bool apart = value_known(row->r) ? value_known(row->w)
					 : value_known(row->rkb) && value_known(view->iops);

	if (view_lacks(view->await) || !apart)
		return rule_lacks(claim, "await, with reads and writes apart");
	/* live, the rest of another load is no burst */
	if (!burst_holds(view, in->limits) || (!in->report && view->past->held_up))
		return RULE_SILENT;
	claim->weight = view->await.n;
	claim_text(claim, "%s takes writes in bursts: a queue of %s on average and %s ms a request",
		   row->name, N(view_depth(view)), N(view->await.n));
	if (value_known(row->util) && !view->util_tainted)
		claim_text(claim, ", yet only %s %% busy", N(row->util.n));
	claim_text(claim, ". Hardly anybody reads from it, so it is likely write-back that nobody "
			  "waits for.");
	claim_advice(claim,
		     "Nothing to do unless commits wait too; then %s, so that write-back begins "
		     "earlier and comes in smaller portions.",
		     in->frame->aix ? "switch random write-behind on (ioo -o j2_maxRandomWrite=128)"
				    : "lower vm.dirty_background_bytes");
	burst_formula(claim, view, in->limits);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- flush-bound ---- */

enum flush { FLUSH_NO, FLUSH_MEASURED, FLUSH_LIKELY };

/*
 * Reports without flush columns show their time in the queue only: then there is
 * about twice as much in it as reads and writes explain.
 */
/* All that is in flight, flushes too. */
static double flush_all(const struct device_view *view)
{
	return view->flush.n + value_or(view->queue, 0);
}

static enum flush flush_judge(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double ratio;

	if (value_known(view->flush))
		return view->flush.n >= limits->flush_share && row->f.n >= limits->flush_rate &&
			       view->flush.n >= limits->flush_part * flush_all(view) &&
			       view->requests + row->f.n * view->seconds >= limits->enough_requests
			   ? FLUSH_MEASURED
			   : FLUSH_NO;
	if (value_or(view->little, 0) < limits->slow_concurrency / 2 ||
	    view->requests < limits->enough_requests || view->util_tainted ||
	    row->avgqu_sz.n >= limits->flush_twice_queue || view->nlower > 0)
		return FLUSH_NO;
	ratio = row->avgqu_sz.n / view->little.n;
	return ratio >= limits->flush_twice_low && ratio <= limits->flush_twice_high &&
		       value_or(row->util, 0) >= limits->flush_twice_util &&
		       value_or(row->w, 0) > value_or(row->r, 0)
		   ? FLUSH_LIKELY
		   : FLUSH_NO;
}

static void flush_words(struct claim *claim, const struct device_view *view, enum flush flush)
{
	const struct device_row *row = view->row;

	if (flush == FLUSH_MEASURED)
		claim_text(
		    claim,
		    "Cache flushes (fsync) set the pace of %s: %s flushes/s take %s ms each, "
		    "so %.2f are in flight on average, beside %s writes/s of %s ms.",
		    row->name, N(row->f.n), N(value_or(row->f_await, 0)), view->flush.n,
		    N(value_or(row->w, 0)), N(value_or(row->w_await, 0)));
	else
		claim_text(
		    claim,
		    "Cache flushes (fsync) likely set the pace of %s: its queue of %.2f is %.1f "
		    "times what reads and writes explain (%.2f), as where each write is followed "
		    "by a flush; %s writes/s take %s ms each.",
		    row->name, row->avgqu_sz.n, row->avgqu_sz.n / view->little.n, view->little.n,
		    N(value_or(row->w, 0)), N(value_or(row->w_await, value_or(row->await, 0))));
	claim_advice(claim,
		     "Each fsync waits for the medium: commit in groups, fsync less often, or "
		     "use a device whose write cache is protected against power loss. iotriage "
		     "profile -p PID counts them by file.");
}

static void flush_formula(struct claim *claim, const struct device_view *view,
			  const struct thresholds *limits, enum flush flush)
{
	const struct device_row *row = view->row;

	if (flush == FLUSH_MEASURED) {
		claim_formula(claim,
			      "flushes in flight = f/s x f_await / 1000 = %s x %s / 1000 = %.2f, "
			      "at least %s",
			      F(row->f.n), F(value_or(row->f_await, 0)), view->flush.n,
			      F(limits->flush_share));
		claim_formula(claim, "these are at least %s x %.2f = %.2f of all in flight",
			      F(limits->flush_part), flush_all(view),
			      limits->flush_part * flush_all(view));
		claim_formula(claim, "f/s = %s, at least %s", F(row->f.n), F(limits->flush_rate));
		claim_formula(claim, "a warning from f_await %s ms on", F(limits->flush_warn_ms));
		return;
	}
	claim_formula(claim, "L = await x iops / 1000 = %s x %s / 1000 = %.2f", F(view->await.n),
		      F(view->iops.n), view->little.n);
	claim_formula(claim, "avgqu-sz / L = %.2f / %.2f = %.2f, within %s to %s", row->avgqu_sz.n,
		      view->little.n, row->avgqu_sz.n / view->little.n, F(limits->flush_twice_low),
		      F(limits->flush_twice_high));
	claim_formula(claim, "avgqu-sz is below %s", F(limits->flush_twice_queue));
	claim_formula(claim, "%%util = %s, at least %s", F(row->util.n),
		      F(limits->flush_twice_util));
	claim_formula(claim, "w/s = %s, more than r/s = %s", F(value_or(row->w, 0)),
		      F(value_or(row->r, 0)));
}

enum rule_answer device_rule_flush_bound(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	enum flush flush;
	bool slow;

	if (!value_known(view->flush) && (view_lacks(row->avgqu_sz) || view_lacks(view->little)))
		return rule_lacks(claim, "f/s and f_await, or avgqu-sz with await and the rates");
	flush = flush_judge(view, in->limits);
	if (flush == FLUSH_NO)
		return RULE_SILENT;
	slow = flush == FLUSH_MEASURED
		   ? value_or(row->f_await, 0) >= in->limits->flush_warn_ms
		   : value_or(row->w_await, value_or(row->await, 0)) > view->limit_ms;
	claim->finding.severity = slow ? SEVERITY_WARN : SEVERITY_INFO;
	claim->weight = value_or(view->flush, 0);
	flush_words(claim, view, flush);
	flush_formula(claim, view, in->limits, flush);
	claim_evidence_value(claim, "f/s", row->f);
	claim_evidence_value(claim, "f_await", row->f_await);
	claim_evidence_value(claim, "flushes_in_flight", view->flush);
	claim_evidence_value(claim, "w_await", row->w_await);
	claim_evidence_latency(claim, view);
	leader_name_writer(claim, in);
	return RULE_CLAIMS;
}
