/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iotriage profile. */
#ifndef IOTRIAGE_PROFILE_OPTIONS_H
#define IOTRIAGE_PROFILE_OPTIONS_H

#include "iotriage/profile.h"
#include "options.h"

#include <sys/types.h>

enum profile_format { PROFILE_FORMAT_TABLE, PROFILE_FORMAT_CSV, PROFILE_FORMAT_JSON };

enum { PROFILE_PIDS_MAX = 256 };

struct profile_options {
	pid_t pid[PROFILE_PIDS_MAX];
	size_t npid;
	const char *name; /* of processes; NULL: none given */
	char **command;   /* NULL: none given */
	double seconds;   /* 0: as long as the command runs */
	struct profile_view view;
	const char *save; /* NULL: not */
	enum profile_format format;
};

/* OPTIONS_WRONG: one line of what and why has been printed to stderr. */
enum options_result profile_options_parse(struct profile_options *options, int argc, char **argv);

#endif
