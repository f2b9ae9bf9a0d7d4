/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines read, and help printed, by a table of options. */
#include "option_table.h"
#include "complain.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 48 };

/* The table as getopt_long takes it; a letter is never more than itself and a colon. */
static void spell(const struct option_entry *table, struct option longs[OPTIONS_MAX + 1],
		  char letters[2 * OPTIONS_MAX + 2])
{
	size_t n = 0;

	memset(longs, 0, (OPTIONS_MAX + 1) * sizeof(*longs));
	*letters++ = ':'; /* tells a missing argument from an unknown option */
	for (; table->name && n < OPTIONS_MAX; table++) {
		int has = table->argument ? required_argument : no_argument;

		longs[n++] = (struct option){table->name, has, NULL, table->val};
		if (table->val >= OPTION_LETTERS_END)
			continue;
		*letters++ = (char)table->val;
		if (table->argument)
			*letters++ = ':';
	}
	*letters = '\0';
}

static void complain_option(const char *command, int argc, char **argv, bool lacks_argument)
{
	const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "";

	if (lacks_argument)
		complain("%s: needs an argument; see %s --help", word, command);
	/* a long option that is unknown, ambiguous or has an argument it does not take; or a letter
	 */
	else if (strncmp(word, "--", 2) == 0 || optopt == 0)
		complain("%s: unknown option; %s --help lists what is allowed", word, command);
	else
		complain("-%c: unknown option; %s --help lists what is allowed", optopt, command);
}

static void set(const struct option_entry *entry, void *options)
{
	void *at = (char *)options + entry->offset;

	if (entry->sets == SETS_FLAG)
		*(bool *)at = true;
	else if (entry->sets == SETS_TEXT)
		*(const char **)at = optarg;
}

int option_next(const struct option_entry *table, const char *command, int argc, char **argv,
		void *options)
{
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];

	spell(table, longs, letters);
	opterr = 0;
	int val = getopt_long(argc, argv, letters, longs, NULL);
	if (val == -1)
		return OPTION_END;
	if (val == '?' || val == ':') {
		complain_option(command, argc, argv, val == ':');
		return OPTION_WRONG;
	}
	while (table->val != val)
		table++;
	set(table, options);
	return val;
}

void option_print(const struct option_entry *table)
{
	for (; table->name; table++) {
		char left[64];
		int n = table->val < OPTION_LETTERS_END
			    ? snprintf(left, sizeof(left), "-%c, ", table->val)
			    : snprintf(left, sizeof(left), "    ");

		snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s", table->name,
			 table->argument ? " " : "", table->argument ? table->argument : "");
		printf("  %-24s %s\n", left, table->help);
	}
}
