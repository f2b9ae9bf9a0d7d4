/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which writers wait for a file's lock, look by look. */
#include "lockwatch.h"
#include "iotriage/hash.h"
#include "iotriage/wchan.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int64_t pause_ns = 150 * 1000000LL;

void lock_watch_open(struct lock_watch *watch, bool keep)
{
	*watch = (struct lock_watch){.keep = keep, .at = SIZE_MAX};
}

void lock_task_close(struct lock_task *task)
{
	if (task->fd >= 0)
		close(task->fd);
	task->fd = -1;
}

void lock_watch_release(struct lock_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++)
		lock_task_close(&watch->task[i]);
	watch->n = watch->nchosen = 0;
}

/* ---- of a walk ---- */

void lock_watch_begin(struct lock_watch *watch)
{
	watch->nchosen = watch->cursor = 0;
}

void lock_watch_count(struct lock_watch *watch, struct task_sample *sample)
{
	sample->lock_fd = -1;
	while (watch->cursor < watch->n && watch->task[watch->cursor].leaf.pid < sample->pid)
		watch->cursor++;
	for (size_t i = watch->cursor; i < watch->n; i++) {
		const struct lock_task *task = &watch->task[i];
		if (task->leaf.pid != sample->pid)
			return;
		if (sample->tid && sample->tid != task->leaf.tid)
			continue;
		if (task->looks > sample->lock_looks)
			sample->lock_looks = task->looks;
		sample->lock_seen = (uint16_t)(sample->lock_seen + task->seen);
		if (task->file >= 0)
			sample->lock_fd = task->file;
	}
}

/* Those that wait now displace those that do not. */
static struct lock_task *room_for(struct lock_watch *watch, bool waits)
{
	if (watch->nchosen < LOCK_TASKS_MAX)
		return &watch->chosen[watch->nchosen++];
	for (size_t i = LOCK_TASKS_MAX; waits && i-- > 0;)
		if (!watch->chosen[i].waits)
			return &watch->chosen[i];
	return NULL;
}

/* false: it is not one of them. */
static bool choose(struct lock_watch *watch, const struct task_sample *sample, bool writes)
{
	bool waits = sample->state == 'D' &&
		     (wchan_is_write_lock(sample->wchan) || wchan_is_position_lock(sample->wchan));
	struct lock_task *task = writes || waits ? room_for(watch, waits) : NULL;

	if (!task)
		return false;
	*task = (struct lock_task){
	    .fd = -1, .file = -1, .program = hash_text(sample->comm, 0), .waits = waits};
	leaves_init(&task->leaf, sample->pid, sample->tid);
	return true;
}

void lock_watch_choose(struct lock_watch *watch, const struct task_file *file)
{
	const struct threads *threads = &file->threads;
	size_t chosen = 0;

	if (file->last.kernel || file->last.stat_state != PRESENT)
		return;
	if (file->last.threads <= 1)
		(void)choose(watch, &file->last, file->writes);
	for (size_t i = 0; threads->current && i < threads->n && chosen < LOCK_TASKS_EACH; i++)
		chosen += choose(watch, &threads->thread[i].last, threads->thread[i].writes);
}

static int compare(const struct lock_task *a, const struct lock_task *b)
{
	if (a->leaf.pid != b->leaf.pid)
		return a->leaf.pid < b->leaf.pid ? -1 : 1;
	return (a->leaf.tid > b->leaf.tid) - (a->leaf.tid < b->leaf.tid);
}

/* Nearly in order already. */
static void sort(struct lock_task *task, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct lock_task moving = task[i];
		size_t at = i;
		for (; at > 0 && compare(&moving, &task[at - 1]) < 0; at--)
			task[at] = task[at - 1];
		task[at] = moving;
	}
}

/* Those that stay keep their descriptor, and that they were seen to wait. */
static void inherit(struct lock_watch *watch)
{
	struct lock_task *was = watch->task, *end = was + watch->n;

	for (size_t i = 0; i < watch->nchosen; i++) {
		struct lock_task *task = &watch->chosen[i];
		while (was < end && compare(was, task) < 0)
			lock_task_close(was++);
		if (was == end || compare(was, task) != 0)
			continue;
		task->fd = was->fd;
		task->waits = task->waits || was->seen > 0;
		was++;
	}
	while (was < end)
		lock_task_close(was++);
	watch->n = 0;
}

/* Its program has another writer, and one of them all waits. */
static bool is_worth_it(const struct lock_watch *watch, size_t n)
{
	const struct lock_task *task = &watch->chosen[n];
	bool company = false, waits = task->waits;

	for (size_t i = 0; i < watch->nchosen; i++) {
		const struct lock_task *other = &watch->chosen[i];
		if (i == n ||
		    (other->leaf.pid != task->leaf.pid && other->program != task->program))
			continue;
		company = true;
		waits = waits || other->waits;
	}
	return company && waits;
}

void lock_watch_end(struct lock_watch *watch, int64_t now_ns)
{
	sort(watch->chosen, watch->nchosen);
	inherit(watch);
	for (size_t i = 0; i < watch->nchosen; i++)
		if (is_worth_it(watch, i))
			watch->task[watch->n++] = watch->chosen[i];
		else
			lock_task_close(&watch->chosen[i]);
	watch->nchosen = 0;
	watch->due_ns = now_ns + pause_ns;
}

/* ---- between walks ---- */

struct lock_task lock_watch_take(struct lock_watch *watch, size_t n)
{
	watch->at = n;
	return watch->task[n];
}

void lock_watch_put(struct lock_watch *watch, const struct lock_task *task)
{
	watch->task[watch->at] = *task;
	watch->at = SIZE_MAX;
}

void lock_watch_lose(struct lock_watch *watch)
{
	if (watch->at == SIZE_MAX)
		return;
	watch->n--;
	memmove(&watch->task[watch->at], &watch->task[watch->at + 1],
		(watch->n - watch->at) * sizeof(*watch->task));
	watch->at = SIZE_MAX;
}

void lock_watch_next(struct lock_watch *watch, int64_t now_ns)
{
	watch->due_ns = now_ns + pause_ns;
}

/* "18 0x6 0x7f..." of a call that writes: its file is the first argument. */
static int32_t written_file(const struct lock_task *task, const struct root *root)
{
	static const long calls[] = {SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev,
				     SYS_pwritev2};
	char text[256];
	long call;
	unsigned long file;

	if (leaf_read_once(&task->leaf, root, "syscall", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%ld %lx", &call, &file) != 2)
		return -1;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (call == calls[i])
			return (int32_t)file;
	return -1;
}

void lock_task_look(struct lock_task *task, const struct root *root, bool keep)
{
	char wchan[WCHAN_MAX];
	ssize_t n = leaf_read_kept(&task->leaf, root, "wchan", &task->fd, wchan, sizeof(wchan));

	if (n < 0 || !keep)
		lock_task_close(task); /* it has ended; another may have its number */
	if (n < 0)
		return;
	task->looks++;
	bool writes = wchan_is_write_lock(wchan), position = wchan_is_position_lock(wchan);
	if (position || (writes && task->file < 0)) {
		int32_t file = written_file(task, root);
		task->file = file >= 0 ? file : task->file;
		writes = writes || file >= 0;
	}
	task->seen += writes;
}
