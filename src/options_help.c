/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help: options, keys, findings and columns, each from its table. */
#include "iotriage/diagnose.h"
#include "iotriage/screen.h"
#include "options.h"

#include <stdio.h>

static void print_columns(const struct table *table)
{
	printf("\nColumns of %s (%s):\n", table->name, table->help);
	for (size_t i = 0; i < table->ncolumn; i++) {
		const struct column *column = &table->column[i];
		printf("  %-16s %s%s%s%s\n", column->name, column->help, *column->unit ? " (" : "",
		       column->unit, *column->unit ? ")" : "");
	}
}

static void print_keys(void)
{
	const char *keys, *help;

	puts("\nKeys on the screen:");
	for (size_t i = 0; (help = screen_key_help(i, &keys)); i++)
		printf("  %-16s %s\n", keys, help);
}

static void print_rules(void)
{
	puts("\nFindings:");
	for (const struct rule_info *rule = rule_infos(); rule->name; rule++)
		printf("  %-16s %s\n", rule->name, rule->meaning);
}

void options_print_help(void)
{
	puts("usage: iotriage [options] [interval [count]]\n"
	     "       iotriage explain [options] [FILE...]   (iotriage explain --help)\n"
	     "       iotriage profile [OPTIONS] TARGET      (iotriage profile --help)\n"
	     "Shows which device is slow, who drives it and why: on screen, or as CSV.\n");
	option_print(option_entries);
	print_keys();
	print_rules();
	for (size_t i = 0; tables[i]; i++)
		print_columns(tables[i]);
	puts("\nExit status: 0 done, 1 failed while running, 2 wrong usage, 3 no usable /proc,\n"
	     "4 no usable terminal, 5 --trace, --sampler bpf or profile where that cannot be.");
}
