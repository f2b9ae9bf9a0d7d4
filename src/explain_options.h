/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iotriage explain. */
#ifndef IOTRIAGE_EXPLAIN_OPTIONS_H
#define IOTRIAGE_EXPLAIN_OPTIONS_H

#include "options.h"

enum explain_format { EXPLAIN_TEXT, EXPLAIN_CSV, EXPLAIN_JSON };

struct explain_options {
	enum explain_format format;
	bool rows;    /* --panel devices: the parsed rows instead of the findings */
	bool verbose; /* also what could not be judged, and why */
	bool colour;
	const char *config; /* NULL: the usual settings file */
	char **file; /* "-": stdin */
	int nfile;
};

/* OPTIONS_WRONG: one line of what and why has been printed to stderr. */
enum options_result explain_options_parse(struct explain_options *options, int argc, char **argv);

#endif
