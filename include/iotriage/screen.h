/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive screen: draws frames, reads keys. It never opens a file in
 * /proc and computes no rate.
 */
#ifndef IOTRIAGE_SCREEN_H
#define IOTRIAGE_SCREEN_H

#include "iotriage/choice.h"

struct screen;

struct screen_setup {
	const char *view;         /* table to begin with ("devices"), NULL: the overview */
	const char *sort;         /* --sort, for the table that has such a column; NULL: defaults */
	struct choice choice;     /* globs, pids, uid, top, active as given on the command line */
	double interval_s;        /* -d */
	const char *source;       /* shown at the header's end: "/proc" or the root's path */
	bool story;               /* a recorded tree: the interval cannot be changed */
};

enum screen_event {
	SCREEN_NOTHING,
	SCREEN_QUIT,
	SCREEN_INTERVAL, /* screen_interval() has changed */
	SCREEN_RESUMED,  /* the pause is over: take a new first reading */
	SCREEN_NAMES,    /* rows came on show whose names are wanted */
	SCREEN_LOST      /* the terminal is gone */
};

/*
 * Takes the terminal over. 0, or -errno with *why one line for people, naming
 * TERM and -b where that is the trouble; the terminal is then untouched.
 */
int screen_open(struct screen **ret, const struct screen_setup *setup, const char **why);

/* Puts the terminal back as it was. Takes NULL. */
void screen_close(struct screen *screen);

/* The descriptor keys come from, for poll(2). */
int screen_input_fd(const struct screen *screen);

/* A new frame: draws it. NULL: none yet, says "sampling...". Marks rows on_show. */
void screen_frame(struct screen *screen, struct frame *frame);

/* Draws the present frame again, for instance with names that have come. */
void screen_refresh(struct screen *screen);

/* Handles all keys that are waiting; never blocks but for a lone ESC (25 ms). */
enum screen_event screen_input(struct screen *screen);

double screen_interval(const struct screen *screen);
bool screen_paused(const struct screen *screen);

/* Every task's name is wanted, not only of rows on show (a filter looks at them). */
bool screen_wants_all_names(const struct screen *screen);

/* The AIO view is on show: slab figures are worth reading at every tick. */
bool screen_shows_aio(const struct screen *screen);

void screen_resize(struct screen *screen);  /* after SIGWINCH: asks the terminal for its size */
void screen_suspend(struct screen *screen); /* before stopping: the terminal as it was */
void screen_resume(struct screen *screen);  /* after SIGCONT: ours again, drawn anew */

/* What the i-th entry of the table of keys does, and its *keys. NULL: there are no more. */
const char *screen_key_help(size_t i, const char **keys);

/* From a signal handler of a dying process: terminal back, async-signal-safe. */
void screen_rescue(void);

#endif
