/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose requests a device gets, and where a task's requests go.
 */
#include "pair_view.h"
#include "cells.h"
#include "text.h"

#include <stdio.h>

enum { SHOWN = 10, NAME_BYTES = DEVICE_NAME_MAX + 32 };

#define PAIR(field) offsetof(struct pair_row, field)

static const struct cell cells[] = {
    {"req/s", 7, 1, true, PAIR(rate)},     {"kB/s", 8, 1, false, PAIR(kb)},
    {"avwait", 8, 3, false, PAIR(avwait)}, {"avserv", 7, 3, true, PAIR(avserv)},
    {"share%", 6, 1, true, PAIR(share)},
};
enum { CELLS = sizeof(cells) / sizeof(cells[0]) };

static void pair_view_absent(struct sheet *sheet, const char *title, enum absent why)
{
	sheet_title(sheet, title);
	sheet_text_as(sheet, ROLE_DIM, why == PRESENT ? "none in this interval" : absent_help(why));
}

static void pair_view_line(struct sheet *sheet, const struct pair_row *pair, const char *name)
{
	int y = sheet_next(sheet);
	text_put(y, SHEET_INDENT, cells_put(cells, CELLS, pair, y), name, TEXT_CUT_END);
}

static void pair_view_task(struct sheet *sheet, const struct pair_row *pair)
{
	char name[NAME_BYTES];
	if (pair->pid < 0)
		snprintf(name, sizeof(name), "%s", pair_issuer_name(pair->pid));
	else
		snprintf(name, sizeof(name), "%d %s", (int)pair->pid, pair->comm ? pair->comm : "");
	pair_view_line(sheet, pair, name);
}

/* Those of the device, from `at` on; NULL: no more. */
static const struct pair_row *pair_view_next(const struct frame *frame,
					     const struct device_row *row, size_t *at)
{
	while (*at < frame->npair) {
		const struct pair_row *pair = frame->pair_order[(*at)++];
		if (pair->device == row)
			return pair;
	}
	return NULL;
}

void pair_view_tasks(struct sheet *sheet, const struct frame *frame, const struct device_row *row)
{
	const struct pair_row *pair;
	size_t at = 0, shown = 0, more = 0;
	char line[64];
	if (!row->latency)
		return; /* why nothing is measured is said there */
	if (frame->pairs_state != PRESENT || !row->top) {
		pair_view_absent(sheet, "Requests by task", frame->pairs_state);
		return;
	}
	cells_title(sheet, "Requests by task", cells, CELLS);
	while ((pair = pair_view_next(frame, row, &at)) && pair->pid > 0) {
		if (shown < SHOWN)
			pair_view_task(sheet, pair);
		more += shown == SHOWN;
		shown += shown < SHOWN;
	}
	snprintf(line, sizeof(line), "and %zu more", more);
	if (more > 0)
		sheet_text_as(sheet, ROLE_DIM, line);
	for (; pair; pair = pair_view_next(frame, row, &at))
		pair_view_task(sheet, pair);
}

void pair_view_devices(struct sheet *sheet, const struct frame *frame, const struct task_row *row)
{
	bool thread = row->kind == TASK_THREAD;
	const char *title = thread ? "Requests of its process" : "Requests by device";
	bool any = false;
	if (frame->pairs_state == ABSENT_UNTRACED)
		return; /* its figures say why */
	for (size_t i = 0; i < frame->npair; i++) {
		const struct pair_row *pair = frame->pair_order[i];
		if (pair->pid != row->task->pid)
			continue;
		if (!any)
			cells_title(sheet, title, cells, CELLS);
		any = true;
		pair_view_line(sheet, pair, pair->device->name);
	}
	if (!any)
		pair_view_absent(sheet, title, frame->pairs_state);
}
