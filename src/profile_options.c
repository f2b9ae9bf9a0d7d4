/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iotriage profile. */
#include "profile_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_TIME = 256, OPT_CELL, OPT_AGGREGATE, OPT_BY, OPT_SAVE, OPT_FORMAT };

static const struct option described[] = {
	{"time", required_argument, NULL, OPT_TIME},
	{"run-time", required_argument, NULL, OPT_TIME},
	{"cell", required_argument, NULL, OPT_CELL},
	{"aggregate", required_argument, NULL, OPT_AGGREGATE},
	{"by", required_argument, NULL, OPT_BY},
	{"group-by", required_argument, NULL, OPT_BY},
	{"save", required_argument, NULL, OPT_SAVE},
	{"save-samples", required_argument, NULL, OPT_SAVE},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"pid", required_argument, NULL, 'p'},
	{"profile-pid", required_argument, NULL, 'p'},
	{"name", required_argument, NULL, 'c'},
	{"profile-process", required_argument, NULL, 'c'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const char help[] =
	"usage: iotriage profile [OPTIONS] (-p PID[,PID] | -c NAME | -- COMMAND [ARGUMENT...])\n"
	"Adds up in the kernel, with BPF, which file each I/O call of some processes goes to, how\n"
	"long it takes and how much it moves. They are not stopped at each call, as by strace; what\n"
	"they start meanwhile is followed. Needs root, or CAP_BPF and CAP_PERFMON.\n"
	"\n"
	"Options:\n"
	"  -p, --pid PID[,PID]   these processes (also --profile-pid)\n"
	"  -c, --name NAME       all processes of this name (also --profile-process)\n"
	"      --time SECONDS    for so long (30; a COMMAND: till it ends; also --run-time)\n"
	"      --cell WHAT       times, count or sizes (times)\n"
	"      --aggregate HOW   sum, or avg: per call (sum)\n"
	"      --by WHAT         file, pid or all (file; also --group-by, and filename)\n"
	"      --save FILE       each call as a CSV row too (also --save-samples)\n"
	"      --format FORMAT   table, csv or json (table on a terminal, else csv)\n"
	"  -h, --help            this text\n";

static bool choose(const char *option, const char *argument, const char *const names[], int *choice)
{
	char allowed[128] = "";

	for (int i = 0; names[i]; i++) {
		const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
		if (strcmp(argument, names[i]) == 0) {
			*choice = i;
			return true;
		}
		strncat(allowed, before, sizeof(allowed) - strlen(allowed) - 1);
		strncat(allowed, names[i], sizeof(allowed) - strlen(allowed) - 1);
	}
	complain("--%s %s: %s is needed", option, argument, allowed);
	return false;
}

static bool parse_seconds(struct profile_options *options, const char *text)
{
	char *end = NULL;

	options->seconds = 0;
	if (*text && !text[strspn(text, "0123456789.")])
		options->seconds = strtod(text, &end);
	if (end && *end == '\0' && options->seconds >= 0.1 && options->seconds <= 1e6)
		return true;
	complain("--time %s: a number of seconds from 0.1 to 1000000 is needed", text);
	return false;
}

static bool parse_pids(struct profile_options *options, const char *list)
{
	const char *p = list;

	for (;;) {
		char *end;
		long pid = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : 0;

		if (pid < 1 || pid > INT_MAX || (*end && *end != ',')) {
			complain("-p %s: process numbers separated by commas are needed", list);
			return false;
		}
		if (options->npid == PROFILE_PIDS_MAX) {
			complain("-p %s: at most %d processes", list, PROFILE_PIDS_MAX);
			return false;
		}
		options->pid[options->npid++] = (pid_t)pid;
		if (*end == '\0')
			return true;
		p = end + 1;
	}
}

static bool parse_view(struct profile_options *options, int opt, const char *argument)
{
	static const char *const units[] = {"times", "count", "sizes", NULL};
	static const char *const aggregates[] = {"sum", "avg", NULL};
	static const char *const bys[] = {"file", "pid", "all", NULL};
	int choice;

	if (opt == OPT_CELL && choose("cell", argument, units, &choice))
		options->view.unit = (enum profile_unit)choice;
	else if (opt == OPT_AGGREGATE && choose("aggregate", argument, aggregates, &choice))
		options->view.aggregate = (enum profile_aggregate)choice;
	else if (opt == OPT_BY && strcmp(argument, "filename") == 0)
		options->view.by = PROFILE_BY_FILE;
	else if (opt == OPT_BY && choose("by", argument, bys, &choice))
		options->view.by = (enum profile_by)choice;
	else
		return false;
	return true;
}

static bool parse_one(struct profile_options *options, int opt, const char *argument)
{
	static const char *const formats[] = {"table", "csv", "json", NULL};
	int choice;

	switch (opt) {
	case 'p':
		return parse_pids(options, argument);
	case 'c':
		options->name = argument;
		return true;
	case OPT_TIME:
		return parse_seconds(options, argument);
	case OPT_SAVE:
		options->save = argument;
		return true;
	case OPT_FORMAT:
		if (!choose("format", argument, formats, &choice))
			return false;
		options->format = (enum profile_format)choice;
		return true;
	default:
		return parse_view(options, opt, argument);
	}
}

/* What is left on the command line is a command; exactly one kind of target is needed. */
static enum options_result settle(struct profile_options *options, char **rest)
{
	int targets = (options->npid > 0) + (options->name != NULL) + (*rest != NULL);

	if (targets != 1) {
		complain("profile: %s of -p PID, -c NAME and -- COMMAND is needed; see iotriage profile --help",
			 targets ? "only one" : "one");
		return OPTIONS_WRONG;
	}
	options->command = *rest ? rest : NULL;
	if (options->seconds == 0 && !options->command)
		options->seconds = 30;
	return OPTIONS_RUN;
}

enum options_result profile_options_parse(struct profile_options *options, int argc, char **argv)
{
	int opt;

	*options = (struct profile_options){.format = isatty(STDOUT_FILENO) ? PROFILE_FORMAT_TABLE
									    : PROFILE_FORMAT_CSV};
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "+:p:c:h", described, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			return OPTIONS_HELP;
		}
		if (opt == '?' || opt == ':') {
			const char *word = optind > 1 ? argv[optind - 1] : "";
			complain("%s: %s; see iotriage profile --help", word,
				 opt == ':' ? "an argument is missing" : "no such option");
			return OPTIONS_WRONG;
		}
		if (!parse_one(options, opt, optarg))
			return OPTIONS_WRONG;
	}
	return settle(options, argv + optind);
}
