/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen as the program sees it: opened, given frames, asked for keys.
 */
#include "iotriage/screen.h"
#include "confirm.h"
#include "draw.h"
#include "ioprio.h"
#include "keys.h"
#include "prompt.h"
#include "state.h"
#include "terminal.h"
#include "text.h"
#include "theme.h"
#include "totals.h"

#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_AT_ONCE = 512 };

static enum view screen_view(const char *name)
{
	if (!name)
		return VIEW_OVERVIEW;
	return strcmp(name, "devices") == 0    ? VIEW_DEVICES
	       : strcmp(name, "tasks") == 0    ? VIEW_TASKS
	       : strcmp(name, "totals") == 0   ? VIEW_TASKS
	       : strcmp(name, "aio") == 0      ? VIEW_AIO
	       : strcmp(name, "files") == 0    ? VIEW_FILES
	       : strcmp(name, "findings") == 0 ? VIEW_FINDINGS
					       : VIEW_OVERVIEW;
}

static void screen_set_up(struct screen *screen, const struct screen_setup *setup)
{
	static const struct table *const of[LISTS] = {&device_table, &task_table, &finding_table,
						      &aio_table,    &file_table, &total_table};
	static const char *const titles[LISTS] = {
	    "Devices", "Tasks", "Findings", "Processes using AIO", "Files", "Totals"};
	for (size_t i = 0; i < LISTS; i++) {
		struct list *list = &screen->list[i];
		list_init(list, of[i], titles[i], &setup->choice);
		if (i > LIST_TASKS)
			list->choice.top = 0; /* --top is of devices and tasks */
		const struct column *sort = setup->sort ? column_find(of[i], setup->sort) : NULL;
		if (sort)
			list_sort_by(list, sort);
		if (setup->columns)
			list_set_columns(list, setup->columns(of[i], setup->context));
	}
	screen->threads = setup->threads;
	list_set_threads(&screen->list[LIST_TASKS], setup->threads);
	screen->list[LIST_DEVICES].choice.tree = true;
	screen->list[LIST_FILES].choice.active = true;
	screen->subject.pid = setup->choice.npid > 0 ? setup->choice.pid[0] : 0;
	if (setup->accumulated || (setup->view && strcmp(setup->view, "totals") == 0))
		screen->totals = TOTALS_BY_TASK;
	screen->view = screen_view(setup->view);
	screen->interval_s = setup->interval_s;
	screen->story = setup->story;
	screen->read_only = setup->read_only;
	screen->mouse = setup->mouse;
	screen->diagnosis = setup->diagnosis;
	snprintf(screen->source, sizeof(screen->source), "%s", setup->source ? setup->source : "");
}

int screen_open(struct screen **ret, const struct screen_setup *setup, const char **why)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	if (!screen) {
		*why = "no memory";
		return -ENOMEM;
	}
	int error = terminal_open(why, setup->mouse);
	if (error) {
		free(screen);
		return error;
	}
	text_init();
	theme_init();
	screen_set_up(screen, setup);
	draw_all(screen);
	*ret = screen;
	return 0;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	terminal_close();
	for (size_t i = 0; i < LISTS; i++)
		list_release(&screen->list[i]);
	files_release(&screen->files);
	free(screen);
}

int screen_input_fd(const struct screen *screen)
{
	(void)screen;
	return terminal_fd();
}

static void screen_clear_marks(struct frame *frame)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		frame->device[i].on_show = false;
	for (size_t i = 0; i < frame->ntask; i++)
		frame->task[i].on_show = false;
}

void screen_frame(struct screen *screen, struct frame *frame)
{
	screen->frame = frame;
	screen->list[LIST_TASKS].source = frame && frame->tasks_traced ? "bpf" : NULL;
	if (frame)
		screen_clear_marks(frame);
	for (size_t i = 0; i < LISTS; i++)
		if (screen->list[i].hold > 0)
			screen->list[i].hold--;
	state_update(screen);
	confirm_tell_delayacct(screen);
	draw_all(screen);
	screen->names_wanted = false; /* the caller looks at the marks after a frame */
}

void screen_refresh(struct screen *screen)
{
	state_update(screen);
	draw_all(screen);
}

