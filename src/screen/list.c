/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows a list has, in what order, and which of them is selected.
 */
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t list_columns(const struct table *table)
{
	size_t n = table->ncolumn;
	while (n > 0 && (table->column[n - 1].flags & COLUMN_CSV_ONLY))
		n--;
	return n;
}

enum { HOLD_TICKS = 5 };

void list_init(struct list *list, const struct table *table, const char *title,
	       const struct choice *choice)
{
	*list = (struct list){.table = table, .title = title, .choice = *choice};
	list->choice.filter = NULL;
	list_sort_by(list, *table->sort ? column_find(table, table->sort) : NULL);
}

void list_release(struct list *list)
{
	if (list->choice.filter)
		regfree(&list->regex);
	rows_release(&list->rows);
	free(list->order.identity);
	free(list->order.slot);
	free(list->order.place);
}

void list_clear(struct list *list)
{
	list->rows.n = list->rows.hidden = 0;
	list->total = 0;
	list->present = false;
}

/* Room for n identities, with a hash at most half full; grows only. */
static bool list_order_reserve(struct list_order *order, size_t n)
{
	if (n <= order->cap)
		return true;
	size_t cap = 64;
	while (cap < n)
		cap *= 2;
	uint64_t *identity = reallocarray(order->identity, cap, sizeof(*identity));
	if (identity)
		order->identity = identity;
	void **place = reallocarray(order->place, cap, sizeof(*place));
	if (place)
		order->place = place;
	size_t *slot = reallocarray(order->slot, cap * 2, sizeof(*slot));
	if (slot)
		order->slot = slot;
	if (!identity || !place || !slot)
		return false;
	order->slots = cap * 2;
	order->cap = cap;
	return true;
}

static size_t list_order_slot(const struct list_order *order, uint64_t identity)
{
	size_t mask = order->slots - 1;
	size_t at = (identity * 0x9e3779b97f4a7c15u) >> 32 & mask;
	while (order->slot[at] && order->identity[order->slot[at] - 1] != identity)
		at = (at + 1) & mask;
	return at;
}

/* Puts the rows into the order remembered; rows that are new go to the end. */
static void list_restore_order(struct list *list)
{
	struct list_order *order = &list->order;
	struct rows *rows = &list->rows;
	size_t later = 0, n = 0;

	memset(order->slot, 0, order->slots * sizeof(*order->slot));
	memset(order->place, 0, order->n * sizeof(*order->place));
	for (size_t i = 0; i < order->n; i++)
		order->slot[list_order_slot(order, order->identity[i])] = i + 1;
	for (size_t i = 0; i < rows->n; i++) {
		size_t known =
		    order->slot[list_order_slot(order, list->table->identity(rows->row[i]))];
		if (known && !order->place[known - 1])
			order->place[known - 1] = rows->row[i];
		else
			rows->row[later++] = rows->row[i];
	}
	memmove(rows->row + rows->n - later, rows->row, later * sizeof(*rows->row));
	for (size_t i = 0; i < order->n; i++)
		if (order->place[i])
			rows->row[n++] = order->place[i];
}

static void list_remember_order(struct list *list)
{
	struct list_order *order = &list->order;
	order->n = 0;
	if (!list_order_reserve(order, list->rows.n))
		return;
	for (size_t i = 0; i < list->rows.n; i++)
		order->identity[i] = list->table->identity(list->rows.row[i]);
	order->n = list->rows.n;
}

/*
 * By the shown name or by number: the uid may be unread although the name has
 * come, so the choice's own by_uid would lose rows.
 */
static bool list_of_user(const struct task_row *row, const char *user)
{
	char number[16];
	if (row->user && strcmp(row->user, user) == 0)
		return true;
	if (!row->task->uid_known)
		return false;
	snprintf(number, sizeof(number), "%u", (unsigned)row->task->uid);
	return strcmp(number, user) == 0;
}

static void list_keep_user(struct list *list)
{
	struct rows *rows = &list->rows;
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (list_of_user(rows->row[i], list->user))
			rows->row[n++] = rows->row[i];
	rows->hidden += rows->n - n;
	rows->n = n;
}

/* The machine's row is told in words, above the list of processes. */
static void list_drop_machine(struct list *list)
{
	struct rows *rows = &list->rows;
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (((const struct aio_row *)rows->row[i])->task)
			rows->row[n++] = rows->row[i];
	list->total -= rows->n - n;
	rows->n = n;
}

