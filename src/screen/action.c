/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keys do to the screen's state. Drawing follows once all keys are done.
 */
#include "action.h"
#include "chooser.h"
#include "menu.h"
#include "prompt.h"
#include "subject.h"

#include <curses.h>
#include <limits.h>

static const double intervals[] = {0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 30, 60};
enum { INTERVALS = sizeof(intervals) / sizeof(intervals[0]) };

static enum screen_event action_go(struct screen *screen, enum view view)
{
	if (view == VIEW_FILES)
		(void)subject_pick(screen, false);
	screen->view = view;
	screen->mode = MODE_VIEW;
	screen->details = DETAILS_NONE;
	screen->from_finding = false;
	state_update(screen); /* lists out of sight have no rows */
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

enum screen_event action_files(struct screen *screen)
{
	enum subject_picked picked = subject_pick(screen, true);
	if (picked == SUBJECT_NO_TASK || picked == SUBJECT_ENDED)
		return subject_refuse(screen, picked);
	return action_go(screen, VIEW_FILES);
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

/* Lines that are scrolled, NULL where rows are moved in. */
static struct page *action_scrolled(struct screen *screen)
{
	if (screen->mode == MODE_HELP)
		return &screen->help;
	return screen->mode == MODE_VIEW && screen->details ? &screen->details_page : NULL;
}

static enum screen_event action_move(struct screen *screen, long delta)
{
	struct list *list = state_list(screen);
	struct page *page = action_scrolled(screen);
	if (page) {
		long last = (long)page->lines, to = (long)page->top;
		to = delta > last ? last : delta < -last ? 0 : to + delta;
		page->top = to > 0 ? (size_t)to : 0;
		page->end = delta == LONG_MAX;
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
	const struct page *lines = action_scrolled(screen);
	size_t page = lines ? lines->shown : list ? list->page : 1;
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
	screen->focus = (screen->focus + OVERVIEW_LISTS - 1) % OVERVIEW_LISTS;
	return SCREEN_NOTHING;
}

enum screen_event action_focus_next(struct screen *screen)
{
	screen->focus = (screen->focus + 1) % OVERVIEW_LISTS;
	return SCREEN_NOTHING;
}

enum screen_event action_zoom(struct screen *screen)
{
	static const enum view views[OVERVIEW_LISTS] = {VIEW_DEVICES, VIEW_TASKS, VIEW_FINDINGS};
	if (screen->view == VIEW_OVERVIEW)
		return action_go(screen, views[screen->focus]);
	for (unsigned i = 0; i < OVERVIEW_LISTS; i++)
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
	if (screen->totals) {
		state_say(screen, "totals are narrowed by / (filter); a goes on to the rates");
		return SCREEN_NOTHING;
	}
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
	if (screen->totals) {
		state_say(screen, "totals are of processes; a goes on to the rates");
		return SCREEN_NOTHING;
	}
	if (screen->story) {
		state_say(screen,
			  "a recorded tree is not read again: --threads begins with threads");
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
	screen->help = (struct page){0};
	return SCREEN_NOTHING;
}

/* One step: never two things at once, and never out of the program. */
enum screen_event action_back(struct screen *screen)
{
	struct list *list = state_list(screen);
	char why[8];
	if (screen->mode != MODE_VIEW) {
		screen->mode = MODE_VIEW;
	} else if (screen->details) {
		screen->details = screen->from_finding ? DETAILS_FINDING : DETAILS_NONE;
		screen->details_page = (struct page){0};
		screen->from_finding = false;
		state_update(screen);
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
		return action_go(screen, VIEW_OVERVIEW);
	}
	return SCREEN_NOTHING;
}

enum screen_event action_quit(struct screen *screen)
{
	(void)screen;
	return SCREEN_QUIT;
}
