/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that judge one device by its queue, its await and its completions.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>

static bool within(struct value value, double low, double high)
{
	return value_known(value) && value.n >= low && value.n <= high;
}

static const char *kind_words(enum device_kind kind)
{
	switch (kind) {
	case KIND_SPINDLE:
		return "a rotating disk";
	case KIND_OTHER:
		return "a device without a spindle";
	default:
		return "a device of unknown kind";
	}
}

static void util_remark(struct claim *claim, const struct device_view *view)
{
	if (view->util_tainted || view_util_overstated(view))
		claim_text(claim,
			   " %%util (%s) contradicts queue and await and is not to be trusted.",
			   N(value_or(view->row->util, 0)));
}

/* ---- stalled ---- */

static void stalled_advice(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;

	if (in->frame->aix)
		claim_advice(claim,
			     "Find what hangs: errpt -a (disk, adapter and path errors), and "
			     "lspath -l %s for paths that failed.",
			     row->name);
	else
		claim_advice(claim,
			     "Find what hangs: dmesg -T, the tasks in state D (ps -eo "
			     "pid,stat,wchan:32,comm) and cat %s/inflight; a path or controller "
			     "may be down, a dm device suspended (dmsetup info). If no task "
			     "waits, the in-flight counter itself has leaked.",
			     text_sysfs(row).text);
}

static void stalled_words(const struct rule_input *in, struct claim *claim, double requests)
{
	const struct device_view *view = in->device;
	const char *name = view->row->name;

	if (requests >= 0.5)
		claim_text(claim, "%s is stalled: %s request%s in it, no completion for %s s.",
			   name, N(requests), requests < 1.5 ? "" : "s", N(view->stalled_s));
	else
		claim_text(claim,
			   "%s is stalled: requests are in it (%%util %s, queue %s), no "
			   "completion for %s s.",
			   name, N(value_or(view->row->util, 0)),
			   N(value_or(view->row->avgqu_sz, 0)), N(view->stalled_s));
	if (claim->finding.severity == SEVERITY_INFO)
		claim_text(claim, " A pause as short as this can also be throttling.");
	else
		claim_text(claim, " The device, its path or its driver %s%s.",
			   claim->finding.severity == SEVERITY_CRIT ? "hangs" : "held it up",
			   in->report ? ", or its in-flight counter has leaked" : "");
	stalled_advice(claim, in);
}

static bool stalled_evaluated(const struct device_row *row)
{
	return value_known(row->r) || value_known(row->w) || value_known(row->inflight) ||
	       row->await.why == ABSENT_IDLE;
}

enum rule_answer device_rule_stalled(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	/* ticks jitter: three of a second each are three seconds */
	double stalled_s = view->stalled_s * 1.05;

	if (!stalled_evaluated(row))
		return rule_lacks(claim, "requests completed (r/s, w/s) or in flight");
	if (view->stalled_s <= 0)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_INFO;
	if ((in->short_run || in->report) && stalled_s >= in->limits->stalled_warn_s)
		claim->finding.severity = SEVERITY_WARN;
	if (stalled_s >= in->limits->stalled_crit_s)
		claim->finding.severity = SEVERITY_CRIT;
	claim->at_once = claim->finding.severity == SEVERITY_CRIT;
	claim->weight = view->stalled_s;
	stalled_words(in, claim, value_or(row->inflight, value_or(row->avgqu_sz, 0)));
	formula_stalled(claim, in);
	if (value_known(row->inflight))
		claim_evidence(claim, "inflight", "%.0f", row->inflight.n);
	claim_evidence(claim, "completions", "0");
	claim_evidence(claim, "seconds", "%.2f", view->stalled_s);
	claim_evidence_value(claim, "avgqu-sz", row->avgqu_sz);
	claim_evidence_value(claim, "%util", row->util);
	return RULE_CLAIMS;
}

/* ---- serial-io ---- */

