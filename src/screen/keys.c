/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys, how a key is looked up, and the bar made from the table.
 */
#include "keys.h"
#include "action.h"
#include "chooser.h"
#include "confirm.h"
#include "draw.h"
#include "finding_view.h"
#include "ioprio.h"
#include "terminal.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <string.h>

enum { CTRL_L = 12, TAB = 9, BAR_MAX = 24, MOVES = IN_VIEWS | IN_HELP | IN_MENUS | IN_PROMPT };

/* One entry is one key; a line is its bar, the next its help and what it does. */
/* clang-format off */
const struct key keys[] = {
	{{'1'}, "1", "1", "Over", 5,
	 "overview: devices, tasks and findings", action_overview, IN_VIEWS | IN_HELP},
	{{'2'}, "2", "2", "Dev", 5, "devices", action_devices, IN_VIEWS | IN_HELP},
	{{'3'}, "3", "3", "Task", 5, "tasks", action_tasks, IN_VIEWS | IN_HELP},
	{{'4'}, "4", "4", "AIO", 5, "asynchronous I/O", action_aio, IN_VIEWS | IN_HELP},
	{{'5'}, "5", "5", "File", 5,
	 "open files of the selected task", action_files, IN_VIEWS | IN_HELP},
	{{'6'}, "6", "6", "Find", 5,
	 "findings: what is wrong, why, what to do", action_findings, IN_VIEWS | IN_HELP},
	{{TAB}, "Tab", NULL, NULL, 0, "the next of these views", action_next_view, IN_VIEWS},
	{{KEY_BTAB}, "Shift-Tab", NULL, NULL, 0, "the one before", action_previous_view, IN_VIEWS},
	{{'\r', '\n', KEY_ENTER}, "Enter", "Enter", "choose", 2,
	 "in the sort menu: sort by that column", action_choose, IN_MENU},
	{{' ', '\r', '\n', KEY_ENTER}, "", "space", "show, hide", 2,
	 NULL, action_column_toggle, IN_CHOOSER},
	{{'d'}, "", "d", "default", 3, NULL, action_columns_default, IN_CHOOSER},
	{{'\r', '\n', KEY_ENTER}, "Enter", "Enter", "more", 4,
	 "all about the selected device, task or finding, on a whole screen", action_details,
	 IN_SECTIONS | IN_AIO},
	{{'\r', '\n', KEY_ENTER}, "Enter", "Enter", "device", 2,
	 "in a finding: the device or the task it is about", action_finding_subject,
	 IN_FINDING_DEVICE},
	{{'\r', '\n', KEY_ENTER}, "", "Enter", "task", 2,
	 NULL, action_finding_subject, IN_FINDING_TASK},
	{{KEY_UP, 'k'}, "Up k", NULL, NULL, 0,
	 "one row up", action_up, IN_VIEWS | IN_HELP | IN_MENUS},
	{{KEY_DOWN, 'j'}, "Down j", NULL, NULL, 0,
	 "one row down", action_down, IN_VIEWS | IN_HELP | IN_MENUS},
	{{KEY_UP}, "", NULL, NULL, 0, NULL, action_up, IN_PROMPT},
	{{KEY_DOWN}, "", NULL, NULL, 0, NULL, action_down, IN_PROMPT},
	{{KEY_PPAGE}, "PgUp", NULL, NULL, 0, "one page up", action_page_up, MOVES},
	{{KEY_NPAGE}, "PgDn", NULL, NULL, 0, "one page down", action_page_down, MOVES},
	{{KEY_HOME}, "Home", NULL, NULL, 0, "the first row", action_home, MOVES},
	{{KEY_END}, "End", NULL, NULL, 0, "the last row", action_end, MOVES},
	{{KEY_LEFT}, "Left", NULL, NULL, 0,
	 "the section before gets the keys", action_focus_before, IN_OVERVIEW},
	{{KEY_RIGHT}, "Right", NULL, NULL, 0,
	 "the next section gets the keys", action_focus_next, IN_OVERVIEW},
	{{'z'}, "z", "z", "zoom", 8,
	 "this section as a whole screen, and back", action_zoom, IN_SECTIONS},
	{{KEY_F(6)}, "F6", "F6", "sort", 6,
	 "choose the sort column from a menu", action_menu, IN_LISTS},
	{{'<', ','}, "<", NULL, NULL, 0,
	 "sort by the column to the left", action_sort_left, IN_LISTS},
	{{'>', '.'}, ">", NULL, NULL, 0,
	 "sort by the column to the right", action_sort_right, IN_LISTS},
	{{'r'}, "r", NULL, NULL, 0, "reverse the order", action_reverse, IN_LISTS},
	{{'C'}, "C", "C", "columns", 9,
	 "choose the columns: those that an 80 column screen has no room for are there too",
	 action_columns, IN_LISTS},
	{{'/'}, "/", "/", "filter", 3,
	 "only rows that match a regular expression (names too)", action_filter, IN_LISTS},
	{{'u'}, "u", NULL, NULL, 0, "only tasks of one user", action_user, IN_OVERVIEW | IN_TASKS},
	{{'o'}, "o", "o", "active", 9,
	 "only rows that did something, or all; of files: no sockets and pipes; of findings: those "
	 "that hold",
	 action_active, IN_SECTIONS | IN_FILES},
	{{'a'}, "a", "a", "totals", 9,
	 "totals since the start in place of tasks: by task, by program, by user, and back",
	 action_totals, IN_OVERVIEW | IN_TASKS},
	{{'t'}, "t", NULL, NULL, 0,
	 "threads, or processes", action_threads, IN_OVERVIEW | IN_TASKS},
	{{'p'}, "p", NULL, NULL, 0, "processes", action_processes, IN_OVERVIEW | IN_TASKS},
	{{'i'}, "i", NULL, NULL, 0, "change the I/O priority of the selected task; asks first",
	 action_ioprio, IN_OVERVIEW | IN_TASKS | IN_DETAILS},
	{{'D'}, "D", NULL, NULL, 0,
	 "switch kernel.task_delayacct on, which IO% needs, until the program ends; asks first",
	 action_delayacct, IN_VIEWS},
	{{'R'}, "R", NULL, NULL, 0, "begin the peaks of devices anew", action_peaks,
	 IN_OVERVIEW | IN_DEVICES | IN_DETAILS},
	{{'U'}, "U", NULL, NULL, 0,
	 "devices that never did anything: show or hide", action_unused, IN_OVERVIEW | IN_DEVICES},
	{{'T'}, "T", NULL, NULL, 0,
	 "devices under what they stand on, or all in one order",
	 action_tree, IN_OVERVIEW | IN_DEVICES},
	{{'c'}, "c", NULL, NULL, 0,
	 "full command lines, or the kernel's names of the tasks",
	 action_command, IN_OVERVIEW | IN_TASKS},
	{{' '}, "space", "space", "pause", 7, "pause and go on", action_pause, IN_VIEWS},
	{{'+', '='}, "+", NULL, NULL, 0, "a longer interval", action_slower, IN_VIEWS},
	{{'-'}, "-", NULL, NULL, 0, "a shorter interval", action_faster, IN_VIEWS},
	{{CTRL_L}, "Ctrl-L", NULL, NULL, 0, "paint the screen anew", action_repaint, IN_ALL},
	{{'?', 'h', KEY_F(1)}, "? h F1", "?", "help", 1, "this help", action_help, IN_VIEWS},
	{{'?', 'h', KEY_F(1)}, "", NULL, NULL, 0, NULL, action_back, IN_HELP},
	{{KEYS_ESCAPE}, "Esc", "Esc", "close", 1, NULL, action_back,
	 IN_HELP | IN_MENU | IN_DETAILS | IN_FINDING},
	{{KEYS_ESCAPE, 'C', 'q'}, "", "Esc", "keep and close", 1,
	 NULL, action_columns_close, IN_CHOOSER},
	{{KEYS_ESCAPE}, "Esc", NULL, NULL, 0,
	 "back: closes help, menu and details, removes filter and selection, then to the overview",
	 action_back, IN_LISTS},
	{{'q'}, "q", "q", "quit", 2, "quit; closes help and menu", action_quit, IN_VIEWS},
	{{'q'}, "", NULL, NULL, 0, NULL, action_back, IN_HELP | IN_MENU},
	{{'Q', KEY_F(10)}, "Q F10", NULL, NULL, 0,
	 "quit at once, from anywhere", action_quit, IN_ALL},
	{{KEY_F(10)}, "", NULL, NULL, 0, NULL, action_quit, IN_PROMPT},
	{.names = NULL},
};
/* clang-format on */

