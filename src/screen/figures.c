/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All figures of one row, from the table of metrics, and why some are absent.
 */
#include "sheet.h"
#include "text.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum {
	NAME_CELLS = 13,
	FIGURE_CELLS = 10,
	UNIT_CELLS = 11, /* a unit, or the word for a reason */
	CELLS = NAME_CELLS + FIGURE_CELLS + UNIT_CELLS + 4,
	TEXT_CELLS = FIGURE_CELLS + UNIT_CELLS + 1,
	FIGURES_MAX = 64,
	CELL_MAX = 512
};

/* The columns worth a place here: the command line has a part of its own. */
static size_t figures_choose(const struct table *table, const struct column **chosen)
{
	size_t n = 0;
	for (size_t i = 0; i < table->ncolumn && n < FIGURES_MAX; i++) {
		const struct column *column = &table->column[i];
		if (!(column->flags & (COLUMN_FILL | COLUMN_CSV_ONLY | COLUMN_KEY)) && column->width > 1)
			chosen[n++] = column;
	}
	return n;
}

/* Why a text is absent; PRESENT: there is just none. */
static enum absent figures_text_reason(const struct table *table, const void *data,
				       const struct column *column)
{
	static const char *const from_files[] = {"mode", "dev", "ioprio"};
	const struct task_row *row = data;
	if (table == &device_table && strcmp(column->name, "top_task") == 0)
		return ((const struct device_row *)data)->top_share.why;
	if (table != &task_table)
		return PRESENT;
	if (strcmp(column->name, "req_dev") == 0)
		return row->req_await.why;
	for (size_t i = 0; i < sizeof(from_files) / sizeof(from_files[0]); i++)
		if (strcmp(column->name, from_files[i]) == 0)
			return row->use ? row->use->why : ABSENT_NEW;
	if (strcmp(column->name, "user") == 0)
		return row->names == TASK_NAMES_NEVER ? ABSENT_UNSUPPORTED : ABSENT_NEW;
	return PRESENT;
}

static enum absent figures_put_text(const struct table *table, const void *row,
				    const struct column *column, int y, int x)
{
	char buf[CELL_MAX];
	const char *text = column->text(row, buf, sizeof(buf));
	enum absent why = text ? PRESENT : figures_text_reason(table, row, column);
	int width = text ? text_width(text) : 0;
	if (text && width > FIGURE_CELLS) {
		text_put(y, x, TEXT_CELLS, text, TEXT_CUT_END);
		return why;
	}
	text_put_right(y, x, FIGURE_CELLS, text ? text : "-");
	text_put(y, x + FIGURE_CELLS + 1, UNIT_CELLS, why == PRESENT ? "" : absent_name(why),
		 TEXT_CUT_END);
	return why;
}

static enum absent figures_put_number(const void *row, const struct column *column, int y, int x)
{
	char buf[NUMBER_MAX];
	struct value v = column->number(row);
	if (strncmp(column->unit, "KiB", 3) == 0)
		kib_fit(buf, v, FIGURE_CELLS, column->precision);
	else
		number_fit(buf, v, FIGURE_CELLS, column->precision);
	text_put_right(y, x, FIGURE_CELLS, buf);
	text_put(y, x + FIGURE_CELLS + 1, UNIT_CELLS,
		 value_known(v) ? column->unit : absent_name(v.why), TEXT_CUT_END);
	return v.why;
}

static enum absent figures_put(const struct table *table, const void *row,
			       const struct column *column, int y, int x)
{
	theme_use(ROLE_KEY);
	text_put(y, x, NAME_CELLS, column->name, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	x += NAME_CELLS + 1;
	return column->number ? figures_put_number(row, column, y, x)
			      : figures_put_text(table, row, column, y, x);
}

void sheet_figures(struct sheet *sheet, const struct table *table, const void *row)
{
	const struct column *chosen[FIGURES_MAX];
	size_t n = figures_choose(table, chosen);
	size_t across = COLS > SHEET_INDENT + CELLS ? (size_t)(COLS - SHEET_INDENT + 2) / CELLS : 1;
	size_t lines = (n + across - 1) / across;
	bool missing[ABSENT_REASONS] = {false};

	for (size_t line = 0; line < lines; line++) {
		int y = sheet_next(sheet);
		for (size_t i = line; i < n; i += lines) {
			int x = SHEET_INDENT + (int)(i / lines) * CELLS;
			missing[figures_put(table, row, chosen[i], y, x)] = true;
		}
	}
	for (unsigned why = PRESENT + 1; why < ABSENT_REASONS; why++)
		if (missing[why])
			sheet_entry(sheet, absent_name((enum absent)why), absent_help((enum absent)why));
}