enum serial { SERIAL_NO, SERIAL_YES, SERIAL_AGAINST_UTIL };

/* One outstanding on average is one at a time only if there always is one. */
static enum serial serial_judge(const struct device_view *view, const struct thresholds *limits)
{
	struct value queue = view->queue, util = view->row->util;
	double busy = value_or(util, 0) / 100;

	if (!view->util_tainted && util.n >= limits->serial_util &&
	    within(queue, limits->serial_low, limits->serial_high) &&
	    within(view->little, limits->serial_low, limits->serial_high) &&
	    queue.n <= limits->serial_high * busy)
		return SERIAL_YES;
	if (within(queue, limits->serial_strict_low, limits->serial_strict_high) &&
	    within(view->little, limits->serial_strict_low, limits->serial_strict_high) &&
	    value_known(view->row->avgqu_sz) &&
	    (view->util_tainted || queue.n >= limits->util_far_below * busy) &&
	    value_or(view->row->inflight, 1) == 1) /* not a few at a time, with pauses */
		return SERIAL_AGAINST_UTIL;
	return SERIAL_NO;
}

static double request_kib(struct value kib, double requests)
{
	return requests > 0 ? value_or(kib, 0) / requests : 0;
}

/* "163 writes/s of 8 KiB" */
static void serial_stream(char *to, size_t size, const struct device_view *view)
{
	const struct device_row *row = view->row;
	double reads = value_or(row->r, 0), writes = value_or(row->w, 0), iops = view->iops.n;
	double kib =
	    value_or(row->areq_sz,
		     request_kib(value_of(value_or(row->rkb, 0) + value_or(row->wkb, 0)), iops));
	const char *what = "requests";
	double rate = iops;

	if (reads >= 0.9 * iops) {
		what = "reads";
		rate = reads;
		kib = request_kib(row->rkb, reads);
	} else if (writes >= 0.9 * iops) {
		what = "writes";
		rate = writes;
		kib = request_kib(row->wkb, writes);
	}
	snprintf(to, size, "%s %s/s", N(rate), what);
	if (kib > 0)
		text_append(to, size, " of %s KiB", N(kib));
}

static void serial_advice(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;
	char aio[160];

	if (value_or(row->r, 0) > value_or(row->w, 0))
		claim_advice(claim, "Keep more requests in flight: asynchronous I/O, readahead or "
				    "more readers at once.");
	else
		claim_advice(claim, "Keep more requests in flight (asynchronous I/O, more writers "
				    "at once), or send fewer and larger ones (group commit).");
	aio_words(aio, sizeof(aio), &in->frame->aio);
	switch (aio_use(&in->frame->aio, NULL)) {
	case AIO_ACTIVE:
		claim_advice(claim, " AIO is used on this machine (%s), but hardly by this stream.",
			     aio);
		break;
	case AIO_IDLE:
	case AIO_NONE:
		claim_advice(claim, " AIO is not in use (%s).", aio);
		break;
	default:
		if (aio[0])
			claim_advice(claim, " Of AIO is known: %s.", aio);
	}
}

static void serial_words(const struct rule_input *in, struct claim *claim, enum serial serial)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	char stream[96];

	serial_stream(stream, sizeof(stream), view);
	if (serial == SERIAL_YES)
		claim_text(claim,
			   "%s is %s %% busy with one request at a time (queue %.2f): ", row->name,
			   N(row->util.n), view->queue.n);
	else
		claim_text(claim,
			   "%s has one request in it all the time (queue %.2f, rate x await "
			   "%.2f), so its %%util of %s is not to be trusted: ",
			   row->name, view->queue.n, view->little.n, N(value_or(row->util, 0)));
	claim_text(claim,
		   "%s, because each takes %.*f ms and the next is sent after it. The work is "
		   "serialised, the device is not saturated.",
		   stream, view->await.n < 1 ? 4 : 2, view->await.n);
}