static enum screen_event screen_key(struct screen *screen, int key, const struct mouse *mouse)
{
	if (key == KEY_RESIZE || (key == KEY_MOUSE && (!screen->mouse || !mouse->button)))
		return SCREEN_NOTHING;
	bool notice = *screen->notice != '\0';
	screen->notice[0] = '\0';
	if (key == KEY_MOUSE)
		return mouse_act(screen, mouse, notice);
	screen->stale = true;
	if (screen->mode == MODE_CONFIRM)
		return confirm_key(screen, key);
	if (screen->mode == MODE_IOPRIO)
		return ioprio_key(screen, key);
	bool typing = screen->mode == MODE_FILTER || screen->mode == MODE_USER;
	if (typing && prompt_key(screen, key))
		return SCREEN_NOTHING;
	enum mode mode = screen->mode;
	enum details details = screen->details;
	enum screen_event event = keys_act(screen, key);
	if (mode != screen->mode || details != screen->details)
		draw_all(screen); /* the next key moves by what is drawn */
	return event;
}

static bool screen_watches_other(const struct screen *screen, const struct screen_watched *before)
{
	struct screen_watched now = screen_watched(screen);
	return now.pid != before->pid || now.start_ticks != before->start_ticks ||
	       now.files != before->files || now.sheet != before->sheet;
}

/*
 * Stops at the first event, so that none is lost behind another; the keys after
 * it are still in the terminal and wake the caller again.
 */
enum screen_event screen_input(struct screen *screen)
{
	enum screen_event event = SCREEN_NOTHING;
	bool all = screen_wants_all_names(screen);
	struct mouse mouse = {0};
	struct screen_watched watched = screen_watched(screen);
	for (int i = 0; i < KEYS_AT_ONCE && event == SCREEN_NOTHING; i++) {
		int key = keys_next(&mouse);
		if (key == TERMINAL_GONE)
			return SCREEN_LOST;
		if (key == TERMINAL_NO_KEY)
			break;
		event = screen_key(screen, key, &mouse);
	}
	draw_all(screen);
	if (event == SCREEN_NOTHING && screen_watches_other(screen, &watched))
		event = SCREEN_WATCH;
	if (event == SCREEN_NOTHING &&
	    (screen->names_wanted || (!all && screen_wants_all_names(screen))))
		event = SCREEN_NAMES;
	screen->names_wanted = false;
	return event;
}

double screen_interval(const struct screen *screen)
{
	return screen->interval_s;
}

bool screen_paused(const struct screen *screen)
{
	return screen->paused;
}

bool screen_wants_all_names(const struct screen *screen)
{
	const struct list *tasks = &screen->list[LIST_TASKS];
	const struct column *sort = tasks->choice.sort;
	bool typing = (screen->mode == MODE_FILTER || screen->mode == MODE_USER) &&
		      screen->prompt.list == tasks;
	return typing || tasks->choice.filter || *tasks->user ||
	       (sort && (strcmp(sort->name, "user") == 0 || strcmp(sort->name, "command") == 0));
}

bool screen_shows_aio(const struct screen *screen)
{
	return screen->view == VIEW_AIO;
}

struct screen_watched screen_watched(const struct screen *screen)
{
	const struct subject *subject = &screen->subject;
	struct screen_watched watched = {.sheet = screen->details == DETAILS_TASK};
	watched.files = !screen->details && screen->view == VIEW_FILES && subject->pid != 0;
	if (watched.files || watched.sheet) {
		watched.pid = subject->pid;
		watched.start_ticks = subject->start_ticks;
	}
	return watched;
}

bool screen_threads(const struct screen *screen)
{
	return screen->threads;
}

bool screen_totals(const struct screen *screen, enum total_by *by)
{
	*by = totals_by(screen);
	return screen->totals != TOTALS_OFF;
}

struct screen_ioprio screen_ioprio(const struct screen *screen)
{
	return screen->ioprio;
}

const struct table *screen_columns(const struct screen *screen, char *names, size_t size)
{
	if (!screen->columns_of)
		return NULL;
	list_column_names(screen->columns_of, names, size);
	return screen->columns_of->table;
}

void screen_notice(struct screen *screen, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	state_say_for(screen, NOTICE_FRAMES, format, args);
	va_end(args);
	draw_all(screen);
}

void screen_error(struct screen *screen, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	state_say_for(screen, ERROR_FRAMES, format, args);
	va_end(args);
	draw_all(screen);
}

void screen_resize(struct screen *screen)
{
	if (screen->suspended)
		return;
	terminal_resize();
	draw_all(screen);
}

void screen_suspend(struct screen *screen)
{
	screen->suspended = true;
	terminal_suspend();
}

void screen_resume(struct screen *screen)
{
	terminal_resume();
	screen->suspended = false;
	draw_all(screen);
}

const char *screen_key_help(size_t i, const char **names)
{
	for (const struct key *key = keys; key->names; key++) {
		if (!key->help || i-- > 0)
			continue;
		*names = key->names;
		return key->help;
	}
	return NULL;
}

void screen_rescue(void)
{
	terminal_rescue();
}
