/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the lines of a sheet are counted, scrolled and drawn.
 */
#include "sheet.h"
#include "text.h"

#include <curses.h>
#include <stdio.h>

enum { NAME_CELLS = 15, NARROW_NAME_CELLS = 10, NARROW = 60 };

int sheet_next(struct sheet *sheet)
{
	size_t line = sheet->line++;
	if (line < sheet->top || line - sheet->top >= (size_t)sheet->h)
		return -1;
	return sheet->y + (int)(line - sheet->top);
}

/* The first line goes to y, or, where `taken` is false, on a new line. */
static void sheet_paragraph(struct sheet *sheet, int x, bool taken, int y, const char *text)
{
	struct text_wrap wrap;
	int cells = (COLS < SHEET_CELLS_MAX ? COLS : SHEET_CELLS_MAX) - x;
	text_wrap_start(&wrap, text);
	for (bool first = true; text_wrap_more(&wrap); first = false)
		text_wrap_line(&wrap, first && taken ? y : sheet_next(sheet), x, cells, false);
}

void sheet_text(struct sheet *sheet, const char *text)
{
	sheet_paragraph(sheet, SHEET_INDENT, false, 0, text);
}

void sheet_text_as(struct sheet *sheet, enum role role, const char *text)
{
	theme_use(role);
	sheet_text(sheet, text);
	theme_use(ROLE_PLAIN);
}

int sheet_title(struct sheet *sheet, const char *text)
{
	if (sheet->line > 0)
		sheet_next(sheet);
	int y = sheet_next(sheet);
	theme_use(ROLE_TITLE);
	text_put(y, 0, COLS, text, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	return y;
}

void sheet_entry(struct sheet *sheet, const char *name, const char *text)
{
	int cells = COLS < NARROW ? NARROW_NAME_CELLS : NAME_CELLS;
	int y = sheet_next(sheet);
	theme_use(ROLE_KEY);
	text_put(y, SHEET_INDENT, cells, name, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	sheet_paragraph(sheet, SHEET_INDENT + cells + 1, true, y, text);
}

static void sheet_heading(const struct page *page, int y, const char *title)
{
	char line[256];
	size_t last = page->top + page->shown < page->lines ? page->top + page->shown : page->lines;
	if (page->shown < page->lines)
		snprintf(line, sizeof(line), "%s: lines %zu to %zu of %zu", title, page->top + 1,
			 last, page->lines);
	else
		snprintf(line, sizeof(line), "%s", title);
	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(ROLE_FOCUS);
	text_put(y, 1, text_width(line), line, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

void sheet_draw(const struct screen *screen, struct page *page, int y, int h, const char *title,
		sheet_lines *lines)
{
	struct sheet sheet = {.h = 0}; /* no room: only counts */
	page->shown = h > 1 ? (size_t)(h - 1) : 0;
	lines(&sheet, screen);
	page->lines = sheet.line;
	if (page->end || page->top + page->shown > page->lines)
		page->top = page->lines > page->shown ? page->lines - page->shown : 0;
	sheet_heading(page, y, title);
	sheet = (struct sheet){.y = y + 1, .h = (int)page->shown, .top = page->top};
	lines(&sheet, screen);
}
