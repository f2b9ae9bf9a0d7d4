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

static bool vmstat_header(struct import *import, const struct line *line)
{
	struct vmstat_table *table = &import->vmstat;

	if (line->nword < 12 || line->nword > GRID_COLUMNS_MAX || !word_is(&line->word[0], "r") ||
	    !word_is(&line->word[1], "b") || !word_is(&line->word[2], "swpd"))
		return false;
	table->active = true;
	/* -t puts the zone's name behind the columns */
	for (table->n = 0; table->n < line->nword && is_lower(&line->word[table->n]); table->n++)
		table->column[table->n] = vmstat_column(&line->word[table->n]);
	grid_close(import);
	return true;
}

/* How many words stand before the figures: a clock, or none. SIZE_MAX: it is no row. */
static size_t row_begins(const struct vmstat_table *table, const struct line *line)
{
	size_t from = line->nword > 1 && word_is_clock(&line->word[0]);

	for (size_t i = from; i < line->nword; i++)
		if ((line->word[i].kind != WORD_TEXT) != (i < from + table->n))
			return SIZE_MAX;
	return line->nword < from + table->n ? SIZE_MAX : from;
}

static void vmstat_row(struct import *import, const struct line *line, size_t from)
{
	struct vmstat_table *table = &import->vmstat;
	struct system_row *row = &import->block.frame.system;

	/* the first row of a run is the average since boot */
	if (block_begin(import, IMPORT_VMSTAT, line->number,
			table->seen ? BOOT_NEVER : BOOT_CERTAIN))
		return;
	table->seen = true;
	import->block.has_system = true;
	import->summary.met[IMPORT_VMSTAT].rows++;
	for (size_t i = 0; i < table->n; i++) {
		const struct word *word = &line->word[from + i];
		struct value v = word->kind == WORD_NUMBER ? value_of(word->number)
							   : value_absent(ABSENT_UNSUPPORTED);
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
	size_t from;

	if (line->numbers == 0)
		return vmstat_header(import, line);
	if (!table->active)
		return false;
	from = row_begins(table, line);
	if (from != SIZE_MAX)
		vmstat_row(import, line, from);
	else if (line->numbers != line->nword)
		return false;
	else if (!import->summary.dropped++)
		import->summary.dropped_line = line->number;
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
