/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a list stands on the screen, so that the mouse finds its rows and columns.
 */
#include "list.h"

void list_place(struct list *list, int y, int end)
{
	list->place.y = y;
	list->place.end = end;
	list->place.header = -1;
	list->place.nrow = 0;
}

void list_place_row(struct list *list, int y)
{
	struct list_place *place = &list->place;
	if (place->nrow < LIST_LINES)
		place->row[place->nrow++] = y;
}

bool list_row_at(const struct list *list, int y, size_t *ret)
{
	const struct list_place *place = &list->place;
	size_t n = 0;
	while (n < place->nrow && place->row[n] <= y)
		n++;
	if (n == 0 || y >= place->end || list->top + n > list->rows.n)
		return false;
	*ret = list->top + n - 1;
	return true;
}

const struct column *list_column_at(const struct list *list, int x)
{
	size_t n = 0;
	while (n < list->nshown && list->place.column[n] <= x)
		n++;
	return n > 0 ? list->shown[n - 1] : NULL;
}
