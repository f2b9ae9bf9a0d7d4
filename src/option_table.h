/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of options: how each is written, what it sets, what it is for. */
#ifndef IOTRIAGE_OPTION_TABLE_H
#define IOTRIAGE_OPTION_TABLE_H

#include <stddef.h>

struct option_entry {
	const char *name;     /* without its "--"; NULL ends the table */
	int val;              /* below 256: its letter too */
	const char *argument; /* what the help calls it; NULL: it takes none */
	const char *help;
	/* SETS_FLAG: a bool becomes true, SETS_TEXT: a const char * the argument; else the caller
	 * acts */
	enum option_sets { SETS_NOTHING, SETS_FLAG, SETS_TEXT } sets;
	size_t offset; /* of what it sets, in the struct of options */
};

enum { OPTION_LETTERS_END = 256, OPTION_END = -1, OPTION_WRONG = -2 };

/*
 * The next option of the command line, as getopt_long(3) has it: its val, and
 * its argument in optarg. What it sets in *options is set. OPTION_WRONG: there is
 * no such option, or it lacks its argument; said so, with the command whose
 * --help lists them.
 */
int option_next(const struct option_entry *table, const char *command, int argc, char **argv,
		void *options);

/* One line for each to stdout. */
void option_print(const struct option_entry *table);

#endif
