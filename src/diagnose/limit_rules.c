/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules about limits above the medium: a rate that stands still, a driver's
 * queue that is too short, a cgroup's limit.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>

/* ---- rate-cap ---- */

/* How far back a rate stood still, with requests in line all the time. */
struct cap_run {
	size_t frames;
	double lowest, highest; /* queue */
	size_t low, high;       /* frames with a queue below and above the middle of them */
};

static float ring_at(const struct device_past *past, const float ring[PAST_FRAMES], size_t back)
{
	return ring[(past->at + PAST_FRAMES - 1 - back) % PAST_FRAMES];
}

static struct cap_run cap_measure(const struct device_past *past, const float rate[PAST_FRAMES],
				  const struct thresholds *limits)
{
	struct cap_run run = {.lowest = INFINITY};
	double first = past->n ? (double)ring_at(past, rate, 0) : NAN, middle;

	for (; run.frames < past->n; run.frames++) {
		double queue = (double)ring_at(past, past->queue, run.frames);

		if (!(fabs((double)ring_at(past, rate, run.frames) - first) <=
		      limits->cap_flat * first) ||
		    !(queue >= limits->queueing_depth))
			break;
		run.lowest = fmin(run.lowest, queue);
		run.highest = fmax(run.highest, queue);
	}
	middle = sqrt(run.lowest * run.highest);
	for (size_t i = 0; i < run.frames; i++)
		if ((double)ring_at(past, past->queue, i) < middle)
			run.low++;
		else
			run.high++;
	return run;
}

/* Live, a queue that jumps once is a load that changed: both levels must last. */
static bool cap_stands(const struct rule_input *in, const struct cap_run *run)
{
	double least = in->limits->cap_frames * (in->report ? 1 : 2);
	size_t each = in->report ? 1 : (size_t)in->limits->cap_frames;

	return (double)run->frames >= least && run->low >= each && run->high >= each &&
	       run->highest >= in->limits->cap_moves * run->lowest;
}

static void cap_words(struct claim *claim, const struct device_view *view,
		      const struct cap_run *run, bool bytes)
{
	const struct device_row *row = view->row;
	double rate = bytes ? value_or(row->rkb, 0) + value_or(row->wkb, 0) : view->iops.n;

	claim_text(
	    claim,
	    "%s is held at %s %s: that rate stood still over %zu intervals while the queue "
	    "went from %s to %s and a request now takes %s ms. A limit above the medium sets "
	    "it: a cloud volume's, a hypervisor's, a controller's or a link's.",
	    row->name, N(rate), bytes ? "KiB/s" : "requests/s", run->frames, N(run->lowest),
	    N(run->highest), N(row->await.n));
	claim_advice(claim,
		     "Compare %s %s with what the volume or link is rated for; %s raise it there. "
		     "More depth only adds waiting.",
		     N(rate), bytes ? "KiB/s" : "requests/s",
		     bytes ? "or" : "send larger requests, or");
	claim_evidence(claim, bytes ? "kB/s_held" : "requests/s_held", "%.2f", rate);
	claim_evidence(claim, "intervals", "%zu", run->frames);
	claim_evidence(claim, "queue_lowest", "%.2f", run->lowest);
	claim_evidence(claim, "queue_highest", "%.2f", run->highest);
}

static void cap_formula(const struct rule_input *in, struct claim *claim, const struct cap_run *run,
			bool bytes)
{
	const struct device_view *view = in->device;
	const struct thresholds *limits = in->limits;
	double rate =
	    bytes ? value_or(view->row->rkb, 0) + value_or(view->row->wkb, 0) : view->iops.n;

	claim_formula(claim, "%s = %s, the same within %s %% over %zu frames, at least %s",
		      bytes ? "rkB/s + wkB/s" : "iops", F(rate), F(100 * limits->cap_flat),
		      run->frames, F(limits->cap_frames * (in->report ? 1 : 2)));
	claim_formula(claim, "avgqu-sz from %s to %s = %.2f times, at least %s times",
		      F(run->lowest), F(run->highest), run->highest / run->lowest,
		      F(limits->cap_moves));
	claim_formula(claim, "it was low in %zu frames and high in %zu, at least %s each", run->low,
		      run->high, F(in->report ? 1 : limits->cap_frames));
	claim_formula(claim, "avgqu-sz is always at least %s", F(limits->queueing_depth));
	claim_formula_long(claim, view);
}

