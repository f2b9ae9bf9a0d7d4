/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules about devices that belong together: a member of a set that holds the
 * others up, and a layer that waits while what is below it does not.
 */
#include "rules.h"

#include <math.h>

/* ---- uneven-legs ---- */

enum { LEGS_MAX = 64 };

/* What the other members of the set do. */
struct peers {
	size_t n;
	double await[LEGS_MAX], queue[LEGS_MAX];
};

static double median(double *figure, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && figure[k] < figure[k - 1]; k--) {
			double higher = figure[k - 1];

			figure[k - 1] = figure[k];
			figure[k] = higher;
		}
	return n % 2 ? figure[n / 2] : (figure[n / 2 - 1] + figure[n / 2]) / 2;
}

/* Only those that do about as many requests can be compared with. */
static void peers_find(struct peers *peers, const struct rule_input *in)
{
	const struct device_view *own = in->device;

	peers->n = 0;
	for (size_t i = 0; i < in->frame->ndevice && peers->n < LEGS_MAX; i++) {
		const struct device_view *view = &in->view[i];

		if (view == own || view->set != own->set || view->silent || view->tainted ||
		    !value_known(view->row->await) || !value_known(view->row->avgqu_sz) ||
		    view->requests < in->limits->enough_requests ||
		    fmax(view->requests, own->requests) >
			in->limits->legs_equal * fmin(view->requests, own->requests))
			continue;
		peers->await[peers->n] = view->row->await.n;
		peers->queue[peers->n++] = view->row->avgqu_sz.n;
	}
}

static void legs_words(struct claim *claim, const struct device_view *view, size_t peers,
		       double await, double queue)
{
	const struct device_row *row = view->row;

	claim_text(claim,
		   "%s holds up its set (%s): %s ms a request and %s queued, where %zu other "
		   "member%s with about as many requests take%s %s ms with %s queued (median). The "
		   "set goes at the pace of its slowest member.",
		   row->name, view->set_name, N(row->await.n), N(row->avgqu_sz.n), peers,
		   peers == 1 ? "" : "s", peers == 1 ? "s" : "", N(await), N(queue));
	claim_advice(
	    claim,
	    "Compare it with its peers: smartctl -a /dev/%s, firmware, cabling, link speed "
	    "and slot (dmesg, lspci -vv); replace it or take it out of the set if it stays "
	    "so.",
	    row->name);
	claim_evidence(claim, "peers", "%zu", peers);
	claim_evidence(claim, "peers_await", "%.2f", await);
	claim_evidence(claim, "peers_avgqu-sz", "%.2f", queue);
}

static void legs_formula(const struct rule_input *in, struct claim *claim, double await,
			 double queue, bool slow)
{
	const struct device_row *row = in->device->row;
	const struct thresholds *limits = in->limits;

	if (slow) {
		claim_formula(claim,
			      "await = %s ms, at least %s x the peers' median = %s x %s = %s",
			      F(row->await.n), F(limits->legs_ratio), F(limits->legs_ratio),
			      F(await), F(limits->legs_ratio * await));
		claim_formula(claim, "await is above %s", F(in->device->limit_ms));
	} else {
		claim_formula(claim,
			      "avgqu-sz = %s, at least %s x the peers' median = %s x %s = %s",
			      F(row->avgqu_sz.n), F(limits->legs_ratio), F(limits->legs_ratio),
			      F(queue), F(limits->legs_ratio * queue));
		claim_formula(claim, "avgqu-sz is at least %s", F(limits->queueing_depth));
	}
	claim_formula(claim, "requests differ by no more than %s times", F(limits->legs_equal));
}

