/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules about limits above the medium: a rate that stands still, a driver's
 * queue that is too short, a cgroup's limit.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>

/* ---- rate-cap ---- */

static void cap_words(struct claim *claim, const struct device_view *view,
		      const struct cap_run *run, bool bytes)
{
	const struct device_row *row = view->row;
	double rate = bytes ? value_or(row->rkb, 0) + value_or(row->wkb, 0) : view->iops.n;

	claim_text(
	    claim,
	    "%s is held at %s %s: that rate stood still over %zu intervals while the queue "
	    "moved between %s and %s, and a request now takes %s ms. A limit sets it, not the "
	    "load: a cloud volume's, a hypervisor's, a controller's, a link's or the device's "
	    "own.",
	    row->name, N(rate), bytes ? "KiB/s" : "requests/s", run->frames, N(run->lowest),
	    N(run->highest), N(row->await.n));
	claim_advice(claim,
		     "Compare %s %s with what the volume, the link and the device are rated for; "
		     "%s. A deeper queue only adds waiting.",
		     N(rate), bytes ? "KiB/s" : "requests/s",
		     bytes ? "raise the limit or move less"
			   : "raise the limit, or send fewer and larger requests");
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

	claim_formula(claim, "%s = %s, the same within %s %% over %zu frames, at least %s",
		      bytes ? "rkB/s + wkB/s" : "iops", F(bytes ? view_kib(view) : view->iops.n),
		      F(100 * limits->cap_flat), run->frames, F(cap_least(in)));
	claim_formula(claim, "avgqu-sz from %s to %s = %.2f times, at least %s times",
		      F(run->lowest), F(run->highest), run->highest / run->lowest,
		      F(limits->cap_moves));
	claim_formula(claim, "it was low in %zu frames and high in %zu, at least %d each", run->low,
		      run->high, in->report ? 1 : 2);
	claim_formula(claim, "avgqu-sz is always at least %s, and %s ms x iops / 1000",
		      F(limits->queueing_depth), F(view->limit_ms));
	claim_formula_long(claim, view);
}

