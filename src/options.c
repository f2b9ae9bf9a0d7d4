/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: what it says, and whether that goes together. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double interval_min_s = 0.1, interval_max_s = 86400;

enum {
	OPT_PANEL = OPTION_LETTERS_END,
	OPT_DEVICE,
	OPT_TOP,
	OPT_SORT,
	OPT_SINCE_BOOT,
	OPT_FORMAT,
	OPT_PROCFS,
	OPT_SYSFS,
	OPT_SUMMARY,
	OPT_READ_ONLY,
	OPT_CONFIG,
	OPT_DUMP_CONFIG,
	OPT_TRACE,
	OPT_NO_TRACE,
	OPT_SAMPLER
};

#define FLAG(member) SETS_FLAG, offsetof(struct options, member)
#define TEXT(member) SETS_TEXT, offsetof(struct options, member)
#define OTHER SETS_NOTHING, 0

const struct option_entry option_entries[] = {
    {"batch", 'b', NULL, "CSV to stdout; so it is where stdout is no terminal", FLAG(batch)},
    {"delay", 'd', "SEC", "seconds between frames (1)", OTHER},
    {"iterations", 'n', "N", "end after N frames", OTHER},
    {"panel", OPT_PANEL, "NAME",
     "devices, tasks, aio, system, findings, files (with -p PID), totals, or all (with -O DIR)",
     OTHER},
    {"output", 'O', "PATH", "write to this file; a folder for --panel all", TEXT(output)},
    {"threads", 'H', NULL, "threads instead of processes", FLAG(threads)},
    {"accumulated", 'a', NULL, "what was read and written since the start, not rates",
     FLAG(accumulated)},
    {"summary", OPT_SUMMARY, NULL,
     "nothing until the end (-n, or a signal), then rankings by program and by user",
     FLAG(summary)},
    {"pid", 'p', "LIST", "only these processes, separated by commas", OTHER},
    {"user", 'u', "NAME", "only this user's processes (name or number)", TEXT(user)},
    {"active", 'o', NULL, "only devices and tasks that do something", FLAG(choice.active)},
    {"device", OPT_DEVICE, "GLOB", "only devices of this name; may be repeated", OTHER},
    {"top", OPT_TOP, "N", "only the first N rows", OTHER},
    {"sort", OPT_SORT, "COLUMN", "order of rows", TEXT(sort)},
    {"since-boot", OPT_SINCE_BOOT, NULL, "begin with the averages since boot, marked so",
     FLAG(since_boot)},
    {"format", OPT_FORMAT, "csv", "what batch writes", OTHER},
    {"read-only", OPT_READ_ONLY, NULL, "keys that change the system do nothing", FLAG(read_only)},
    {"config", OPT_CONFIG, "FILE", "settings (~/.config/iotriage/config)", TEXT(config)},
    {"dump-config", OPT_DUMP_CONFIG, NULL, "print all settings as such a file", FLAG(dump_config)},
    {"trace", OPT_TRACE, NULL, "measure in the kernel, or end where that cannot be", OTHER},
    {"no-trace", OPT_NO_TRACE, NULL, "do not measure in the kernel, and say nothing of it", OTHER},
    {"sampler", OPT_SAMPLER, "NAME", "proc or bpf: how tasks are read (bpf where it can be)", OTHER},
    {"procfs", OPT_PROCFS, "DIR", "read this instead of /proc", TEXT(procfs)},
    {"sysfs", OPT_SYSFS, "DIR", "read this instead of /sys", TEXT(sysfs)},
    {"help", 'h', NULL, "this text", OTHER},
    {"version", 'V', NULL, "the version", OTHER},
    {NULL, 0, NULL, NULL, OTHER},
};

/* Names separated by ", ", for "what is allowed". */
static void list_names(char *buf, size_t size, const char *(*name)(size_t i, const void *of),
		       const void *of)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t i = 0; name(i, of) && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", name(i, of));
}

static const char *table_name(size_t i, const void *of)
{
	(void)of;
	return tables[i] ? tables[i]->name : NULL;
}

static const char *column_name(size_t i, const void *of)
{
	const struct table *table = of;

	return i < table->ncolumn ? table->column[i].name : NULL;
}

