/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen is at: shared by what draws it and by what keys do to it.
 */
#ifndef IOTRIAGE_SCREEN_STATE_H
#define IOTRIAGE_SCREEN_STATE_H

#include "iotriage/screen.h"
#include "list.h"

enum view { VIEW_OVERVIEW, VIEW_DEVICES, VIEW_TASKS, VIEW_AIO, VIEW_FINDINGS, VIEWS };

/* What gets the keys. */
enum mode {
	MODE_VIEW,
	MODE_HELP,
	MODE_MENU,
	MODE_CHOOSER,
	MODE_FILTER, /* from here on on the bottom line */
	MODE_USER,
	MODE_IOPRIO,
	MODE_CONFIRM
};

enum { LIST_DEVICES, LIST_TASKS, LIST_FINDINGS, LISTS };

/* A line being typed. */
struct prompt {
	char text[LIST_INPUT_MAX];
	char why[96]; /* what is wrong with it, "" if nothing */
	struct list *list;
};

/* Something asked at the bottom that one key answers. */
struct question {
	char text[256];
	enum screen_event event; /* what "y" brings about */
};

/* The last click, to know the second of two. */
struct click {
	int64_t at_ms;
	int y;
};

struct screen {
	struct list list[LISTS];
	struct frame *frame; /* NULL: none yet */
	enum view view;
	enum mode mode;
	unsigned focus; /* the list that gets the keys in the overview */
	struct prompt prompt;
	struct question question;
	struct screen_ioprio ioprio; /* being asked for, or confirmed */
	char ioprio_task[96];	     /* which task that is */
	size_t menu_at, menu_top;    /* of the sort menu and the chooser of columns */
	int menu_y;		     /* the line of the first entry drawn */
	size_t menu_n;		     /* how many there are */
	const struct list *columns_of; /* whose columns were chosen last */
	struct click click;
	size_t help_top, help_lines, help_page;
	double interval_s;
	bool story, paused, suspended, read_only, mouse, threads;
	bool delayacct_told; /* that it is off */
	bool stale;	     /* things may be elsewhere by now than they were drawn */
	bool names_wanted; /* rows came on show whose names are not known */
	char source[128];
	char notice[256];
	unsigned notice_frames; /* after so many it goes by itself; 0: with the next key */
};

/* The list that gets the keys, NULL in the AIO view. */
struct list *state_list(struct screen *screen);

/* Whether any list's order must not change now. */
bool state_keeps_order(const struct screen *screen);

/* One line for people in place of the keys, until the next of them. */
void state_say(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Chooses the rows of every list anew, and draws all. */
void state_update(struct screen *screen);

#endif
