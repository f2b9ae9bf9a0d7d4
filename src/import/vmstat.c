/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmstat's rows, and the two lines of /proc/meminfo that rules use. */
#include "importer.h"

#include <string.h>

enum { VMSTAT_OTHER, VMSTAT_B, VMSTAT_SI, VMSTAT_SO, VMSTAT_BI, VMSTAT_BO, VMSTAT_WA };

/* si and so are KiB/s; the frame counts pages as the kernel does */
static const double page_kib = 4;

static int vmstat_column(const struct word *word)
{
	static const char *const names[] = {
	    [VMSTAT_OTHER] = "", [VMSTAT_B] = "b",   [VMSTAT_SI] = "si", [VMSTAT_SO] = "so",
	    [VMSTAT_BI] = "bi",  [VMSTAT_BO] = "bo", [VMSTAT_WA] = "wa"};

	for (int i = VMSTAT_B; i <= VMSTAT_WA; i++)
		if (word_is(word, names[i]))
			return i;
	return VMSTAT_OTHER;
}

static bool is_lower(const struct word *word)
{
	for (size_t i = 0; i < word->n; i++)
		if (word->p[i] < 'a' || word->p[i] > 'z')
			return false;
	return true;
}

/* Up to the name of the zone that -t puts behind them. */
static void add_columns(struct vmstat_table *table, const struct line *line)
{
	for (size_t i = 0; i < line->nword && table->n < GRID_COLUMNS_MAX; i++)
		if (is_lower(&line->word[i]))
			table->column[table->n++] = vmstat_column(&line->word[i]);
		else
			break;
}

/* "id wa st", where the header was broken. */
static bool continue_header(struct vmstat_table *table, const struct line *line)
{
	static const char *const last[] = {"in", "cs", "us", "sy", "id", "wa", "st", "gu"};

	if (!table->heading)
		return false;
	for (size_t i = 0; i < line->nword; i++) {
		bool known = false;
		for (size_t k = 0; k < sizeof(last) / sizeof(*last); k++)
			known |= word_is(&line->word[i], last[k]);
		if (!known)
			return false;
	}
	add_columns(table, line);
	return true;
}

static bool vmstat_header(struct import *import, const struct line *line)
{
	struct vmstat_table *table = &import->vmstat;

	if (continue_header(table, line))
		return true;
	table->heading = false;
	if (line->nword < 12 || line->nword > GRID_COLUMNS_MAX || !word_is(&line->word[0], "r") ||
	    !word_is(&line->word[1], "b") || !word_is(&line->word[2], "swpd"))
		return false;
	table->active = table->heading = true;
	table->n = table->ncell = 0;
	add_columns(table, line);
	grid_close(import);
	return true;
}

/*
 * The figures of a row: all words but a clock in front and a date behind, with
 * which the row must be whole. false: it is no row.
 */
static bool row_figures(const struct vmstat_table *table, const struct line *line, size_t *from,
			size_t *to)
{
	*from = line->nword > 1 && word_is_clock(&line->word[0]);
	for (*to = *from; *to < line->nword && line->word[*to].kind != WORD_TEXT; ++*to)
		;
	for (size_t i = *to; i < line->nword; i++)
		if (line->word[i].kind != WORD_TEXT)
			return false;
	return *to - *from == line->nword || (*to - *from == table->n && table->n && !table->ncell);
}

static void vmstat_row(struct import *import, unsigned long line)
{
	struct vmstat_table *table = &import->vmstat;
	struct system_row *row = &import->block.frame.system;

	/* the first row of a run is the average since boot */
	if (block_begin(import, IMPORT_VMSTAT, line, table->seen ? BOOT_NEVER : BOOT_CERTAIN))
		return;
	table->seen = true;
	import->block.has_system = true;
	import->summary.met[IMPORT_VMSTAT].rows++;
	for (size_t i = 0; i < table->n; i++) {
		struct value v = table->cell[i];
		struct value pages = value_known(v) ? value_of(v.n / page_kib) : v;
		switch (table->column[i]) {
		case VMSTAT_B:
			row->blocked = v;
			break;
		case VMSTAT_SI:
			row->pswpin = pages;
			break;
		case VMSTAT_SO:
			row->pswpout = pages;
			break;
		case VMSTAT_BI:
			row->pgpgin = v;
			break;
		case VMSTAT_BO:
			row->pgpgout = v;
			break;
		case VMSTAT_WA:
			row->iowait = v;
			break;
		default:
			break;
		}
	}
}

bool vmstat_line(struct import *import, const struct line *line)
{
	struct vmstat_table *table = &import->vmstat;
	size_t from, to;

	if (line->numbers == 0)
		return vmstat_header(import, line);
	if (!table->active || !row_figures(table, line, &from, &to))
		return false;
	table->heading = false;
	for (size_t i = from; i < to; i++, table->ncell++)
		if (table->ncell < table->n)
			table->cell[table->ncell] = line->word[i].kind == WORD_NUMBER
							? value_of(line->word[i].number)
							: value_absent(ABSENT_UNSUPPORTED);
	if (table->ncell < table->n)
		return true; /* the rest is on the next line */
	if (table->ncell == table->n)
		vmstat_row(import, line->number);
	else if (!import->summary.dropped++)
		import->summary.dropped_line = line->number;
	table->ncell = 0;
	return true;
}

bool meminfo_line(struct import *import, const struct line *line)
{
	struct system_row *row = &import->block.frame.system;
	bool dirty = word_is(&line->word[0], "Dirty:");

	if (line->nword != 3 || line->word[1].kind != WORD_NUMBER ||
	    !word_is(&line->word[2], "kB") || (!dirty && !word_is(&line->word[0], "Writeback:")))
		return false;
	import_met(import, IMPORT_MEMINFO, line->number);
	import->summary.met[IMPORT_MEMINFO].rows++;
	/* it belongs to the report above it */
	if (import->block.pending)
		*(dirty ? &row->dirty_kib : &row->writeback_kib) = value_of(line->word[1].number);
	return true;
}
