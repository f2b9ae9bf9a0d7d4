/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables whose cells a mark parts: this program's own CSV of devices, sadf -d, and
 * what scripts make of iostat, read by the names in their header.
 */
#include "importer.h"

#include <stdio.h>
#include <string.h>

/* The next cell, without its quotes, into buf. false: there is none. */
static bool next_cell(const char **p, const char *end, char mark, char *buf, size_t size,
		      size_t *length)
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
		} else if (!quoted && **p == mark) {
			break;
		}
		if (n + 1 < size)
			buf[n++] = **p;
	}
	buf[n] = '\0';
	*length = n;
	*p = *p < end && **p == mark ? *p + 1 : NULL;
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
		      {"sqfull", FIELD_SQFULL},
		      {"slotwait/s", FIELD_SLOTWAIT},
		      {"avslot", FIELD_AVSLOT}};
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

static void begin_table(struct import *import, const struct line *line)
{
	struct csv_table *csv = &import->csv;

	csv->active = csv->device != SIZE_MAX;
	grid_close(import);
	context_break(import);
	if (!csv->active && !import->summary.foreign) {
		import->summary.foreign = "iotriage's own CSV without devices";
		import->summary.foreign_remedy = "use --panel devices";
		import->summary.foreign_line = line->number;
	}
}

static bool own_header(struct import *import, const struct line *line)
{
	static const char begin[] = "time,epoch,";
	struct csv_table *csv = &import->csv;
	const char *p = line->p, *end = line->p + line->n;
	char name[64];
	size_t n;

	if (line->n < sizeof(begin) || memcmp(line->p, begin, sizeof(begin) - 1) != 0)
		return false;
	*csv = (struct csv_table){.mark = ',',
				  .format = IMPORT_OWN_CSV,
				  .device = SIZE_MAX,
				  .epoch = 1,
				  .interval = SIZE_MAX,
				  .since_boot = SIZE_MAX};
	while (next_cell(&p, end, ',', name, sizeof(name), &n) && csv->n < GRID_COLUMNS_MAX) {
		if (strcmp(name, "device") == 0)
			csv->device = csv->n;
		else if (strcmp(name, "interval") == 0)
			csv->interval = csv->n;
		else if (strcmp(name, "since_boot") == 0)
			csv->since_boot = csv->n;
		csv->field[csv->n] = own_field(name);
		csv->factor[csv->n++] = 1;
	}
	begin_table(import, line);
	return true;
}

/* A column of another's table. True: it is one of figures. */
static bool take_column(struct csv_table *csv, const char *name, size_t n)
{
	const struct word word = {.p = name, .n = n};
	const struct heading *heading = heading_find(&word);

	csv->field[csv->n] = heading ? heading->field : FIELD_NONE;
	csv->factor[csv->n] = heading ? heading->factor : 1;
	if (word_is(&word, "DEV") || word_is(&word, "Device") || word_is(&word, "device") ||
	    word_is(&word, "Device:"))
		csv->device = csv->n;
	else if (word_is(&word, "interval"))
		csv->interval = csv->n;
	else if (word_is(&word, "timestamp") || word_is(&word, "time"))
		csv->time = csv->n;
	csv->n++;
	return heading != NULL;
}

/* "# hostname;interval;timestamp;DEV;tps;...", "Device,r/s,w/s,..." */
static bool other_header(struct import *import, const struct line *line)
{
	enum { FEWEST = 3 };
	struct csv_table csv = {.device = SIZE_MAX,
				.epoch = SIZE_MAX,
				.interval = SIZE_MAX,
				.since_boot = SIZE_MAX,
				.time = SIZE_MAX,
				.format = IMPORT_IOSTAT};
	const char *p = line->p, *end = line->p + line->n;
	size_t n, known = 0;
	char name[64];

	csv.mark = memchr(p, ';', line->n) ? ';' : memchr(p, ',', line->n) ? ',' : 0;
	if (!csv.mark)
		return false;
	for (; p < end && (*p == '#' || *p == ' '); p++)
		;
	while (next_cell(&p, end, csv.mark, name, sizeof(name), &n) && csv.n < GRID_COLUMNS_MAX)
		known += take_column(&csv, name, n);
	if (csv.device == SIZE_MAX || known < FEWEST)
		return false;
	if (csv.interval != SIZE_MAX && csv.time != SIZE_MAX)
		csv.format = IMPORT_SAR;
	import->csv = csv;
	begin_table(import, line);
	return true;
}

static bool mentions(const struct line *line, const char *text)
{
	return memmem(line->p, line->n, text, strlen(text)) != NULL;
}

static bool csv_header(struct import *import, const struct line *line)
{
	if (own_header(import, line))
		return true;
	return (mentions(line, "DEV") || mentions(line, "evice")) && other_header(import, line);
}