/* What a judgement of latency cannot do without; NULL: nothing is missing. */
static const char *latency_lacks(const struct device_view *view)
{
	if (view_lacks(view->queue))
		return "avgqu-sz";
	if (view_lacks(view->await))
		return "await";
	return view_lacks(view->iops) ? "requests completed (r/s, w/s)" : NULL;
}

enum rule_answer device_rule_serial_io(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const char *lacks = latency_lacks(view);
	enum serial serial;
	bool busy;

	if (!lacks && view_lacks(view->row->util) && !view->util_tainted)
		lacks = "%util";
	if (lacks)
		return rule_lacks(claim, lacks);
	serial = serial_judge(view, in->limits);
	if (serial == SERIAL_NO || view->requests < in->limits->enough_requests)
		return RULE_SILENT;
	busy = serial == SERIAL_AGAINST_UTIL || view->row->util.n >= in->limits->serial_busy;
	claim->finding.severity =
	    busy && view->await.n >= in->limits->serial_warn_ms ? SEVERITY_WARN : SEVERITY_INFO;
	claim->weight = view->await.n;
	serial_words(in, claim, serial);
	formula_serial(claim, view, in->limits, serial == SERIAL_AGAINST_UTIL);
	claim_evidence_latency(claim, view);
	aio_evidence(claim, &in->frame->aio);
	leader_name(claim, in);
	serial_advice(claim, in);
	return RULE_CLAIMS;
}

/* ---- queueing ---- */

/* The queue of an array is the sum of its members': a handful each is no line. */
static double queueing_depth(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_info *info = view->row->info;
	size_t members = info && info->nlower > view->nlower ? info->nlower : view->nlower;

	return limits->queueing_depth * (members > 1 ? (double)members : 1);
}

/* Of await: a wait that is less is not worth a word. */
static const double queueing_slot_share = 0.1;

static void queueing_slots(struct claim *claim, const struct device_view *view)
{
	const struct device_row *row = view->row;

	if (view->slot_ms >= queueing_slot_share * view->await.n)
		claim_text(claim, "; before that %s/s of them waited %s ms for a free slot",
			   N(row->slotwait.n), N(row->avslot.n));
}

static void queueing_words(struct claim *claim, const struct rule_input *in)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	claim_text(claim, "%s is saturated: %s requests are in it and each takes %s ms", row->name,
		   N(view_depth(view)), N(view->await.n));
	if (view_measured(row) && view_lacks(row->await))
		claim_text(claim, ", %s ms in the host's queue and %s ms in the device",
			   N(row->avwait.n), N(row->avserv.n));
	else if (view_measured(row) && row->avwait.n >= row->avserv.n)
		claim_text(claim, ", measured: %s ms in the host's queue, %s ms in driver and device",
			   N(row->avwait.n), N(row->avserv.n));
	else if (view_measured(row))
		claim_text(claim,
			   ", measured: %s ms below the block layer, in the driver's queue, the path or "
			   "the device, and %s ms in the host's queue",
			   N(row->avserv.n), N(row->avwait.n));
	else if (!view->util_tainted && value_known(row->svctm))
		claim_text(claim, ", %.0f %% of it waiting in line (svctm %.2f ms)",
			   100 * (1 - row->svctm.n / view->await.n), row->svctm.n);
	queueing_slots(claim, view);
	claim_text(claim, "; it completes %s requests/s", N(value_or(view->iops, 0)));
	if (view_kib(view) > 0)
		claim_text(claim, ", %s KiB/s", N(view_kib(view)));
	claim_text(claim, ".");
	if (!view->util_tainted && value_or(row->svctm, 0) > view->limit_ms)
		claim_text(claim,
			   " Even alone a request keeps it busy for %s ms, which is long for %s.",
			   N(row->svctm.n), kind_words(view->kind));
	else if (view->kind != KIND_OTHER && view_request_kib(view) > 0 &&
		 view_request_kib(view) <= in->limits->random_kib)
		claim_text(claim,
			   " With requests of %s KiB a disk that seeks is bound by their number, "
			   "not by bandwidth.",
			   N(view_request_kib(view)));
	util_remark(claim, view);
	claim_advice(claim,
		     "It is at its limit: send less (%s says who sends), spread the load over "
		     "more devices or use a faster one. A deeper queue only lengthens the line.",
		     in->frame->aix ? "filemon -O lf,pv" : "pidstat -d 1");
}

