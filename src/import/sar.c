/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is particular to sar -d: rows that begin with a clock in whatever
 * language, averages at the end, restarts in between. AIX prints the clock in a
 * block's first row only.
 */
#include "importer.h"

#include <stdio.h>
#include <string.h>

/* "PM", "pm": what follows the clock and is no name. */
static bool is_meridiem(const struct word *word)
{
	return word_is(word, "AM") || word_is(word, "PM") || word_is(word, "am") ||
	       word_is(word, "pm") || word_is(word, "a.m.") || word_is(word, "p.m.");
}

static bool is_foreign(char c)
{
	return (unsigned char)c >= 0x80;
}

/* An hour, a minute or a second of a clock whose parts stand apart. */
static bool is_clock_part(const struct word *word)
{
	size_t digits = 0;

	while (digits < word->n && word->p[digits] >= '0' && word->p[digits] <= '9')
		digits++;
	return digits >= 1 && digits <= 2 && digits < word->n && is_foreign(word->p[digits]);
}

/* How many words at the beginning are a clock, with what says which half of the day. */
static size_t clock_words(const struct line *line)
{
	size_t first =
	    line->nword > 1 && is_foreign(*line->word[0].p) && !word_is_clock(&line->word[0]);

	if (word_is_clock(&line->word[first]))
		return first + 1 + (line->nword > first + 1 && is_meridiem(&line->word[first + 1]));
	for (size_t i = first; i < first + 3; i++)
		if (i >= line->nword || !is_clock_part(&line->word[i]))
			return 0;
	return first + 3;
}

/* The clock at the beginning of a row or header. */
static void read_clock(const struct line *line, size_t words, struct stamp *stamp)
{
	const struct word *last = &line->word[words - 1];
	struct line head = *line;

	head.nword = words;
	head.numbers = 0;
	if (!stamp_read(&head, stamp))
		*stamp = (struct stamp){0};
	snprintf(stamp->text, sizeof(stamp->text), "%.*s",
		 (int)(last->p + last->n - line->word[0].p), line->word[0].p);
}

void sar_header(struct import *import, const struct line *line, size_t device)
{
	struct grid *grid = &import->grid;
	struct stamp stamp;

	size_t clock = device > 0 ? clock_words(line) : 0;
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
	read_clock(line, clock, &stamp);
	import->context.last_stamp = stamp;
	grid->fresh = false;
}

bool sar_begins(const struct line *line)
{
	return clock_words(line) > 0 || line->word[0].p[line->word[0].n - 1] == ':';
}

/*
 * The sar of other systems has the header of AIX's: HP-UX and SCO print %busy with
 * decimals, Solaris has slices ("sd1,a").
 */
static bool note_other_system(struct import *import, const struct line *line, size_t from)
{
	const struct word *name = &line->word[from], *busy = name + 1;

	if (line->nword < from + 2 || busy->kind != WORD_NUMBER)
		return false;
	if (memchr(busy->p, '.', busy->n) || memchr(busy->p, ',', busy->n))
		foreign_note(import, line, "the sar -d of HP-UX or SCO", NULL);
	else if (memchr(name->p, ',', name->n))
		foreign_note(import, line, "the sar -d of Solaris or illumos", NULL);
	else
		return false;
	import->block.pending = false; /* its rows so far are no AIX either */
	return true;
}

/* Words of "Average:", "Moyenne :" and the like at the beginning; 0: it is no such row. */
static size_t average_words(const struct line *line)
{
	for (size_t i = 0; i < 2 && i + 1 < line->nword; i++)
		if (line->word[i].p[line->word[i].n - 1] == ':')
			return i + 1;
	return 0;
}

/*
 * The average over all blocks, where there is nothing else: that is an interval
 * too, and a long one.
 */
static bool takes_average(struct import *import, const struct line *line, size_t *first)
{
	struct grid *grid = &import->grid;
	const struct block *block = &import->block;

	if (import->context.clocked_rows || grid->sparse_clock)
		return false;
	*first = average_words(line);
	if (!*first)
		return false;
	if (!block->pending || block->format != grid->format) {
		grid->fresh = true;
		import->context.stamp.known = false;
	}
	grid->average = true;
	return true;
}

bool sar_row_begins(struct import *import, const struct line *line, size_t *first)
{
	struct grid *grid = &import->grid;
	const struct block *block = &import->block;
	size_t clock = clock_words(line);
	struct stamp stamp;

	*first = 0;
	if (line->word[0].kind != WORD_TEXT) /* the rest of a broken row */
		return grid->ncell > 0;
	if (grid->sparse_clock && note_other_system(import, line, clock))
		return false;
	if (!clock && line->numbers == 0 && line->nword > 1) /* something between rows */
		return false;
	if (!clock) {
		if (takes_average(import, line, first))
			return true;
		/* "Average: sda ..." in any language: a word before the name */
		bool average =
		    !grid->sparse_clock || (line->nword > 1 && line->word[1].kind == WORD_TEXT);
		if (average && (!grid->averages || !grid->sparse_clock) && line->numbers > 1)
			import->summary.averages++;
		grid->averages |= average && grid->sparse_clock;
		return !average && !grid->averages;
	}
	grid->averages = grid->average = false;
	import->context.clocked_rows = true;
	read_clock(line, clock, &stamp);
	*first = clock;
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
