/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef IOTRIAGE_OPTIONS_H
#define IOTRIAGE_OPTIONS_H

#include "iotriage/choice.h"

/* Exit statuses. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,      /* failed while running */
	EXIT_USAGE = 2,       /* wrong usage */
	EXIT_NO_PROC = 3,     /* no usable /proc */
	EXIT_NO_TERMINAL = 4, /* no usable terminal */
	EXIT_MISSING = 5      /* something demanded is missing: --trace where it cannot be */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_WRONG };

struct options {
	bool batch;
	bool all_panels;           /* --panel all */
	const struct table *panel; /* NULL: devices in batch, the overview on screen */
	const char *output;        /* NULL: stdout */
	const char *sort;
	const char *user; /* a name or a number, not looked up yet */
	const char *procfs, *sysfs;
	double interval_s;
	unsigned count; /* 0: no end */
	bool since_boot;
	bool threads;     /* rows of threads instead of processes */
	bool accumulated; /* totals instead of rates */
	bool summary;     /* rankings at the end, nothing before */
	bool csv;         /* --format csv was given */
	enum { TRACE_AUTO, TRACE_DEMANDED, TRACE_NEVER } trace;
	bool read_only;   /* nothing of the system may be changed */
	const char *config; /* NULL: the usual settings file */
	struct choice choice; /* globs, pids, top, active; sort and filter unset */
	char **glob;
	int *pid;
};

/* OPTIONS_WRONG: one line of what and why has been printed to stderr. */
enum options_result options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);

/* The help text, generated from the tables of options, columns and keys. */
void options_print_help(void);

/* One line to stderr: "iotriage: what: why"; foreign text in it is cleaned. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
