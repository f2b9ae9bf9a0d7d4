/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One finding on a whole screen: what its rule means, what was found, and the
 * formula with the figures in it.
 */
#include "finding_view.h"
#include "draw.h"
#include "sheet.h"
#include "words.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum { NARROW = 60 };

enum finding_about finding_view_about(const struct finding *finding)
{
	if (strcmp(finding->subject, "system") == 0)
		return ABOUT_MACHINE;
	return strncmp(finding->subject, "pid ", 4) == 0 ? ABOUT_TASK : ABOUT_DEVICE;
}

const struct task_row *finding_view_task(const struct frame *frame, const struct finding *finding)
{
	int id = 0;
	if (sscanf(finding->subject, "pid %d", &id) != 1)
		return NULL;
	for (size_t i = 0; i < frame->ntask; i++) {
		const struct task_row *row = &frame->task[i];
		if (row->kind == TASK_UNATTRIBUTED || row->task->start_ticks != finding->identity)
			continue;
		if (id == (row->task->tid ? row->task->tid : row->task->pid))
			return row;
	}
	return NULL;
}

static const struct finding *finding_view_find(const struct frame *frame, uint64_t identity)
{
	for (size_t i = 0; i < finding_table.count(frame); i++) {
		const struct finding *finding = finding_table.row(frame, i);
		if (finding_table.identity(finding) == identity)
			return finding;
	}
	return NULL;
}

void finding_view_keep(struct screen *screen)
{
	if (!screen->frame || screen->frame->since_boot || !screen->finding.rule)
		return;
	const struct finding *finding =
	    finding_view_find(screen->frame, finding_table.identity(&screen->finding));
	screen->finding_gone = !finding;
	if (finding)
		screen->finding = *finding;
}

/* "warn, since 22:13:20, for 5s by now" */
static void finding_view_when(struct sheet *sheet, const struct screen *screen)
{
	const struct finding *finding = &screen->finding;
	char line[160], since[32], until[32], lasted[32];
	double now = screen->frame->epoch;
	words_clock(finding->since_epoch, now, since, sizeof(since));
	words_clock(finding->ended_epoch, now, until, sizeof(until));
	words_duration(finding->lasted_s, lasted, sizeof(lasted));
	if (finding->ended)
		snprintf(line, sizeof(line), "%s, from %s to %s, for %s: it has ended",
			 severity_name(finding->severity), since, until, lasted);
	else
		snprintf(line, sizeof(line), "%s, since %s, for %s by now",
			 severity_name(finding->severity), since, lasted);
	sheet_entry(sheet, "Held", line);
	if (screen->finding_gone)
		sheet_entry(sheet, "", "It is not among the findings that are kept any more.");
}

/* A clause on a line of its own. */
static void finding_view_formula(struct sheet *sheet, const char *formula)
{
	char clause[FORMULA_MAX];
	const char *name = "Formula";
	while (*formula) {
		const char *end = strstr(formula, "; ");
		size_t length = end ? (size_t)(end - formula) : strlen(formula);
		snprintf(clause, sizeof(clause), "%.*s", (int)length, formula);
		sheet_entry(sheet, name, clause);
		name = "";
		formula += length + (end ? 2 : 0);
	}
}

static void finding_view_lines(struct sheet *sheet, const struct screen *screen)
{
	const struct finding *finding = &screen->finding;
	sheet_entry(sheet, "Rule", finding->meaning);
	finding_view_when(sheet, screen);
	sheet_entry(sheet, "Found", finding->text);
	finding_view_formula(sheet, finding->formula);
	if (*finding->advice)
		sheet_entry(sheet, "Advice", finding->advice);
	if (*finding->evidence)
		sheet_entry(sheet, "Evidence", finding->evidence);
}

void finding_view_draw(struct screen *screen, int y, int h)
{
	const struct finding *finding = &screen->finding;
	char title[SUBJECT_MAX + 64];
	snprintf(title, sizeof(title), "%s%s %s%s", COLS < NARROW ? "" : "Finding ",
		 finding->subject, finding->rule, finding->ended ? " (ended)" : "");
	sheet_draw(screen, &screen->details_page, y, h, title, finding_view_lines);
}