static unsigned keys_details(const struct screen *screen)
{
	static const unsigned about[] = {
	    [ABOUT_MACHINE] = 0, [ABOUT_DEVICE] = IN_FINDING_DEVICE, [ABOUT_TASK] = IN_FINDING_TASK};
	if (screen->details != DETAILS_FINDING)
		return IN_DETAILS;
	return IN_FINDING | about[finding_view_about(&screen->finding)];
}

static unsigned keys_place(const struct screen *screen)
{
	switch (screen->mode) {
	case MODE_HELP:
		return IN_HELP;
	case MODE_MENU:
		return IN_MENU;
	case MODE_CHOOSER:
		return IN_CHOOSER;
	case MODE_FILTER:
	case MODE_USER:
	case MODE_IOPRIO:
	case MODE_CONFIRM:
		return IN_PROMPT;
	case MODE_VIEW:
		break;
	}
	return screen->details ? keys_details(screen) : 1u << screen->view;
}

/* A report of the mouse that has begun; its bytes may come late, but are no keys. */
static struct mouse_report keys_report;

/* ESC [ or ESC O and what belongs to it: a key curses does not know, or the mouse. */
static bool keys_swallow(int second)
{
	int key = second == '[' || second == 'O' ? terminal_key() : TERMINAL_NO_KEY;
	if (key == TERMINAL_NO_KEY || key == TERMINAL_GONE)
		return false;
	if (second == '[' && (key == 'M' || key == '<')) {
		keys_report = (struct mouse_report){.form = (char)key};
		return true;
	}
	while (second == '[' && key >= 0x20 && key < 0x40)
		key = terminal_key();
	return true;
}

