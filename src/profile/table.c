/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells made rows: by file, by process, or all in one. */
#include "profile/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

static int compare_cells(const void *a, const void *b, const void *context)
{
	const struct profile_key *left = &((const struct profile_cell *)a)->key;
	const struct profile_key *right = &((const struct profile_cell *)b)->key;
	enum profile_by by = *(const enum profile_by *)context;

	if (by == PROFILE_BY_FILE)
		return profile_file_compare(&left->file, &right->file);
	if (by == PROFILE_BY_PID)
		return left->tgid < right->tgid ? -1 : left->tgid > right->tgid;
	return 0;
}

static int compare_rows(const void *a, const void *b, const void *context)
{
	double left = profile_value(&((const struct profile_row *)a)->total, context);
	double right = profile_value(&((const struct profile_row *)b)->total, context);

	if (left != right)
		return left > right ? -1 : 1;
	return compare_natural(((const struct profile_row *)a)->name,
			       ((const struct profile_row *)b)->name);
}

void profile_amount_add(struct profile_amount *sum, const struct profile_amount *more)
{
	sum->count += more->count;
	sum->ns += more->ns;
	sum->bytes += more->bytes;
	sum->pages += more->pages;
	sum->errors += more->errors;
}

/* ---- rows ---- */

static bool same_row(const struct profile_cell *a, const struct profile_cell *b, enum profile_by by)
{
	return compare_cells(a, b, &by) == 0;
}

static bool counts(const struct profile_cell *cell)
{
	return cell->amount.count > 0 && cell->key.call < PROFILE_CALLS;
}

/* Those cells in which something is, in order. 0 or -ENOMEM. */
static int sort_cells(struct profile_store *store, enum profile_by by,
		      const struct profile_snapshot *snapshot)
{
	store->cell = calloc(snapshot->ncell + 1, sizeof(*store->cell));
	store->scratch = calloc(snapshot->ncell + 1, sizeof(*store->scratch));
	if (!store->cell || !store->scratch)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->ncell; i++)
		if (counts(&snapshot->cell[i]))
			store->cell[store->ncell++] = &snapshot->cell[i];
	sort_pointers(store->cell, store->scratch, store->ncell, compare_cells, &by);
	return 0;
}

static size_t count_rows(const struct profile_store *store, enum profile_by by)
{
	size_t n = 0;

	for (size_t i = 0; i < store->ncell; i++)
		n += i == 0 || !same_row(store->cell[i - 1], store->cell[i], by);
	return n;
}

static const char *row_name(struct profile_store *store, size_t row, enum profile_by by,
			    const struct profile_snapshot *snapshot, const struct profile_cell *cell)
{
	char *buf = store->name[row];

	if (by == PROFILE_BY_ALL)
		return "all";
	if (by == PROFILE_BY_FILE)
		return profile_file_name(snapshot, &cell->key.file, buf);
	if (cell->key.tgid == 0)
		return "(other)";
	snprintf(buf, sizeof(store->name[row]), "%u", cell->key.tgid);
	return buf;
}

static void fill_rows(struct profile_table *table, const struct profile_snapshot *snapshot)
{
	struct profile_store *store = table->store;
	enum profile_by by = table->view.by;
	struct profile_row *row = NULL;

	for (size_t i = 0; i < store->ncell; i++) {
		const struct profile_cell *cell = store->cell[i];

		if (i == 0 || !same_row(store->cell[i - 1], cell, by)) {
			row = &store->row[table->nrow];
			row->name = row_name(store, table->nrow, by, snapshot, cell);
			table->row[table->nrow++] = row;
		}
		profile_amount_add(&row->total, &cell->amount);
		profile_amount_add(&row->call[cell->key.call], &cell->amount);
		table->occurred[cell->key.call] = true;
	}
}

static int build_rows(struct profile_table *table, const struct profile_snapshot *snapshot)
{
	struct profile_store *store = table->store;
	size_t n;
	int error = sort_cells(store, table->view.by, snapshot);

	if (error)
		return error;
	n = count_rows(store, table->view.by);
	store->row = calloc(n + 1, sizeof(*store->row));
	store->name = calloc(n + 1, sizeof(*store->name));
	table->row = calloc(n + 1, sizeof(*table->row));
	if (!store->row || !store->name || !table->row)
		return -ENOMEM;
	fill_rows(table, snapshot);
	sort_pointers((void **)table->row, store->scratch, table->nrow, compare_rows, &table->view);
	return 0;
}

int profile_table_build(struct profile_table *table, const struct profile_view *view,
			const struct profile_snapshot *snapshot)
{
	int error;

	*table = (struct profile_table){.view = *view, .store = calloc(1, sizeof(*table->store))};
	if (!table->store)
		return -ENOMEM;
	error = build_rows(table, snapshot);
	return error ? error : profile_flushes_build(table, snapshot);
}

void profile_table_release(struct profile_table *table)
{
	if (table->store) {
		free(table->store->cell);
		free(table->store->scratch);
		free(table->store->row);
		free(table->store->name);
		free(table->store->flush_name);
		free(table->store);
	}
	free(table->row);
	free(table->flush);
	*table = (struct profile_table){.store = NULL};
}
