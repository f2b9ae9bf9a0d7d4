/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules about devices that belong together: a member of a set that holds the
 * others up, and a layer that waits while what is below it does not.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static bool alike_within(double a, double b, double factor)
{
	return fmax(a, b) <= factor * fmin(a, b);
}

/* Of its requests; not a number where reads and writes are not told apart. */
static double share_of_reads(const struct device_row *row)
{
	if (!value_known(row->r) || !value_known(row->w) || row->r.n + row->w.n <= 0)
		return NAN;
	return row->r.n / (row->r.n + row->w.n);
}

/*
 * Do two members do the same work? Not a disk and flash in one mirror or cache, nor one
 * that is rebuilt, and written to, and those it is rebuilt from.
 */
static bool same_work(const struct device_view *a, const struct device_view *b,
		      const struct thresholds *limits)
{
	const struct device_info *x = a->row->info, *y = b->row->info;
	double kib_a = value_or(a->row->rkb, 0) + value_or(a->row->wkb, 0);
	double kib_b = value_or(b->row->rkb, 0) + value_or(b->row->wkb, 0);
	double apart = fabs(share_of_reads(a->row) - share_of_reads(b->row));

	return (!x || !y || x->rotational == y->rotational) &&
	       alike_within(a->requests, b->requests, limits->legs_equal) &&
	       alike_within(kib_a, kib_b, limits->legs_equal) && !(apart > limits->legs_mix);
}

/* Only those that do the same work can be compared with. */
static void peers_find(struct peers *peers, const struct rule_input *in)
{
	const struct device_view *own = in->device;

	peers->n = 0;
	for (size_t i = 0; i < in->frame->ndevice && peers->n < LEGS_MAX; i++) {
		const struct device_view *view = &in->view[i];

		if (view == own || view->set != own->set || view->silent || view->tainted ||
		    !value_known(view->row->await) || !value_known(view->row->avgqu_sz) ||
		    view->requests < in->limits->enough_requests ||
		    !same_work(view, own, in->limits))
			continue;
		peers->await[peers->n] = view->row->await.n;
		peers->queue[peers->n++] = view->row->avgqu_sz.n;
	}
}

/* In a report a set may be no more than devices with equal rates, named after one of them. */
static bool legs_by_rates(const struct rule_input *in)
{
	const struct device_view *own = in->device;

	for (size_t i = 0; i < in->frame->ndevice; i++)
		if (in->view[i].set == own->set &&
		    strcmp(in->view[i].row->name, own->set_name) == 0)
			return true;
	return false;
}

static void legs_words(struct claim *claim, const struct rule_input *in, size_t peers, double await,
		       double queue)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	if (legs_by_rates(in))
		claim_text(claim, "%s holds up the devices that do the same work", row->name);
	else
		claim_text(claim, "%s holds up its set (%s)", row->name, view->set_name);
	claim_text(claim,
		   ": a request takes %s ms with %s in it, where %zu peer%s with about as many "
		   "requests take%s %s ms with %s in %s%s. What waits for all of them goes at the "
		   "pace of the slowest.",
		   N(row->await.n), N(row->avgqu_sz.n), peers, peers == 1 ? "" : "s",
		   peers == 1 ? "s" : "", N(await), N(queue), peers == 1 ? "it" : "each",
		   peers == 1 ? "" : " (median)");
	claim_advice(claim,
		     "Compare it with its peers: smartctl -a, firmware, cabling, link speed and "
		     "slot (dmesg -T, lspci -vv), multipath -ll where they are paths. Replace it "
		     "or take it out of the set if it stays so.");
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
	claim_formula(claim,
		      "requests and KiB/s differ by no more than %s times, shares of reads by no "
		      "more than %s",
		      F(limits->legs_equal), F(limits->legs_mix));
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
	if (row->await.n > view->limit_ms)
		claim->finding.severity = SEVERITY_WARN;
	claim->weight = row->await.n / fmax(await, 0.01);
	legs_words(claim, in, peers.n, await, queue);
	legs_formula(in, claim, await, queue, slow);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- stack-gap ---- */

enum { GAP_DEPTH = 4 }; /* layers without times on top of each other */

/* What is known of the devices below a layer. */
struct gap {
	double slowest; /* ms, flushes included */
	bool flushes;   /* they are counted there */
};

/* The device has nothing to do, or little and is quick at it. */
static bool gap_idle(const struct device_view *lower, const struct thresholds *limits)
{
	const struct device_row *row = lower->row;

	return row->why == PRESENT && !lower->tainted && !view_lacks(row->await) &&
	       !view_lacks(row->avgqu_sz) && lower->stalled_s <= 0 &&
	       row->avgqu_sz.n < limits->slow_concurrency &&
	       (lower->util_tainted || value_or(row->util, 0) < limits->gap_util);
}

