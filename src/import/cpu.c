/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The avg-cpu block above a table of devices: only %iowait is of use. */
#include "importer.h"

static void cpu_columns(struct cpu_table *cpu, const struct line *line, size_t from)
{
	for (size_t i = from; i < line->nword; i++) {
		cpu->columns++;
		if (word_is(&line->word[i], "%iowait"))
			cpu->iowait = cpu->columns;
	}
}

static bool all_percent(const struct line *line)
{
	for (size_t i = 0; i < line->nword; i++)
		if (*line->word[i].p != '%' || line->word[i].n < 2)
			return false;
	return true;
}

static bool cpu_header(struct import *import, const struct line *line)
{
	struct cpu_table *cpu = &import->cpu;
	struct word first = word_bare(&line->word[0]);

	if (word_is(&first, "avg-cpu:") || word_is(&first, "avg-cpu")) {
		*cpu = (struct cpu_table){0};
		import->vmstat.active = false;
		cpu_columns(cpu, line, 1);
		return true;
	}
	/* its second line, where it was broken */
	if (!cpu->columns || cpu->cells || !all_percent(line))
		return false;
	cpu_columns(cpu, line, 0);
	return true;
}

bool cpu_line(struct import *import, const struct line *line)
{
	struct cpu_table *cpu = &import->cpu;

	if (cpu_header(import, line))
		return true;
	if (!cpu->columns)
		return false;
	if (line->numbers != line->nword) {
		cpu->columns = 0;
		return false;
	}
	for (size_t i = 0; i < line->nword; i++)
		if (++cpu->cells == cpu->iowait)
			cpu->value = line->word[i].kind == WORD_NUMBER
					 ? value_of(line->word[i].number)
					 : value_absent(ABSENT_UNSUPPORTED);
	if (cpu->cells < cpu->columns)
		return true;
	if (cpu->cells == cpu->columns && cpu->iowait) {
		import->context.iowait = cpu->value;
		import->context.have_iowait = true;
		import_met(import, IMPORT_CPU, line->number);
		import->summary.met[IMPORT_CPU].blocks++;
	}
	cpu->columns = 0;
	return true;
}