static void cap_link_formula(const struct rule_input *in, struct claim *claim)
{
	const struct thresholds *limits = in->limits;

	claim_formula(claim, "total = %s KiB/s, at least %s, the same within %s %% over %s frames",
		      F(in->link_kib), F(limits->cap_link_kib), F(100 * limits->cap_flat),
		      F(cap_least(in)));
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
		   "only its shares move: they likely share a link or controller that is full. A "
		   "request to %s takes %s ms with %s in it.",
		   row->name, in->link_devices - 1, N(in->link_kib), row->name, N(row->await.n),
		   N(row->avgqu_sz.n));
	claim_advice(claim, "Find what they have in common (lspci -tv, lsscsi -t) and compare the "
			    "total with its rated bandwidth; spread the devices over more links.");
	claim_evidence(claim, "link_kB/s", "%.0f", in->link_kib);
	claim_evidence(claim, "link_devices", "%zu", in->link_devices);
	snprintf(claim->finding.group, sizeof(claim->finding.group), "rate-cap link");
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
		return rule_lacks(claim, "more intervals, to see whether the rate stands still");
	requests = cap_measure(view, view->past->iops, in->limits);
	bytes = cap_measure(view, view->past->kib, in->limits);
	by_bytes = !cap_stands(in, &requests) && cap_stands(in, &bytes);
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = view->row->await.n;
	claim->at_once = !in->report; /* the frames behind it prove it */
	if (!cap_of_spindle(view) && (by_bytes || cap_stands(in, &requests))) {
		claim->span = (unsigned)(by_bytes ? bytes.frames : requests.frames);
		cap_words(claim, view, by_bytes ? &bytes : &requests, by_bytes);
		cap_formula(in, claim, by_bytes ? &bytes : &requests, by_bytes);
	} else if (in->link_kib > 0 && cap_waited(view, cap_least(in), in->limits)) {
		claim->span = (unsigned)cap_least(in);
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

/* The limit that holds requests back: of the driver, or of the block layer where that is seen. */
struct shallow {
	const char *name; /* of its file */
	int depth;        /* 0: unknown */
	double there;     /* requests: what is in it, and what waits to get in */
	double wait, serve;
};

static void shallow_limit(struct shallow *shallow, const struct rule_input *in)
{
	const struct device_view *view = in->device;
	const struct device_info *info = view->row->info;
	bool waits = info && view->slots_waiting > 0 && view_measured(view->row);
	int slots = waits ? info->nr_requests : 0;

	shallow->name = "queue_depth";
	shallow->depth = info && info->queue_depth > 0 ? info->queue_depth : 0;
	shallow->there = value_or(view->row->avgqu_sz, 0) + view->slots_waiting;
	if (slots <= 0 || slots > in->limits->shallow_depth ||
	    (shallow->depth > 0 && shallow->depth <= slots))
		return;
	shallow->name = "nr_requests";
	shallow->depth = slots;
}

static bool shallow_slots(const struct shallow *shallow)
{
	return shallow->name[0] == 'n';
}

static void shallow_advice(struct claim *claim, const struct rule_input *in,
			   const struct shallow *shallow)
{
	const struct device_row *row = in->device->row;

	if (in->frame->aix)
		claim_advice(claim,
			     "Raise queue_depth in steps, as far as the store behind it allows: "
			     "lsattr -El %s -a queue_depth shows it, lsattr -Rl %s -a queue_depth "
			     "what it may be, chdev -l %s -a queue_depth=N -P sets it for the next "
			     "boot (without -P at once, where the disk is not in use).",
			     row->name, row->name, row->name);
	else if (shallow_slots(shallow))
		claim_advice(claim,
			     "Raise %s/queue/nr_requests. Without a scheduler the driver's own depth "
			     "is the most that it takes: its module's options set that.",
			     text_sysfs(row).text);
	else
		claim_advice(claim,
			     "Raise %s/device/queue_depth in steps, as far as the store behind it "
			     "allows, with queue/nr_requests above it. Where the driver refuses, "
			     "its module's options or another mode (AHCI, UAS) set it.",
			     text_sysfs(row).text);
}

static void shallow_words(struct claim *claim, const struct rule_input *in,
			  const struct shallow *shallow)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	claim_text(claim,
		   "The host holds requests to %s back: they wait %s ms in its queue and are then "
		   "served in %s ms.",
		   row->name, N(shallow->wait), N(shallow->serve));
	if (shallow_slots(shallow))
		claim_text(claim, " The block layer has %d slots (nr_requests) and %s are there.",
			   shallow->depth, N(shallow->there));
	else if (shallow->depth > 0)
		claim_text(claim, " The driver takes %d at a time (queue_depth) and %s are there.",
			   shallow->depth, N(shallow->there));
	if (view->slots_waiting > 0)
		claim_text(claim, " %s/s wait %s ms for a free slot, which await does not contain.",
			   N(row->slotwait.n), N(row->avslot.n));
	if (value_or(row->sqfull, 0) > 0)
		claim_text(claim, " The driver's queue was full %s times/s.", N(row->sqfull.n));
	shallow_advice(claim, in, shallow);
	claim_evidence(claim, "wait_ms", "%.2f", shallow->wait);
	claim_evidence(claim, "serve_ms", "%.2f", shallow->serve);
}

/*
 * From a short limit alone: more than twice as many are there as it lets in.
 * Not of a spindle; nor of large requests, which may wait for bandwidth (a USB disk takes
 * one at a time), nor of write-back in bursts, which nobody waits for.
 */
static bool shallow_likely(const struct device_view *view, const struct shallow *shallow,
			   const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	bool burst = view_writes_only(view, limits) && !view->util_tainted &&
		     value_or(row->util, 100) < limits->burst_util;

	return shallow->depth <= limits->shallow_depth && value_known(row->await) &&
	       view->kind != KIND_SPINDLE && shallow->there >= 2.0 * shallow->depth + 1 &&
	       view_request_kib(view) <= limits->shallow_kib && !burst;
}

/* A device that serves `depth` at a time needs depth x busy time for as many requests. */
static double shallow_serve(const struct device_view *view, int depth)
{
	double busy = view->util_tainted ? 1 : fmin(1, value_or(view->row->util, 100) / 100);

	return value_or(view->iops, 0) > 0 ? 1000 * busy * depth / view->iops.n : INFINITY;
}

static void shallow_depth_formula(const struct rule_input *in, struct claim *claim,
				  const struct shallow *shallow)
{
	const struct device_view *view = in->device;
	const struct thresholds *limits = in->limits;

	claim_formula(claim, "%s = %d, at most %s", shallow->name, shallow->depth,
		      F(limits->shallow_depth));
	if (view->slots_waiting > 0)
		claim_formula(claim, "avgqu-sz + slotwait/s x avslot / 1000 = %s + %s = %s, at least "
				     "2 x %d + 1 = %d",
			      F(value_or(view->row->avgqu_sz, 0)), F(view->slots_waiting),
			      F(shallow->there), shallow->depth, 2 * shallow->depth + 1);
	else
		claim_formula(claim, "avgqu-sz = %s, at least 2 x %d + 1 = %d", F(shallow->there),
			      shallow->depth, 2 * shallow->depth + 1);
	claim_formula(claim, "size of a request = %s KiB, at most %s", F(view_request_kib(view)),
		      F(limits->shallow_kib));
}