/* So of all devices below; below a layer that keeps no times look further down. */
static bool gap_below(const struct rule_input *in, const struct device_view *view, int depth,
		      struct gap *gap)
{
	for (size_t i = 0; i < view->nlower; i++) {
		const struct device_view *lower = &in->view[in->layer[view->lower + i]];
		const struct device_row *row = lower->row;

		if (!gap_idle(lower, in->limits))
			return false;
		gap->slowest =
		    fmax(gap->slowest, fmax(value_or(row->await, 0), value_or(row->f_await, 0)));
		gap->flushes &= value_known(row->f);
		if (value_or(row->avgqu_sz, 0) <= 0 && value_or(lower->iops, 0) > 0 &&
		    lower->layer &&
		    (depth == 0 || !lower->nlower || !gap_below(in, lower, depth - 1, gap)))
			return false;
	}
	return true;
}

/* "sda, sdb", in the frame's order, or "12 devices" */
static void gap_names(char *to, size_t size, const struct rule_input *in)
{
	enum { NAMED = 4 };
	const struct device_view *view = in->device;
	const uint32_t *lower = in->layer + view->lower;

	if (view->nlower > NAMED) {
		snprintf(to, size, "%zu devices", view->nlower);
		return;
	}
	to[0] = '\0';
	for (size_t row = 0; row < in->frame->ndevice; row++)
		for (size_t i = 0; i < view->nlower; i++)
			if (lower[i] == row) {
				text_append(to, size, "%s%s", to[0] ? ", " : "",
					    in->view[row].row->name);
				break;
			}
}

static void gap_words(struct claim *claim, const struct rule_input *in, const struct gap *gap)
{
	const struct device_view *view = in->device;
	bool one = view->nlower == 1;
	char below[4 * DEVICE_NAME_MAX];

	gap_names(below, sizeof(below), in);
	claim_text(claim,
		   "Time is lost in %s itself: a request takes %s ms there with %s in it, while "
		   "%s below it %s nearly idle and take%s %s ms at most.",
		   view->row->name, N(view->row->await.n), N(view->row->avgqu_sz.n), below,
		   one ? "is" : "are", one ? "s" : "", N(gap->slowest));
	if (claim->finding.severity == SEVERITY_INFO)
		claim_text(
		    claim,
		    " Cache flushes below, which are not counted there, would look the same.");
}

static void gap_advice(struct claim *claim, const struct device_row *row)
{
	enum device_class class = row->info ? row->info->class : DEVICE_DISK;
	char title[DEVICE_NAME_MAX];

	claim_advice(claim, "Look at the layer, not at the disks: ");
	if (class == DEVICE_MD) {
		claim_advice(claim,
			     "cat /proc/mdstat (a check, a bitmap), top -H for its thread "
			     "(%s_raid5 or the like at 100 %% of a CPU), and of raid5 or raid6 "
			     "%s/md/stripe_cache_size and group_thread_cnt.",
			     row->name, text_sysfs(row).text);
	} else if (class == DEVICE_DM && row->info->title[0]) {
		text_clean(title, sizeof(title), row->info->title);
		claim_advice(claim,
			     "dmsetup table %s and dmsetup status %s say what it is (crypt, "
			     "snapshot, thin), top -H whether its thread (kcryptd) fills a CPU.",
			     title, title);
	} else {
		claim_advice(claim, "of md cat /proc/mdstat, of dm dmsetup table and dmsetup "
				    "status (crypt, snapshot, thin), and top -H for a kernel "
				    "thread of it that fills a CPU.");
	}
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
	struct gap gap = {.flushes = true};

	if (!view->layer)
		return RULE_SILENT;
	if (!view->nlower || (row->info && row->info->nlower > view->nlower))
		return rule_lacks(claim, "the devices below it");
	if (view_lacks(row->await) || view_lacks(row->avgqu_sz))
		return rule_lacks(claim, "await and avgqu-sz");
	if (!value_known(row->await) || row->await.n <= view->limit_ms || row->avgqu_sz.n < 1 ||
	    !view_enough_requests(view, limits) || !gap_below(in, view, GAP_DEPTH, &gap) ||
	    row->await.n < limits->gap_ratio * gap.slowest)
		return RULE_SILENT;
	/* a write to a layer waits for the flush below it, which not every kernel counts */
	if (gap.flushes || value_or(row->r, 0) > value_or(row->w, 0))
		claim->finding.severity = SEVERITY_WARN;
	claim->weight = row->await.n;
	gap_words(claim, in, &gap);
	gap_advice(claim, row);
	gap_formula(claim, view, gap.slowest, limits);
	claim_evidence(claim, "below", "%zu", view->nlower);
	claim_evidence(claim, "below_await", "%.2f", gap.slowest);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}
