/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The menu of sort columns, made from the table.
 */
#include "menu.h"
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>

enum { NAME_CELLS = 15, UNIT_CELLS = 9 };

void menu_open(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (!list)
		return;
	const struct column *sort = list->choice.sort;
	screen->menu_at = sort ? (size_t)(sort - list->table->column) + 1 : 0;
	screen->menu_top = 0;
	screen->mode = MODE_MENU;
}

void menu_move(struct screen *screen, long delta)
{
	const struct list *list = state_list(screen);
	/* entry 0 is the frame's order */
	menu_step(screen, delta, list ? list_columns(list->table) + 1 : 1);
}

void menu_step(struct screen *screen, long delta, size_t n)
{
	long last = (long)n - 1;
	long to = delta > last ? last : delta < -last ? 0 : (long)screen->menu_at + delta;
	screen->menu_at = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

void menu_choose(struct screen *screen)
{
	struct list *list = state_list(screen);
	screen->mode = MODE_VIEW;
	if (!list)
		return;
	list_sort_by(list, screen->menu_at ? &list->table->column[screen->menu_at - 1] : NULL);
	state_update(screen);
}

static void menu_draw_entry(const struct list *list, size_t i, bool at, int y)
{
	static const struct column unsorted = {
	    .name = "(as listed)", .unit = "", .help = "the order in which they come: no sorting"};
	const struct column *column = i ? &list->table->column[i - 1] : &unsorted;
	bool present = list->choice.sort == (i ? column : NULL);
	theme_use(at ? ROLE_SELECTED : ROLE_PLAIN);
	text_blank(y, 0, COLS);
	text_put(y, 0, 1, present ? "*" : " ", TEXT_CUT_END);
	text_put(y, 2, NAME_CELLS, column->name, TEXT_CUT_END);
	text_put(y, 3 + NAME_CELLS, UNIT_CELLS, column->unit, TEXT_CUT_END);
	text_put(y, 4 + NAME_CELLS + UNIT_CELLS, COLS - 4 - NAME_CELLS - UNIT_CELLS, column->help,
		 TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

void menu_begin(struct screen *screen, int y, const char *title, size_t page, size_t n)
{
	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(ROLE_FOCUS);
	text_put(y, 1, text_width(title), title, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	screen->menu_y = y + 1;
	screen->menu_n = n;
	if (screen->menu_at < screen->menu_top)
		screen->menu_top = screen->menu_at;
	if (page > 0 && screen->menu_at >= screen->menu_top + page)
		screen->menu_top = screen->menu_at - page + 1;
	if (screen->menu_top + page > n)
		screen->menu_top = n > page ? n - page : 0;
}

void menu_draw(struct screen *screen, int y, int h)
{
	struct list *list = state_list(screen);
	char title[64];
	if (!list)
		return;
	size_t page = h > 1 ? (size_t)(h - 1) : 0, n = list_columns(list->table) + 1;
	snprintf(title, sizeof(title), "Sort %s by", list->table->name);
	menu_begin(screen, y, title, page, n);
	for (size_t i = 0; i < page && screen->menu_top + i < n; i++)
		menu_draw_entry(list, screen->menu_top + i, screen->menu_top + i == screen->menu_at,
				y + 1 + (int)i);
}
