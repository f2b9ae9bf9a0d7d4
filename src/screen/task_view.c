/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything known of one task, on a whole screen.
 */
#include "draw.h"
#include "pair_view.h"
#include "sheet.h"
#include "subject.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 2048, NAME_MAX_BYTES = 64 };

/* What it is at, and what is wrong with its figures. */
static void task_view_state(struct sheet *sheet, const struct task_row *row)
{
	char line[512], mode[160];
	const struct task_sample *task = row->task;
	enum absent io = row->blocked ? ABSENT_BLOCKED
			 : row->late  ? ABSENT_LATE
				      : (enum absent)task->io_state;
	snprintf(line, sizeof(line), "%c: %s%s%s%s", row->state, words_state(row->state),
		 *task->wchan ? ", in " : "", task->wchan, task->kernel ? "; a thread of the kernel" : "");
	sheet_entry(sheet, "State", line);
	if (io != PRESENT) {
		snprintf(line, sizeof(line), "%s: %s", absent_name(io), absent_help(io));
		sheet_entry(sheet, "Counters", line);
	}
	if (row->use && row->use->why == PRESENT) {
		words_mode(row->use->mode, mode, sizeof(mode));
		sheet_entry(sheet, "I/O", *mode ? mode : "nothing seen that tells how it does I/O");
	}
}

static void task_view_sheet_line(struct sheet *sheet, const char *line, size_t length)
{
	char name[NAME_MAX_BYTES], value[LINE_MAX_BYTES];
	const char *tab = memchr(line, '\t', length);
	if (!tab)
		return;
	size_t left = length - (size_t)(tab + 1 - line);
	snprintf(name, sizeof(name), "%.*s", (int)(tab - line), line);
	snprintf(value, sizeof(value), "%.*s", (int)(left < sizeof(value) ? left : sizeof(value) - 1),
		 tab + 1);
	sheet_entry(sheet, name, value);
}

/* What a look at the process brought: "name\tvalue\n" lines. */
static void task_view_process(struct sheet *sheet, const char *lines, const struct task_use *use)
{
	char line[256];
	enum absent why = use && use->why != PRESENT ? use->why : ABSENT_NEW;
	sheet_title(sheet, "Process");
	while (lines && *lines) {
		size_t length = strcspn(lines, "\n");
		task_view_sheet_line(sheet, lines, length);
		lines += length + (lines[length] == '\n');
		why = PRESENT;
	}
	if (why == PRESENT)
		return;
	if (why == ABSENT_NEW)
		snprintf(line, sizeof(line), "not looked at yet: the answer comes in a moment");
	else
		snprintf(line, sizeof(line), "%s: %s", absent_name(why), absent_help(why));
	sheet_text_as(sheet, ROLE_DIM, line);
}

static void task_view_command(struct sheet *sheet, const struct screen *screen)
{
	const struct task_row *row = subject_process(screen->frame, screen->subject.pid, 0);
	sheet_title(sheet, "Command line");
	if (row && row->command)
		sheet_text(sheet, row->command);
	else if (!row || row->names == TASK_NAMES_WANTED)
		sheet_text_as(sheet, ROLE_DIM, "not known yet");
	else if (row->names == TASK_NAMES_NEVER)
		sheet_text_as(sheet, ROLE_DIM, "on another root nobody can tell");
	else
		sheet_text_as(sheet, ROLE_DIM, "it has none, as threads of the kernel");
}

static void task_view_lines(struct sheet *sheet, const struct screen *screen)
{
	const struct task_row *row = subject_row(screen);
	if (!row) {
		bool gone = screen->frame->tasks_state == PRESENT;
		sheet_text(sheet, gone ? "It has ended." : "No tasks were read in time for this tick.");
		return;
	}
	task_view_state(sheet, row);
	pair_view_devices(sheet, screen->frame, row);
	sheet_title(sheet, "Figures");
	sheet_figures(sheet, &task_table, row);
	task_view_process(sheet, screen->frame->sheet, row->use);
	task_view_command(sheet, screen);
}

/* Its names are wanted, and those of its process, which has the command line. */
static bool task_view_mark(struct screen *screen)
{
	struct task_row *rows[] = {subject_row(screen),
				   subject_process(screen->frame, screen->subject.pid, 0)};
	bool wanted = false;
	for (size_t i = 0; i < 2; i++) {
		if (!rows[i])
			continue;
		wanted |= !rows[i]->on_show && rows[i]->names == TASK_NAMES_WANTED;
		rows[i]->on_show = true;
	}
	return wanted;
}

void task_view_draw(struct screen *screen, int y, int h)
{
	char title[COMM_MAX + 64];
	const struct task_row *row = subject_row(screen);
	if (row && row->kind == TASK_THREAD)
		snprintf(title, sizeof(title), "Thread %d of %d %s", (int)row->task->tid,
			 (int)row->task->pid, row->task->comm);
	else
		snprintf(title, sizeof(title), "Task %d %s%s", (int)screen->subject.pid,
			 screen->subject.comm, row ? "" : " (ended)");
	screen->names_wanted |= task_view_mark(screen);
	sheet_draw(screen, &screen->details_page, y, h, title, task_view_lines);
}