enum rule_answer device_rule_uneven_legs(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	struct peers peers;
	double await, queue;
	bool slow, deep;

	if (!view->set && !row->info)
		return rule_lacks(claim, "what the device is a member of");
	if (view_lacks(row->await) || view_lacks(row->avgqu_sz))
		return rule_lacks(claim, "await and avgqu-sz");
	if (!view->set || !value_known(row->await) ||
	    (row->await.n <= view->limit_ms && row->avgqu_sz.n < limits->queueing_depth) ||
	    !view_enough_requests(view, limits))
		return RULE_SILENT;
	peers_find(&peers, in);
	if (!peers.n)
		return RULE_SILENT;
	await = median(peers.await, peers.n);
	queue = median(peers.queue, peers.n);
	slow = row->await.n > view->limit_ms && row->await.n >= limits->legs_ratio * await;
	deep = row->avgqu_sz.n >= limits->queueing_depth &&
	       row->avgqu_sz.n >= limits->legs_ratio * queue && row->await.n > await;
	if (!slow && !deep)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = row->await.n / fmax(await, 0.01);
	legs_words(claim, view, peers.n, await, queue);
	legs_formula(in, claim, await, queue, slow);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- stack-gap ---- */

/* The devices below have nothing to do, or little and are quick at it. */
static bool gap_below(const struct rule_input *in, double *slowest)
{
	const struct device_view *view = in->device;

	*slowest = 0;
	for (size_t i = 0; i < view->nlower; i++) {
		const struct device_view *lower = &in->view[in->layer[view->lower + i]];
		const struct device_row *row = lower->row;

		if (row->why != PRESENT || lower->tainted || view_lacks(row->await) ||
		    view_lacks(row->avgqu_sz) || lower->stalled_s > 0 ||
		    row->avgqu_sz.n >= in->limits->slow_concurrency ||
		    (!lower->util_tainted && value_or(row->util, 0) >= in->limits->gap_util))
			return false;
		*slowest = fmax(*slowest, value_or(row->await, 0));
	}
	return true;
}

static void gap_formula(struct claim *claim, const struct device_view *view, double slowest,
			const struct thresholds *limits)
{
	claim_formula_long(claim, view);
	claim_formula(claim, "await is at least %s x the slowest below = %s x %s = %s",
		      F(limits->gap_ratio), F(limits->gap_ratio), F(slowest),
		      F(limits->gap_ratio * slowest));
	claim_formula(claim, "Q = avgqu-sz = %.2f, at least 1", view->row->avgqu_sz.n);
	claim_formula(claim, "below: Q under %s and %%util under %s", F(limits->slow_concurrency),
		      F(limits->gap_util));
}

enum rule_answer device_rule_stack_gap(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	double slowest;

	if (!view->layer)
		return RULE_SILENT;
	if (!view->nlower)
		return rule_lacks(claim, "the devices below it");
	if (view_lacks(row->await) || view_lacks(row->avgqu_sz))
		return rule_lacks(claim, "await and avgqu-sz");
	if (!value_known(row->await) || row->await.n <= view->limit_ms || row->avgqu_sz.n < 1 ||
	    !view_enough_requests(view, limits) || !gap_below(in, &slowest) ||
	    row->await.n < limits->gap_ratio * slowest)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = row->await.n;
	claim_text(
	    claim,
	    "Time is lost in %s itself: a request takes %s ms there with %s in it, while the "
	    "device%s below %s idle and take%s %s ms at most.",
	    row->name, N(row->await.n), N(row->avgqu_sz.n), view->nlower == 1 ? "" : "s",
	    view->nlower == 1 ? "is nearly" : "are nearly", view->nlower == 1 ? "s" : "",
	    N(slowest));
	claim_advice(claim,
		     "Look at the layer, not at the disks: cat /proc/mdstat (resync, journal, "
		     "stripe_cache_size), dmsetup status (snapshot, thin pool, crypt), and "
		     "the CPU time of its kernel threads.");
	gap_formula(claim, view, slowest, limits);
	claim_evidence(claim, "below", "%zu", view->nlower);
	claim_evidence(claim, "below_await", "%.2f", slowest);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}
