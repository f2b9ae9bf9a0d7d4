/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that judge one device by its queue, its await and its completions.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>

#define N(n) text_number(n).text

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

static void latency_evidence(struct claim *claim, const struct device_view *view)
{
	const struct device_row *row = view->row;

	claim_evidence_value(claim, "avgqu-sz", row->avgqu_sz);
	claim_evidence_value(claim, "await", row->await);
	if (!view->util_tainted)
		claim_evidence_value(claim, "svctm", row->svctm);
	claim_evidence_value(claim, "%util", row->util);
	claim_evidence_value(claim, "r/s", row->r);
	claim_evidence_value(claim, "w/s", row->w);
	claim_evidence_value(claim, "rkB/s", row->rkb);
	claim_evidence_value(claim, "wkB/s", row->wkb);
	claim_evidence_value(claim, "concurrency", view->little);
	claim_evidence(claim, "limit_ms", "%g", view->limit_ms);
	claim_evidence(claim, "requests", "%.0f", view->requests);
}

static void util_remark(struct claim *claim, const struct device_view *view)
{
	if (view->util_tainted || view_util_overstated(view))
		claim_text(claim,
			   " %%util (%s) contradicts queue and await and is not to be trusted.",
			   N(value_or(view->row->util, 0)));
}

/* ---- who does it ---- */

/* Kernel threads move what somebody else asked for: they lead only where nobody else does. */
static bool leads(const struct task_row *task, double kib, const struct task_row *top, double most)
{
	if (top && top->task->kernel != task->task->kernel)
		return top->task->kernel;
	return kib > most;
}

/*
 * The largest reader or writer among the tasks that move no more than the device
 * does: one that moves much more than this works on another device.
 */
static const struct task_row *leading_task(const struct rule_input *in, bool reads, double *most)
{
	const struct device_row *row = in->device->row;
	double fits = in->limits->leader_fits * value_or(reads ? row->rkb : row->wkb, 0);
	const struct task_row *top = NULL;

	*most = 0;
	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];
		double kib = value_or(reads ? task->rkb : task->wkb, 0);

		if (task->late || !task->task || task->kind == TASK_UNATTRIBUTED || kib <= 0 || kib > fits ||
		    !leads(task, kib, top, *most))
			continue;
		*most = kib;
		top = task;
	}
	return top;
}

static void name_leader(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;
	bool reads = value_or(row->r, 0) > value_or(row->w, 0);
	const char *who = reads ? "reader" : "writer";
	double most, moved = value_or(reads ? row->rkb : row->wkb, 0);
	char comm[COMM_MAX];

	if (in->frame->tasks_state != PRESENT)
		return;
	const struct task_row *top = leading_task(in, reads, &most);
	if (!top)
		return;
	text_clean(comm, sizeof(comm), top->task->comm);
	if (most >= moved / 2)
		claim_text(claim, " Its %s is likely %s (pid %d, %s KiB/s).", who, comm,
			   top->task->pid, N(most));
	else
		claim_text(claim, " The largest %s that may be its is %s (pid %d, %s KiB/s).", who,
			   comm, top->task->pid, N(most));
	claim_evidence(claim, "pid", "%d", top->task->pid);
}

/* ---- stalled ---- */

static void stalled_words(const struct rule_input *in, struct claim *claim, double requests)
{
	const struct device_view *view = in->device;
	const char *name = view->row->name;

	if (requests >= 0.5)
		claim_text(claim, "%s is stalled: %s request%s, no completion for %s s.", name,
			   N(requests), requests < 1.5 ? "" : "s", N(view->stalled_s));
	else
		claim_text(claim,
			   "%s is stalled: requests are in it (%%util %s, queue %s), no "
			   "completion for %s s.",
			   name, N(value_or(view->row->util, 0)),
			   N(value_or(view->row->avgqu_sz, 0)), N(view->stalled_s));
	if (claim->finding.severity == SEVERITY_CRIT)
		claim_text(claim, " The device, its path or its driver hangs.");
	else
		claim_text(claim, " A pause as short as this can also be throttling.");
	claim_advice(claim,
		     "See dmesg, the tasks in state D and /sys/class/block/%s/inflight for "
		     "what hangs; a path, controller or dm device may be down or suspended. "
		     "If no task waits, the in-flight counter itself has leaked.",
		     name);
}

