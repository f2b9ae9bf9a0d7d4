/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the task that is looked into is found again.
 */
#include "subject.h"

#include <stdio.h>

/* Where rows are threads its main one stands for the process: it has the same start. */
static bool subject_is_process(const struct task_row *row)
{
	return row->kind == TASK_PROCESS ||
	       (row->kind == TASK_THREAD && row->task->tid == row->task->pid);
}

struct task_row *subject_process(const struct frame *frame, int32_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < frame->ntask; i++) {
		struct task_row *row = &frame->task[i];
		if (subject_is_process(row) && row->task->pid == pid &&
		    (start_ticks == 0 || row->task->start_ticks == start_ticks))
			return row;
	}
	return NULL;
}

bool subject_take(struct screen *screen, const struct task_row *row)
{
	struct subject *subject = &screen->subject;
	const struct task_row *process = row;
	if (row->kind == TASK_UNATTRIBUTED)
		return false;
	if (row->kind == TASK_THREAD)
		process = subject_process(screen->frame, row->task->pid, 0);
	if (subject->pid != row->task->pid)
		screen->frame->sheet = NULL; /* it is of the one before */
	*subject = (struct subject){.pid = row->task->pid,
				    .identity = task_table.identity(row)};
	subject->start_ticks = process ? process->task->start_ticks : 0;
	snprintf(subject->comm, sizeof(subject->comm), "%s", row->task->comm);
	return true;
}

/* The task a row stands for, NULL with *why. */
static const struct task_row *subject_of(const struct screen *screen, const struct table *table,
					 const void *row, enum subject_picked *why)
{
	const struct task_row *task = table == &aio_table ? ((const struct aio_row *)row)->task : row;
	*why = SUBJECT_NO_TASK;
	if (table == &total_table) {
		const struct total_row *total = row;
		*why = total->pid ? SUBJECT_ENDED : SUBJECT_NO_TASK;
		return total->pid ? subject_process(screen->frame, total->pid, total->start_ticks) : NULL;
	}
	return task->kind == TASK_UNATTRIBUTED ? NULL : task;
}

void subject_first(struct screen *screen, struct list *list, bool changed)
{
	enum subject_picked why;
	if (list->selected)
		return;
	for (size_t i = list->top; i < list->rows.n; i++) {
		const void *row = list->rows.row[i];
		bool any = list->table == &device_table || list->table == &finding_table;
		const struct task_row *task = any ? NULL : subject_of(screen, list->table, row, &why);
		if (any || (task && !(changed && task->task->kernel))) {
			list_select(list, i);
			return;
		}
	}
}

enum subject_picked subject_pick(struct screen *screen, bool first)
{
	struct list *list = state_list(screen), *tasks = &screen->list[LIST_TASKS];
	enum subject_picked why;
	if (screen->details == DETAILS_TASK || screen->view == VIEW_FILES)
		return SUBJECT_PICKED; /* its files are asked for */
	bool of_tasks = list && (list->table == &task_table || list->table == &aio_table ||
				 list->table == &total_table);
	if (of_tasks && first)
		subject_first(screen, list, false);
	if (!of_tasks || !list_selected(list))
		list = tasks;
	if (first)
		subject_first(screen, list, false);
	if (!list_selected(list))
		return SUBJECT_NONE;
	const struct task_row *row = subject_of(screen, list->table, list_selected(list), &why);
	return row && subject_take(screen, row) ? SUBJECT_PICKED : why;
}

void subject_nobody(const struct task_row *row, char *out, size_t size)
{
	snprintf(out, size, "%s: what devices did and no task accounts for",
		 row->command ? row->command : row->task->comm);
}

enum screen_event subject_refuse(struct screen *screen, enum subject_picked why)
{
	state_say(screen, "%s",
		  why == SUBJECT_NONE    ? "nothing is selected: up and down select a row"
		  : why == SUBJECT_ENDED ? "it has ended"
					 : "not a task");
	return SCREEN_NOTHING;
}

void subject_complete(struct screen *screen)
{
	struct subject *subject = &screen->subject;
	if (!screen->frame || subject->pid == 0 || subject->start_ticks != 0)
		return;
	const struct task_row *row = subject_process(screen->frame, subject->pid, 0);
	if (!row)
		return;
	if (subject->identity) /* a thread's, whose process was not there */
		subject->start_ticks = row->task->start_ticks;
	else
		(void)subject_take(screen, row);
}

struct task_row *subject_row(const struct screen *screen)
{
	const struct frame *frame = screen->frame;
	if (!frame || screen->subject.pid == 0)
		return NULL;
	for (size_t i = 0; i < frame->ntask; i++) {
		struct task_row *row = &frame->task[i];
		if (row->kind != TASK_UNATTRIBUTED && row->task->pid == screen->subject.pid &&
		    task_table.identity(row) == screen->subject.identity)
			return row;
	}
	/* a thread is only there while threads are shown */
	return subject_process(frame, screen->subject.pid, screen->subject.start_ticks);
}

bool subject_gone(const struct screen *screen)
{
	return screen->frame && screen->subject.pid != 0 &&
	       screen->frame->tasks_state == PRESENT && !subject_row(screen);
}
