/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device's stack as a tree with rates: what it stands on, what stands on it.
 */
#include "cells.h"
#include "device_view.h"
#include "text.h"

#include <curses.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8, LINE_BYTES = 512 };

static const struct cell figures[] = {
    {"r/s", 7, 1, false, offsetof(struct device_row, r)},
    {"w/s", 7, 1, false, offsetof(struct device_row, w)},
    {"await", 8, 2, true, offsetof(struct device_row, await)},
    {"%util", 6, 1, true, offsetof(struct device_row, util)},
};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

static void stack_line(struct sheet *sheet, const struct device_row *row, const char *name,
		       unsigned depth)
{
	char line[LINE_BYTES];
	const char *title = row && row->info ? row->info->title : "";
	const char *branch = depth == 0 ? "" : text_unicode() ? "\xe2\x94\x94" : "`";
	int y = sheet_next(sheet);
	theme_use(depth == 0 ? ROLE_TITLE : ROLE_PLAIN);
	snprintf(line, sizeof(line), "%*s%s%s%s%s%s", depth ? (int)(2 * depth - 2) : 0, "", branch, name,
		 *title ? " (" : "", title, *title ? ")" : "");
	if (row)
		text_put(y, SHEET_INDENT, cells_put(figures, FIGURES, row, y), line, TEXT_CUT_END);
	else
		text_put(y, SHEET_INDENT, COLS - SHEET_INDENT, line, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

static bool stack_stands_on(const struct device_row *upper, const struct device_row *lower)
{
	const struct device_info *info = upper->info;
	if (lower->info && lower->info->class == DEVICE_PATH &&
	    strcmp(lower->info->parent, upper->name) == 0)
		return true;
	if (!info)
		return false;
	if (info->class == DEVICE_PARTITION && strcmp(info->parent, lower->name) == 0)
		return true;
	for (size_t i = 0; i < info->nlower; i++)
		if (strcmp(info->lower[i], lower->name) == 0)
			return true;
	return false;
}

/* One that stands on the row (up), or that the row stands on. NULL: no more from `at` on. */
static const struct device_row *stack_next(const struct frame *frame, const struct device_row *row,
					   bool up, size_t *at)
{
	while (*at < frame->ndevice) {
		const struct device_row *other = &frame->device[(*at)++];
		if (other != row && (up ? stack_stands_on(other, row) : stack_stands_on(row, other)))
			return other;
	}
	return NULL;
}

static void stack_branch(struct sheet *sheet, const struct frame *frame, const struct device_row *row,
			 bool up, unsigned depth)
{
	const struct device_row *other;
	size_t at = 0;
	if (depth > DEPTH_MAX)
		return;
	while ((other = stack_next(frame, row, up, &at))) {
		stack_line(sheet, other, other->name, depth);
		stack_branch(sheet, frame, other, up, depth + 1);
	}
	for (size_t i = 0; !up && row->info && i < row->info->nlower; i++)
		if (!device_view_find(frame, row->info->lower[i])) /* one without figures */
			stack_line(sheet, NULL, row->info->lower[i], depth);
}

static bool stack_has(const struct frame *frame, const struct device_row *row, bool up)
{
	size_t at = 0;
	return stack_next(frame, row, up, &at) || (!up && row->info && row->info->nlower > 0);
}

static void stack_part(struct sheet *sheet, const struct frame *frame, const struct device_row *row,
		       bool up)
{
	cells_title(sheet, up ? "What stands on it" : "What it stands on", figures, FIGURES);
	stack_line(sheet, row, row->name, 0);
	stack_branch(sheet, frame, row, up, 1);
}

void device_view_stack(struct sheet *sheet, const struct frame *frame, const struct device_row *row)
{
	bool lower = stack_has(frame, row, false), upper = stack_has(frame, row, true);
	if (lower)
		stack_part(sheet, frame, row, false);
	if (upper)
		stack_part(sheet, frame, row, true);
	if (!lower && !upper) {
		sheet_title(sheet, "Stack");
		sheet_text_as(sheet, ROLE_DIM, "it stands on nothing, and nothing stands on it");
	}
}
