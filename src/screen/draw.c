/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole screen: what goes where, and the one refresh.
 */
#include "draw.h"
#include "terminal.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH_MIN = 20, HEIGHT_MIN = 4, HEIGHT_ROOMY = 14 };

static void draw_too_small(int height, int width)
{
	char line[64];
	snprintf(line, sizeof(line), "too small: %dx%d, needs %dx%d", width, height, WIDTH_MIN,
		 HEIGHT_MIN);
	text_put(0, 0, width, text_width(line) <= width ? line : "too small", TEXT_CUT_END);
}

const char *draw_remedy(void)
{
	return geteuid() == 0 ? "they hold capabilities that this program lacks"
			      : "run as root (or with CAP_SYS_PTRACE) for all";
}

/* The line above the keys that says what is missing for want of permission. True: drawn. */
static bool draw_unreadable(const struct screen *screen, int y)
{
	char line[128];
	bool tasks = !screen->details && (screen->view == VIEW_OVERVIEW || screen->view == VIEW_TASKS);
	if (!screen->frame || !tasks)
		return false;
	const struct system_row *system = &screen->frame->system;
	double unreadable = value_or(system->unreadable, 0);
	if (unreadable < 1 && !system->others_hidden)
		return false;
	if (system->others_hidden)
		snprintf(line, sizeof(line), "only your processes are visible: %s", draw_remedy());
	else
		snprintf(line, sizeof(line), "%.0f of %.0f tasks unreadable: %s", unreadable,
			 value_or(system->tasks, (double)screen->frame->ntask), draw_remedy());
	theme_use(ROLE_DIM);
	text_put(y, 0, COLS, line, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	return true;
}

static void draw_body(struct screen *screen, int y, int h)
{
	struct list *list = state_list(screen);
	unsigned parts = LIST_TITLE | LIST_HEADER | LIST_FOCUS;
	if (screen->mode == MODE_HELP)
		help_draw(screen, y, h);
	else if (screen->mode == MODE_MENU)
		menu_draw(screen, y, h);
	else if (screen->mode == MODE_CHOOSER)
		chooser_draw(screen, y, h);
	else if (!screen->frame)
		text_put(y + h / 3, 2, COLS - 2,
			 "sampling... the first figures come after one interval", TEXT_CUT_END);
	else if (screen->details == DETAILS_TASK)
		task_view_draw(screen, y, h);
	else if (screen->details == DETAILS_DEVICE)
		device_view_draw(screen, y, h);
	else if (screen->details == DETAILS_FINDING)
		finding_view_draw(screen, y, h);
	else if (screen->view == VIEW_OVERVIEW)
		overview_draw(screen, y, h);
	else if (screen->view == VIEW_AIO)
		aio_draw(screen, y, h);
	else if (screen->view == VIEW_FILES)
		files_draw(screen, y, h);
	else if (screen->view == VIEW_FINDINGS)
		findings_draw(list, screen->frame, y, h, parts, false);
	else
		screen->names_wanted |= list_draw(list, screen->frame, y, h, parts);
}

/* Lines of the bottom: one, but for a long question or notice. */
static int draw_bottom_lines(const struct screen *screen)
{
	if (screen->mode >= MODE_IOPRIO)
		return question_lines(screen->question.text);
	bool typing = screen->mode == MODE_FILTER || screen->mode == MODE_USER;
	return *screen->notice && !typing ? question_lines(screen->notice) : 1;
}

static void draw_bottom(const struct screen *screen, int y)
{
	if (screen->mode >= MODE_IOPRIO)
		question_draw(screen->question.text, y, ROLE_KEY);
	else if (screen->mode == MODE_FILTER || screen->mode == MODE_USER)
		prompt_draw(screen, y);
	else if (*screen->notice)
		question_draw(screen->notice, y, ROLE_PLAIN);
	else
		keys_draw(screen, y);
}

static void draw_parts(struct screen *screen, int height)
{
	int y = header_lines(height), end = height - draw_bottom_lines(screen);
	for (size_t i = 0; i < LISTS; i++)
		list_place(&screen->list[i], 0, 0);
	header_draw(screen, 0, y);
	draw_bottom(screen, end);
	if (height >= HEIGHT_ROOMY && (screen->mode == MODE_VIEW || screen->mode >= MODE_FILTER)) {
		end -= draw_unreadable(screen, end - 1);
		end -= detail_draw(screen, end - 1);
	}
	draw_body(screen, y, end - y);
}

void draw_all(struct screen *screen)
{
	int height, width;
	if (screen->suspended)
		return;
	getmaxyx(stdscr, height, width);
	theme_use(ROLE_PLAIN);
	erase();
	if (width < WIDTH_MIN || height < HEIGHT_MIN)
		draw_too_small(height, width);
	else
		draw_parts(screen, height);
	wnoutrefresh(stdscr);
	terminal_draw();
	screen->stale = false;
}
