/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keys do to the screen's state. Drawing follows once all keys are done.
 */
#include "action.h"
#include "chooser.h"
#include "menu.h"
#include "prompt.h"

#include <curses.h>
#include <limits.h>

static const double intervals[] = {0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 30, 60};
enum { INTERVALS = sizeof(intervals) / sizeof(intervals[0]) };

static enum screen_event action_go(struct screen *screen, enum view view)
{
	screen->view = view;
	screen->mode = MODE_VIEW;
	return SCREEN_NOTHING;
}

enum screen_event action_overview(struct screen *screen)
{
	return action_go(screen, VIEW_OVERVIEW);
}

enum screen_event action_devices(struct screen *screen)
{
	return action_go(screen, VIEW_DEVICES);
}

enum screen_event action_tasks(struct screen *screen)
{
	return action_go(screen, VIEW_TASKS);
}

enum screen_event action_aio(struct screen *screen)
{
	return action_go(screen, VIEW_AIO);
}

enum screen_event action_findings(struct screen *screen)
{
	return action_go(screen, VIEW_FINDINGS);
}

enum screen_event action_next_view(struct screen *screen)
{
	return action_go(screen, (screen->view + 1) % VIEWS);
}

enum screen_event action_previous_view(struct screen *screen)
{
	return action_go(screen, (screen->view + VIEWS - 1) % VIEWS);
}

static enum screen_event action_move(struct screen *screen, long delta)
{
	struct list *list = state_list(screen);
	if (screen->mode == MODE_HELP) {
		long last = (long)screen->help_lines, to = (long)screen->help_top;
		to = delta > last ? last : delta < -last ? 0 : to + delta;
		screen->help_top = to > 0 ? (size_t)to : 0;
	} else if (screen->mode == MODE_MENU) {
		menu_move(screen, delta);
	} else if (screen->mode == MODE_CHOOSER) {
		chooser_move(screen, delta);
	} else if (list) {
		list_move(list, delta);
	}
	return SCREEN_NOTHING;
}

static long action_page(struct screen *screen)
{
	enum { MENU_PAGE = 10 };
	struct list *list = state_list(screen);
	size_t page = screen->mode == MODE_HELP ? screen->help_page : list ? list->page : 1;
	if (screen->mode == MODE_MENU || screen->mode == MODE_CHOOSER)
		page = MENU_PAGE;
	return page > 1 ? (long)page - 1 : 2;
}

enum screen_event action_up(struct screen *screen)
{
	return action_move(screen, -1);
}

enum screen_event action_down(struct screen *screen)
{
	return action_move(screen, 1);
}

enum screen_event action_page_up(struct screen *screen)
{
	return action_move(screen, -action_page(screen));
}

enum screen_event action_page_down(struct screen *screen)
{
	return action_move(screen, action_page(screen));
}

enum screen_event action_home(struct screen *screen)
{
	return action_move(screen, -LONG_MAX);
}

enum screen_event action_end(struct screen *screen)
{
	return action_move(screen, LONG_MAX);
}

enum screen_event action_focus_before(struct screen *screen)
{
	screen->focus = (screen->focus + LISTS - 1) % LISTS;
	return SCREEN_NOTHING;
}

enum screen_event action_focus_next(struct screen *screen)
{
	screen->focus = (screen->focus + 1) % LISTS;
	return SCREEN_NOTHING;
}

enum screen_event action_zoom(struct screen *screen)
{
	static const enum view views[LISTS] = {VIEW_DEVICES, VIEW_TASKS, VIEW_FINDINGS};
	if (screen->view == VIEW_OVERVIEW)
		return action_go(screen, views[screen->focus]);
	for (unsigned i = 0; i < LISTS; i++)
		if (views[i] == screen->view)
			screen->focus = i;
	return action_go(screen, VIEW_OVERVIEW);
}

enum screen_event action_menu(struct screen *screen)
{
	menu_open(screen);
	return SCREEN_NOTHING;
}

enum screen_event action_choose(struct screen *screen)
{
	menu_choose(screen);
	return SCREEN_NOTHING;
}

static enum screen_event action_sort(struct screen *screen, int step)
{
	struct list *list = state_list(screen);
	if (list) {
		list_sort_beside(list, step);
		state_update(screen);
	}
	return SCREEN_NOTHING;
}

enum screen_event action_sort_left(struct screen *screen)
{
	return action_sort(screen, -1);
}

