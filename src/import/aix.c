/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AIX iostat -D: a disk's figures in sections of their own lines, or with -l all
 * in one row below a header of several lines.
 */
#include "importer.h"

#include <string.h>

static const struct heading xfer[] = {
    {"%tm_act", FIELD_UTIL, 1, UNIT_PERCENT, 1},
    {"tps", FIELD_IOPS, 1, UNIT_COUNT, 1},
    {"bread", FIELD_RKB, 1.0 / 1024, UNIT_KIB, 1},
    {"bwrtn", FIELD_WKB, 1.0 / 1024, UNIT_KIB, 1},
};
static const struct heading reads[] = {
    {"rps", FIELD_R, 1, UNIT_COUNT, 1},
    {"avgserv", FIELD_AVSERV_R, 1, UNIT_MS, 1},
    {"minserv", FIELD_MINSERV_R, 1, UNIT_MS, 1},
    {"maxserv", FIELD_MAXSERV_R, 1, UNIT_MS, 1},
};
static const struct heading writes[] = {
    {"wps", FIELD_W, 1, UNIT_COUNT, 1},
    {"avgserv", FIELD_AVSERV_W, 1, UNIT_MS, 1},
    {"minserv", FIELD_MINSERV_W, 1, UNIT_MS, 1},
    {"maxserv", FIELD_MAXSERV_W, 1, UNIT_MS, 1},
};
static const struct heading queue[] = {
    {"avgtime", FIELD_AVWAIT, 1, UNIT_MS, 1},
    {"mintime", FIELD_MINWAIT, 1, UNIT_MS, 1},
    {"maxtime", FIELD_MAXWAIT, 1, UNIT_MS, 1},
    {"sqfull", FIELD_SQFULL, 1, UNIT_COUNT, 1},
};

static const struct section {
	const char *label;
	const struct heading *heading;
	size_t n;
} sections[] = {
    [AIX_NONE] = {"", NULL, 0},         [AIX_XFER] = {"xfer:", xfer, 4},
    [AIX_READ] = {"read:", reads, 4},   [AIX_WRITE] = {"write:", writes, 4},
    [AIX_QUEUE] = {"queue:", queue, 4},
};

static const struct heading *section_heading(int section, const struct word *word)
{
	for (size_t i = 0; i < sections[section].n; i++)
		if (word_is(word, sections[section].heading[i].name))
			return &sections[section].heading[i];
	return NULL;
}

static bool begin_section(struct import *import, const struct line *line, size_t at, int section)
{
	struct aix_disk *aix = &import->aix;

	/* the lines that name the next disk are lost: whose figures these are is not known */
	if (section != AIX_XFER && section <= aix->last)
		aix->disks = false;
	aix->last = section;
	if (section == AIX_XFER) {
		struct word name = at ? word_bare(&line->word[at - 1]) : (struct word){0};
		bool busy = false;

		for (size_t i = at + 1; i < line->nword; i++)
			busy |= word_is(&line->word[i], "%tm_act");
		aix->disks = at && busy && device_name_fits(&name);
		if (aix->disks) {
			memcpy(aix->name, name.p, name.n);
			aix->name[name.n] = '\0';
		}
	}
	aix->section = section;
	aix->n = 0;
	for (size_t i = at + 1; i < line->nword && aix->n < GRID_COLUMNS_MAX; i++)
		aix->column[aix->n++] = section_heading(section, &line->word[i]);
	return true;
}

static size_t disk_row(struct import *import, unsigned long line, bool again)
{
	struct block *block = &import->block;
	size_t n = strlen(import->aix.name);
	size_t row = block->pending && block->format == IMPORT_AIX_IOSTAT
			 ? block_find(import, import->aix.name, n)
			 : SIZE_MAX;

	if (!block->pending || block->format != IMPORT_AIX_IOSTAT || (again && row != SIZE_MAX)) {
		if (block_begin(import, IMPORT_AIX_IOSTAT, line, BOOT_NEVER))
			return SIZE_MAX;
		row = SIZE_MAX;
	}
	return row != SIZE_MAX ? row : block_add(import, import->aix.name, n, line);
}

