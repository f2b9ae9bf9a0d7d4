/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a rate has stood still while requests wait: of one device, and of several
 * together.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

static float ring_at(const struct device_past *past, const float ring[PAST_FRAMES], size_t back)
{
	return ring[(past->at + PAST_FRAMES - 1 - back) % PAST_FRAMES];
}

/*
 * A load that keeps its own pace has a flat rate too, and a queue that moves with the
 * device; but there requests are quick in between: a queue over a rate is how long they wait.
 */
static bool cap_waits_at(const struct device_view *view, size_t back,
			 const struct thresholds *limits)
{
	const struct device_past *past = view->past;
	double queue = (double)ring_at(past, past->queue, back);

	return queue >= limits->queueing_depth &&
	       1000 * queue > view->limit_ms * (double)ring_at(past, past->iops, back);
}

struct cap_run cap_measure(const struct device_view *view, const float rate[PAST_FRAMES],
			   const struct thresholds *limits)
{
	const struct device_past *past = view->past;
	struct cap_run run = {.lowest = INFINITY};
	double first = past->n ? (double)ring_at(past, rate, 0) : NAN, middle;

	for (; run.frames < past->n; run.frames++) {
		double queue = (double)ring_at(past, past->queue, run.frames);

		if (!(fabs((double)ring_at(past, rate, run.frames) - first) <=
		      limits->cap_flat * first) ||
		    !cap_waits_at(view, run.frames, limits))
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

double cap_least(const struct rule_input *in)
{
	return in->report ? in->limits->cap_frames : in->limits->cap_frames_live;
}

bool cap_stands(const struct rule_input *in, const struct cap_run *run)
{
	size_t each = in->report ? 1 : 2;

	return (double)run->frames >= cap_least(in) && run->low >= each && run->high >= each &&
	       run->highest >= in->limits->cap_moves * run->lowest;
}

bool cap_of_spindle(const struct device_view *view)
{
	const struct device_info *info = view->row->info;
	const char *name = view->row->name;

	if (info && (info->virtual_medium || info->rotational == 1))
		return !info->virtual_medium;
	if (view->kind != KIND_UNKNOWN || info)
		return view->kind != KIND_OTHER;
	return strncmp(name, "vd", 2) != 0 && strncmp(name, "xvd", 3) != 0;
}

bool cap_waits(const struct device_view *view, const struct thresholds *limits)
{
	return value_known(view->row->await) && view->row->await.n > view->limit_ms &&
	       value_or(view->row->avgqu_sz, 0) >= limits->queueing_depth && view->nlower < 2;
}

bool cap_waited(const struct device_view *view, double least, const struct thresholds *limits)
{
	const struct device_past *past = view->past;

	if (view->silent || view->tainted || view->row->why != PRESENT || (double)past->n < least ||
	    !cap_waits(view, limits))
		return false;
	for (size_t i = 0; (double)i < least; i++)
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

		if (!cap_waited(&in->view[i], cap_least(in), in->limits))
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
	if (n == 0 || (double)n < in->limits->cap_link_devices ||
	    !(now >= in->limits->cap_link_kib))
		return;
	for (size_t back = 1; (double)back < cap_least(in); back++)
		if (!(fabs(link_total(in, back, &n, &moved) - now) <= in->limits->cap_flat * now))
			return;
	if (moved)
		in->link_kib = now;
}