static void cap_link_formula(const struct rule_input *in, struct claim *claim)
{
	const struct thresholds *limits = in->limits;

	claim_formula(claim, "total = %s KiB/s, at least %s, the same within %s %% over %s frames",
		      F(in->link_kib), F(limits->cap_link_kib), F(100 * limits->cap_flat),
		      F(limits->cap_frames));
	claim_formula(claim, "%zu devices wait, at least %s", in->link_devices,
		      F(limits->cap_link_devices));
	claim_formula(claim, "avgqu-sz = %.2f, always at least %s", in->device->row->avgqu_sz.n,
		      F(limits->queueing_depth));
	claim_formula_long(claim, in->device);
}

static void cap_link_words(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;

	claim_text(claim,
		   "%s and %zu more devices wait while their total stands still at %s KiB/s and "
		   "moves between them: they share a link or controller that is full. Here a "
		   "request takes %s ms with %s queued.",
		   row->name, in->link_devices - 1, N(in->link_kib), N(row->await.n),
		   N(row->avgqu_sz.n));
	claim_advice(claim, "Find what they have in common (lspci -tv, lsscsi -t) and compare the "
			    "total with its rated bandwidth; spread the devices over more links.");
	claim_evidence(claim, "link_kB/s", "%.0f", in->link_kib);
	claim_evidence(claim, "link_devices", "%zu", in->link_devices);
	snprintf(claim->finding.group, sizeof(claim->finding.group), "rate-cap link");
}

static bool cap_waits(const struct device_view *view, const struct thresholds *limits)
{
	return value_known(view->row->await) && view->row->await.n > view->limit_ms &&
	       value_or(view->row->avgqu_sz, 0) >= limits->queueing_depth && view->nlower < 2;
}

/* It has waited since the first of the frames that a standing rate takes. */
static bool cap_waited(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_past *past = view->past;

	if (view->silent || view->tainted || view->row->why != PRESENT ||
	    (double)past->n < limits->cap_frames || !cap_waits(view, limits))
		return false;
	for (size_t i = 0; i < (size_t)limits->cap_frames; i++)
		if (!(ring_at(past, past->queue, i) >= limits->queueing_depth))
			return false;
	return true;
}

/* The total of the devices that wait, so many frames back; moved: one of them moved. */
static double link_total(const struct rule_input *in, size_t back, size_t *n, bool *moved)
{
	double total = 0;

	*n = 0;
	for (size_t i = 0; i < in->frame->ndevice; i++) {
		const struct device_past *past = in->view[i].past;
		double now, then;

		if (!cap_waited(&in->view[i], in->limits))
			continue;
		now = (double)ring_at(past, past->kib, 0);
		then = (double)ring_at(past, past->kib, back);
		*moved |= !(fabs(now - then) <= 0.1 * now);
		total += then;
		++*n;
	}
	return total;
}

void rule_input_link(struct rule_input *in)
{
	bool moved = false;
	size_t n;
	double now = link_total(in, 0, &n, &moved);

	in->link_kib = 0;
	in->link_devices = n;
	if ((double)n < in->limits->cap_link_devices || !(now >= in->limits->cap_link_kib))
		return;
	for (size_t back = 1; back < (size_t)in->limits->cap_frames; back++)
		if (!(fabs(link_total(in, back, &n, &moved) - now) <= in->limits->cap_flat * now))
			return;
	if (moved)
		in->link_kib = now;
}

enum rule_answer device_rule_rate_cap(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	struct cap_run requests, bytes;
	bool by_bytes;

	if (view_lacks(view->row->avgqu_sz) || view_lacks(view->row->await) ||
	    view_lacks(view->iops))
		return rule_lacks(claim, "avgqu-sz, await and the rates");
	if (!cap_waits(view, in->limits))
		return RULE_SILENT;
	if (in->report && (double)view->past->n < in->limits->cap_frames)
		return rule_lacks(claim, "three intervals, to see whether the rate stands still");
	requests = cap_measure(view->past, view->past->iops, in->limits);
	bytes = cap_measure(view->past, view->past->kib, in->limits);
	by_bytes = !cap_stands(in, &requests) && cap_stands(in, &bytes);
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = view->row->await.n;
	if (view->kind != KIND_SPINDLE && (by_bytes || cap_stands(in, &requests))) {
		claim->span = (unsigned)(by_bytes ? bytes.frames : requests.frames);
		cap_words(claim, view, by_bytes ? &bytes : &requests, by_bytes);
		cap_formula(in, claim, by_bytes ? &bytes : &requests, by_bytes);
	} else if (in->link_kib > 0 && cap_waited(view, in->limits)) {
		claim->span = (unsigned)in->limits->cap_frames;
		cap_link_words(claim, in);
		cap_link_formula(in, claim);
	} else {
		return RULE_SILENT;
	}
	claim_evidence_latency(claim, view);
	leader_name(claim, in);
	return RULE_CLAIMS;
}