int keys_next(struct mouse *mouse)
{
	for (;;) {
		int key = terminal_key();
		if (keys_report.form && key >= 0) {
			enum mouse_feed fed = mouse_feed(&keys_report, key, mouse);
			if (fed == MOUSE_DONE)
				return KEY_MOUSE;
			if (fed == MOUSE_MORE)
				continue;
		}
		if (key != KEYS_ESCAPE)
			return key;
		int second = terminal_key();
		if (second == TERMINAL_GONE || second == TERMINAL_NO_KEY)
			return key;
		if (!keys_swallow(second)) {
			ungetch(second);
			return key;
		}
	}
}

static const struct key *keys_find(int code, unsigned place)
{
	for (const struct key *key = keys; key->names; key++)
		for (size_t i = 0; i < KEYS_CODES && key->code[i]; i++)
			if (key->code[i] == code && (key->where & place))
				return key;
	return NULL;
}

enum screen_event keys_act(struct screen *screen, int code)
{
	const struct key *key = keys_find(code, keys_place(screen));
	return key ? key->action(screen) : SCREEN_NOTHING;
}

static bool keys_is_view(const struct key *key)
{
	return key->name[0] >= '0' && key->name[0] <= '9';
}

static int keys_bar_width(const struct key *key)
{
	/* digits and their label are one word: 1Over */
	int blank = keys_is_view(key) ? 0 : 1;
	return (int)(strlen(key->name) + strlen(key->label)) + blank;
}

/* The blanks after a key in the bar: the views stand together. */
static int keys_bar_gap(const struct key *key)
{
	return keys_is_view(key) ? 1 : 2;
}

/* The keys of the bar that fit: all up to a rank. */
static size_t keys_bar_choose(const struct key **bar, unsigned place)
{
	for (unsigned most = 9; most > 0; most--) {
		size_t n = 0;
		int width = 0;
		for (const struct key *key = keys; key->names && n < BAR_MAX; key++) {
			if (!key->name || !(key->where & place) || key->rank > most)
				continue;
			bar[n++] = key;
			width += keys_bar_width(key) + keys_bar_gap(key);
		}
		if (width - 2 <= COLS || most == 1)
			return n;
	}
	return 0;
}

enum screen_event keys_click(struct screen *screen, int x)
{
	const struct key *bar[BAR_MAX];
	size_t n = keys_bar_choose(bar, keys_place(screen));
	for (size_t i = 0; i < n; i++) {
		int width = keys_bar_width(bar[i]);
		if (x >= 0 && x < width)
			return bar[i]->action(screen);
		x -= width + keys_bar_gap(bar[i]);
	}
	return SCREEN_NOTHING;
}

static bool keys_is_present_view(const struct screen *screen, const struct key *key)
{
	static const char digits[VIEWS + 1] = {'1', '2', '3', '4', '5', '6', '\0'};
	return screen->mode == MODE_VIEW && key->name[0] == digits[screen->view];
}

void keys_draw(const struct screen *screen, int y)
{
	const struct key *bar[BAR_MAX];
	size_t n = keys_bar_choose(bar, keys_place(screen));
	int x = 0;
	for (size_t i = 0; i < n; i++) {
		int width = keys_bar_width(bar[i]), name = (int)strlen(bar[i]->name);
		int label = (int)strlen(bar[i]->label);
		bool present = keys_is_present_view(screen, bar[i]);
		theme_use(present ? ROLE_FOCUS : ROLE_KEY);
		text_put(y, x, name, bar[i]->name, TEXT_CUT_END);
		theme_use(present ? ROLE_FOCUS : ROLE_PLAIN);
		text_put(y, x + width - label, label, bar[i]->label, TEXT_CUT_END);
		x += width + keys_bar_gap(bar[i]);
	}
	theme_use(ROLE_PLAIN);
}
