/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The title line of a list: its name, its order, what narrows it, how many.
 */
#include "list.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>

enum { PART_MAX = 2 * LIST_INPUT_MAX, RULE_MIN = 2 };

/* Puts a part of the line so that it ends before x; returns where it begins, or x: no room. */
static int list_title_part(int y, int x, int least, const char *text)
{
	int width = text_width(text);
	if (x - width - 3 < least)
		return x;
	x -= width + 2;
	text_blank(y, x, 1);
	text_put(y, x + 1, width, text, TEXT_CUT_END);
	text_blank(y, x + 1 + width, 1);
	return x - RULE_MIN;
}

static void list_title_order(const struct list *list, char *out, size_t size)
{
	const struct column *sort = list->choice.sort;
	const char *down = text_unicode() ? "\xe2\x86\x93" : "v";
	const char *up = text_unicode() ? "\xe2\x86\x91" : "^";
	if (sort)
		snprintf(out, size, "by %s %s%s", sort->name, list->choice.descending ? down : up,
			 list->held ? " held" : "");
	else
		out[0] = '\0';
}

static void list_title_narrowed(const struct list *list, char *out, size_t size)
{
	const char *slash = list->choice.filter ? "/" : "";
	const char *active = list->table == &file_table ? "files only " : "active ";
	int n = snprintf(out, size, "%s%s%s%s%s%s", list->choice.active ? active : "", slash,
			 list->filter, slash, *list->user ? " user " : "", list->user);
	if (n > 0 && (size_t)n < size && out[n - 1] == ' ')
		out[n - 1] = '\0';
}

/* Of findings those that hold count, and apart from them those that have ended. */
static void list_title_count(const struct list *list, char *out, size_t size)
{
	size_t ended = 0;
	for (size_t i = 0; list->table == &finding_table && i < list->rows.n; i++)
		ended += !list->table->active(list->rows.row[i]);
	if (ended > 0)
		snprintf(out, size, "%zu now, %zu ended", list->rows.n - ended, ended);
	else
		snprintf(out, size, "%zu of %zu", list->rows.n, list->total);
}

void list_draw_title(const struct list *list, int y, bool focus)
{
	char part[PART_MAX + 32];
	int least, x = COLS - 1;
	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(focus ? ROLE_FOCUS : ROLE_TITLE);
	least = 1 + text_width(list->title);
	text_put(y, 1, least - 1, list->title, TEXT_CUT_END);
	if (list->source) {
		theme_use(ROLE_DIM);
		snprintf(part, sizeof(part), " (%s)", list->source);
		text_put(y, least, text_width(part), part, TEXT_CUT_END);
		least += text_width(part);
	}
	theme_use(ROLE_PLAIN);
	list_title_count(list, part, sizeof(part));
	x = list_title_part(y, x, least, part);
	list_title_order(list, part, sizeof(part));
	if (*part)
		x = list_title_part(y, x, least, part);
	list_title_narrowed(list, part, sizeof(part));
	if (*part)
		list_title_part(y, x, least, part);
}
