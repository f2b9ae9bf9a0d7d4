/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The menu in which the columns to show are chosen: those of the list that gets the keys.
 */
#include "chooser.h"
#include "draw.h"
#include "menu.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum { MARK_CELLS = 3, NAME_CELLS = 15, UNIT_CELLS = 9 };

bool screen_chooses_columns(const struct table *table)
{
	return table != &finding_table && table != &system_table;
}

enum screen_event action_columns(struct screen *screen)
{
	const struct list *list = state_list(screen);
	if (!list || !screen_chooses_columns(list->table)) {
		state_say(screen, "findings are sentences: there are no columns to choose");
		return SCREEN_NOTHING;
	}
	screen->menu_at = screen->menu_top = 0;
	screen->mode = MODE_CHOOSER;
	screen->columns_of = NULL;
	return SCREEN_NOTHING;
}

void chooser_move(struct screen *screen, long delta)
{
	menu_step(screen, delta, list_columns(state_list(screen)->table));
}

enum screen_event action_column_toggle(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (list_toggle_column(list, &list->table->column[screen->menu_at]))
		screen->columns_of = list;
	else
		state_say(screen, "this one stays: without it no row could be told from another");
	return SCREEN_NOTHING;
}

enum screen_event action_columns_default(struct screen *screen)
{
	struct list *list = state_list(screen);
	list_set_columns(list, NULL);
	screen->columns_of = list;
	return SCREEN_NOTHING;
}

enum screen_event action_columns_close(struct screen *screen)
{
	screen->mode = MODE_VIEW;
	return screen->columns_of ? SCREEN_COLUMNS : SCREEN_NOTHING;
}

/* The PID whose place the TID took counts as shown. */
static bool chooser_on_show(const struct list *list, const struct column *column)
{
	if (list_yields_column(list, column, COLS))
		return true;
	for (size_t i = 0; i < list->nshown; i++)
		if (list->shown[i] == column)
			return true;
	return false;
}

/* Chosen and shown, chosen without room for it, shown for another reason, not shown. */
static const char *chooser_mark(const struct list *list, const struct column *column)
{
	bool shown = chooser_on_show(list, column);
	if (list_has_column(list, column))
		return shown ? "[x]" : "[-]";
	return shown ? "[+]" : "[ ]";
}

static void chooser_draw_entry(const struct list *list, const struct column *column, bool at, int y)
{
	int x = MARK_CELLS + 1;
	theme_use(at ? ROLE_SELECTED : ROLE_PLAIN);
	text_blank(y, 0, COLS);
	text_put(y, 0, MARK_CELLS, chooser_mark(list, column), TEXT_CUT_END);
	text_put(y, x, NAME_CELLS, column->name, TEXT_CUT_END);
	x += NAME_CELLS + 1;
	text_put(y, x, UNIT_CELLS, column->unit, TEXT_CUT_END);
	x += UNIT_CELLS + 1;
	text_put(y, x, COLS - x, column->help, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

/* How many of those chosen there is room for. */
static void chooser_title(const struct list *list, char *out, size_t size)
{
	size_t chosen = 0, fit = 0;
	for (size_t i = 0; i < list_columns(list->table); i++) {
		const struct column *column = &list->table->column[i];
		bool wanted = list_has_column(list, column);
		chosen += wanted;
		fit += wanted && chooser_on_show(list, column);
	}
	int n = snprintf(out, size, "Columns of %s: %zu chosen", list->table->name, chosen);
	if (fit < chosen)
		snprintf(out + n, size - (size_t)n, ", %zu fit here, [-] does not", fit);
}

void chooser_draw(struct screen *screen, int y, int h)
{
	struct list *list = state_list(screen);
	size_t page = h > 1 ? (size_t)(h - 1) : 0, n = list_columns(list->table);
	char title[96];
	list_fit(list);
	chooser_title(list, title, sizeof(title));
	menu_begin(screen, y, title, page, n);
	for (size_t i = screen->menu_top; i < n && page > 0; i++, page--)
		chooser_draw_entry(list, &list->table->column[i], i == screen->menu_at, ++y);
}
