/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the mouse does: it finds what was drawn where, and uses the keys' actions.
 */
#include "mouse.h"
#include "draw.h"
#include "keys.h"

#include <curses.h>
#include <time.h>

enum { WHEEL_ROWS = 3, DOUBLE_MS = 400 };

/* Whether this is the second click on that line. */
static bool mouse_is_second(struct screen *screen, int y)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	bool second = screen->click.y == y && ms - screen->click.at_ms <= DOUBLE_MS;
	screen->click = (struct click){.at_ms = second ? 0 : ms, .y = y};
	return second;
}

static struct list *mouse_list(struct screen *screen, int y)
{
	for (size_t i = 0; i < LISTS; i++)
		if (y >= screen->list[i].place.y && y < screen->list[i].place.end)
			return &screen->list[i];
	return NULL;
}

/* The section of the overview gets the keys. */
static void mouse_focus(struct screen *screen, const struct list *list)
{
	unsigned before = screen->focus;
	for (screen->focus = 0; screen->focus < OVERVIEW_LISTS; screen->focus++)
		if (state_list(screen) == list)
			return;
	screen->focus = before;
}

static enum screen_event mouse_wheel(struct screen *screen, const struct mouse *mouse)
{
	long rows = mouse->button == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	struct list *list = mouse_list(screen, mouse->y);
	if (screen->mode == MODE_VIEW && list)
		list_roll(list, rows);
	else if (screen->mode != MODE_VIEW || !state_list(screen)) /* lines, or a menu */
		for (int i = 0; i < WHEEL_ROWS; i++)
			(void)keys_act(screen, rows < 0 ? KEY_UP : KEY_DOWN);
	return SCREEN_NOTHING;
}

static enum screen_event mouse_menu(struct screen *screen, int y)
{
	size_t at = screen->menu_top + (size_t)(y - screen->menu_y);
	if (y < screen->menu_y || at >= screen->menu_n)
		return SCREEN_NOTHING;
	screen->menu_at = at;
	return mouse_is_second(screen, y) ? keys_act(screen, '\r') : SCREEN_NOTHING;
}

static void mouse_sort(struct screen *screen, struct list *list, int x)
{
	const struct column *column = list_column_at(list, x);
	if (!column)
		return;
	if (column == list->choice.sort)
		list_reverse(list);
	else
		list_sort_by(list, column);
	state_update(screen);
}

static enum screen_event mouse_press(struct screen *screen, struct list *list,
				     const struct mouse *mouse)
{
	size_t at;
	if (screen->view == VIEW_OVERVIEW)
		mouse_focus(screen, list);
	if (mouse->y == list->place.header) {
		mouse_sort(screen, list, mouse->x);
		return SCREEN_NOTHING;
	}
	if (!list_row_at(list, mouse->y, &at))
		return SCREEN_NOTHING;
	bool second = mouse_is_second(screen, mouse->y);
	bool again = list_selected(list) == list->rows.row[at];
	list_select(list, at);
	return second && again ? keys_act(screen, '\r') : SCREEN_NOTHING;
}

enum screen_event mouse_act(struct screen *screen, const struct mouse *mouse, bool notice)
{
	if (screen->stale) /* keys came before it in the same go */
		draw_all(screen);
	if (screen->mode >= MODE_FILTER)
		return SCREEN_NOTHING;
	if (mouse->button != MOUSE_PRESS)
		return mouse_wheel(screen, mouse);
	screen->stale = true;
	if (mouse->y == getmaxy(stdscr) - 1)
		return notice ? SCREEN_NOTHING : keys_click(screen, mouse->x);
	if (screen->mode == MODE_MENU || screen->mode == MODE_CHOOSER)
		return mouse_menu(screen, mouse->y);
	struct list *list = screen->mode == MODE_VIEW ? mouse_list(screen, mouse->y) : NULL;
	return list ? mouse_press(screen, list, mouse) : SCREEN_NOTHING;
}