static void list_find_selection(struct list *list)
{
	const struct rows *rows = &list->rows;
	list->present = false;
	if (!list->selected)
		return;
	for (size_t i = 0; i < rows->n && !list->present; i++) {
		list->present = list->table->identity(rows->row[i]) == list->identity;
		if (list->present)
			list->cursor = i;
	}
}

void list_update(struct list *list, const struct frame *frame, bool keep)
{
	keep = (keep || list->hold > 0) && !list->resort && list->order.n > 0;
	if (rows_choose(&list->rows, list->table, &list->choice, frame) < 0)
		list->rows.n = 0;
	list->total = list->table->count(frame);
	if (*list->user && list->table == &task_table)
		list_keep_user(list);
	if (list->table == &aio_table)
		list_drop_machine(list);
	if (keep) {
		list_restore_order(list);
		if (list->table == &device_table && list->choice.tree)
			rows_as_tree(&list->rows);
		if (list->table == &finding_table)
			rows_active_first(&list->rows, list->table);
	}
	list->held = keep;
	list_remember_order(list);
	list->resort = false;
	list_find_selection(list);
}

void list_move(struct list *list, long delta)
{
	long n = (long)list->rows.n, to = (long)list->cursor;
	if (n == 0)
		return;
	if (!list->selected)
		to = (long)list->top;
	if (list->selected || delta < -1 || delta > 1) /* the first step only shows it */
		to = delta > n ? n - 1 : delta < -n ? 0 : to + delta;
	to = to < 0 ? 0 : to >= n ? n - 1 : to;
	list_select(list, (size_t)to);
}

void list_select(struct list *list, size_t at)
{
	if (at >= list->rows.n)
		return;
	list->cursor = at;
	list->identity = list->table->identity(list->rows.row[at]);
	list->selected = list->present = true;
	list->loose = false;
	list->hold = HOLD_TICKS;
}

void list_roll(struct list *list, long rows)
{
	long n = (long)list->rows.n, page = (long)list->page;
	long last = n > page ? n - page : 0, to = (long)list->top + rows;
	list->top = (size_t)(to < 0 ? 0 : to > last ? last : to);
	list->loose = true;
	list->hold = HOLD_TICKS;
}

void list_unselect(struct list *list)
{
	list->selected = list->present = list->loose = false;
	list->hold = 0;
	list->top = 0;
}

void *list_selected(const struct list *list)
{
	return list->selected && list->present && list->cursor < list->rows.n
		   ? list->rows.row[list->cursor]
		   : NULL;
}

void list_sort_by(struct list *list, const struct column *column)
{
	list->choice.sort = column;
	list->choice.descending = column && !(column->flags & COLUMN_ASCENDING);
	list->resort = true;
}

void list_reverse(struct list *list)
{
	list->choice.descending = list->choice.sort && !list->choice.descending;
	list->resort = true;
}

void list_sort_beside(struct list *list, int step)
{
	size_t at = 0;
	if (list->nshown == 0)
		return;
	while (at < list->nshown && list->shown[at] != list->choice.sort)
		at++;
	if (at == list->nshown)
		at = step > 0 ? 0 : list->nshown - 1;
	else
		at = (at + list->nshown + (size_t)(step > 0 ? 1 : list->nshown - 1)) % list->nshown;
	list_sort_by(list, list->shown[at]);
}

/* glibc can take hours over one; everything else ends in no time. */
static bool list_back_reference(const char *text)
{
	for (const char *at = strchr(text, '\\'); at && at[1]; at = strchr(at + 2, '\\'))
		if (at[1] >= '1' && at[1] <= '9')
			return true;
	return false;
}

bool list_set_filter(struct list *list, const char *text, char *why, size_t size)
{
	regex_t regex;
	if (list_back_reference(text)) {
		snprintf(why, size, "back references are not supported");
		return false;
	}
	if (*text) {
		int bad = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB | REG_ICASE);
		if (bad) {
			regerror(bad, &regex, why, size);
			return false;
		}
	}
	if (list->choice.filter)
		regfree(&list->regex);
	if (*text)
		list->regex = regex;
	list->choice.filter = *text ? &list->regex : NULL;
	snprintf(list->filter, sizeof(list->filter), "%s", text);
	list->resort = true;
	return true;
}

void list_scroll(struct list *list, size_t page)
{
	size_t n = list->rows.n;
	list->page = page;
	if (list->selected && list->present && !list->loose && page > 0) {
		if (list->cursor < list->top)
			list->top = list->cursor;
		if (list->cursor >= list->top + page)
			list->top = list->cursor - page + 1;
	}
	if (list->top + page > n)
		list->top = n > page ? n - page : 0;
}