/* ---- shallow-queue ---- */

static void shallow_words(struct claim *claim, const struct device_row *row, double wait,
			  double serve)
{
	claim_text(claim,
		   "The host holds requests to %s back: they wait %s ms in its queue and are then "
		   "served in %s ms.",
		   row->name, N(wait), N(serve));
	if (row->info && row->info->queue_depth > 0)
		claim_text(claim, " The driver takes %d at a time (queue_depth) and %s are there.",
			   row->info->queue_depth, N(value_or(row->avgqu_sz, 0)));
	if (value_or(row->sqfull, 0) > 0)
		claim_text(claim, " The driver's queue was full %s times/s.", N(row->sqfull.n));
	claim_advice(
	    claim,
	    "Raise the driver's queue depth in steps (/sys/class/block/%s/device/queue_depth "
	    "with nr_requests above it; AIX: chdev -l %s -a queue_depth=N), as far as the "
	    "store behind it agrees.",
	    SYSFS(row->name), row->name);
	claim_evidence(claim, "wait_ms", "%.2f", wait);
	claim_evidence(claim, "serve_ms", "%.2f", serve);
}

/* A device that serves `depth` at a time needs depth x busy time for as many requests. */
static double shallow_serve(const struct device_view *view, int depth)
{
	double busy = view->util_tainted ? 1 : fmin(1, value_or(view->row->util, 100) / 100);

	return value_or(view->iops, 0) > 0 ? 1000 * busy * depth / view->iops.n : INFINITY;
}

static void shallow_formula(const struct rule_input *in, struct claim *claim, double wait,
			    double serve)
{
	const struct device_view *view = in->device;
	const struct thresholds *limits = in->limits;
	bool measured = view_measured(view->row);
	int depth = view->row->info ? view->row->info->queue_depth : 0;

	if (measured) {
		claim_formula(claim, "serve = avserv = %s ms, at most %s", F(serve),
			      F(limits->shallow_serve_ms));
		claim_formula(claim, "wait = avwait = %s ms", F(wait));
	} else {
		claim_formula(claim,
			      "avgqu-sz = %s, at least 2 x queue_depth + 1 = 2 x %d + 1 = %d",
			      F(view->row->avgqu_sz.n), depth, 2 * depth + 1);
		claim_formula(
		    claim,
		    "serve = busy x queue_depth / iops = %s ms x %d / %s = %s ms, at most %s",
		    F(serve * view->iops.n / depth), depth, F(view->iops.n), F(serve),
		    F(limits->shallow_serve_ms));
		claim_formula(claim, "wait = await - serve = %s - %s = %s ms",
			      F(view->row->await.n), F(serve), F(wait));
	}
	claim_formula(claim, "wait is at least %s x %s = %s and above %s", F(limits->shallow_ratio),
		      F(serve), F(limits->shallow_ratio * serve), F(view->limit_ms));
}

