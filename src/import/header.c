/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a table of devices: which figure stands in which column. */
#include "importer.h"

#include <string.h>

/* "Device:", "DEV", "[18:01:12]Device", "Disks:" */
static bool is_device_word(const struct word *word)
{
	struct word bare = word_bare(word);

	return word_is(&bare, "Device") || word_is(&bare, "Device:") || word_is(&bare, "DEV") ||
	       word_is(&bare, "device") || word_is(&bare, "Disks:");
}

static bool grid_add_column(struct grid *grid, const struct word *word)
{
	if (grid->n == GRID_COLUMNS_MAX)
		return false;
	grid->column[grid->n] = heading_find(word);
	grid->end[grid->n] = word->end;
	grid->padded |= grid->n > 0 && word->end - word->n > grid->end[grid->n - 1] + 1;
	if (grid->column[grid->n] && grid->column[grid->n]->field != FIELD_NONE)
		grid->fields |= (uint64_t)1 << grid->column[grid->n]->field;
	grid->n++;
	return true;
}

static size_t known_words(const struct line *line, size_t from, size_t to)
{
	size_t known = 0;

	for (size_t i = from; i < to; i++)
		known += heading_find(&line->word[i]) != NULL;
	return known;
}

/* "% tm_act" is one column. */
static bool is_lone_percent(const struct line *line, size_t i)
{
	return word_is(&line->word[i], "%") && i + 1 < line->nword &&
	       word_is(&line->word[i + 1], "tm_act");
}

static void read_columns(struct grid *grid, const struct line *line, size_t from, size_t to)
{
	static const struct heading busy = {"%tm_act", FIELD_UTIL, 1, UNIT_PERCENT, 1};

	/* AIX, -T: rows end with a clock, which is no figure */
	if (to > from && word_is(&line->word[to - 1], "time"))
		to--;
	for (size_t i = from; i < to; i++) {
		bool percent = is_lone_percent(line, i);

		i += percent;
		if (!grid_add_column(grid, &line->word[i]))
			grid->active = false;
		else if (percent) {
			grid->column[grid->n - 1] = &busy;
			grid->fields |= (uint64_t)1 << FIELD_UTIL;
		}
	}
}

static bool numbers_behind(const struct line *line, size_t from)
{
	for (size_t i = from; i < line->nword; i++)
		if (line->word[i].kind != WORD_TEXT)
			return true;
	return false;
}

/* The device word's place; SIZE_MAX: the line is no header. */
static size_t header_device(const struct line *line)
{
	enum { STAMP_NUMBERS = 3 }; /* "Nov 30 14:00:01 Device ..." */

	if (line->numbers > STAMP_NUMBERS)
		return SIZE_MAX;
	for (size_t i = 0; i < line->nword; i++)
		if (is_device_word(&line->word[i]) && !numbers_behind(line, i)) {
			size_t behind = known_words(line, i + 1, line->nword);
			size_t before = known_words(line, 0, i);

			if (behind >= 1 && behind >= before)
				return i;
			if (before >= 2 && i + 1 == line->nword)
				return i;
		}
	return SIZE_MAX;
}

bool grid_stray_header(const struct line *line)
{
	return line->nword >= 2 && line->numbers == 0 &&
	       2 * known_words(line, 0, line->nword) > line->nword;
}

static void start_iostat(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;

	grid->format = word_is(&line->word[0], "Disks:") ? IMPORT_AIX_IOSTAT : IMPORT_IOSTAT;
	grid->ends_on_blank = grid->name_last;
}

static bool continue_header(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;

	if (!grid->heading || header_device(line) != SIZE_MAX || !grid_stray_header(line))
		return false;
	read_columns(grid, line, 0, line->nword);
	grid->wrapped = true;
	return true;
}

/*
 * A page that is too narrow may have the rest of the columns as a table of its
 * own below the rows: a header without "Device", rows without names, in order.
 */
static bool second_half(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;
	uint64_t before = grid->fields;

	if (!grid->active || grid->heading || grid->name_last || grid->clocked || grid->half ||
	    line->nword < 2 || known_words(line, 0, line->nword) < line->nword)
		return false;
	grid_end_row(import);
	if (!import->block.pending || import->block.seen != before)
		return false;
	grid->n = 0;
	grid->fields = 0;
	read_columns(grid, line, 0, line->nword);
	if (grid->fields & before)
		return false;
	import->block.seen |= grid->fields;
	import->block.halves = grid->half = true;
	grid->half_row = 0;
	return true;
}

/* Some of the words of a line, as a line of its own. */
static void part_of(struct line *part, const struct line *line, size_t from, size_t to)
{
	part->nword = part->numbers = 0;
	for (size_t i = from; i < to; i++) {
		part->word[part->nword++] = line->word[i];
		part->numbers += line->word[i].kind != WORD_TEXT;
	}
}

bool grid_flat(struct import *import, const struct line *line)
{
	enum { BEFORE = 2, COLUMNS = 4 };
	struct line part = *line;
	size_t device = 0, row;

	while (device < line->nword && device <= BEFORE && !is_device_word(&line->word[device]))
		device++;
	for (row = device + 1; row < line->nword && heading_find(&line->word[row]);)
		row++;
	if (device > BEFORE || row <= device + COLUMNS || row + 1 >= line->nword ||
	    !device_name_fits(&line->word[row]) || line->word[row + 1].kind == WORD_TEXT)
		return false;
	part_of(&part, line, 0, row);
	if (!grid_header(import, &part))
		return false;
	part_of(&part, line, row, line->nword);
	return grid_line(import, &part);
}

bool grid_header(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;
	size_t device = header_device(line);

	if (device == SIZE_MAX) {
		if (continue_header(import, line) || second_half(import, line))
			return true;
		/* a header whose beginning is lost, or one of another of sar's tables */
		bool other =
		    grid->clocked && line->nword > 2 && line->numbers == 0 && sar_begins(line);
		if (!other && !grid_stray_header(line))
			return false;
		grid_close(import);
		return true;
	}
	grid_close(import);
	import->vmstat.active = false;
	memset(grid, 0, sizeof(*grid));
	grid->active = grid->heading = grid->fresh = true;
	grid->name_last = device + 1 == line->nword;
	sar_header(import, line, device);
	if (!grid->clocked)
		start_iostat(import, line);
	size_t from = grid->name_last ? 0 : device + 1;
	while (grid->name_last && from < device && !heading_find(&line->word[from]))
		from++;
	read_columns(grid, line, from, grid->name_last ? device : line->nword);
	return true;
}
