/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device as a rule sees it: its concurrency, its kind, and whether its
 * figures can be believed.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

static const double page_kib = 4;

static struct value view_iops(const struct device_row *row, double seconds)
{
	if (value_known(row->r) && value_known(row->w))
		return value_of(row->r.n + row->w.n + value_or(row->d, 0));
	if (row->ios > 0)
		return value_of(row->ios / seconds);
	if (row->await.why == ABSENT_IDLE) /* an average over no requests */
		return value_of(0);
	return value_absent(ABSENT_UNSUPPORTED);
}

/* rotational is a rumour on virtual media, and no spindle makes that many requests. */
static enum device_kind view_kind(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_info *info = view->row->info;

	if (value_or(view->iops, 0) > limits->spindle_iops)
		return KIND_OTHER;
	if (!info || info->virtual_medium || info->rotational < 0)
		return KIND_UNKNOWN;
	return info->rotational ? KIND_SPINDLE : KIND_OTHER;
}

bool view_measured(const struct device_row *row)
{
	return value_known(row->avserv) && row->avserv.n > 0 && value_known(row->avwait);
}

static void view_slots(struct device_view *view)
{
	const struct device_row *row = view->row;

	if (!value_known(row->slotwait) || !value_known(row->avslot))
		return;
	view->slots_waiting = row->slotwait.n * row->avslot.n / 1000;
	if (value_or(view->iops, 0) > 0)
		view->slot_ms = 1000 * view->slots_waiting / view->iops.n;
}

void view_fill(struct device_view *view, const struct device_row *row,
	       const struct thresholds *limits)
{
	memset(view, 0, sizeof(*view));
	view->row = row;
	view->seconds = row->seconds > 0 ? row->seconds : 1;
	view->iops = view_iops(row, view->seconds);
	view->little = value_absent(ABSENT_UNSUPPORTED);
	view->await = row->await;
	if (view_measured(row) && view_lacks(row->await))
		view->await = value_of(row->avserv.n + row->avwait.n);
	if (value_known(view->iops) && value_known(view->await))
		view->little = value_of(view->await.n * view->iops.n / 1000);
	view->flush = value_absent(ABSENT_UNSUPPORTED);
	if (value_known(row->f))
		view->flush = value_of(row->f.n * value_or(row->f_await, 0) / 1000);
	/* some drivers count a flush as a write too: its time would be in there twice */
	view->queue = row->avgqu_sz;
	if (value_known(view->queue))
		view->queue.n = fmax(0, view->queue.n - value_or(view->flush, 0));
	else if (view_measured(row) && view_lacks(row->avgqu_sz))
		view->queue = view->little; /* measured times leave no doubt of it */
	view_slots(view);
	view->kind = view_kind(view, limits);
	view->limit_ms = view->kind == KIND_SPINDLE ? limits->limit_spindle_ms
			 : view->kind == KIND_OTHER ? limits->limit_other_ms
						    : limits->limit_unknown_ms;
	view_find_faults(view, limits);
}

void view_remember(struct device_view *view, const struct device_past *past, unsigned window)
{
	view->past = past;
	for (unsigned i = 0; i < window; i++) {
		view->requests += past->requests[i];
		view->tainted |= past->tainted[i];
	}
	view->stalled_s = past->stalled_s;
}

bool view_no_completion(const struct device_row *row)
{
	bool counted = value_known(row->r) && value_known(row->w);

	if (counted ? row->r.n + row->w.n > 0 : row->await.why != ABSENT_IDLE)
		return false;
	return row->ios <= 0 && value_or(row->d, 0) <= 0 && value_or(row->f, 0) <= 0 &&
	       value_or(row->rkb, 0) + value_or(row->wkb, 0) + value_or(row->dkb, 0) <= 0;
}

/*
 * Where in-flight is known it decides with its value at the beginning. Else the
 * signatures of the kernels: %util 100 with a queue of 0 (the queue counter grows
 * at completion only), or a queue that is a whole number (nothing came or went).
 */
