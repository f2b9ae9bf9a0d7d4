/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of keys: what they do, where, and what bar and help say of them.
 */
#ifndef IOTRIAGE_SCREEN_KEYS_H
#define IOTRIAGE_SCREEN_KEYS_H

#include "mouse.h"
#include "state.h"

enum { KEYS_ESCAPE = 27, KEYS_CODES = 4 };

enum keys_where {
	IN_OVERVIEW = 1 << VIEW_OVERVIEW,
	IN_DEVICES = 1 << VIEW_DEVICES,
	IN_TASKS = 1 << VIEW_TASKS,
	IN_AIO = 1 << VIEW_AIO,
	IN_FILES = 1 << VIEW_FILES,
	IN_FINDINGS = 1 << VIEW_FINDINGS,
	IN_HELP = 1 << VIEWS,
	IN_MENU = 2 << VIEWS,
	IN_PROMPT = 4 << VIEWS,
	IN_CHOOSER = 8 << VIEWS,
	IN_DETAILS = 16 << VIEWS,
	IN_FINDING = 32 << VIEWS, /* with one of the next where it is about one */
	IN_FINDING_DEVICE = 64 << VIEWS,
	IN_FINDING_TASK = 128 << VIEWS,
	IN_SECTIONS = IN_OVERVIEW | IN_DEVICES | IN_TASKS | IN_FINDINGS,
	IN_LISTS = IN_SECTIONS | IN_AIO | IN_FILES,
	IN_VIEWS = IN_LISTS | IN_DETAILS | IN_FINDING,
	IN_MENUS = IN_MENU | IN_CHOOSER,
	IN_ALL = IN_VIEWS | IN_HELP | IN_MENUS
};

struct key {
	int code[KEYS_CODES]; /* 0: none */
	const char *names;    /* in the help */
	const char *name;     /* in the bar; NULL: not there */
	const char *label;
	unsigned rank; /* in the bar: 1 stays longest */
	const char *help;
	enum screen_event (*action)(struct screen *screen);
	unsigned where;
};

/* Ends with an entry without names. */
extern const struct key keys[];

/*
 * The next key; escape sequences that mean nothing to us are swallowed whole.
 * KEY_MOUSE: a report of the mouse, which is in *mouse.
 */
int keys_next(struct mouse *mouse);

/* Does what the key stands for here. */
enum screen_event keys_act(struct screen *screen, int key);

/* Does what the key stands for that the bar shows at x. */
enum screen_event keys_click(struct screen *screen, int x);

#endif
