/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV: the key columns first, then the others in the table's order. */
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void csv_stamp(char stamp[CSV_STAMP_MAX], double epoch)
{
	char clock[32] = "", zone[8] = "";
	int64_t ms = llround(epoch * 1000);
	time_t seconds = (time_t)(ms >= 0 ? ms / 1000 : (ms - 999) / 1000);
	struct tm tm;

	if (localtime_r(&seconds, &tm)) {
		strftime(clock, sizeof(clock), "%Y-%m-%dT%H:%M:%S", &tm);
		strftime(zone, sizeof(zone), "%z", &tm);
	}
	int rest = (int)(ms - (int64_t)seconds * 1000);
	/* +hhmm becomes +hh:mm */
	snprintf(stamp, CSV_STAMP_MAX, "%s.%03d%.3s:%.2s,%lld.%03d", clock, rest, zone,
	         strlen(zone) == 5 ? zone + 3 : "00", (long long)seconds, rest);
}

/* As it is, which nearly every text can be. false: it needs quotes. */
static bool put_plain(struct writer *writer, const char *text)
{
	size_t n = 0;

	for (char c; (c = text[n]); n++)
		if (c == ',' || c == '"' || c == '\r' || c == '\n')
			return false;
	writer_put(writer, text, n);
	return true;
}

void csv_text(struct writer *writer, const char *text)
{
	if (put_plain(writer, text))
		return;
	writer_put(writer, "\"", 1);
	for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
		writer_put(writer, text, (size_t)(quote - text));
		writer_put(writer, "\"\"", 2);
	}
	writer_puts(writer, text);
	writer_put(writer, "\"", 1);
}

/* A file is read by programs: one decimal more than fits on a screen costs nothing. */
static unsigned csv_precision(const struct column *column)
{
	return column->precision == 1 ? 2 : column->precision;
}

static void put_text_cell(struct writer *writer, const struct column *column, const void *row)
{
	char buf[FINDING_TEXT_MAX];
	const char *text = column->text(row, buf, sizeof(buf));

	if (text)
		csv_text(writer, text);
}

/* Of the cells of a tick nearly all are numbers: those are written in place. */
static void put_cell(struct writer *writer, const struct column *column, const void *row)
{
	enum { ROOM = 1 + NUMBER_MAX };

	if (writer->cap - writer->n < ROOM && !writer_grow(writer, ROOM))
		return;
	char *p = writer->p + writer->n++;
	*p = ',';
	if (!column->number) {
		put_text_cell(writer, column, row);
		return;
	}
	struct value v = column->number(row);
	if (value_known(v))
		writer->n += number_plain(p + 1, v.n, csv_precision(column));
}

static bool is_key(const struct column *column)
{
	return column->flags & COLUMN_KEY;
}

void csv_header(struct writer *writer, const struct table *table)
{
	writer_puts(writer, "time,epoch");
	for (int key = 1; key >= 0; key--)
		for (size_t i = 0; i < table->ncolumn; i++) {
			if (is_key(&table->column[i]) != key)
				continue;
			writer_put(writer, ",", 1);
			csv_text(writer, table->column[i].name);
		}
	writer_put(writer, "\n", 1);
}

void csv_row(struct writer *writer, const struct table *table, const char *stamp, const void *row)
{
	writer_puts(writer, stamp);
	for (int key = 1; key >= 0; key--)
		for (size_t i = 0; i < table->ncolumn; i++)
			if (is_key(&table->column[i]) == key)
				put_cell(writer, &table->column[i], row);
	writer_put(writer, "\n", 1);
}
