/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks and users with their names, as far as they are known. */
#include "namebook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_task(struct task_name *task)
{
	free(task->command);
	free(task);
}

void namebook_release(struct namebook *book)
{
	for (size_t i = 0; i < NAME_BUCKETS; i++)
		while (book->task[i]) {
			struct task_name *next = book->task[i]->next;
			free_task(book->task[i]);
			book->task[i] = next;
		}
	while (book->user) {
		struct user_name *next = book->user->next;
		free(book->user->name);
		free(book->user);
		book->user = next;
	}
}

struct task_name *namebook_task(const struct namebook *book, const struct task_sample *sample)
{
	struct task_name *task = namebook_first(book, sample->pid);

	while (task && (task->pid != sample->pid || task->start_ticks != sample->start_ticks))
		task = task->next;
	return task;
}

struct task_name *namebook_add(struct namebook *book, const struct task_sample *sample)
{
	struct task_name **first = &book->task[(uint32_t)sample->pid % NAME_BUCKETS];
	struct task_name *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->pid = sample->pid;
	task->start_ticks = sample->start_ticks;
	task->seen = book->frame;
	task->next = *first;
	*first = task;
	book->ntask++;
	return task;
}

void namebook_sweep(struct namebook *book, size_t living)
{
	if (book->ntask < 2 * living + 256)
		return;
	for (size_t i = 0; i < NAME_BUCKETS; i++)
		for (struct task_name **link = &book->task[i]; *link;) {
			struct task_name *task = *link;
			if (task->seen == book->frame || task->state == NAME_ASKED) {
				link = &task->next;
				continue;
			}
			*link = task->next;
			free_task(task);
			book->ntask--;
		}
}

struct user_name *namebook_user(const struct namebook *book, uint32_t uid)
{
	struct user_name *user = book->user;

	while (user && user->uid != uid)
		user = user->next;
	return user;
}

struct user_name *namebook_add_user(struct namebook *book, uint32_t uid)
{
	struct user_name *user = calloc(1, sizeof(*user));
	char number[16];

	snprintf(number, sizeof(number), "%u", uid);
	if (!user || !(user->name = strdup(number))) {
		free(user);
		return NULL;
	}
	user->uid = uid;
	user->next = book->user;
	book->user = user;
	return user;
}

static int compare_rows(const void *a, const void *b)
{
	const struct task_sample *x = ((const struct task_row *)a)->task;
	const struct task_sample *y = ((const struct task_row *)b)->task;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The row of a process's main thread, from one of another thread of it; NULL: there is none. */
static const struct task_row *main_row(const struct frame *frame, const struct task_row *row)
{
	enum { NEAR = 8 };
	const struct task_sample sample = {.pid = row->task->pid, .tid = row->task->pid};
	const struct task_row key = {.task = &sample};

	/* it is most often a few rows above, and always there, but where numbers began anew */
	for (const struct task_row *near = row; near > frame->task && row - near < NEAR; near--)
		if (compare_rows(near - 1, &key) == 0)
			return near - 1;
	return bsearch(&key, frame->task, frame->ntask, sizeof(key), compare_rows);
}

const struct task_sample *name_source(const struct frame *frame, const struct task_row *row)
{
	const struct task_row *whole = row;

	if (row->kind == TASK_THREAD && row->task->tid != row->task->pid)
		whole = main_row(frame, row);
	return whole ? whole->task : row->task;
}
