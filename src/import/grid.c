/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of devices: a name and as many figures as the header has
 * columns. Header and rows may be broken over several lines at different places;
 * a row is read until the header's count is reached, and one whose count does not
 * fit is left out whole.
 */
#include "importer.h"

#include <string.h>

/* Another layout: figures before and after it are not of one history. */
static void note_layout(struct import *import, uint64_t fields, enum import_format format)
{
	const struct block *block = &import->block;
	bool parts = import->grid.name_last || block->halves;
	bool part = parts && (block->seen & fields) == fields;

	if (block->pending && block->has_devices &&
	    (block->format != format || (block->seen != fields && !part)))
		context_break(import);
}

/* A table of figures the pending block lacks, of the same devices: iostat -h prints several. */
static bool continues_block(const struct import *import, const struct grid *grid)
{
	const struct block *block = &import->block;

	return grid->name_last && !grid->clocked && block->pending &&
	       block->format == IMPORT_IOSTAT && block->has_devices &&
	       !(block->seen & grid->fields);
}

/* The first row: only now it is sure how many columns there are. */
static void begin_block(struct import *import, unsigned long line)
{
	struct grid *grid = &import->grid;

	if (continues_block(import, grid)) {
		import->block.seen |= grid->fields;
		return;
	}
	note_layout(import, grid->fields, grid->format);
	enum boot_hint hint = context_take_hint(import);
	if (grid->format != IMPORT_IOSTAT)
		hint = BOOT_NEVER;
	if (block_begin(import, grid->format, line, hint))
		return;
	import->block.seen = grid->fields;
	import->block.average = grid->average;
	import->block.in_parts = grid->name_last && !grid->clocked;
	if (import->context.have_iowait) {
		import->block.frame.system.iowait = import->context.iowait;
		import->block.has_cpu = true;
		import->context.have_iowait = false;
	}
	double seconds = stamp_difference(&import->context.last_stamp, &import->context.stamp);
	import->block.stamp = import->context.stamp;
	import->block.seconds = seconds > 0 ? seconds : 0;
	if (import->context.stamp.known)
		import->context.last_stamp = import->context.stamp;
	import->context.stamp.known = false;
}

/* ---- rows ---- */

static size_t row_of(struct import *import)
{
	struct grid *grid = &import->grid;
	struct block *block = &import->block;
	size_t n = strlen(grid->name), row;

	grid->heading = false;
	if (grid->stamp.known)
		import->context.stamp = grid->stamp;
	if (grid->fresh)
		begin_block(import, grid->line);
	grid->fresh = false;
	row = block->pending ? block_find(import, grid->name, n) : SIZE_MAX;
	/* the same device again: the next interval, whose header was left out */
	if (!block->pending || (row != SIZE_MAX && !(grid->name_last && !grid->clocked &&
						     block->seen != grid->fields))) {
		begin_block(import, grid->line);
		row = SIZE_MAX;
	}
	return row != SIZE_MAX || import->error ? row
						: block_add(import, grid->name, n, grid->line);
}

static void store_cells(struct import *import, size_t row, const size_t at[GRID_COLUMNS_MAX])
{
	struct grid *grid = &import->grid;
	unsigned char rank[FIELDS] = {0};

	import->block.last_line = grid->line;
	if (grid->ncell < grid->n)
		import->block.field[row][FIELD_NONE] = value_of(1);
	for (size_t i = 0; i < grid->ncell; i++) {
		const struct heading *heading = grid->column[at[i]];
		if (!heading || heading->field == FIELD_NONE ||
		    heading->rank < rank[heading->field])
			continue;
		rank[heading->field] = heading->rank;
		import->block.field[row][heading->field] = heading_value(heading, &grid->cell[i]);
	}
}

static void store(struct import *import, const size_t at[GRID_COLUMNS_MAX])
{
	size_t row = row_of(import);

	if (row != SIZE_MAX)
		store_cells(import, row, at);
}

/* The rest of a row that was read, in a table without names. */
static void half_line(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;
	size_t at[GRID_COLUMNS_MAX];

	for (size_t i = 0; i < line->nword && i < grid->n; i++) {
		grid->cell[i] = line->word[i];
		at[i] = i;
	}
	grid->ncell = line->nword;
	grid->line = line->number;
	if (line->nword == grid->n && import->block.pending &&
	    grid->half_row < import->block.frame.ndevice)
		store_cells(import, grid->half_row++, at);
	grid->ncell = 0;
}

/*
 * A line that was cut at its right end, or whose middle columns are blank: each
 * figure belongs to the column that ends where it ends. The last may be cut.
 */
static bool align(struct grid *grid, size_t at[GRID_COLUMNS_MAX])
{
	size_t column = 0, n = grid->ncell;

	for (size_t i = 0; i < n; i++) {
		while (column < grid->n && grid->end[column] < grid->cell[i].end)
			column++;
		if (column == grid->n || grid->end[column] != grid->cell[i].end) {
			grid->ncell = i;
			return i + 1 == n && i >= 2;
		}
		at[i] = column++;
	}
	return true;
}

