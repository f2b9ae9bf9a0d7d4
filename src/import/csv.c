/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program's own CSV of devices, read back by the names in its header. */
#include "importer.h"

#include <stdio.h>
#include <string.h>

/* The next cell, without its quotes, into buf. false: there is none. */
static bool next_cell(const char **p, const char *end, char *buf, size_t size, size_t *length)
{
	size_t n = 0;
	bool quoted;

	if (!*p)
		return false;
	quoted = *p < end && **p == '"';
	*p += quoted;
	for (; *p < end; (*p)++) {
		if (quoted && **p == '"') {
			(*p)++;
			quoted = *p < end && **p == '"';
			if (!quoted)
				break;
		} else if (!quoted && **p == ',') {
			break;
		}
		if (n + 1 < size)
			buf[n++] = **p;
	}
	buf[n] = '\0';
	*length = n;
	*p = *p < end && **p == ',' ? *p + 1 : NULL;
	return true;
}

enum field own_field(const char *name)
{
	static const struct {
		const char *name;
		enum field field;
	} others[] = {{"inflight", FIELD_INFLIGHT},
		      {"minwait", FIELD_MINWAIT},
		      {"maxwait", FIELD_MAXWAIT},
		      {"sqfull", FIELD_SQFULL}};
	const struct word word = {.p = name, .n = strlen(name)};
	/* most are called as iostat calls them, in the same unit */
	const struct heading *heading = heading_find(&word);

	if (heading)
		return heading->field;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(others[i].name, name) == 0)
			return others[i].field;
	return FIELD_NONE;
}

static bool csv_header(struct import *import, const struct line *line)
{
	static const char begin[] = "time,epoch,";
	struct csv_table *csv = &import->csv;
	const char *p = line->p, *end = line->p + line->n;
	char name[64];
	size_t n;

	if (line->n < sizeof(begin) || memcmp(line->p, begin, sizeof(begin) - 1) != 0)
		return false;
	*csv = (struct csv_table){
	    .device = SIZE_MAX, .epoch = 1, .interval = SIZE_MAX, .since_boot = SIZE_MAX};
	while (next_cell(&p, end, name, sizeof(name), &n) && csv->n < GRID_COLUMNS_MAX) {
		if (strcmp(name, "device") == 0)
			csv->device = csv->n;
		else if (strcmp(name, "interval") == 0)
			csv->interval = csv->n;
		else if (strcmp(name, "since_boot") == 0)
			csv->since_boot = csv->n;
		csv->field[csv->n++] = own_field(name);
	}
	csv->active = csv->device != SIZE_MAX;
	grid_close(import);
	context_break(import);
	if (!csv->active && !import->summary.foreign) {
		import->summary.foreign = "iotriage's own CSV without devices";
		import->summary.foreign_remedy = "use --panel devices";
		import->summary.foreign_line = line->number;
	}
	return true;
}

struct csv_row {
	char time[CLOCK_TEXT_MAX], device[DEVICE_NAME_MAX];
	struct value field[FIELDS];
	double epoch, interval;
	bool since_boot;
};

/* A cell of a number; "" is absent, anything else makes the row no row. */
static bool read_number(const char *text, size_t n, struct value *value)
{
	struct number_style style = {.decimals = DECIMALS_POINT};
	struct word word = {.p = text, .n = n};

	*value = value_absent(ABSENT_UNSUPPORTED);
	if (n == 0)
		return true;
	word_read(&word, &style);
	if (word.kind != WORD_NUMBER || word.suffix)
		return false;
	*value = value_of(word.number);
	return true;
}

static bool read_row(const struct csv_table *csv, const struct line *line, struct csv_row *row)
{
	const char *p = line->p, *end = line->p + line->n;
	char cell[DEVICE_NAME_MAX];
	size_t n, i;

	memset(row, 0, sizeof(*row));
	fields_clear(row->field);
	for (i = 0; i < csv->n && next_cell(&p, end, cell, sizeof(cell), &n); i++) {
		struct value value;
		bool metric = csv->field[i] != FIELD_NONE || i == csv->epoch ||
			      i == csv->interval || i == csv->since_boot;

		if (metric && !read_number(cell, n, &value))
			return false;
		if (i == 0)
			snprintf(row->time, sizeof(row->time), "%.*s", CLOCK_TEXT_MAX - 1, cell);
		else if (i == csv->device)
			memcpy(row->device, cell, n + 1);
		else if (i == csv->epoch)
			row->epoch = value_or(value, 0);
		else if (i == csv->interval)
			row->interval = value_or(value, 0);
		else if (i == csv->since_boot)
			row->since_boot = value_or(value, 0) > 0;
		else if (metric)
			row->field[csv->field[i]] = value;
	}
	const struct word device = {.p = row->device, .n = strlen(row->device)};
	return i == csv->n && !p && device_name_fits(&device);
}

bool csv_line(struct import *import, const struct line *line)
{
	struct csv_table *csv = &import->csv;
	struct block *block = &import->block;
	struct csv_row row;

	if (csv_header(import, line))
		return true;
	if (!csv->active || !memchr(line->p, ',', line->n))
		return false;
	if (!read_row(csv, line, &row)) {
		/* the last row of a text may be cut */
		if (!line->last)
			csv->active = false;
		return line->last;
	}
	size_t n = strlen(row.device), at;
	if (!block->pending || block->format != IMPORT_OWN_CSV ||
	    strcmp(csv->last_time, row.time) != 0 ||
	    block_find(import, row.device, n) != SIZE_MAX) {
		if (block_begin(import, IMPORT_OWN_CSV, line->number,
				row.since_boot ? BOOT_CERTAIN : BOOT_NEVER))
			return true;
		snprintf(csv->last_time, sizeof(csv->last_time), "%s", row.time);
		block->stamp.known = block->stamp.dated = row.epoch > 0;
		block->stamp.seconds = row.epoch;
		snprintf(block->stamp.text, sizeof(block->stamp.text), "%s", row.time);
		block->seconds = row.interval;
	}
	at = block_add(import, row.device, n, line->number);
	if (at != SIZE_MAX)
		memcpy(block->field[at], row.field, sizeof(row.field));
	return true;
}
