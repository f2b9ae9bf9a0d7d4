/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of iotriage profile for people. */
#include "profile_output.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 2 };

/* Widths of the columns: the total's, then each call's; 0: no such column. */
struct widths {
	size_t total, call[PROFILE_CALLS];
};

static void widen(size_t *width, const struct profile_amount *amount,
		  const struct profile_view *view)
{
	char text[32];

	profile_print_value(text, amount, view);
	if (strlen(text) > *width)
		*width = strlen(text);
}

static void measure(struct widths *widths, const struct profile_table *table)
{
	*widths = (struct widths){.total = strlen("total")};
	for (int call = 0; call < PROFILE_CALLS; call++)
		if (table->occurred[call])
			widths->call[call] = strlen(profile_call_name((enum profile_call)call));
	for (size_t i = 0; i < table->nrow; i++) {
		widen(&widths->total, &table->row[i]->total, &table->view);
		for (int call = 0; call < PROFILE_CALLS; call++)
			if (table->occurred[call])
				widen(&widths->call[call], &table->row[i]->call[call], &table->view);
	}
}

static void put_right(struct writer *writer, const char *text, size_t width)
{
	for (size_t n = strlen(text); n < width; n++)
		writer_put(writer, " ", 1);
	writer_puts(writer, text);
	writer_put(writer, "  ", GAP);
}

static void put_amount(struct writer *writer, const struct profile_amount *amount,
		       const struct profile_view *view, size_t width)
{
	char text[32];

	profile_print_value(text, amount, view);
	/* a call that this file had none of */
	put_right(writer, amount->count ? text : "-", width);
}

static void put_rows(struct writer *writer, const struct profile_table *table)
{
	struct widths widths;

	measure(&widths, table);
	put_right(writer, "total", widths.total);
	for (int call = 0; call < PROFILE_CALLS; call++)
		if (table->occurred[call])
			put_right(writer, profile_call_name((enum profile_call)call),
				  widths.call[call]);
	writer_puts(writer, profile_by_name(table->view.by));
	writer_put(writer, "\n", 1);
	for (size_t i = 0; i < table->nrow; i++) {
		const struct profile_row *row = table->row[i];

		put_amount(writer, &row->total, &table->view, widths.total);
		for (int call = 0; call < PROFILE_CALLS; call++)
			if (table->occurred[call])
				put_amount(writer, &row->call[call], &table->view, widths.call[call]);
		writer_puts(writer, row->name);
		writer_put(writer, "\n", 1);
	}
}

static const char *unit_text(const struct profile_view *view)
{
	if (view->unit == PROFILE_COUNT)
		return "calls";
	if (view->unit == PROFILE_TIMES)
		return view->aggregate == PROFILE_SUM ? "seconds" : "seconds per call";
	return view->aggregate == PROFILE_SUM ? "bytes" : "bytes per call";
}

void profile_table_text(struct writer *writer, const struct profile_table *table)
{
	char line[512];

	snprintf(line, sizeof(line), "%.1f s, %s by %s\n\n", table->seconds, unit_text(&table->view),
		 profile_by_name(table->view.by));
	writer_puts(writer, line);
	if (table->nrow)
		put_rows(writer, table);
	else
		writer_puts(writer, "no I/O calls\n");
	if (table->nflush)
		writer_puts(writer, "\nflushes\n");
	for (size_t i = 0; i < table->nflush; i++) {
		profile_print_flush(line, sizeof(line), &table->flush[i]);
		writer_puts(writer, "  ");
		writer_puts(writer, line);
		writer_put(writer, "\n", 1);
	}
	if (table->nnote)
		writer_put(writer, "\n", 1);
	for (size_t i = 0; i < table->nnote; i++) {
		writer_puts(writer, table->note[i]);
		writer_put(writer, "\n", 1);
	}
}