static void shallow_formula(const struct rule_input *in, struct claim *claim,
			    const struct shallow *shallow, bool full)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	double serve = shallow->serve;

	if (!full)
		shallow_depth_formula(in, claim, shallow);
	else if (value_known(row->sqfull))
		claim_formula(claim, "sqfull = %s/s, above 0", F(row->sqfull.n));
	if (!view_measured(row))
		claim_formula(claim,
			      "serve = busy x queue_depth / iops = %s ms x %d / %s = %s ms, at "
			      "most %s; wait = await - serve = %s - %s = %s ms",
			      F(serve * view->iops.n / shallow->depth), shallow->depth, F(view->iops.n),
			      F(serve), F(limits->shallow_serve_ms), F(row->await.n), F(serve),
			      F(shallow->wait));
	else if (view->slots_waiting > 0)
		claim_formula(claim,
			      "serve = avserv = %s ms, at most %s; wait = avwait + slotwait/s x avslot / "
			      "iops = %s + %s = %s ms",
			      F(serve), F(limits->shallow_serve_ms), F(row->avwait.n), F(view->slot_ms),
			      F(shallow->wait));
	else
		claim_formula(claim, "serve = avserv = %s ms, at most %s; wait = avwait = %s ms",
			      F(serve), F(limits->shallow_serve_ms), F(shallow->wait));
	claim_formula(claim, "wait is at least %s x %s = %s and above %s", F(limits->shallow_ratio),
		      F(serve), F(limits->shallow_ratio * serve), F(view->limit_ms));
}

enum rule_answer device_rule_shallow_queue(const struct rule_input *in, struct claim *claim)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;
	const struct thresholds *limits = in->limits;
	bool measured = view_measured(row);
	bool full = measured && (!value_known(row->sqfull) || row->sqfull.n > 0);
	struct shallow shallow;

	shallow_limit(&shallow, in);
	if (!measured && shallow.depth <= 0)
		return rule_lacks(claim, "device/queue_depth, or measured service and queue times");
	if (!full && (shallow.depth <= 0 || !shallow_likely(view, &shallow, limits)))
		return RULE_SILENT;
	shallow.serve = measured ? row->avserv.n : shallow_serve(view, shallow.depth);
	shallow.wait = measured ? row->avwait.n + view->slot_ms : row->await.n - shallow.serve;
	if (shallow.serve > limits->shallow_serve_ms ||
	    shallow.wait < limits->shallow_ratio * shallow.serve || shallow.wait <= view->limit_ms ||
	    view->requests < limits->enough_requests)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = shallow.wait;
	shallow_words(claim, in, &shallow);
	shallow_formula(in, claim, &shallow, full);
	claim_evidence_value(claim, "sqfull", row->sqfull);
	if (shallow.depth > 0)
		claim_evidence(claim, shallow.name, "%d", shallow.depth);
	claim_evidence_latency(claim, view);
	return RULE_CLAIMS;
}

/* ---- throttled ---- */

static bool blocked(const struct task_row *task)
{
	return !task->task->kernel &&
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
	    {limit->rkb, row->rkb, task->rkb, "KiB/s of reads"},
	    {limit->wkb, row->wkb, task->wkb, "KiB/s of writes"},
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

	for (size_t i = 0; i < in->nbusy; i++) {
		const struct task_row *task = in->busy[i];

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
	claim_text(
	    claim,
	    "%s is not busy (queue %.2f), but %s (pid %d) waits for it: cgroup %s is limited "
	    "to %s %s there and uses %.0f %% of that. The limit holds the task back, not "
	    "the device.",
	    row->name, value_or(row->avgqu_sz, 0), comm, throttle.task->task->pid, cgroup,
	    N(throttle.allowed.n), throttle.what, 100 * fmin(1, throttle.used));
	claim_advice(claim,
		     "If the limit is not meant, raise it: io.max of the cgroup in /sys/fs/cgroup "
		     "(v1: blkio.throttle.*), of a unit with systemctl set-property UNIT "
		     "IOReadBandwidthMax= or its like.");
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
