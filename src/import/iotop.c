/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of iotop -b: who reads and writes, and who waits. */
#include "importer.h"

#include <stdio.h>
#include <string.h>

enum {
	IOTOP_ID,
	IOTOP_ONE,
	IOTOP_USER,
	IOTOP_READ,
	IOTOP_WRITE,
	IOTOP_SWAPIN,
	IOTOP_IO,
	IOTOP_COMMAND
};

/* "DISK READ" is one column of two words, and so are its figures. */
static bool iotop_header(struct import *import, const struct line *line)
{
	struct iotop_table table = {0};
	bool reads = false, command = false;

	table.timed = word_is(&line->word[0], "TIME");
	if (line->nword < 6 ||
	    !(word_is(&line->word[table.timed], "TID") || word_is(&line->word[table.timed], "PID")))
		return false;
	for (size_t i = table.timed; i < line->nword && table.n < 15; i++) {
		const struct word *word = &line->word[i];
		int column = IOTOP_ONE;

		if (table.n == 0)
			column = IOTOP_ID;
		else if (word_is(word, "USER"))
			column = IOTOP_USER;
		else if (word_is(word, "DISK") && i + 1 < line->nword)
			column = word_is(&line->word[++i], "READ") ? IOTOP_READ : IOTOP_WRITE;
		else if (word_is(word, "SWAPIN"))
			column = IOTOP_SWAPIN;
		else if (word_is(word, "IO") || word_is(word, "IO>"))
			column = IOTOP_IO;
		else if (word_is(word, "COMMAND"))
			column = IOTOP_COMMAND;
		reads |= column == IOTOP_READ;
		command |= column == IOTOP_COMMAND;
		table.column[table.n++] = column;
	}
	if (!reads || !command)
		return false;
	table.active = true;
	import->iotop = table;
	grid_close(import);
	/* the rows stand beside the devices of the same moment, where there are such */
	if (!import->block.pending || import->block.has_tasks || !import->block.has_devices)
		(void)block_begin(import, IMPORT_IOTOP, line->number, BOOT_NEVER);
	import_met(import, IMPORT_IOTOP, line->number);
	import->summary.met[IMPORT_IOTOP].blocks++;
	return true;
}

/* "3.57 M/s" in KiB/s */
static struct value rate(const struct word *number, const struct word *unit)
{
	static const struct {
		const char *name;
		double kib;
	} units[] = {{"B/s", 1.0 / 1024}, {"K/s", 1}, {"M/s", 1024}, {"G/s", 1024.0 * 1024}};

	for (size_t i = 0; number->kind == WORD_NUMBER && i < 4; i++)
		if (word_is(unit, units[i].name))
			return value_of(number->number * units[i].kib);
	return value_absent(ABSENT_UNSUPPORTED);
}

static struct value share(const struct word *number, const struct word *unit)
{
	if (number->kind == WORD_NUMBER && word_is(unit, "%"))
		return value_of(number->number);
	return value_absent(ABSENT_UNSUPPORTED);
}

/* The places of each column's first word; false: the row has too few. */
static bool places(const struct iotop_table *table, const struct line *line, size_t at[16])
{
	size_t word = table->timed;

	for (size_t i = 0; i < table->n; i++) {
		int column = table->column[i];
		bool two = column == IOTOP_READ || column == IOTOP_WRITE ||
			   column == IOTOP_SWAPIN || column == IOTOP_IO;

		at[i] = word;
		if (word >= line->nword)
			return false;
		/* "?unavailable?" stands alone */
		word += two && line->word[word].kind != WORD_TEXT ? 2 : 1;
	}
	return true;
}

static void set_names(struct import *import, size_t row, const struct line *line,
		      const struct word *command)
{
	struct task_sample *sample = &import->block.sample[row];
	char *text = import->block.command[row];
	const char *end = line->p + line->n, *comm = text;
	size_t n;

	snprintf(text, sizeof(import->block.command[row]), "%.*s", (int)(end - command->p),
		 command->p);
	sample->kernel = *text == '[';
	comm += sample->kernel;
	n = strcspn(comm, sample->kernel ? "]" : " ");
	/* a path's last part, as the kernel names it */
	for (size_t i = n; !sample->kernel && i > 0; i--)
		if (comm[i - 1] == '/') {
			comm += i;
			n -= i;
			break;
		}
	snprintf(sample->comm, sizeof(sample->comm), "%.*s", (int)n, comm);
}

static void clear_task(struct task_row *row)
{
	const struct value absent = value_absent(ABSENT_UNSUPPORTED);

	row->kind = TASK_PROCESS;
	row->state = '?';
	row->rkb = row->wkb = row->inh_rkb = row->inh_wkb = row->blocked_threads = row->ckb =
	    absent;
	row->rchar = row->wchar = row->syscr = row->syscw = row->bytes_call = absent;
	row->cache_pct = row->io_pct = row->swapin_pct = absent;
}

static void set_column(struct import *import, size_t row, const struct line *line, size_t at,
		       int column)
{
	struct task_row *task = &import->block.frame.task[row];
	const struct word *word = &line->word[at];
	const struct word *next = at + 1 < line->nword ? word + 1 : word;

	if (column == IOTOP_USER)
		snprintf(import->block.user[row], sizeof(import->block.user[row]), "%.*s",
			 (int)word->n, word->p);
	else if (column == IOTOP_READ)
		task->rkb = rate(word, next);
	else if (column == IOTOP_WRITE)
		task->wkb = rate(word, next);
	else if (column == IOTOP_SWAPIN)
		task->swapin_pct = share(word, next);
	else if (column == IOTOP_IO)
		task->io_pct = share(word, next);
	else if (column == IOTOP_COMMAND)
		set_names(import, row, line, word);
}

static bool iotop_row(struct import *import, const struct line *line)
{
	enum { PID_MAX = 4194304 };
	const struct iotop_table *table = &import->iotop;
	const struct word *pid = &line->word[table->timed];
	size_t at[16];

	if (line->nword < 2 || pid->kind != WORD_NUMBER || pid->number < 1 ||
	    pid->number > PID_MAX || !places(table, line, at))
		return false;
	struct task_row *row = block_add_task(import, line->number);
	if (!row)
		return true;
	size_t n = import->block.frame.ntask - 1;
	clear_task(row);
	*import->block.user[n] = *import->block.command[n] = '\0';
	import->block.sample[n].pid = (int32_t)pid->number;
	import->block.sample[n].state = '?';
	for (size_t i = 0; i < table->n; i++)
		set_column(import, n, line, at[i], table->column[i]);
	import->summary.met[IMPORT_IOTOP].rows++;
	return true;
}

bool iotop_line(struct import *import, const struct line *line)
{
	if (line->numbers == 0)
		return iotop_header(import, line);
	return import->iotop.active && iotop_row(import, line);
}
