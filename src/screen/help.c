/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The help, made from the tables: keys, columns, reasons, rules.
 */
#include "draw.h"
#include "iotriage/diagnose.h"
#include "keys.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>

enum { NAME_CELLS = 15, NARROW_NAME_CELLS = 10, LINE_CELLS_MAX = 110, INDENT = 2 };

/* Lines as they come; those from `top` on are drawn in h lines from y. */
struct help_page {
	int y, h;
	size_t line, top;
};

/* Where the next line goes, -1 if it is out of sight. */
static int help_next(struct help_page *page)
{
	size_t line = page->line++;
	if (line < page->top || line - page->top >= (size_t)page->h)
		return -1;
	return page->y + (int)(line - page->top);
}

static void help_paragraph(struct help_page *page, int x, int y, const char *text)
{
	struct text_wrap wrap;
	int cells = (COLS < LINE_CELLS_MAX ? COLS : LINE_CELLS_MAX) - x;
	text_wrap_start(&wrap, text);
	for (bool first = true; text_wrap_more(&wrap); first = false) {
		int at = first && y != -2 ? y : help_next(page);
		text_wrap_line(&wrap, at, x, cells, false);
	}
}

/* y of -2 in help_paragraph(): no line was taken for it yet. */
static void help_text(struct help_page *page, const char *text)
{
	help_paragraph(page, INDENT, -2, text);
}

static void help_title(struct help_page *page, const char *text)
{
	if (page->line > 0)
		help_next(page);
	int y = help_next(page);
	theme_use(ROLE_TITLE);
	text_put(y, 0, COLS, text, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

static void help_entry(struct help_page *page, const char *name, const char *text)
{
	int cells = COLS < 60 ? NARROW_NAME_CELLS : NAME_CELLS;
	int y = help_next(page);
	theme_use(ROLE_KEY);
	text_put(y, INDENT, cells, name, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	help_paragraph(page, INDENT + cells + 1, y, text);
}

static void help_keys(struct help_page *page)
{
	help_title(page, "Keys");
	for (const struct key *key = keys; key->names; key++)
		if (key->help)
			help_entry(page, key->names, key->help);
}

static void help_marks(struct help_page *page)
{
	help_title(page, "Marks of devices");
	help_entry(
	    page, "w",
	    "await is at least 2 x svctm and 2 ms: requests wait longer than they are served");
	help_entry(page, "W",
		   "await is at least 5 x svctm and 10 ms: nearly all the time is spent in line");
	help_text(
	    page,
	    "Colours only repeat what a letter or word says, and only for a judged problem; a "
	    "large number alone has none. The verdict is the device's strongest finding.");
}

static void help_machine(struct help_page *page, const struct frame *frame)
{
	char line[200];
	if (!frame)
		return;
	help_title(page, "This machine");
	const char *delay = frame->system.delayacct == 0
				? "0: IO% is absent (-). To have it: D, or sysctl kernel.task_delayacct=1"
			    : frame->system.delayacct > 0
				? "1: IO% is measured for tasks started since"
				: "no such switch on this kernel";
	snprintf(line, sizeof(line), "kernel.task_delayacct is %s", delay);
	help_text(page, line);
	double unreadable = value_or(frame->system.unreadable, 0);
	snprintf(line, sizeof(line), "%.0f of %.0f tasks are unreadable%s%s", unreadable,
		 value_or(frame->system.tasks, (double)frame->ntask), unreadable > 0 ? ": " : "",
		 unreadable > 0 ? draw_remedy() : "");
	help_text(page, line);
}

static void help_columns(struct help_page *page, const struct table *table)
{
	char line[256];
	snprintf(line, sizeof(line), "Columns: %s", table->name);
	help_title(page, line);
	for (size_t i = 0; i < table->ncolumn; i++) {
		const struct column *column = &table->column[i];
		snprintf(line, sizeof(line), "%s%s%s", column->unit, *column->unit ? ": " : "",
			 column->help);
		help_entry(page, column->name, line);
	}
}

static void help_all(struct help_page *page, const struct frame *frame)
{
	help_keys(page);
	help_marks(page);
	help_machine(page, frame);
	help_title(page, "Why a figure is absent (-)");
	for (unsigned why = PRESENT + 1; why < ABSENT_REASONS; why++)
		help_entry(page, absent_name((enum absent)why), absent_help((enum absent)why));
	for (size_t i = 0; tables[i]; i++)
		help_columns(page, tables[i]);
	help_title(page, "Findings");
	for (const struct rule_info *rule = rule_infos(); rule->name; rule++)
		help_entry(page, rule->name, rule->meaning);
}

void help_draw(struct screen *screen, int y, int h)
{
	struct help_page page = {.y = y + 1, .h = 0};
	size_t shown = h > 1 ? (size_t)(h - 1) : 0;
	char title[64];
	help_all(&page, screen->frame); /* no room: only counts */
	screen->help_lines = page.line;
	screen->help_page = shown;
	if (screen->help_top + shown > page.line)
		screen->help_top = page.line > shown ? page.line - shown : 0;
	snprintf(title, sizeof(title), "Help: lines %zu to %zu of %zu", screen->help_top + 1,
		 screen->help_top + shown < page.line ? screen->help_top + shown : page.line,
		 page.line);
	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(ROLE_FOCUS);
	text_put(y, 1, text_width(title), title, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	page = (struct help_page){.y = y + 1, .h = (int)shown, .top = screen->help_top};
	help_all(&page, screen->frame);
}