bool device_rule_stalled(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	/* ticks jitter: three of a second each are three seconds */
	double stalled_s = view->stalled_s * 1.05;

	if (view->stalled_s <= 0)
		return false;
	claim->finding.severity = SEVERITY_INFO;
	if (in->short_run && stalled_s >= in->limits->stalled_warn_s)
		claim->finding.severity = SEVERITY_WARN;
	if (stalled_s >= in->limits->stalled_crit_s)
		claim->finding.severity = SEVERITY_CRIT;
	claim->at_once = claim->finding.severity == SEVERITY_CRIT;
	claim->weight = view->stalled_s;
	stalled_words(in, claim, value_or(row->inflight, value_or(row->avgqu_sz, 0)));
	if (value_known(row->inflight))
		claim_evidence(claim, "inflight", "%.0f", row->inflight.n);
	claim_evidence(claim, "completions", "0");
	claim_evidence(claim, "seconds", "%.2f", view->stalled_s);
	claim_evidence_value(claim, "avgqu-sz", row->avgqu_sz);
	claim_evidence_value(claim, "%util", row->util);
	return true;
}

/* ---- serial-io ---- */

enum serial { SERIAL_NO, SERIAL_YES, SERIAL_AGAINST_UTIL };

/* One outstanding on average is one at a time only if there always is one. */
static enum serial serial_judge(const struct device_view *view, const struct thresholds *limits)
{
	struct value queue = view->row->avgqu_sz, util = view->row->util;
	double busy = value_or(util, 0) / 100;

	if (!value_known(util) && !view->util_tainted)
		return SERIAL_NO; /* not evaluated */
	if (!view->util_tainted && util.n >= limits->serial_util &&
	    within(queue, limits->serial_low, limits->serial_high) &&
	    within(view->little, limits->serial_low, limits->serial_high) &&
	    queue.n <= limits->serial_high * busy)
		return SERIAL_YES;
	if (within(queue, limits->serial_strict_low, limits->serial_strict_high) &&
	    within(view->little, limits->serial_strict_low, limits->serial_strict_high) &&
	    (view->util_tainted || queue.n >= limits->util_far_below * busy))
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

	if (reads >= 0.9 * iops) {
		what = "reads";
		kib = request_kib(row->rkb, reads);
	} else if (writes >= 0.9 * iops) {
		what = "writes";
		kib = request_kib(row->wkb, writes);
	}
	snprintf(to, size, "%s %s/s", N(iops), what);
	if (kib > 0)
		text_append(to, size, " of %s KiB", N(kib));
}

static void serial_advice(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;
	char aio[160];

	if (value_or(row->r, 0) > value_or(row->w, 0))
		claim_advice(claim, "Use asynchronous I/O, readahead or more readers at once");
	else
		claim_advice(claim, "Use asynchronous I/O, group commit or more writers");
	aio_words(aio, sizeof(aio), &in->frame->aio);
	if (aio[0])
		claim_advice(claim, "; %s", aio);
	switch (aio_use(&in->frame->aio)) {
	case AIO_ACTIVE:
		claim_advice(claim, ": AIO is used on this machine, but hardly by this stream.");
		break;
	case AIO_IDLE:
	case AIO_NONE:
		claim_advice(claim, ": AIO is not in use.");
		break;
	default:
		claim_advice(claim, ".");
	}
}

static void serial_words(const struct rule_input *in, struct claim *claim, enum serial serial)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	char stream[96];

	serial_stream(stream, sizeof(stream), view);
	if (serial == SERIAL_YES)
		claim_text(claim, "%s is %s %% busy with one request outstanding (queue %.2f): ",
			   row->name, N(row->util.n), row->avgqu_sz.n);
	else
		claim_text(claim,
			   "%s has one request outstanding all the time (queue %.2f, rate x "
			   "await %.2f), so its %%util of %s is not to be trusted: ",
			   row->name, row->avgqu_sz.n, view->little.n, N(value_or(row->util, 0)));
	claim_text(claim,
		   "%s is %s1/%.*f ms, so the work is serialised, the device is not "
		   "saturated.",
		   stream, fabs(view->little.n - 1) <= 0.05 ? "" : "about ",
		   row->await.n < 1 ? 4 : 2, row->await.n);
}

bool device_rule_serial_io(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	enum serial serial = serial_judge(view, in->limits);
	bool busy;

	if (serial == SERIAL_NO || view->requests < in->limits->enough_requests)
		return false;
	busy = serial == SERIAL_AGAINST_UTIL || view->row->util.n >= in->limits->serial_busy;
	claim->finding.severity = busy && view->row->await.n >= in->limits->serial_warn_ms
				      ? SEVERITY_WARN
				      : SEVERITY_INFO;
	claim->weight = view->row->await.n;
	serial_words(in, claim, serial);
	latency_evidence(claim, view);
	aio_evidence(claim, &in->frame->aio);
	name_leader(claim, in);
	serial_advice(claim, in);
	return true;
}