enum screen_event action_sort_right(struct screen *screen)
{
	return action_sort(screen, 1);
}

enum screen_event action_reverse(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (list) {
		list_reverse(list);
		state_update(screen);
	}
	return SCREEN_NOTHING;
}

enum screen_event action_filter(struct screen *screen)
{
	prompt_open(screen, MODE_FILTER, state_list(screen));
	return SCREEN_NOTHING;
}

enum screen_event action_user(struct screen *screen)
{
	prompt_open(screen, MODE_USER, &screen->list[LIST_TASKS]);
	return SCREEN_NOTHING;
}

enum screen_event action_active(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (list) {
		list->choice.active = !list->choice.active;
		state_update(screen);
	}
	return SCREEN_NOTHING;
}

enum screen_event action_unused(struct screen *screen)
{
	struct choice *choice = &screen->list[LIST_DEVICES].choice;
	choice->unused = !choice->unused;
	state_update(screen);
	return SCREEN_NOTHING;
}

enum screen_event action_tree(struct screen *screen)
{
	struct list *list = &screen->list[LIST_DEVICES];
	list->choice.tree = !list->choice.tree;
	list->resort = true;
	state_update(screen);
	return SCREEN_NOTHING;
}

enum screen_event action_command(struct screen *screen)
{
	struct list *list = &screen->list[LIST_TASKS];
	list->names_only = !list->names_only;
	return SCREEN_NOTHING;
}

static enum screen_event action_set_threads(struct screen *screen, bool threads)
{
	if (threads == screen->threads)
		return SCREEN_NOTHING;
	if (screen->story) {
		state_say(screen, "a recorded tree is not read again: --threads begins with threads");
		return SCREEN_NOTHING;
	}
	screen->threads = threads;
	list_set_threads(&screen->list[LIST_TASKS], threads);
	return SCREEN_THREADS;
}

enum screen_event action_threads(struct screen *screen)
{
	return action_set_threads(screen, !screen->threads);
}

enum screen_event action_processes(struct screen *screen)
{
	return action_set_threads(screen, false);
}

enum screen_event action_peaks(struct screen *screen)
{
	state_say(screen, "peaks begin anew");
	return SCREEN_PEAKS;
}

enum screen_event action_pause(struct screen *screen)
{
	screen->paused = !screen->paused;
	return screen->paused ? SCREEN_NOTHING : SCREEN_RESUMED;
}

static enum screen_event action_interval(struct screen *screen, double interval_s)
{
	if (screen->story) {
		state_say(screen, "a recorded tree has its own intervals");
		return SCREEN_NOTHING;
	}
	state_say(screen, "interval %g s", interval_s);
	if (interval_s == screen->interval_s)
		return SCREEN_NOTHING;
	screen->interval_s = interval_s;
	return SCREEN_INTERVAL;
}

enum screen_event action_slower(struct screen *screen)
{
	double next = screen->interval_s;
	for (size_t i = INTERVALS; i-- > 0;)
		if (intervals[i] > screen->interval_s)
			next = intervals[i];
	return action_interval(screen, next);
}

enum screen_event action_faster(struct screen *screen)
{
	double next = screen->interval_s;
	for (size_t i = 0; i < INTERVALS; i++)
		if (intervals[i] < screen->interval_s)
			next = intervals[i];
	return action_interval(screen, next);
}

enum screen_event action_repaint(struct screen *screen)
{
	(void)screen;
	clearok(curscr, TRUE);
	return SCREEN_NOTHING;
}

enum screen_event action_help(struct screen *screen)
{
	screen->mode = MODE_HELP;
	screen->help_top = 0;
	return SCREEN_NOTHING;
}

/* One step: never two things at once, and never out of the program. */
enum screen_event action_back(struct screen *screen)
{
	struct list *list = state_list(screen);
	char why[8];
	if (screen->mode != MODE_VIEW) {
		screen->mode = MODE_VIEW;
	} else if (list && *list->filter) {
		(void)list_set_filter(list, "", why, sizeof(why));
		state_update(screen);
	} else if (list && list->table == &task_table && *list->user) {
		list->user[0] = '\0';
		list->resort = true;
		state_update(screen);
	} else if (list && list->selected) {
		list_unselect(list);
		state_update(screen);
	} else {
		screen->view = VIEW_OVERVIEW;
	}
	return SCREEN_NOTHING;
}

enum screen_event action_quit(struct screen *screen)
{
	(void)screen;
	return SCREEN_QUIT;
}
