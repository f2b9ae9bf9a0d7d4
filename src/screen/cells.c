/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a sheet with a name at the left and figures at the right.
 */
#include "cells.h"
#include "text.h"

#include <curses.h>

enum { NARROW = 60, NAME_CELLS_MAX = 48, NAME_CELLS_MIN = 8 };

static bool cells_has(const struct cell *cell)
{
	return COLS >= NARROW || cell->narrow;
}

int cells_put(const struct cell *cell, size_t n, const void *row, int y)
{
	char buf[NUMBER_MAX];
	int cells = 0, x;
	for (size_t i = 0; i < n; i++)
		cells += cells_has(&cell[i]) ? cell[i].cells + 1 : 0;
	int name = COLS - SHEET_INDENT - cells;
	name = name < NAME_CELLS_MIN ? NAME_CELLS_MIN : name;
	name = name > NAME_CELLS_MAX ? NAME_CELLS_MAX : name;
	x = SHEET_INDENT + name;
	for (size_t i = 0; i < n; i++) {
		if (!cells_has(&cell[i]))
			continue;
		if (row) {
			const struct value *v = (const void *)((const char *)row + cell[i].offset);
			number_fit(buf, *v, (unsigned)cell[i].cells, cell[i].precision);
		}
		text_put_right(y, x + 1, cell[i].cells, row ? buf : cell[i].name);
		x += cell[i].cells + 1;
	}
	return name;
}

void cells_title(struct sheet *sheet, const char *title, const struct cell *cell, size_t n)
{
	int y = sheet_title(sheet, title);
	theme_use(ROLE_HEADER);
	(void)cells_put(cell, n, NULL, y);
	theme_use(ROLE_PLAIN);
}
