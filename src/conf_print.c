/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings in force as a file that can be read back. */
#include "conf.h"
#include "iotriage/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, COMMENT_MAX = 2048, FAIR_DIGITS = 15, EXACT_DIGITS = 17 };

/* A comment, in as many lines as it takes. */
static void print_comment(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + 1 + n > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "# ", (int)n, text);
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static void print_columns(const struct conf *conf, const struct table *table)
{
	const char *chosen = conf_columns(conf, table);
	char comment[COMMENT_MAX];
	size_t n = (size_t)snprintf(comment, sizeof(comment), "columns of %s on the screen, of",
				    table->name);

	for (size_t i = 0; i < table->ncolumn && n < sizeof(comment); i++)
		if (!(table->column[i].flags & COLUMN_CSV_ONLY))
			n += (size_t)snprintf(comment + n, sizeof(comment) - n, " %s,",
					      table->column[i].name);
	if (n < sizeof(comment))
		snprintf(comment + n, sizeof(comment) - n,
			 " separated by commas (default: nothing, for the usual ones)");
	putchar('\n');
	print_comment(comment);
	printf("columns.%s =%s%s\n", table->name, chosen && *chosen ? " " : "",
	       chosen ? chosen : "");
}

/* As few digits as give the same number when they are read. */
static const char *digits_of(char digits[NUMBER_MAX], double n)
{
	int precision = FAIR_DIGITS;

	do
		snprintf(digits, NUMBER_MAX, "%.*g", precision, n);
	while (strtod(digits, NULL) != n && ++precision <= EXACT_DIGITS);
	return digits;
}

static void print_threshold(const struct conf *conf, const struct threshold_info *info)
{
	char comment[COMMENT_MAX], digits[NUMBER_MAX];

	snprintf(comment, sizeof(comment), "%s (default %s)", info->meaning,
		 digits_of(digits, info->by_default));
	putchar('\n');
	print_comment(comment);
	printf("%s = %s\n", info->name, digits_of(digits, conf_threshold(conf, info)));
}

void conf_print(const struct conf *conf)
{
	print_comment("Settings of iotriage: those in force, each below its meaning. They are "
		      "read from ~/.config/iotriage/config, or from the file that --config names.");
	for (size_t i = 0; tables[i]; i++)
		if (screen_chooses_columns(tables[i]))
			print_columns(conf, tables[i]);
	putchar('\n');
	print_comment("take the mouse, yes or no (default yes)");
	printf("mouse = %s\n", conf_mouse(conf) ? "yes" : "no");
	for (const struct threshold_info *info = threshold_infos(); info->name; info++)
		print_threshold(conf, info);
}
