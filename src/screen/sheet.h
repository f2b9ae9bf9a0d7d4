/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole screen of lines that is scrolled: the help, and details.
 */
#ifndef IOTRIAGE_SCREEN_SHEET_H
#define IOTRIAGE_SCREEN_SHEET_H

#include "state.h"
#include "theme.h"

enum { SHEET_INDENT = 2, SHEET_CELLS_MAX = 110 };

/* Lines as they come; those from `top` on are drawn in h lines from y. */
struct sheet {
	int y, h;
	size_t line, top;
};

typedef void sheet_lines(struct sheet *sheet, const struct screen *screen);

/*
 * Draws a title, then what `lines` puts on the sheet, as far as it is scrolled.
 * `lines` is called twice: first only to count.
 */
void sheet_draw(const struct screen *screen, struct page *page, int y, int h, const char *title,
		sheet_lines *lines);

/* Takes a line: where it goes, -1 if it is out of sight. */
int sheet_next(struct sheet *sheet);

/* A line that begins a part, with a blank one before it; says where it is, as sheet_next(). */
int sheet_title(struct sheet *sheet, const char *text);

/* Wrapped text. */
void sheet_text(struct sheet *sheet, const char *text);
void sheet_text_as(struct sheet *sheet, enum role role, const char *text);

/* A name, and what is said of it, wrapped beside it. */
void sheet_entry(struct sheet *sheet, const char *name, const char *text);

/*
 * Every figure that the table has of a row, side by side as far as there is room;
 * then why those are absent that are.
 */
void sheet_figures(struct sheet *sheet, const struct table *table, const void *row);

#endif
