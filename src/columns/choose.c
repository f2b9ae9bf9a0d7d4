/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a table are wanted, and in what order. */
#include "columns.h"
#include "iotriage/choice.h"
#include "iotriage/sort.h"
#include "tree.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Room for n pointers and as many to sort with; grows only. */
static int rows_reserve(struct rows *rows, size_t n)
{
	if (n <= rows->cap)
		return 0;
	size_t cap = n + n / 4 + 16;
	void **row = reallocarray(rows->row, cap, sizeof(*row));
	if (!row)
		return -ENOMEM;
	rows->row = row;
	void **scratch = reallocarray(rows->scratch, cap, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	rows->scratch = scratch;
	unsigned char *depth = reallocarray(rows->depth, cap, sizeof(*depth));
	if (!depth)
		return -ENOMEM;
	rows->depth = depth;
	rows->cap = cap;
	return 0;
}

void rows_release(struct rows *rows)
{
	free(rows->row);
	free(rows->scratch);
	free(rows->depth);
	tree_release(&rows->tree);
	*rows = (struct rows){0};
}

static bool matches(const regex_t *filter, const char *text)
{
	return text && regexec(filter, text, 0, NULL, 0) == 0;
}

static bool device_named(const struct choice *choice, const char *name)
{
	for (size_t i = 0; i < choice->nglob; i++)
		if (fnmatch(choice->glob[i], name, 0) == 0)
			return true;
	return false;
}

static bool accept_device(const struct device_row *row, const struct choice *choice)
{
	if (choice->nglob > 0 ? !device_named(choice, row->name)
	                      : row->hidden || (!row->used && !choice->unused))
		return false;
	return !choice->filter || matches(choice->filter, row->name) ||
	       (row->info && matches(choice->filter, row->info->title)) ||
	       matches(choice->filter, row->verdict);
}

static int compare_pids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

bool choice_has_task(const struct choice *choice, const struct task_row *row)
{
	const struct task_sample *task = row->task;

	if (row->kind == TASK_UNATTRIBUTED && (choice->npid > 0 || choice->by_uid))
		return false;
	if (choice->npid > 0 && !bsearch(&task->pid, choice->pid, choice->npid, sizeof(int), compare_pids))
		return false;
	return !choice->by_uid || (task->uid_known && task->uid == choice->uid);
}

static bool accept_task(const struct task_row *row, const struct choice *choice)
{
	const struct task_sample *task = row->task;

	if (!choice_has_task(choice, row))
		return false;
	return !choice->filter || matches(choice->filter, task->comm) ||
	       matches(choice->filter, row->command) || matches(choice->filter, row->user);
}

static bool accept_finding(const struct finding *row, const struct choice *choice)
{
	return !choice->filter || matches(choice->filter, row->rule) ||
	       matches(choice->filter, row->subject) || matches(choice->filter, row->text);
}

static bool accept_aio(const struct aio_row *row, const struct choice *choice)
{
	return !row->task || accept_task(row->task, choice);
}

static bool accept_file(const struct file_row *row, const struct choice *choice)
{
	return !choice->filter || matches(choice->filter, row->path) ||
	       matches(choice->filter, row->device) || matches(choice->filter, row->mount);
}

static bool accept_total(const struct total_row *row, const struct choice *choice)
{
	return !choice->filter || matches(choice->filter, row->name) || matches(choice->filter, row->user);
}

static bool accept(const struct table *table, const struct choice *choice, const void *row)
{
	if (choice->active && table->active && !table->active(row))
		return false;
	if (table == &device_table)
		return accept_device(row, choice);
	if (table == &task_table)
		return accept_task(row, choice);
	if (table == &finding_table)
		return accept_finding(row, choice);
	if (table == &aio_table)
		return accept_aio(row, choice);
	if (table == &file_table)
		return accept_file(row, choice);
	if (table == &total_table)
		return accept_total(row, choice);
	return true;
}

struct order {
	const struct choice *choice;
	const struct column *then; /* NULL: none */
	bool devices;
};

/* Loop devices and disks in memory come after those that can be slow by themselves. */
static bool comes_last(const struct device_row *row)
{
	return row->info && (row->info->class == DEVICE_LOOP || row->info->class == DEVICE_MEMORY);
}

/* Rows that are equal keep the frame's order. */
static int compare_rows(const void *a, const void *b, const void *context)
{
	const struct order *order = context;
	int by = column_compare(order->choice->sort, order->choice->descending, a, b);

	if (!by && order->then)
		by = column_compare(order->then, true, a, b);
	if (!by && order->devices)
		by = (int)comes_last(a) - (int)comes_last(b);
	return by;
}

static void sort_rows(struct rows *rows, const struct table *table, const struct choice *choice)
{
	struct order order = {.choice = choice, .devices = table == &device_table};

	if (*table->then && strcmp(choice->sort->name, table->sort) == 0)
		order.then = column_find(table, table->then);
	sort_pointers(rows->row, rows->scratch, rows->n, compare_rows, &order);
}

void rows_active_first(struct rows *rows, const struct table *table)
{
	size_t n = 0, others = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (table->active(rows->row[i]))
			rows->row[n++] = rows->row[i];
		else
			rows->scratch[others++] = rows->row[i];
	if (others)
		memcpy(rows->row + n, rows->scratch, others * sizeof(*rows->row));
}

int rows_choose(struct rows *rows, const struct table *table, const struct choice *choice,
                const struct frame *frame)
{
	size_t count = table->count(frame);
	bool tree = choice->tree && table == &device_table;

	if (rows_reserve(rows, count) < 0 || (tree && tree_reserve(&rows->tree, count) < 0))
		return -ENOMEM;
	rows->n = rows->hidden = 0;
	for (size_t i = 0; i < count; i++) {
		void *row = table->row(frame, i);
		if (!accept(table, choice, row))
			rows->hidden++;
		else
			rows->row[rows->n++] = row;
	}
	if (choice->sort)
		sort_rows(rows, table, choice);
	if (table == &finding_table)
		rows_active_first(rows, table);
	if (tree)
		rows_as_tree(rows);
	if (choice->top > 0 && rows->n > choice->top)
		rows->n = choice->top;
	return 0;
}
