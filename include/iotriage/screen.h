/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive screen: draws frames, reads keys. It never opens a file in
 * /proc and computes no rate.
 */
#ifndef IOTRIAGE_SCREEN_H
#define IOTRIAGE_SCREEN_H

#include "iotriage/choice.h"

struct diagnosis;
struct screen;

struct screen_setup {
	const char *view;         /* table to begin with ("devices"), NULL: the overview */
	const char *sort;         /* --sort, for the table that has such a column; NULL: defaults */
	struct choice choice;     /* globs, pids, uid, top, active as given on the command line */
	double interval_s;        /* -d */
	const char *source;       /* shown at the header's end: "/proc" or the root's path */
	bool native;              /* this machine as it is, not a root elsewhere */
	bool story;               /* a recorded tree: the interval cannot be changed */
	bool read_only;           /* nothing of the system may be changed */
	bool threads;             /* begin with threads */
	bool accumulated;         /* begin with totals instead of tasks */
	bool mouse;               /* take the mouse */
	const struct diagnosis *diagnosis; /* the help tells its thresholds of marks */
	/* columns to show, by table: names separated by commas; NULL: the table's own.
	 * Unknown names are left out. */
	const char *(*columns)(const struct table *table, void *context);
	void *context;
};

enum screen_event {
	SCREEN_NOTHING,
	SCREEN_QUIT,
	SCREEN_INTERVAL, /* screen_interval() has changed */
	SCREEN_RESUMED,  /* the pause is over: take a new first reading */
	SCREEN_NAMES,    /* rows came on show whose names are wanted */
	SCREEN_WATCH,    /* screen_watched() has changed */
	SCREEN_THREADS,  /* screen_threads() has changed */
	SCREEN_TOTALS,   /* screen_totals() has changed */
	SCREEN_DELAYACCT, /* switch delay accounting on: it was confirmed */
	SCREEN_IOPRIO,   /* change an I/O priority: screen_ioprio(), it was confirmed */
	SCREEN_PEAKS,    /* begin the peaks anew */
	SCREEN_COLUMNS,  /* screen_columns() has changed: keep it */
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

/* A process to look into, and what of it. */
struct screen_watched {
	int32_t pid; /* 0: none */
	uint64_t start_ticks;
	bool files, sheet; /* what is on show of it */
};

struct screen_watched screen_watched(const struct screen *screen);

bool screen_threads(const struct screen *screen);

/* Totals are on show, and by what. */
bool screen_totals(const struct screen *screen, enum total_by *by);

/* A change of I/O priority that was asked for. */
struct screen_ioprio {
	int32_t pid, tid; /* tid 0: all threads of the process */
	uint64_t start_ticks; /* of the process, or of the thread where tid is given */
	int class, level;     /* as ioprio_set(2) has them */
};

struct screen_ioprio screen_ioprio(const struct screen *screen);

/* Whether there is a list of such rows whose columns can be chosen. */
bool screen_chooses_columns(const struct table *table);

/* The table whose columns were chosen, and their names separated by commas; "": its own again. */
const struct table *screen_columns(const struct screen *screen, char *names, size_t size);

/* One line for people, shown until the next key or for some frames; what went wrong stays longer. */
void screen_notice(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
void screen_error(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

void screen_resize(struct screen *screen);  /* after SIGWINCH: asks the terminal for its size */
void screen_suspend(struct screen *screen); /* before stopping: the terminal as it was */
void screen_resume(struct screen *screen);  /* after SIGCONT: ours again, drawn anew */

/* What the i-th entry of the table of keys does, and its *keys. NULL: there are no more. */
const char *screen_key_help(size_t i, const char **keys);

/* From a signal handler of a dying process: terminal back, async-signal-safe. */
void screen_rescue(void);

#endif
