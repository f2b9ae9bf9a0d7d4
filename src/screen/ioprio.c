/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which task, which class, which level: one key each. Then the question whether to.
 */
#include "ioprio.h"
#include "confirm.h"
#include "subject.h"

#include <stdarg.h>
#include <stdio.h>

/* The classes of ioprio_set(2), in its numbers. */
static const struct ioprio_kind {
	int key;
	const char *name;
	bool levels;
} kinds[] = {
    {'n', "none", false},
    {'r', "real-time", true},
    {'b', "best-effort", true},
    {'i', "idle", false},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), UNDECIDED = -1 };

__attribute__((format(printf, 2, 3))) static void ioprio_ask(struct screen *screen,
							     const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(screen->question.text, sizeof(screen->question.text), format, args);
	va_end(args);
	screen->mode = MODE_IOPRIO;
}

static void ioprio_name(struct screen *screen, const struct task_row *row)
{
	const struct task_sample *task = row->task;
	char *out = screen->ioprio_task;
	size_t size = sizeof(screen->ioprio_task);
	if (row->kind == TASK_THREAD)
		snprintf(out, size, "thread %d %s of %d", (int)task->tid, task->comm,
			 (int)task->pid);
	else if (task->stat_state == PRESENT && task->threads > 1)
		snprintf(out, size, "all %u threads of %d %s", (unsigned)task->threads,
			 (int)task->pid, task->comm);
	else
		snprintf(out, size, "%d %s", (int)task->pid, task->comm);
}

/* The row that is selected, or whose details are on show. */
static const struct task_row *ioprio_row(const struct screen *screen, const struct list *list)
{
	const struct frame *frame = screen->frame;
	if (!frame || screen->details != DETAILS_TASK)
		return frame && list && list->table == &task_table ? list_selected(list) : NULL;
	for (size_t i = 0; i < frame->ntask; i++)
		if (task_table.identity(&frame->task[i]) == screen->subject.identity)
			return &frame->task[i];
	return NULL;
}

enum screen_event action_ioprio(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (confirm_refuses(screen))
		return SCREEN_NOTHING;
	if (list && screen->frame && !screen->totals) {
		list = &screen->list[LIST_TASKS];
		subject_first(screen, list, true);
	}
	const struct task_row *row = ioprio_row(screen, list);
	if (!row) {
		state_say(screen, list && list->table == &total_table
				      ? "totals have no priority; a goes on to the rates"
				      : "no task is selected: arrow keys select one");
		return SCREEN_NOTHING;
	}
	if (row->kind == TASK_UNATTRIBUTED) {
		state_say(screen, "this row is no task: it has no priority");
		return SCREEN_NOTHING;
	}
	if (row->task->kernel) {
		state_say(screen, "%d %s is a thread of the kernel: it keeps its priority",
			  (int)row->task->pid, row->task->comm);
		return SCREEN_NOTHING;
	}
	screen->ioprio = (struct screen_ioprio){
	    .pid = row->task->pid,
	    .tid = row->kind == TASK_THREAD ? row->task->tid : 0,
	    .start_ticks = row->task->start_ticks,
	    .class = UNDECIDED,
	};
	ioprio_name(screen, row);
	ioprio_ask(screen,
		   "I/O priority of %s: r real-time  b best-effort  i idle  n none  Esc cancels",
		   screen->ioprio_task);
	return SCREEN_NOTHING;
}

static enum screen_event ioprio_confirm(struct screen *screen, int level)
{
	const struct ioprio_kind *kind = &kinds[screen->ioprio.class];
	char digits[16] = "";
	screen->ioprio.level = level;
	if (kind->levels)
		snprintf(digits, sizeof(digits), "/%d", level);
	confirm_open(screen, SCREEN_IOPRIO, "Set %s to %s%s? y/n", screen->ioprio_task, kind->name,
		     digits);
	return SCREEN_NOTHING;
}

static enum screen_event ioprio_class(struct screen *screen, int key)
{
	for (int i = 0; i < KINDS; i++) {
		if (kinds[i].key != key)
			continue;
		screen->ioprio.class = i;
		if (!kinds[i].levels)
			return ioprio_confirm(screen, 0);
		ioprio_ask(screen, "Level of %s for %s: 0 (first) to 7 (last)  Esc cancels",
			   kinds[i].name, screen->ioprio_task);
		return SCREEN_NOTHING;
	}
	return confirm_key(screen, 'n');
}

enum screen_event ioprio_key(struct screen *screen, int key)
{
	if (screen->ioprio.class == UNDECIDED)
		return ioprio_class(screen, key);
	if (key >= '0' && key <= '7')
		return ioprio_confirm(screen, key - '0');
	return confirm_key(screen, 'n');
}
