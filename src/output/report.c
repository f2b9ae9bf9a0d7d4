/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of explain's output that its three forms share, and its CSV. */
#include "report.h"
#include "csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_recognised(const struct import_summary *summary)
{
	for (int i = 0; i < IMPORT_FORMATS; i++)
		if (i != IMPORT_CPU && i != IMPORT_MEMINFO &&
		    (summary->met[i].blocks || summary->met[i].rows))
			return true;
	return false;
}

static void add_range(char *to, size_t size, unsigned long first, unsigned long last)
{
	size_t n = strlen(to);

	if (first == last)
		snprintf(to + n, size - n, "%s%lu", n ? ", " : "", first);
	else
		snprintf(to + n, size - n, "%s%lu-%lu", n ? ", " : "", first, last);
}

/* The next range of a list like "2-4,7"; false at its end or where it is not remembered. */
static bool next_range(const char **p, const struct report_view *view, unsigned long *first,
		       unsigned long *last)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*first = *last = strtoul(*p, &end, 10);
	if (*end == '-')
		*last = strtoul(end + 1, &end, 10);
	*p = *end == ',' ? end + 1 : end;
	return *first >= 1 && *last <= REPORT_PLACES_MAX && *last <= view->intervals;
}

void report_lines(char *to, size_t size, const struct report_view *view,
		  const struct finding *finding)
{
	const char *p = finding->intervals;
	unsigned long first, last;

	*to = '\0';
	while (next_range(&p, view, &first, &last))
		add_range(to, size, view->place[first - 1].first_line,
			  view->place[last - 1].last_line);
}

void report_clock(char *to, size_t size, const struct report_view *view,
		  const struct finding *finding)
{
	const char *p = finding->intervals, *begin = "", *end = "";
	unsigned long first, last;

	for (bool any = false; next_range(&p, view, &first, &last); any = true) {
		begin = any ? begin : view->place[first - 1].clock;
		end = view->place[last - 1].clock;
	}
	snprintf(to, size, "%s%s%s", begin, strcmp(begin, end) != 0 ? " to " : "",
		 strcmp(begin, end) != 0 ? end : "");
}

/* ---- CSV: the findings' columns, and where they are from ---- */

struct located {
	struct finding finding; /* first, so that the findings' columns apply */
	const char *file;
	char lines[128];
};

static const char *text_file(const void *row, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct located *)row)->file;
}

static const char *text_lines(const void *row, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct located *)row)->lines;
}

static const char *text_intervals(const void *row, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct located *)row)->finding.intervals;
}

static struct value held(const void *row)
{
	return value_of(((const struct located *)row)->finding.held);
}

static const struct column places[] = {
    {"held", NULL, "", "in how many intervals it held", 4, 0, 1, 0, held, NULL},
    {"intervals", NULL, "", "their numbers", 9, 0, 1, 0, NULL, text_intervals},
    {"lines", NULL, "", "the lines of the report they are on", 9, 0, 1, 0, NULL, text_lines},
    {"file", NULL, "", "the report", 9, 0, 1, 0, NULL, text_file},
};

enum { PLACES = sizeof(places) / sizeof(*places), COLUMNS_MAX = 32 };

/* Of a clock, which a report seldom has; and the formula, which comes last. */
static bool is_left_out(const char *name)
{
	return strcmp(name, "since") == 0 || strcmp(name, "lasted") == 0 ||
	       strcmp(name, "formula") == 0;
}

static struct table located_table(struct column column[COLUMNS_MAX])
{
	struct table table = finding_table;
	size_t n = 0;

	for (size_t i = 0; i < finding_table.ncolumn && n < COLUMNS_MAX - PLACES - 1; i++)
		if (!is_left_out(finding_table.column[i].name))
			column[n++] = finding_table.column[i];
	for (size_t i = 0; i < PLACES; i++)
		column[n++] = places[i];
	column[n++] = *column_find(&finding_table, "formula");
	table.column = column;
	table.ncolumn = n;
	return table;
}

void report_csv_header(struct writer *writer)
{
	struct column column[COLUMNS_MAX];
	const struct table table = located_table(column);

	csv_header(writer, &table);
}

void report_csv(struct writer *writer, const struct report_view *view)
{
	struct column column[COLUMNS_MAX];
	const struct table table = located_table(column);

	for (size_t i = 0; i < view->nfinding; i++) {
		struct located located = {.finding = view->finding[i], .file = view->file};
		char stamp[CSV_STAMP_MAX] = ",";

		report_lines(located.lines, sizeof(located.lines), view, &located.finding);
		if (located.finding.since_epoch > 0)
			csv_stamp(stamp, located.finding.since_epoch);
		csv_row(writer, &table, stamp, &located);
	}
}
