/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a sheet with a name at the left and figures at the right.
 */
#ifndef IOTRIAGE_SCREEN_CELLS_H
#define IOTRIAGE_SCREEN_CELLS_H

#include "sheet.h"

/* A figure at a line's end. */
struct cell {
	const char *name;
	int cells;
	unsigned precision;
	bool narrow;   /* kept on a narrow screen */
	size_t offset; /* of its struct value in the row */
};

/* Draws the figures' names (row NULL) or figures; returns the cells left for a name. */
int cells_put(const struct cell *cell, size_t n, const void *row, int y);

/* A line that begins a part, with the figures' names. */
void cells_title(struct sheet *sheet, const char *title, const struct cell *cell, size_t n);

#endif