enum rule_answer device_rule_shallow_queue(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	bool measured = view_measured(row);
	int depth = row->info ? row->info->queue_depth : 0;
	double wait, serve;

	if (!measured && depth <= 0)
		return rule_lacks(claim, "device/queue_depth, or measured service and queue times");
	if (!measured &&
	    (depth > limits->shallow_depth || !value_known(row->await) ||
	     view->kind == KIND_SPINDLE || value_or(row->avgqu_sz, 0) < 2.0 * depth + 1))
		return RULE_SILENT;
	serve = measured ? row->avserv.n : shallow_serve(view, depth);
	wait = measured ? row->avwait.n : row->await.n - serve;
	if (serve > limits->shallow_serve_ms || wait < limits->shallow_ratio * serve ||
	    wait <= view->limit_ms || view->requests < limits->enough_requests)
		return RULE_SILENT;
	if (measured && value_known(row->sqfull) && row->sqfull.n <= 0 && depth <= 0)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = wait;
	shallow_words(claim, row, wait, serve);
	shallow_formula(in, claim, wait, serve);
	claim_evidence_value(claim, "sqfull", row->sqfull);
	if (depth > 0)
		claim_evidence(claim, "queue_depth", "%d", depth);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- throttled ---- */

static bool blocked(const struct task_row *task)
{
	return task->task && !task->task->kernel && task->kind != TASK_UNATTRIBUTED &&
	       (task->state == 'D' || value_or(task->blocked_threads, 0) > 0);
}

/*
 * The share of a limit that is used, by the task or by its device; 0 if that is so
 * much more that the limit cannot be meant.
 */
static double limit_used(struct value limit, struct value device, struct value task,
			 const struct thresholds *limits)
{
	double used[2] = {value_or(device, 0), value_or(task, 0)}, most = 0;

	for (int i = 0; value_known(limit) && limit.n > 0 && i < 2; i++)
		if (used[i] <= limits->leader_fits * limit.n)
			most = fmax(most, used[i] / limit.n);
	return most;
}

struct throttle {
	const struct task_row *task;
	const struct io_limit *limit;
	double used;
	const char *what;
	struct value allowed;
};

static void throttle_weigh(struct throttle *throttle, const struct rule_input *in,
			   const struct task_row *task, const struct io_limit *limit)
{
	const struct device_row *row = in->device->row;
	const struct {
		struct value limit, device, task;
		const char *what;
	} each[] = {
	    {limit->rkb, row->rkb, task->rkb, "KiB/s read"},
	    {limit->wkb, row->wkb, task->wkb, "KiB/s written"},
	    {limit->riops, row->r, task->syscr, "reads/s"},
	    {limit->wiops, row->w, task->syscw, "writes/s"},
	};

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		double used = limit_used(each[i].limit, each[i].device, each[i].task, in->limits);

		if (used <= throttle->used)
			continue;
		*throttle = (struct throttle){task, limit, used, each[i].what, each[i].limit};
	}
}

/* False: there are blocked tasks, and the limits of none of them are known. */
static bool throttle_find(struct throttle *throttle, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;
	bool asked = false, known = false;

	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];

		if (!blocked(task))
			continue;
		asked = true;
		if (!task->use || !task->use->limits_read)
			continue;
		known = true;
		for (unsigned k = 0; k < task->use->nlimit; k++)
			if (task->use->limit[k].major == row->major &&
			    task->use->limit[k].minor == row->minor)
				throttle_weigh(throttle, in, task, &task->use->limit[k]);
	}
	return known || !asked;
}

enum rule_answer device_rule_throttled(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	struct throttle throttle = {0};
	char comm[COMM_MAX], cgroup[sizeof(throttle.limit->cgroup)];

	if (in->frame->tasks_state != PRESENT)
		return rule_lacks(claim, "tasks in state D");
	if (!throttle_find(&throttle, in))
		return rule_lacks(claim, "the cgroup limits of tasks in state D");
	if (throttle.used < in->limits->throttled_near ||
	    value_or(view->queue, 0) >= in->limits->slow_concurrency)
		return RULE_SILENT;
	text_clean(comm, sizeof(comm), throttle.task->task->comm);
	text_clean(cgroup, sizeof(cgroup), throttle.limit->cgroup);
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = throttle.used;
	claim_text(claim,
		   "%s is not busy (queue %.2f), but %s (pid %d) waits for it: its cgroup %s may "
		   "have %s %s there and uses %.0f %% of that. The limit holds it back, not the "
		   "device.",
		   row->name, value_or(row->avgqu_sz, 0), comm, throttle.task->task->pid, cgroup,
		   N(throttle.allowed.n), throttle.what, 100 * fmin(1, throttle.used));
	claim_advice(claim,
		     "Raise or lift the limit (io.max of the cgroup, blkio.throttle.* on v1; "
		     "systemctl show -p IOReadBandwidthMax,IOWriteBandwidthMax UNIT) if it is "
		     "not meant.");
	claim_formula(claim, "(%s) / limit = %s / %s = %.2f, at least %s", throttle.what,
		      F(throttle.used * throttle.allowed.n), F(throttle.allowed.n), throttle.used,
		      F(in->limits->throttled_near));
	claim_formula(claim, "queue = %.2f, below %s", value_or(view->queue, 0),
		      F(in->limits->slow_concurrency));
	claim_evidence(claim, "pid", "%d", throttle.task->task->pid);
	claim_evidence(claim, "cgroup", "%s", cgroup);
	claim_evidence(claim, "limit", "%.0f", throttle.allowed.n);
	claim_evidence(claim, "used", "%.2f", throttle.used);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}
