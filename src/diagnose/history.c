/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last frames of each device: how much it completed, whether its figures
 * could be believed, since when nothing comes out, how reads go while little is
 * written, and a ring of rates. A device is its name and its diskseq: another
 * disk under an old name starts afresh.
 */
#include "stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Devices of a report that are missing in a frame are kept, up to this many. */
enum { HISTORY_AWAY = 4096 };

static bool history_is(const struct device_past *past, const struct device_row *row)
{
	return past->diskseq == row->diskseq && strcmp(past->name, row->name) == 0;
}

/* Devices keep their order, so the search starts where the last one ended. */
static struct device_past *history_find(const struct history *history, const struct device_row *row,
					size_t *hint)
{
	for (size_t i = 0; i < history->n; i++) {
		size_t at = (*hint + i) % history->n;

		if (history_is(&history->past[at], row)) {
			*hint = at + 1;
			return &history->past[at];
		}
	}
	return NULL;
}

static double history_requests(const struct device_view *view)
{
	if (view->row->ios > 0)
		return view->row->ios;
	return value_or(view->iops, 0) * view->seconds;
}

static void history_shift(double window[RULE_WINDOW], double newest)
{
	memmove(&window[1], &window[0], (RULE_WINDOW - 1) * sizeof(window[0]));
	window[0] = newest;
}

static float history_figure(struct value value)
{
	return value_known(value) ? (float)value.n : NAN;
}

static void history_ring(struct device_past *past, const struct device_view *view)
{
	const struct device_row *row = view->row;
	struct value kib = value_absent(ABSENT_UNSUPPORTED);

	if (value_known(row->rkb) || value_known(row->wkb))
		kib = value_of(value_or(row->rkb, 0) + value_or(row->wkb, 0));
	past->iops[past->at] = history_figure(view->iops);
	past->kib[past->at] = history_figure(kib);
	past->queue[past->at] = history_figure(row->avgqu_sz);
	past->at = (past->at + 1) % PAST_FRAMES;
	if (past->n < PAST_FRAMES)
		past->n++;
}

/* How reads go while few writes are in flight: a mean that follows slowly. */
static void history_calm(struct device_past *past, const struct device_view *view,
			 const struct thresholds *limits)
{
	enum { SLOW = 8 };
	const struct device_row *row = view->row;
	struct value writes = view_writes_queued(row);
	double share;

	if (view->tainted || !value_known(writes) || !value_known(row->r_await) ||
	    writes.n >= limits->starved_queue / 2 ||
	    value_or(row->avgqu_sz, 0) >= limits->starved_queue ||
	    row->r.n * view->seconds < limits->enough_extreme)
		return;
	if (past->calm < SLOW)
		past->calm++;
	share = 1.0 / past->calm;
	past->calm_reads += share * (row->r.n - past->calm_reads);
	past->calm_r_await += share * (row->r_await.n - past->calm_r_await);
}

/* Reads take far longer than before while many writes are in flight, or none completes any more. */
static bool history_starving(const struct device_past *past, const struct device_view *view,
			     const struct thresholds *limits)
{
	const struct device_row *row = view->row;

	if (!past->calm || value_or(view_writes_queued(row), 0) < limits->starved_queue ||
	    value_or(row->avgqu_sz, 0) < limits->starved_queue)
		return false;
	if (!value_known(row->r_await))
		return past->starving_reads > 0 && value_known(row->r) && row->r.n <= 0;
	/* more reads than before are another load, not readers that are held up */
	return row->r.n <= limits->starved_more * past->calm_reads &&
	       row->r_await.n >= limits->starved_ratio * past->calm_r_await &&
	       row->r_await.n > view->limit_ms;
}

static void history_push(struct device_past *past, const struct device_view *view,
			 const struct thresholds *limits)
{
	bool present = view->row->why == PRESENT;

	history_shift(past->requests, present ? history_requests(view) : 0);
	memmove(&past->tainted[1], &past->tainted[0],
		sizeof(past->tainted) - sizeof(past->tainted[0]));
	past->tainted[0] = view->tainted;
	if (view_stalled(view, limits))
		past->stalled_s += view->seconds;
	else
		past->stalled_s = 0;
	if (!present)
		return;
	history_ring(past, view);
	if (history_starving(past, view, limits))
		past->starving_reads += value_or(view->row->r, 0) * view->seconds;
	else
		past->starving_reads = 0;
	history_calm(past, view, limits);
}

static void history_start(struct device_past *past, const struct device_row *row)
{
	memset(past, 0, sizeof(*past));
	snprintf(past->name, sizeof(past->name), "%s", row->name);
	past->diskseq = row->diskseq;
}

static bool history_renewed(const struct device_row *row)
{
	return row->why == ABSENT_NEW || row->why == ABSENT_RESET;
}

/* The devices are those of the last frame, in the same order. */
static bool history_same(const struct history *history, const struct device_view *view, size_t n)
{
	if (history->n < n || history->n > n + history->away)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!history_is(&history->past[i], view[i].row))
			return false;
	return true;
}

/* What is left over of a report's devices goes behind those of this frame. */
static size_t history_away(struct history *history, size_t n)
{
	size_t kept = n;

	for (size_t i = 0; i < history->n && kept < n + HISTORY_AWAY; i++)
		if (history->past[i].name[0])
			history->spare[kept++] = history->past[i];
	return kept;
}

static int history_rearrange(struct history *history, const struct device_view *view, size_t n)
{
	size_t hint = 0, cap, away = history->keep_away ? history->n : 0;
	struct device_past *spare;
	int err = stage_reserve((void **)&history->spare, &history->spare_cap, n + away,
				sizeof(*history->spare));

	if (err < 0)
		return err;
	for (size_t i = 0; i < n; i++) {
		struct device_past *old = history_find(history, view[i].row, &hint);

		if (old) {
			history->spare[i] = *old;
			old->name[0] = '\0';
		} else {
			history_start(&history->spare[i], view[i].row);
		}
	}
	history->n = history->keep_away ? history_away(history, n) : n;
	history->away = history->n - n;
	spare = history->past;
	cap = history->cap;
	history->past = history->spare;
	history->cap = history->spare_cap;
	history->spare = spare;
	history->spare_cap = cap;
	return 0;
}

int history_advance(struct history *history, struct device_view *view, size_t n,
		    const struct thresholds *limits)
{
	int err = 0;

	if (!history_same(history, view, n))
		err = history_rearrange(history, view, n);
	if (err < 0)
		return err;
	for (size_t i = 0; i < n; i++) {
		struct device_past *past = &history->past[i];

		if (history_renewed(view[i].row))
			history_start(past, view[i].row);
		history_push(past, &view[i], limits);
		view_remember(&view[i], past, history->keep_away ? 1 : RULE_WINDOW);
	}
	return 0;
}

void history_held_up(struct history *history, size_t at, bool held_up)
{
	history->past[at].held_up = held_up;
}

void history_forget(struct history *history)
{
	history->n = history->away = 0;
}

void history_release(struct history *history)
{
	free(history->past);
	free(history->spare);
}