/* ---- queueing ---- */

/* The queue of an array is the sum of its members': a handful each is no line. */
static double queueing_depth(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_info *info = view->row->info;

	return limits->queueing_depth * (info && info->nlower > 1 ? (double)info->nlower : 1);
}

static bool queueing_burst(const struct device_view *view, const struct thresholds *limits)
{
	if (!view_writes_only(view, limits))
		return false;
	return view->util_tainted || value_or(view->row->util, 0) < limits->burst_util;
}

static void queueing_burst_words(struct claim *claim, const struct device_view *view)
{
	const struct device_row *row = view->row;

	claim_text(claim,
		   "%s takes a burst of writes: a queue of %s and %s ms a request at %s %% "
		   "busy. Hardly anybody reads from it, so it is likely write-back that "
		   "nobody waits for.",
		   row->name, N(row->avgqu_sz.n), N(row->await.n), N(value_or(row->util, 0)));
	claim_advice(claim,
		     "Nothing to do unless commits wait too; then lower "
		     "vm.dirty_background_bytes so that write-back comes in smaller portions.");
}

static void queueing_words(struct claim *claim, const struct device_view *view)
{
	const struct device_row *row = view->row;

	claim_text(claim, "%s is saturated: %s requests are queued and each takes %s ms", row->name,
		   N(row->avgqu_sz.n), N(row->await.n));
	if (!view->util_tainted && value_known(row->svctm))
		claim_text(claim, ", %.0f %% of it waiting in line (svctm %.2f ms)",
			   100 * (1 - row->svctm.n / row->await.n), row->svctm.n);
	claim_text(claim, "; it completes %s requests/s, %s KiB/s.", N(value_or(view->iops, 0)),
		   N(value_or(row->rkb, 0) + value_or(row->wkb, 0)));
	util_remark(claim, view);
	claim_advice(claim, "The device is at its limit: send "
			    "less, spread it over more devices or use a faster one. More "
			    "threads or a deeper queue only lengthen the line.");
}

bool device_rule_queueing(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;

	if (!value_known(row->avgqu_sz) || !value_known(row->await) ||
	    row->avgqu_sz.n < queueing_depth(view, limits) || row->await.n <= view->limit_ms ||
	    !view_enough_requests(view, limits))
		return false;
	if (!view->util_tainted && value_known(row->svctm) &&
	    row->await.n < limits->queueing_wait * row->svctm.n)
		return false;
	claim->weight = row->await.n / view->limit_ms * row->avgqu_sz.n;
	latency_evidence(claim, view);
	if (queueing_burst(view, limits)) {
		claim->finding.severity = SEVERITY_INFO;
		queueing_burst_words(claim, view);
		return true;
	}
	claim->finding.severity =
	    row->await.n >= limits->limit_extreme * view->limit_ms ? SEVERITY_CRIT : SEVERITY_WARN;
	queueing_words(claim, view);
	name_leader(claim, in);
	return true;
}

/* ---- slow-device ---- */

bool device_rule_slow_device(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	double least = fmin(value_or(row->avgqu_sz, INFINITY), value_or(view->little, INFINITY));
	bool burst;

	if (!value_known(row->await) || row->await.n <= view->limit_ms ||
	    least >= limits->slow_concurrency || !view_enough_requests(view, limits))
		return false;
	/* writes that arrive together wait for each other, not for the device */
	burst = view_writes_only(view, limits) && !view->util_tainted && value_known(row->svctm) &&
		row->await.n >= limits->slow_burst_wait * row->svctm.n;
	claim->finding.severity = burst ? SEVERITY_INFO : SEVERITY_WARN;
	claim->weight = row->await.n / view->limit_ms;
	claim_text(claim,
		   "%s answers slowly although hardly anything waits: %s ms a request with "
		   "%.2f outstanding on average and %s requests/s; %s ms is long for %s.",
		   row->name, N(row->await.n), least, N(value_or(view->iops, 0)), N(view->limit_ms),
		   kind_words(view->kind));
	if (burst)
		claim_text(claim, " They are writes in short bursts, which explains part of it.");
	util_remark(claim, view);
	name_leader(claim, in);
	claim_advice(claim, "The load is not the cause: check the medium (smartctl -a), the path "
			    "(dmesg, cabling, multipath) or the store behind it (a cloud volume's "
			    "limit, the array's own latency).");
	latency_evidence(claim, view);
	return true;
}