static bool parse_interval(const char *text, const char *what, double *interval)
{
	char *end = NULL;

	/* no "nan", "inf", "0x1" or "1e9": digits and a point */
	if (*text && !text[strspn(text, "0123456789.")])
		*interval = strtod(text, &end);
	if (end && end != text && !*end && *interval >= interval_min_s &&
	    *interval <= interval_max_s)
		return true;
	complain("%s %s: a number of seconds from %g to %.0f is needed", what, text, interval_min_s,
		 interval_max_s);
	return false;
}

static bool parse_count(const char *text, const char *what, unsigned *count)
{
	char *end = NULL;
	unsigned long n = 0;

	errno = 0;
	if (*text && !text[strspn(text, "0123456789")])
		n = strtoul(text, &end, 10);
	if (end && !errno && n > 0 && n <= INT_MAX) {
		*count = (unsigned)n;
		return true;
	}
	complain("%s %s: a whole number from 1 to %d is needed", what, text, INT_MAX);
	return false;
}

static bool parse_panel(struct options *options, const char *name)
{
	char allowed[256];

	options->all_panels = strcmp(name, "all") == 0;
	options->panel = options->all_panels ? NULL : table_find(name);
	if (options->all_panels || options->panel)
		return true;
	list_names(allowed, sizeof(allowed), table_name, NULL);
	complain("--panel %s: no such panel; there are %s, all", name, allowed);
	return false;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static bool parse_pids(struct options *options, const char *list)
{
	const char *p = list;

	for (;;) {
		size_t digits = strspn(p, "0123456789");
		errno = 0;
		long n = digits ? strtol(p, NULL, 10) : 0;
		if (n <= 0 || n > INT_MAX || errno || (p[digits] && p[digits] != ',')) {
			complain("-p %s: process numbers separated by commas are needed", list);
			return false;
		}
		int *pid = reallocarray(options->pid, options->choice.npid + 1, sizeof(*pid));
		if (!pid)
			return false;
		options->pid = pid;
		pid[options->choice.npid++] = (int)n;
		p += digits;
		if (!*p)
			break;
		p++;
	}
	qsort(options->pid, options->choice.npid, sizeof(int), compare_ints);
	return true;
}

static bool add_glob(struct options *options, char *glob)
{
	char **globs = reallocarray(options->glob, options->choice.nglob + 1, sizeof(*globs));

	if (!globs)
		return false;
	options->glob = globs;
	/* people type the path too */
	globs[options->choice.nglob++] = strncmp(glob, "/dev/", 5) == 0 ? glob + 5 : glob;
	return true;
}

static bool given_twice(const char *option, const char *argument, const char *what)
{
	complain("%s %s: the %s is given twice", option, argument, what);
	return false;
}

static bool parse_sampler(struct options *options, const char *name)
{
	options->sampler = strcmp(name, "proc") == 0  ? SAMPLER_PROC
			   : strcmp(name, "bpf") == 0 ? SAMPLER_BPF
						      : SAMPLER_AUTO;
	if (options->sampler != SAMPLER_AUTO)
		return true;
	complain("--sampler %s: there are proc and bpf", name);
	return false;
}

static bool parse_format(struct options *options, const char *name)
{
	options->csv = strcmp(name, "csv") == 0;
	if (!options->csv)
		complain("--format %s: no such format; there is csv", name);
	return options->csv;
}

static bool parse_top(struct options *options, const char *text)
{
	unsigned top;

	if (!parse_count(text, "--top", &top))
		return false;
	options->choice.top = top;
	return true;
}

/* Those that are more than a flag or a text. */
static bool parse_one(struct options *options, int opt, char *argument, bool *have_interval)
{
	switch (opt) {
	case 'd':
		if (*have_interval)
			return given_twice("-d", argument, "interval");
		*have_interval = true;
		return parse_interval(argument, "-d", &options->interval_s);
	case 'n':
		if (options->count)
			return given_twice("-n", argument, "count");
		return parse_count(argument, "-n", &options->count);
	case 'p':
		return parse_pids(options, argument);
	case OPT_PANEL:
		return parse_panel(options, argument);
	case OPT_DEVICE:
		return add_glob(options, argument);
	case OPT_TOP:
		return parse_top(options, argument);
	case OPT_FORMAT:
		return parse_format(options, argument);
	case OPT_TRACE:
		options->trace = TRACE_DEMANDED;
		return true;
	case OPT_NO_TRACE:
		options->trace = TRACE_NEVER;
		return true;
	case OPT_SAMPLER:
		return parse_sampler(options, argument);
	default:
		return true;
	}
}

/* iostat's [interval [count]]. */
static bool parse_operands(struct options *options, int n, char **operand, bool have_interval)
{
	if (n > 2) {
		complain("%s: only an interval and a count are expected", operand[2]);
		return false;
	}
	if (n > 0 && have_interval) {
		complain("%s: the interval is given twice (-d)", operand[0]);
		return false;
	}
	if (n > 1 && options->count) {
		complain("%s: the count is given twice (-n)", operand[1]);
		return false;
	}
	return (n < 1 || parse_interval(operand[0], "interval", &options->interval_s)) &&
	       (n < 2 || parse_count(operand[1], "count", &options->count));
}

static bool check_sort(const struct options *options)
{
	const struct table *table = options->panel   ? options->panel
				    : options->batch ? &device_table
						     : NULL;
	char allowed[800];

	if (!options->sort || (table && !options->all_panels && column_find(table, options->sort)))
		return true;
	for (size_t i = 0; tables[i] && (options->all_panels || !table); i++)
		if (column_find(tables[i], options->sort))
			return true;
	list_names(allowed, sizeof(allowed), column_name, table ? table : &device_table);
	complain("--sort %s: no such column; there are %s", options->sort, allowed);
	return false;
}

/* What does not go together, or not without something else. */
static bool check_together(struct options *options)
{
	if (options->panel == &file_table && options->batch && options->choice.npid != 1) {
		complain("--panel files: needs one process: -p PID");
		return false;
	}
	if (options->accumulated && options->batch && !options->all_panels &&
	    (!options->panel || options->panel == &task_table))
		options->panel = &total_table;
	if (options->accumulated && options->batch && options->panel != &total_table) {
		complain("-a: is of tasks, no --panel %s goes with it",
			 options->panel ? options->panel->name : "all");
		return false;
	}
	if (options->trace == TRACE_NEVER && options->sampler == SAMPLER_BPF) {
		complain("--sampler bpf: traces, which --no-trace forbids");
		return false;
	}
	if (options->summary && (options->panel || options->all_panels)) {
		complain("--summary: is of all tasks, no --panel goes with it");
		return false;
	}
	return true;
}

static bool check(struct options *options)
{
	struct stat st;

	if (options->sysfs && (stat(options->sysfs, &st) < 0 || !S_ISDIR(st.st_mode))) {
		complain("--sysfs %s: no such folder", options->sysfs);
		return false;
	}
	if (options->all_panels && !options->output) {
		complain("--panel all: needs -O DIR, a folder for one file per panel");
		return false;
	}
	const struct table *panel = options->panel;
	if (options->since_boot && panel && panel != &device_table && panel != &system_table) {
		complain("--since-boot: there are averages of devices and system, none of %s",
			 panel->name);
		return false;
	}
	return check_together(options) && check_sort(options);
}

enum options_result options_parse(struct options *options, int argc, char **argv)
{
	bool have_interval = false;
	int opt;

	*options = (struct options){.interval_s = 1};
	while ((opt = option_next(option_entries, "iotriage", argc, argv, options)) != OPTION_END) {
		if (opt == 'h')
			return OPTIONS_HELP;
		if (opt == 'V')
			return OPTIONS_VERSION;
		if (opt == OPTION_WRONG || !parse_one(options, opt, optarg, &have_interval))
			return OPTIONS_WRONG;
	}
	if (!parse_operands(options, argc - optind, argv + optind, have_interval))
		return OPTIONS_WRONG;
	if (options->output || options->summary || !isatty(STDOUT_FILENO))
		options->batch = true;
	options->choice.glob = options->glob;
	options->choice.pid = options->pid;
	return check(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}

void options_release(struct options *options)
{
	free(options->glob);
	free(options->pid);
}
