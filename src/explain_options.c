/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iotriage explain. */
#include "explain_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_PANEL = OPTION_LETTERS_END, OPT_FORMAT, OPT_COLOUR, OPT_CONFIG };

static const struct option_entry entries[] = {
    {"format", OPT_FORMAT, "FORMAT", "text, csv or json (text)", SETS_NOTHING, 0},
    {"panel", OPT_PANEL, "NAME", "findings, or devices: the rows as they were read (findings)",
     SETS_NOTHING, 0},
    {"verbose", 'v', NULL,
     "also each finding's formula, and which rules could not be judged, and why", SETS_FLAG,
     offsetof(struct explain_options, verbose)},
    {"color", OPT_COLOUR, "WHEN", "auto, always or never (auto)", SETS_NOTHING, 0},
    {"config", OPT_CONFIG, "FILE", "settings: thresholds of the rules (~/.config/iotriage/config)",
     SETS_TEXT, offsetof(struct explain_options, config)},
    {"help", 'h', NULL, "this text", SETS_NOTHING, 0},
    {NULL, 0, NULL, NULL, SETS_NOTHING, 0},
};

static void print_help(void)
{
	puts("usage: iotriage explain [OPTIONS] [FILE...]\n"
	     "Reads saved reports (stdin without FILE, or where it is -) and says what is\n"
	     "wrong in them: iostat (text or JSON), sar -d, AIX iostat -D and sar -d,\n"
	     "/proc/diskstats once or several times, vmstat, iotop -b, slabinfo and aio-nr\n"
	     "lines, iotriage's own CSV and JSON. Prompts, prose and mail quoting around them\n"
	     "are skipped.\n"
	     "\n"
	     "Options:");
	option_print(entries);
}

static bool choose(const char *option, const char *argument, const char *const names[], size_t n,
		   int *choice)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(argument, names[i]) == 0) {
			*choice = (int)i;
			return true;
		}
	if (n == 2)
		complain("--%s %s: %s or %s is needed", option, argument, names[0], names[1]);
	else
		complain("--%s %s: %s, %s or %s is needed", option, argument, names[0], names[1],
			 names[2]);
	return false;
}

static bool parse_one(struct explain_options *options, int opt, const char *argument)
{
	static const char *const formats[] = {"text", "csv", "json"};
	static const char *const panels[] = {"findings", "devices"};
	static const char *const colours[] = {"auto", "always", "never"};
	int choice;

	switch (opt) {
	case OPT_FORMAT:
		if (!choose("format", argument, formats, 3, &choice))
			return false;
		options->format = (enum explain_format)choice;
		return true;
	case OPT_PANEL:
		if (!choose("panel", argument, panels, 2, &choice))
			return false;
		options->rows = choice == 1;
		return true;
	case OPT_COLOUR:
		if (!choose("color", argument, colours, 3, &choice))
			return false;
		if (choice)
			options->colour = choice == 1;
		return true;
	default:
		return true;
	}
}

static bool terminal_has_colour(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

enum options_result explain_options_parse(struct explain_options *options, int argc, char **argv)
{
	static char stdin_name[] = "-";
	static char *only_stdin[] = {stdin_name};
	int opt;

	*options = (struct explain_options){.colour = terminal_has_colour()};
	optind = 1;
	while ((opt = option_next(entries, "iotriage explain", argc, argv, options)) !=
	       OPTION_END) {
		if (opt == 'h') {
			print_help();
			return OPTIONS_HELP;
		}
		if (opt == OPTION_WRONG || !parse_one(options, opt, optarg))
			return OPTIONS_WRONG;
	}
	options->file = argv + optind;
	options->nfile = argc - optind;
	if (options->nfile == 0) {
		options->file = only_stdin;
		options->nfile = 1;
	}
	if (options->rows && options->format == EXPLAIN_TEXT)
		options->format = EXPLAIN_CSV;
	return OPTIONS_RUN;
}
