/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sadf -d: sar -d for spreadsheets, a row for each device, between semicolons. */
#include "importer.h"

#include <stdio.h>
#include <string.h>

/* The next cell. false: there is none. */
static bool next_cell(const char **p, const char *end, struct word *cell)
{
	const char *mark;

	if (!*p)
		return false;
	mark = memchr(*p, ';', (size_t)(end - *p));
	*cell = (struct word){.p = *p, .n = (size_t)((mark ? mark : end) - *p)};
	*p = mark ? mark + 1 : NULL;
	return true;
}

/* "hostname;interval;timestamp;DEV;tps;...": the header of another table ends this one. */
static bool sadf_header(struct import *import, const struct line *line)
{
	static const char begin[] = "hostname;interval;timestamp;";
	struct sadf_table *table = &import->sadf;
	const char *p = line->p, *end = line->p + line->n;
	struct word cell;

	while (p < end && *p == ' ')
		p++;
	if ((size_t)(end - p) < sizeof(begin) || memcmp(p, begin, sizeof(begin) - 1) != 0)
		return false;
	p += sizeof(begin) - 1;
	table->active = next_cell(&p, end, &cell) && word_is(&cell, "DEV");
	table->n = 0;
	while (table->active && next_cell(&p, end, &cell)) {
		if (table->n == GRID_COLUMNS_MAX)
			table->active = false;
		else
			table->column[table->n++] = heading_find(&cell);
	}
	grid_close(import);
	context_break(import);
	return true;
}

/* "2024-05-01 10:00:05 UTC", or seconds since 1970 */
static struct stamp read_time(const struct word *cell)
{
	struct number_style style = {0};
	struct line line = {.p = cell->p, .n = cell->n};
	struct stamp stamp;
	char iso[CLOCK_TEXT_MAX];

	if (cell->n == sizeof("2024-05-01 10:00:05 UTC") - 1) {
		snprintf(iso, sizeof(iso), "%.10sT%.8sZ", cell->p, cell->p + 11);
		line.p = iso;
		line.n = strlen(iso);
	}
	line_words(&line, &style);
	if (line.nword == 0 || !stamp_read(&line, &stamp))
		stamp = (struct stamp){0};
	snprintf(stamp.text, sizeof(stamp.text), "%.*s", (int)cell->n, cell->p);
	return stamp;
}

static bool begin_row(struct import *import, const struct line *line, const struct word cell[4])
{
	struct block *block = &import->block;
	struct stamp stamp = read_time(&cell[2]);
	struct word interval = cell[1];

	if (block->pending && block->format == IMPORT_SAR &&
	    strcmp(block->stamp.text, stamp.text) == 0 &&
	    block_find(import, cell[3].p, cell[3].n) == SIZE_MAX)
		return true;
	if (block_begin(import, IMPORT_SAR, line->number, BOOT_NEVER))
		return false;
	word_read(&interval, &import->style);
	block->stamp = stamp;
	block->seconds = interval.kind == WORD_NUMBER && interval.number > 0 ? interval.number : 0;
	return true;
}

static void store(struct import *import, const struct line *line, const struct word cell[4],
		  const char *p)
{
	const struct sadf_table *table = &import->sadf;
	const char *end = line->p + line->n;
	struct value field[FIELDS];
	struct word word;
	size_t n = 0, row;

	fields_clear(field);
	for (; n < table->n && next_cell(&p, end, &word); n++) {
		const struct heading *heading = table->column[n];

		if (word.n)
			word_read(&word, &import->style);
		if (heading && word.n)
			field[heading->field] = heading_value(heading, &word);
	}
	field[FIELD_NONE] = value_absent(ABSENT_UNSUPPORTED);
	if (n < table->n || p || !begin_row(import, line, cell)) {
		if (!import->summary.dropped++)
			import->summary.dropped_line = line->number;
		return;
	}
	row = block_add(import, cell[3].p, cell[3].n, line->number);
	if (row != SIZE_MAX)
		memcpy(import->block.field[row], field, sizeof(field));
}

bool sadf_line(struct import *import, const struct line *line)
{
	const char *p = line->p, *end = line->p + line->n;
	struct word cell[4];

	if (sadf_header(import, line))
		return true;
	if (!import->sadf.active || !memchr(line->p, ';', line->n))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!next_cell(&p, end, &cell[i]))
			return false;
	if (word_is(&cell[3], "LINUX-RESTART")) {
		import->summary.restarts++;
		context_break(import);
	} else if (p && device_name_fits(&cell[3])) {
		store(import, line, cell, p);
	}
	return true;
}
