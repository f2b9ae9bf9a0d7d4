/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The snapshot of a walk, task by task. */
#include "taskfill.h"
#include "clock.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

/* Room for one sample more; NULL without memory. */
static struct task_sample *room_for_one(struct task_sample **sample, size_t n, size_t *cap)
{
	return room_for(sample, cap, n + 1, sizeof(**sample)) ? *sample + n : NULL;
}

static struct task_sample *fill_task(struct task_snapshot *fill, const struct task_sample *sample)
{
	struct task_sample *task = room_for_one(&fill->task, fill->n, &fill->cap);

	if (!task)
		return NULL;
	*task = *sample;
	fill->n++;
	fill->unreadable += sample->io_state == ABSENT_DENIED;
	return task;
}

void fill_process(struct task_snapshot *fill, const struct task_file *file,
		  struct lock_watch *locks)
{
	const struct threads *threads = &file->threads;
	struct task_sample *task = fill_task(fill, &file->last);

	if (task)
		lock_watch_count(locks, task);
	for (size_t i = 0; threads->current && !file->hides_threads && i < threads->n; i++) {
		struct task_sample *thread =
		    room_for_one(&fill->thread, fill->nthread, &fill->thread_cap);
		if (!thread)
			return;
		*thread = threads->thread[i].last;
		fill->nthread++;
		lock_watch_count(locks, thread);
	}
}

void fill_blocked(struct task_snapshot *fill, const struct task_file *file)
{
	struct task_sample sample = file->last;

	sample.pid = file->leaf.pid;
	sample.state = '?';
	sample.wchan[0] = '\0';
	sample.io_state = sample.stat_state = ABSENT_BLOCKED;
	sample.mono_ns = clock_mono_ns();
	(void)fill_task(fill, &sample);
}

/* ---- a snapshot made by tracing ---- */

static int compare_tasks(const void *a, const void *b)
{
	const struct task_sample *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Several may have had the number: the one that began then. */
static struct task_sample *find(struct task_sample *list, size_t n, const struct task_sample *task)
{
	struct task_sample *found = n ? bsearch(task, list, n, sizeof(*task), compare_tasks) : NULL;

	while (found && found > list && compare_tasks(found - 1, task) == 0)
		found--;
	for (; found && found < list + n && compare_tasks(found, task) == 0; found++)
		if (found->start_ticks == task->start_ticks)
			return found;
	return NULL;
}

void fill_waits(struct task_snapshot *fill, const struct task_file *file, struct lock_watch *locks)
{
	const struct threads *threads = &file->threads;
	struct task_sample *task = find(fill->task, fill->n, &file->last);

	if (!task)
		return;
	/* the process's is that of any of its threads */
	memcpy(task->wchan, file->last.wchan, sizeof(task->wchan));
	lock_watch_count(locks, task);
	for (size_t i = 0; threads->current && i < threads->n; i++) {
		const struct task_sample *last = &threads->thread[i].last;
		struct task_sample *thread = find(fill->thread, fill->nthread, last);
		if (!thread)
			continue;
		if (thread->state == 'D')
			memcpy(thread->wchan, last->wchan, sizeof(thread->wchan));
		lock_watch_count(locks, thread);
	}
}
