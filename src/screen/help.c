/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The help, made from the tables: keys, columns, reasons, rules.
 */
#include "draw.h"
#include "iotriage/diagnose.h"
#include "keys.h"
#include "sheet.h"

#include <stdio.h>

static void help_keys(struct sheet *page)
{
	sheet_title(page, "Keys");
	for (const struct key *key = keys; key->names; key++)
		if (key->help)
			sheet_entry(page, key->names, key->help);
}

static void help_mark(struct sheet *page, const char *mark, double ratio, double ms,
		      const char *meaning)
{
	char line[200];
	snprintf(line, sizeof(line), "await is at least %g x the service time and %g ms: %s", ratio,
		 ms, meaning);
	sheet_entry(page, mark, line);
}

static void help_marks(struct sheet *page, const struct diagnosis *diagnosis)
{
	sheet_title(page, "Marks of devices");
	help_mark(page, "w", diagnosis_get(diagnosis, "mark_ratio"),
		  diagnosis_get(diagnosis, "mark_ms"), "requests wait longer than they are served");
	help_mark(page, "W", diagnosis_get(diagnosis, "mark_strong_ratio"),
		  diagnosis_get(diagnosis, "mark_strong_ms"),
		  "nearly all the time is spent in line");
	sheet_text(
	    page,
	    "Colours only repeat what a letter or word says, and only for a judged problem; a "
	    "large number alone has none. The verdict is the device's strongest finding.");
}

static void help_machine(struct sheet *page, const struct frame *frame)
{
	char line[200];
	if (!frame)
		return;
	sheet_title(page, "This machine");
	const char *delay = frame->system.delayacct == 0
				? "0: IO% and SWAPIN% are absent (-). To have them: D, or sysctl "
				  "kernel.task_delayacct=1"
			    : frame->system.delayacct > 0
				? "1: IO% and SWAPIN% are measured for tasks started since"
				: "no such switch on this kernel";
	snprintf(line, sizeof(line), "kernel.task_delayacct is %s", delay);
	sheet_text(page, line);
	double unreadable = value_or(frame->system.unreadable, 0);
	snprintf(line, sizeof(line), "%.0f of %.0f tasks are unreadable%s%s", unreadable,
		 value_or(frame->system.tasks, (double)frame->ntask), unreadable > 0 ? ": " : "",
		 unreadable > 0 ? draw_remedy() : "");
	sheet_text(page, line);
	if (frame->untraced) {
		snprintf(line, sizeof(line), "the kernel is not traced: %s", frame->untraced);
		sheet_text(page, line);
	}
}

static void help_columns(struct sheet *page, const struct table *table)
{
	char line[256];
	snprintf(line, sizeof(line), "Columns: %s", table->name);
	sheet_title(page, line);
	for (size_t i = 0; i < table->ncolumn; i++) {
		const struct column *column = &table->column[i];
		snprintf(line, sizeof(line), "%s%s%s", column->unit, *column->unit ? ": " : "",
			 column->help);
		sheet_entry(page, column->name, line);
	}
}

static void help_all(struct sheet *page, const struct screen *screen)
{
	help_keys(page);
	help_marks(page, screen->diagnosis);
	help_machine(page, screen->frame);
	sheet_title(page, "Why a figure is absent (-)");
	for (unsigned why = PRESENT + 1; why < ABSENT_REASONS; why++)
		sheet_entry(page, absent_name((enum absent)why), absent_help((enum absent)why));
	for (size_t i = 0; tables[i]; i++)
		help_columns(page, tables[i]);
	sheet_title(page, "Findings");
	for (const struct rule_info *rule = rule_infos(); rule->name; rule++)
		sheet_entry(page, rule->name, rule->meaning);
}

void help_draw(struct screen *screen, int y, int h)
{
	sheet_draw(screen, &screen->help, y, h, "Help", help_all);
}