/* "db01;-1;2024-03-01 02:00:01 UTC;LINUX-RESTART	(4 CPU)" */
static bool csv_restart(struct import *import, const struct line *line)
{
	if (import->csv.format != IMPORT_SAR || !mentions(line, "LINUX-RESTART"))
		return false;
	import->summary.restarts++;
	context_break(import);
	return true;
}

struct csv_row {
	char time[CLOCK_TEXT_MAX], device[DEVICE_NAME_MAX];
	struct value field[FIELDS];
	double epoch, interval;
	bool since_boot;
};

/* A cell of a number; "" is absent, anything else makes the row no row. */
static bool read_number(const struct csv_table *csv, const char *text, size_t n,
			struct value *value)
{
	struct number_style style = {.decimals =
					 csv->mark == ',' ? DECIMALS_POINT : DECIMALS_UNKNOWN};
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
	for (i = 0; i < csv->n && next_cell(&p, end, csv->mark, cell, sizeof(cell), &n); i++) {
		struct value value = value_absent(ABSENT_UNSUPPORTED);
		bool metric = csv->field[i] != FIELD_NONE || i == csv->epoch ||
			      i == csv->interval || i == csv->since_boot;

		if (metric && !read_number(csv, cell, n, &value))
			return false;
		if (i == csv->time)
			snprintf(row->time, sizeof(row->time), "%.*s", CLOCK_TEXT_MAX - 1, cell);
		else if (i == csv->device)
			memcpy(row->device, cell, n + 1);
		else if (i == csv->epoch)
			row->epoch = value_or(value, 0);
		else if (i == csv->interval)
			row->interval = value_or(value, 0);
		else if (i == csv->since_boot)
			row->since_boot = value_or(value, 0) > 0;
		else if (metric && value_known(value))
			row->field[csv->field[i]] = value_of(value.n * csv->factor[i]);
	}
	const struct word device = {.p = row->device, .n = strlen(row->device)};
	return i == csv->n && !p && device_name_fits(&device);
}

/* "2024-05-01 10:00:05 UTC" of sadf, or seconds since 1970. */
static struct stamp read_time(const char *text)
{
	static const char utc[] = "2024-05-01 10:00:05 UTC";
	struct number_style style = {0};
	struct line line = {.p = text, .n = strlen(text)};
	struct stamp stamp = {0};
	char iso[CLOCK_TEXT_MAX];

	if (line.n == sizeof(utc) - 1 && strcmp(text + 19, utc + 19) == 0) {
		snprintf(iso, sizeof(iso), "%.10sT%.8sZ", text, text + 11);
		line.p = iso;
		line.n = strlen(iso);
	}
	line_words(&line, &style);
	if (line.nword == 0 || !stamp_read(&line, &stamp))
		stamp = (struct stamp){0};
	return stamp;
}

/* The block of the row, which may be the one that is being read. */
static bool begin_rows(struct import *import, const struct line *line, const struct csv_row *row)
{
	struct csv_table *csv = &import->csv;
	struct block *block = &import->block;
	enum boot_hint hint = row->since_boot ? BOOT_CERTAIN : BOOT_NEVER;

	if (csv->format == IMPORT_IOSTAT)
		hint = context_take_hint(import);

	if (block_begin(import, csv->format, line->number, hint))
		return false;
	snprintf(csv->last_time, sizeof(csv->last_time), "%s", row->time);
	if (csv->format == IMPORT_SAR)
		block->stamp = read_time(row->time);
	else
		block->stamp = (struct stamp){
		    .known = row->epoch > 0, .dated = row->epoch > 0, .seconds = row->epoch};
	snprintf(block->stamp.text, sizeof(block->stamp.text), "%s", row->time);
	block->seconds = row->interval;
	return true;
}

bool csv_line(struct import *import, const struct line *line)
{
	struct csv_table *csv = &import->csv;
	struct block *block = &import->block;
	struct csv_row row;

	if (csv_header(import, line))
		return true;
	if (!csv->active || !memchr(line->p, csv->mark, line->n))
		return false;
	if (csv_restart(import, line))
		return true;
	if (!read_row(csv, line, &row)) {
		/* the last row of a text may be cut */
		if (!line->last)
			csv->active = false;
		return line->last;
	}
	size_t n = strlen(row.device), at;
	if ((!block->pending || block->format != csv->format ||
	     strcmp(csv->last_time, row.time) != 0 ||
	     block_find(import, row.device, n) != SIZE_MAX) &&
	    !begin_rows(import, line, &row))
		return true;
	at = block_add(import, row.device, n, line->number);
	if (at != SIZE_MAX)
		memcpy(block->field[at], row.field, sizeof(row.field));
	return true;
}