bool view_stalled(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double queue = value_or(row->avgqu_sz, 0);

	if (row->why != PRESENT || !view_no_completion(row))
		return false;
	if (value_known(row->inflight) && row->inflight.n <= 0)
		return false;
	if (value_known(row->inflight) && row->inflight_was > 0)
		return true;
	if (value_or(row->util, 0) >= limits->stalled_util)
		return true;
	return queue >= 1 && fabs(queue - round(queue)) < 0.005;
}

bool view_enough_requests(const struct device_view *view, const struct thresholds *limits)
{
	bool extreme = value_or(view->await, 0) >= limits->limit_extreme * view->limit_ms;

	return view->requests >= (extreme ? limits->enough_extreme : limits->enough_requests);
}

/* Time with requests cannot exceed the average number of them. */
bool view_util_overstated(const struct device_view *view)
{
	double room = fmax(value_or(view->row->avgqu_sz, 0), value_or(view->little, 0));

	return !view->util_tainted && value_or(view->row->util, 0) / 100 > 1.3 * room + 0.1;
}

bool view_writes_only(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double few = limits->burst_reads * value_or(view->iops, 0);

	if (value_known(row->r))
		return value_or(row->w, 0) > 0 && row->r.n <= few;
	/* sar tells bytes only: hardly anybody reads less than a page */
	return value_known(row->rkb) && value_or(row->wkb, 0) > 0 && row->rkb.n / page_kib <= few;
}

double view_depth(const struct device_view *view)
{
	return value_or(view->row->avgqu_sz, value_or(view->queue, 0));
}

const char *view_depth_name(const struct device_view *view)
{
	return value_known(view->row->avgqu_sz) ? "avgqu-sz" : "L = await x iops / 1000";
}

bool view_idle(const struct device_view *view, const struct thresholds *limits)
{
	const struct device_row *row = view->row;
	double busy = view->util_tainted ? 0 : value_or(row->util, 0);

	if (row->why != PRESENT)
		return false;
	if (!value_known(row->avgqu_sz) && !value_known(view->little))
		return value_or(view->iops, 0) < limits->idle_requests &&
		       value_or(row->inflight, 0) <= 0;
	if (value_or(row->avgqu_sz, 0) <= 0 && value_or(row->util, 0) <= 0 &&
	    value_or(view->iops, 0) >= limits->idle_requests)
		return false; /* keeps no times */
	return value_or(row->avgqu_sz, 0) < limits->idle_queue &&
	       value_or(view->little, 0) < limits->idle_queue && busy < limits->idle_util &&
	       view->stalled_s <= 0;
}

bool view_unmeasured(const struct device_view *view)
{
	const struct device_info *info = view->row->info;

	return !view->silent && !view->layer && view->row->why == ABSENT_OFF &&
	       !(info && info->class == DEVICE_MEMORY);
}

bool view_lacks(struct value value)
{
	return !value_known(value) && value.why != ABSENT_IDLE;
}

double view_kib(const struct device_view *view)
{
	const struct device_row *row = view->row;

	if (value_known(row->rkb) || value_known(row->wkb))
		return value_or(row->rkb, 0) + value_or(row->wkb, 0);
	return value_or(row->areq_sz, 0) * value_or(view->iops, 0);
}

double view_request_kib(const struct device_view *view)
{
	const struct device_row *row = view->row;

	if (value_known(row->areq_sz))
		return row->areq_sz.n;
	if (value_or(view->iops, 0) <= 0)
		return 0;
	return view_kib(view) / view->iops.n;
}

struct value view_writes_queued(const struct device_row *row)
{
	if (value_known(row->w) && row->w_await.why == ABSENT_IDLE)
		return value_of(0);
	if (!value_known(row->w) || !value_known(row->w_await))
		return value_absent(ABSENT_UNSUPPORTED);
	return value_of(row->w.n * row->w_await.n / 1000);
}
