/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last frames of each device: how many requests it completed, whether its
 * figures could be believed and since when nothing comes out. A device is its
 * name and its diskseq: another disk under an old name starts afresh.
 */
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Devices keep their order, so the search starts where the last one ended. */
static const struct device_past *history_find(const struct history *history,
					      const struct device_row *row, size_t *hint)
{
	for (size_t i = 0; i < history->n; i++) {
		size_t at = (*hint + i) % history->n;
		const struct device_past *past = &history->past[at];

		if (past->diskseq == row->diskseq && strcmp(past->name, row->name) == 0) {
			*hint = at + 1;
			return past;
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

static void history_push(struct device_past *past, const struct device_view *view,
			 const struct thresholds *limits)
{
	memmove(&past->requests[1], &past->requests[0],
		sizeof(past->requests) - sizeof(past->requests[0]));
	memmove(&past->tainted[1], &past->tainted[0],
		sizeof(past->tainted) - sizeof(past->tainted[0]));
	past->requests[0] = view->row->why == PRESENT ? history_requests(view) : 0;
	past->tainted[0] = view->tainted;
	if (view_stalled(view, limits))
		past->stalled_s += view->seconds;
	else
		past->stalled_s = 0;
}

static void history_start(struct device_past *past, const struct device_row *row)
{
	memset(past, 0, sizeof(*past));
	snprintf(past->name, sizeof(past->name), "%s", row->name);
	past->diskseq = row->diskseq;
}

int history_advance(struct history *history, struct device_view *view, size_t n,
		    const struct thresholds *limits)
{
	struct device_past *spare;
	size_t hint = 0, cap;
	int err = stage_reserve((void **)&history->spare, &history->spare_cap, n,
				sizeof(*history->spare));

	if (err < 0)
		return err;
	for (size_t i = 0; i < n; i++) {
		const struct device_row *row = view[i].row;
		const struct device_past *old = history_find(history, row, &hint);
		struct device_past *past = &history->spare[i];

		if (old && row->why != ABSENT_NEW && row->why != ABSENT_RESET)
			*past = *old;
		else
			history_start(past, row);
		history_push(past, &view[i], limits);
		view_remember(&view[i], past);
	}
	spare = history->past;
	cap = history->cap;
	history->past = history->spare;
	history->cap = history->spare_cap;
	history->n = n;
	history->spare = spare;
	history->spare_cap = cap;
	return 0;
}

void history_release(struct history *history)
{
	free(history->past);
	free(history->spare);
}