static bool section_figures(struct import *import, const struct line *line)
{
	struct aix_disk *aix = &import->aix;
	int section = aix->section;

	if (section == AIX_NONE || line->numbers != line->nword)
		return false;
	aix->section = AIX_NONE;
	if (line->nword != aix->n) {
		if (!import->summary.dropped++)
			import->summary.dropped_line = line->number;
		return true;
	}
	if (!aix->disks)
		return true;
	size_t row = disk_row(import, line->number, section == AIX_XFER);
	for (size_t i = 0; row != SIZE_MAX && i < aix->n; i++)
		if (aix->column[i])
			import->block.field[row][aix->column[i]->field] =
			    heading_value(aix->column[i], &line->word[i]);
	import->block.last_line = line->number;
	return true;
}

/* ---- all in one row ---- */

/*
 * The words of the header's first line of columns, with the section they are in. Mail
 * may have broken it: it ends with the last word of the queue's.
 */
static void long_columns(struct import *import, const struct line *line)
{
	static const struct heading busy = {"%tm", FIELD_UTIL, 1, UNIT_PERCENT, 1};
	struct grid *grid = &import->grid;
	int section = import->aix.long_section;

	for (size_t i = 0; i < line->nword && section && grid->n < GRID_COLUMNS_MAX; i++) {
		static const char *const serv[] = {"avg", "min", "max"};
		const struct word *word = &line->word[i];
		const struct heading *heading = NULL;

		if (word_is(word, "rps") || word_is(word, "wps"))
			section = word_is(word, "rps") ? AIX_READ : AIX_WRITE;
		heading = word_is(word, "%tm") ? &busy : section_heading(section, word);
		for (size_t k = 0; !heading && k < 3 && section != AIX_XFER; k++)
			if (word_is(word, serv[k]) &&
			    !(k == 0 && section == AIX_QUEUE && import->aix.long_average++))
				heading =
				    &sections[section].heading[section == AIX_QUEUE ? k : k + 1];
		if (section == AIX_QUEUE && word_is(word, "serv")) {
			heading = &queue[3];
			section = AIX_NONE;
		}
		if (section == AIX_WRITE && word_is(word, "fail"))
			section = AIX_QUEUE;
		grid->column[grid->n++] = heading;
	}
	import->aix.long_section = section;
	for (size_t i = 0; i < grid->n; i++)
		if (grid->column[i])
			grid->fields |= (uint64_t)1 << grid->column[i]->field;
}

static bool aix_long_header(struct import *import, const struct line *line)
{
	struct grid *grid = &import->grid;

	if (line->numbers == 0 && grid->active && grid->fresh && import->aix.long_section &&
	    !word_is(&line->word[0], "act")) {
		long_columns(import, line);
		return true;
	}
	import->aix.long_section = AIX_NONE;
	if (line->numbers || line->nword < 6 || !word_is(&line->word[0], "%tm") ||
	    !word_is(&line->word[1], "bps"))
		return false;
	grid_close(import);
	memset(grid, 0, sizeof(*grid));
	grid->active = grid->fresh = grid->wrapped = true;
	grid->format = IMPORT_AIX_IOSTAT;
	import->aix.long_section = AIX_XFER;
	import->aix.long_average = 0;
	long_columns(import, line);
	return true;
}

bool aix_line(struct import *import, const struct line *line)
{
	if (section_figures(import, line) || aix_long_header(import, line))
		return true;
	import->aix.section = AIX_NONE;
	if (line->numbers)
		return false;
	for (size_t i = 0; i < line->nword && i < 2; i++)
		for (int section = AIX_XFER; section <= AIX_QUEUE; section++)
			if (word_is(&line->word[i], sections[section].label) && i + 1 < line->nword)
				return begin_section(import, line, i, section);
	return false;
}
