/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen is at: shared by what draws it and by what keys do to it.
 */
#ifndef IOTRIAGE_SCREEN_STATE_H
#define IOTRIAGE_SCREEN_STATE_H

#include "iotriage/screen.h"
#include "files.h"
#include "list.h"

#include <stdarg.h>

enum view {
	VIEW_OVERVIEW,
	VIEW_DEVICES,
	VIEW_TASKS,
	VIEW_AIO,
	VIEW_FILES,
	VIEW_FINDINGS,
	VIEWS
};

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

/* Those of the overview come first, in its order. Totals stand in the place of tasks. */
enum {
	LIST_DEVICES,
	LIST_TASKS,
	LIST_FINDINGS,
	OVERVIEW_LISTS,
	LIST_AIO = OVERVIEW_LISTS,
	LIST_FILES,
	LIST_TOTALS,
	LISTS
};

/* What is shown of one row on a whole screen, over the view. */
enum details { DETAILS_NONE, DETAILS_TASK, DETAILS_DEVICE, DETAILS_FINDING };

/* What stands in the place of the tasks: their rates, or totals by something. */
enum totals { TOTALS_OFF, TOTALS_BY_TASK, TOTALS_BY_PROGRAM, TOTALS_BY_USER };

/* Lines that are scrolled: the first one on show, how many there are and are shown. */
struct page {
	size_t top, lines, shown;
	bool end; /* stays at the last line while more come */
};

/* A line being typed. */
struct prompt {
	char text[LIST_INPUT_MAX];
	char why[96]; /* what is wrong with it, "" if nothing */
	struct list *list;
};

/* The task whose details or files are shown, by its identity. */
struct subject {
	int32_t pid;          /* 0: none yet */
	uint64_t start_ticks; /* of the process; 0: not seen yet */
	uint64_t identity;    /* of the row: the process's, or of one of its threads */
	char comm[COMM_MAX];
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
	struct page help;
	enum details details;
	struct page details_page;
	struct subject subject;
	uint64_t device_identity; /* of the device whose details are shown */
	char device_name[DEVICE_NAME_MAX];
	struct finding finding; /* whose details are shown, or were */
	bool finding_gone;	/* the frame has it no more */
	bool from_finding;	/* details of what it is about: back goes to it */
	struct files files;
	enum totals totals;
	char totals_title[96];
	double interval_s;
	bool native, story, paused, suspended, read_only, mouse, threads;
	bool delayacct_told; /* that it is off */
	bool stale;	     /* things may be elsewhere by now than they were drawn */
	bool names_wanted; /* rows came on show whose names are not known */
	const struct diagnosis *diagnosis;
	char source[128];
	char notice[256];
	unsigned notice_frames; /* after so many it goes by itself */
};

/* The list that gets the keys, NULL where there is none: in details. */
struct list *state_list(struct screen *screen);

/* Tasks, or the totals in their place. */
struct list *state_tasks(struct screen *screen);

/* Whether any list's order must not change now. */
bool state_keeps_order(const struct screen *screen);

/* One line for people in place of the keys, until the next of them or for some frames. */
void state_say(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
void state_say_for(struct screen *screen, unsigned frames, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

enum { NOTICE_FRAMES = 5, ERROR_FRAMES = 15 };

/* Chooses the rows of every list anew, and draws all. */
void state_update(struct screen *screen);

#endif
