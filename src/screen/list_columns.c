/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which columns a list is to show: the table's own, or those that were chosen.
 */
#include "list.h"

#include <stdio.h>
#include <string.h>

_Static_assert(LIST_COLUMNS <= 64, "a column needs a bit");

uint64_t list_column_bit(const struct list *list, const struct column *column)
{
	size_t i = (size_t)(column - list->table->column);
	return i < LIST_COLUMNS ? (uint64_t)1 << i : 0;
}

/* Without any of these a row is just figures. */
static bool list_names_row(const struct column *column)
{
	return (column->flags & (COLUMN_KEY | COLUMN_FILL)) || strcmp(column->name, "pid") == 0 ||
	       strcmp(column->name, "fd") == 0;
}

static uint64_t list_naming(const struct list *list)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < list_columns(list->table); i++)
		if (list_names_row(&list->table->column[i]))
			bits |= list_column_bit(list, &list->table->column[i]);
	return bits;
}

static const struct column *list_column_named(const struct list *list, const char *name, size_t n)
{
	for (size_t i = 0; i < list_columns(list->table); i++) {
		const struct column *column = &list->table->column[i];
		if (strlen(column->name) == n && memcmp(column->name, name, n) == 0)
			return column;
	}
	return NULL;
}

void list_set_columns(struct list *list, const char *names)
{
	list->chosen = 0;
	while (names && *names) {
		size_t n = strcspn(names, ", ");
		const struct column *column = list_column_named(list, names, n);
		list->chosen |= column ? list_column_bit(list, column) : 0;
		names += n + (names[n] != '\0');
	}
	uint64_t naming = list_naming(list);
	if (list->chosen && !(list->chosen & naming))
		list->chosen |= naming & -naming; /* the first of them */
}

void list_column_names(const struct list *list, char *out, size_t size)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < list_columns(list->table) && used < size; i++) {
		const struct column *column = &list->table->column[i];
		if (list->chosen & list_column_bit(list, column))
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "",
						 column->name);
	}
}

bool list_has_column(const struct list *list, const struct column *column)
{
	if (list->chosen)
		return list->chosen & list_column_bit(list, column);
	if (column->flags & COLUMN_SCREEN)
		return true;
	if (list->forced & list_column_bit(list, column))
		return false;
	for (size_t i = 0; i < list->nshown; i++)
		if (list->shown[i] == column)
			return true;
	return false;
}

bool list_toggle_column(struct list *list, const struct column *column)
{
	uint64_t chosen = 0, naming = list_naming(list);
	/* begins with what is on show */
	for (size_t i = 0; i < list_columns(list->table); i++)
		if (list_has_column(list, &list->table->column[i]))
			chosen |= list_column_bit(list, &list->table->column[i]);
	chosen ^= list_column_bit(list, column);
	if (!chosen || (naming && !(chosen & naming)))
		return false;
	list->chosen = chosen;
	return true;
}

bool list_yields_column(const struct list *list, const struct column *column, int width)
{
	uint64_t yielding = list->left_out | (width < LIST_ROOMY ? list->yielding : 0);
	return column != list->choice.sort &&
	       (yielding & ~list->chosen & list_column_bit(list, column));
}

/*
 * The column sorted by is shown, but for the table's own order where another column
 * was chosen or is needed more: the title tells it.
 */
static bool list_is_sorted_by(const struct list *list, const struct column *column, int width)
{
	return column == list->choice.sort &&
	       ((!list->chosen && width >= LIST_ROOMY) ||
		strcmp(column->name, list->table->sort) != 0);
}

bool list_wants_column(const struct list *list, const struct column *column, int width)
{
	uint64_t bit = list_column_bit(list, column);
	if (list_yields_column(list, column, width))
		return false;
	if (!list->chosen && width < LIST_ROOMY && (list->instead & bit))
		return true;
	if ((list->forced & bit) || list_is_sorted_by(list, column, width))
		return true;
	return list->chosen ? list->chosen & bit : column->flags & COLUMN_SCREEN;
}

static void list_set_yielding(struct list *list, const char *name, bool yields)
{
	uint64_t bit = list_column_bit(list, column_find(list->table, name));
	list->yielding = (list->yielding & ~bit) | (yields ? bit : 0);
}

void list_set_threads(struct list *list, bool threads)
{
	const struct table *table = list->table;
	list->title = threads ? "Threads" : "Tasks";
	list->forced = threads ? list_column_bit(list, column_find(table, "tid")) : 0;
	list_set_yielding(list, "pid", threads);
}

void list_leave_out(struct list *list, const char *name, bool out)
{
	uint64_t bit = list_column_bit(list, column_find(list->table, name));
	list->left_out = (list->left_out & ~bit) | (out ? bit : 0);
}

void list_set_io_measured(struct list *list, bool measured)
{
	list_set_yielding(list, "IO%", !measured);
	list->instead = measured ? 0 : list_column_bit(list, column_find(list->table, "inhkB/s"));
}