static bool short_row(const struct grid *grid)
{
	return grid->ncell >= 2 && grid->ncell < grid->n && grid->one_line && !grid->wrapped &&
	       grid->padded && !grid->name_last;
}

static void count_dropped(struct import *import, size_t ncell)
{
	/* one figure behind a word is prose */
	if (ncell < 2)
		return;
	if (!import->summary.dropped++)
		import->summary.dropped_line = import->grid.line;
}

void grid_end_row(struct import *import)
{
	struct grid *grid = &import->grid;
	size_t at[GRID_COLUMNS_MAX], ncell = grid->ncell;

	if (!grid->named)
		return;
	for (size_t i = 0; i < grid->n; i++)
		at[i] = i;
	if (!grid->broken && grid->ncell == grid->n)
		store(import, at);
	else if (!grid->broken && short_row(grid) && align(grid, at))
		store(import, at);
	else
		count_dropped(import, ncell);
	grid->named = grid->broken = false;
	grid->ncell = 0;
}

static void begin_row(struct grid *grid, const struct word *word, unsigned long line)
{
	struct word bare = word_bare(word);

	for (; bare.n > 2 && *bare.p == '*' && bare.p[bare.n - 1] == '*'; bare.n -= 2)
		bare.p++; /* made bold */
	if (bare.n > 1 && bare.p[bare.n - 1] == ':')
		bare.n--;
	grid->named = device_name_fits(&bare);
	grid->broken = false;
	grid->ncell = 0;
	grid->line = line;
	grid->one_line = true;
	grid->stamp.known = false;
	if (!grid->named)
		return;
	memcpy(grid->name, bare.p, bare.n);
	grid->name[bare.n] = '\0';
}

static void add_cell(struct grid *grid, const struct word *word)
{
	if (grid->ncell >= grid->n || grid->ncell == GRID_COLUMNS_MAX)
		grid->broken = true;
	else
		grid->cell[grid->ncell++] = *word;
}

/* A script's time before the name, on every row: "08:32:49 sda", "2023-11-13 08:32:49 sda". */
static void read_stamp(struct grid *grid, const struct line *line)
{
	enum { WORDS_MAX = 4 };
	struct line head = *line;

	head.nword = 0;
	while (head.nword < WORDS_MAX && head.nword + 1 < line->nword &&
	       !device_name_fits(&line->word[head.nword]))
		head.nword++;
	if (head.nword == 0 || line->word[0].kind != WORD_TEXT)
		return;
	const struct word *last = &line->word[head.nword - 1];
	head.n = (size_t)(last->p + last->n - head.p);
	if (!stamp_read(&head, &grid->stamp))
		grid->stamp.known = false;
}

/* The name before its figures. */
static void walk_name_first(struct import *import, const struct line *line, size_t from)
{
	struct grid *grid = &import->grid;

	for (size_t i = from; i < line->nword; i++) {
		const struct word *word = &line->word[i];

		if (word->kind != WORD_TEXT && (grid->named || i > from)) {
			add_cell(grid, word);
			continue;
		}
		grid_end_row(import);
		begin_row(grid, word, line->number);
	}
	/* a name without figures is a row's first part only if it stands alone */
	if (grid->ncell == 0 && line->nword > from + 1)
		grid->named = false;
}

/* The figures before their name. */
static void walk_name_last(struct import *import, const struct line *line, size_t from)
{
	struct grid *grid = &import->grid;

	for (size_t i = from; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		size_t ncell = grid->ncell;
		bool broken = grid->broken;

		if (word->kind != WORD_TEXT) {
			add_cell(grid, word);
			continue;
		}
		begin_row(grid, word, line->number);
		grid->ncell = ncell;
		grid->broken = broken;
		grid_end_row(import);
		grid->ncell = 0;
		grid->broken = false;
	}
}

bool grid_line(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;
	size_t from = 0;

	if (!grid->active || grid->n == 0)
		return false;
	if (grid->half) {
		if (line->numbers == line->nword)
			half_line(import, line);
		else
			grid_close(import);
		return true;
	}
	if (line->numbers == line->nword && !grid->name_last) {
		for (size_t i = 0; grid->named && i < line->nword; i++)
			add_cell(grid, &line->word[i]);
		grid->one_line = false;
		return true;
	}
	if (!grid->name_last)
		grid_end_row(import);
	if (grid->clocked && !sar_row_begins(import, line, &from))
		return true;
	if (from) { /* a new row, whatever is left of the one before */
		grid->ncell = 0;
		grid->broken = false;
	}
	if (grid->name_last)
		walk_name_last(import, line, from);
	else
		walk_name_first(import, line, from);
	if (!grid->clocked && grid->named)
		read_stamp(grid, line);
	grid->broken |= line->overfull;
	return true;
}

void grid_blank(struct import *import)
{
	struct grid *grid = &import->grid;

	if (!grid->active)
		return;
	grid_end_row(import);
	grid->ncell = 0;
	if (grid->ends_on_blank && !grid->heading)
		grid->active = false;
}

void grid_close(struct import *import)
{
	if (import->grid.active)
		grid_end_row(import);
	import->grid.active = false;
	import->grid.named = false;
}
