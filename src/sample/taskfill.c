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

static void copy_wait(struct task_sample *to, const struct task_sample *from)
{
	if (to->start_ticks == from->start_ticks && to->state == 'D')
		memcpy(to->wchan, from->wchan, sizeof(to->wchan));
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task_sample *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct task_sample *find(struct task_sample *list, size_t n, int32_t pid, int32_t tid)
{
	const struct task_sample key = {.pid = pid, .tid = tid};

	return n ? bsearch(&key, list, n, sizeof(key), compare_tasks) : NULL;
}

void fill_waits(struct task_snapshot *fill, const struct task_file *file, struct lock_watch *locks)
{
	const struct threads *threads = &file->threads;
	struct task_sample *task = find(fill->task, fill->n, file->leaf.pid, 0);

	if (!task)
		return;
	/* the process's is that of any of its threads */
	if (task->start_ticks == file->last.start_ticks)
		memcpy(task->wchan, file->last.wchan, sizeof(task->wchan));
	lock_watch_count(locks, task);
	for (size_t i = 0; threads->current && i < threads->n; i++) {
		const struct task_sample *last = &threads->thread[i].last;
		struct task_sample *thread = find(fill->thread, fill->nthread, last->pid, last->tid);
		if (!thread)
			continue;
		copy_wait(thread, last);
		lock_watch_count(locks, thread);
	}
}
