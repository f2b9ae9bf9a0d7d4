/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is particular to sar -d: rows that begin with a clock in whatever
 * language, averages at the end, restarts in between. AIX prints the clock in a
 * block's first row only.
 */
#include "importer.h"

#include <string.h>

/* "PM", "pm", "nachm.": what follows the clock and is no name. */
static bool is_meridiem(const struct word *word)
{
	return word_is(word, "AM") || word_is(word, "PM") || word_is(word, "am") || word_is(word, "pm") ||
	       word_is(word, "a.m.") || word_is(word, "p.m.");
}

/* The clock at the beginning of a row or header. */
static void read_clock(const struct line *line, struct stamp *stamp)
{
	struct line head = *line;

	head.nword = line->nword > 1 && is_meridiem(&line->word[1]) ? 2 : 1;
	head.numbers = 0;
	if (!stamp_read(&head, stamp))
		*stamp = (struct stamp){0};
}

void sar_header(struct import *import, const struct line *line, size_t device)
{
	struct grid *grid = &import->grid;
	struct stamp stamp;

	bool clock = device > 0 && word_is_clock(&line->word[0]);
	/* "Average: DEV ...": a header of averages, whose rows have no clock either */
	if (!clock && !(device > 0 && word_is(&line->word[device], "DEV")))
		return;
	grid->clocked = true;
	grid->format = IMPORT_SAR;
	if (!clock)
		return;
	for (size_t i = 0; i < line->nword; i++)
		if (word_is(&line->word[i], "%busy")) {
			grid->format = IMPORT_AIX_SAR;
			grid->sparse_clock = true;
		}
	/* a header bears the clock of the sample before */
	read_clock(line, &stamp);
	import->context.last_stamp = stamp;
	grid->fresh = false;
}

bool sar_begins(const struct word *word)
{
	return word_is_clock(word) || word->p[word->n - 1] == ':';
}

bool sar_row_begins(struct import *import, const struct line *line, size_t *first)
{
	struct grid *grid = &import->grid;
	const struct block *block = &import->block;
	struct stamp stamp;

	if (!word_is_clock(&line->word[0])) {
		/* "Average: sda ..." in any language: a word before the name */
		bool average = !grid->sparse_clock ||
		               (line->nword > 1 && line->word[1].kind == WORD_TEXT);
		if (average && (!grid->averages || !grid->sparse_clock) && line->numbers > 1)
			import->summary.averages++;
		grid->averages |= average && grid->sparse_clock;
		*first = 0;
		return !average && !grid->averages;
	}
	grid->averages = false;
	read_clock(line, &stamp);
	*first = 1 + (line->nword > 1 && is_meridiem(&line->word[1]));
	if (!block->pending || block->format != grid->format ||
	    strcmp(block->stamp.text, stamp.text) != 0) {
		grid->fresh = true;
		import->context.stamp = stamp;
	}
	return true;
}

bool sar_restart(struct import *import, const struct line *line)
{
	for (size_t i = 1; i < line->nword; i++)
		if (word_is(&line->word[i], "RESTART") && word_is(&line->word[i - 1], "LINUX")) {
			grid_end_row(import);
			import->summary.restarts++;
			context_break(import);
			return true;
		}
	return false;
}
