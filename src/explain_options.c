/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iotriage explain. */
#include "explain_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_PANEL = 256, OPT_FORMAT, OPT_COLOUR };

static const struct option described[] = {
    {"panel", required_argument, NULL, OPT_PANEL},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"color", required_argument, NULL, OPT_COLOUR},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: iotriage explain [OPTIONS] [FILE...]\n"
    "Reads saved reports (stdin without FILE, or where it is -) and says what is wrong in them:\n"
    "iostat (text or JSON), sar -d, AIX iostat -D and sar -d, /proc/diskstats once or several\n"
    "times, vmstat, iotop -b, slabinfo and aio-nr lines, iotriage's own CSV and JSON. Prompts,\n"
    "prose and mail quoting around them are skipped.\n"
    "\n"
    "Options:\n"
    "      --format FORMAT   text, csv or json (text)\n"
    "      --panel NAME      findings, or devices: the rows as they were read (findings)\n"
    "  -v, --verbose         also each finding's formula, and which rules could not be\n"
    "                        judged, and why\n"
    "      --color WHEN      auto, always or never (auto)\n"
    "  -h, --help            this text\n";

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
	case 'v':
		options->verbose = true;
		return true;
	default:
		return false;
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
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":vh", described, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			return OPTIONS_HELP;
		}
		if (opt == '?' || opt == ':') {
			const char *word = optind > 1 ? argv[optind - 1] : "";
			complain("%s: %s; see iotriage explain --help", word,
				 opt == ':' ? "an argument is missing" : "no such option");
			return OPTIONS_WRONG;
		}
		if (!parse_one(options, opt, optarg))
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