/*
 * A queue that neither the requests completed nor the busy time bear out came in
 * a burst, or is of those that are still there at the end.
 */
static bool queueing_borne_out(const struct device_view *view, const struct thresholds *limits)
{
	bool few = value_or(view->little, INFINITY) < queueing_depth(view, limits);

	return !few || view->util_tainted ||
	       value_or(view->row->util, INFINITY) >= limits->burst_util;
}

enum rule_answer device_rule_queueing(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	const char *lacks = latency_lacks(view);

	if (lacks)
		return rule_lacks(claim, lacks);
	if (!value_known(view->await) || view_depth(view) < queueing_depth(view, limits) ||
	    view->await.n <= view->limit_ms || !view_enough_requests(view, limits) ||
	    !queueing_borne_out(view, limits))
		return RULE_SILENT;
	if (!view->util_tainted && value_known(row->svctm) &&
	    view->await.n < limits->queueing_wait * row->svctm.n)
		return RULE_SILENT;
	claim->weight = view->await.n / view->limit_ms * view_depth(view);
	claim_evidence_latency(claim, view);
	claim->finding.severity =
	    view->await.n >= limits->limit_extreme * view->limit_ms ? SEVERITY_CRIT : SEVERITY_WARN;
	queueing_words(claim, in);
	formula_queueing(claim, view, limits, queueing_depth(view, limits));
	leader_name(claim, in);
	return RULE_CLAIMS;
}

/* ---- slow-device ---- */

/* What is too long for a device: its own time where that is measured. */
static struct value slow_time(const struct device_view *view)
{
	return view_measured(view->row) && value_known(view->await) ? view->row->avserv : view->await;
}

static void slow_words(struct claim *claim, const struct device_view *view, double least)
{
	const struct device_row *row = view->row;

	claim_text(claim,
		   "%s answers slowly although hardly anything waits: a request takes %s ms, with "
		   "%.2f in it on average at %s requests/s; more than %s ms is long for %s.",
		   row->name, N(view->await.n), least, N(value_or(view->iops, 0)),
		   N(view->limit_ms), kind_words(view->kind));
	if (view_measured(row))
		claim_text(claim,
			   " Measured: %s ms of it below the block layer, %s ms in the host's queue.",
			   N(row->avserv.n), N(row->avwait.n));
}

enum rule_answer device_rule_slow_device(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	double least = fmin(value_or(row->avgqu_sz, INFINITY), value_or(view->little, INFINITY));
	struct value time = slow_time(view);

	if (view_lacks(view->await))
		return rule_lacks(claim, "await");
	if (isinf(least) && value_known(view->await))
		return rule_lacks(claim, "avgqu-sz, or requests completed (r/s, w/s)");
	if (!value_known(time) || fmin(time.n, view->await.n) <= view->limit_ms ||
	    least >= limits->slow_concurrency || !view_enough_requests(view, limits))
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = time.n / view->limit_ms;
	slow_words(claim, view, least);
	util_remark(claim, view);
	formula_slow(claim, view, limits);
	leader_name(claim, in);
	if (in->frame->aix)
		claim_advice(claim,
			     "The load is not the cause: check the medium and the path (errpt -a, "
			     "lspath -l %s) or the store behind it (the array's own latency).",
			     row->name);
	else
		claim_advice(claim,
			     "The load is not the cause: check the medium (smartctl -a), the "
			     "path (dmesg -T, multipath -ll) or the store behind it (a cloud "
			     "volume's limit, the array's own latency).");
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}
