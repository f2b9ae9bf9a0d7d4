/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef IOTRIAGE_OPTIONS_H
#define IOTRIAGE_OPTIONS_H

#include "complain.h"
#include "iotriage/choice.h"
#include "option_table.h"

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
	enum { SAMPLER_AUTO, SAMPLER_PROC, SAMPLER_BPF } sampler; /* of tasks */
	bool read_only;       /* nothing of the system may be changed */
	const char *config;   /* NULL: the usual settings file */
	bool dump_config;     /* print the settings, nothing else */
	struct choice choice; /* globs, pids, top, active; sort and filter unset */
	char **glob;
	int *pid;
};

extern const struct option_entry option_entries[];

/* OPTIONS_WRONG: one line of what and why has been printed to stderr. */
enum options_result options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);

/* The help text, generated from the tables of options, columns and keys. */
void options_print_help(void);

#endif
