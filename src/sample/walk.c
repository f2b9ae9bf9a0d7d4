/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading one process after another, with the lock open while that may hang. */
#include "walk.h"
#include "taskfill.h"

/* What is kept open may be half of kept_max before idle tasks give theirs back. */
static struct reader reader_of(struct worker *worker)
{
	const struct tasks *tasks = worker->tasks;
	size_t kept = tasks->list.kept;

	return (struct reader){
		.root = tasks->root,
		.uids = tasks->uids,
		.all_threads = tasks->fill.all_threads,
		.room = kept < tasks->kept_max ? tasks->kept_max - kept : 0,
		.plenty = tasks->kept_max / 2,
		.reads = &worker->reads,
	};
}

/*
 * Reads one file with the lock open. The copy and the file in the list share
 * memory and descriptors; the list's is not looked into meanwhile, except for
 * `last`. false: this worker was given up meanwhile.
 */
static bool read_unlocked(struct worker *worker, struct task_file *copy, bool *alive)
{
	struct tasks *tasks = worker->tasks;
	struct reader reader = reader_of(worker);

	worker->pid = copy->leaf.pid;
	atomic_fetch_add(&worker->reads, 1);
	bool stranger = copy->last.comm[0] == '\0';
	pthread_mutex_unlock(&tasks->lock);
	if (stranger) {
		task_file_introduce(copy, tasks->root, tasks->uids);
		pthread_mutex_lock(&tasks->lock);
		if (!worker->abandoned)
			tasks->list.file[tasks->at].last = copy->last;
		pthread_mutex_unlock(&tasks->lock);
	}
	*alive = task_file_read(copy, &reader);
	pthread_mutex_lock(&tasks->lock);
	worker->pid = 0;
	return !worker->abandoned;
}

/* Puts a copy that was read back. */
static void put_back(struct tasks *tasks, struct task_file *file, const struct task_file *copy,
                     size_t was_kept)
{
	tasks->list.kept += task_file_kept(copy);
	tasks->list.kept -= was_kept;
	*file = *copy;
}

/* What a hanging worker does when its read comes back after all. copy NULL: nothing has changed. */
static void come_back(struct worker *worker, int32_t pid, const struct task_file *copy,
		      size_t was_kept)
{
	struct tasks *tasks = worker->tasks;
	struct task_file *file = task_list_find(&tasks->list, pid);

	if (copy && file && file->blocked) /* in the copy it is not */
		put_back(tasks, file, copy, was_kept);
	else if (file)
		file->blocked = false;
	tasks->hanging--;
}

static void take(struct tasks *tasks, const struct task_file *file)
{
	if (tasks->fill.traced)
		fill_waits(&tasks->fill, file, &tasks->locks);
	else
		fill_process(&tasks->fill, file, &tasks->locks);
	if (tasks->root->live)
		lock_watch_choose(&tasks->locks, file);
}

/* One that most likely is idle. 1: it was, and is taken; 0: it is to be read; -1: given up. */
static int walk_idle(struct worker *worker)
{
	struct tasks *tasks = worker->tasks;
	struct task_file *file = &tasks->list.file[tasks->at];
	struct idle_look look;

	if (!task_file_may_idle(file, &look))
		return 0;
	worker->pid = file->leaf.pid;
	atomic_fetch_add(&worker->reads, 1);
	pthread_mutex_unlock(&tasks->lock);
	bool idle = leaf_rests(look.sched_fd, &look.ran);
	pthread_mutex_lock(&tasks->lock);
	worker->pid = 0;
	if (worker->abandoned) {
		come_back(worker, look.pid, NULL, 0);
		return -1;
	}
	if (!idle)
		return 0;
	const struct reader reader = reader_of(worker);
	tasks->list.kept -= task_file_kept(file);
	task_file_stay(file, &reader);
	tasks->list.kept += task_file_kept(file);
	take(tasks, file);
	tasks->at++;
	return 1;
}

bool walk_one(struct worker *worker)
{
	struct tasks *tasks = worker->tasks;
	struct task_file *file = &tasks->list.file[tasks->at];
	bool alive;

	if (file->blocked) {
		if (!tasks->fill.traced)
			fill_blocked(&tasks->fill, file);
		tasks->at++;
		return true;
	}
	int idle = walk_idle(worker);
	if (idle)
		return idle > 0;
	struct task_file copy = *file;
	size_t was_kept = task_file_kept(file);
	if (!read_unlocked(worker, &copy, &alive)) {
		come_back(worker, copy.leaf.pid, &copy, was_kept);
		return false;
	}
	put_back(tasks, &tasks->list.file[tasks->at], &copy, was_kept);
	if (alive)
		take(tasks, &copy);
	else
		tasks->gone = true;
	tasks->at++;
	return true;
}

/* ---- between walks ---- */

bool walk_lock(struct worker *worker, size_t n)
{
	struct tasks *tasks = worker->tasks;
	struct lock_task task = lock_watch_take(&tasks->locks, n);
	bool keep = tasks->locks.keep;

	worker->pid = task.leaf.pid;
	atomic_fetch_add(&worker->reads, 1);
	pthread_mutex_unlock(&tasks->lock);
	lock_task_look(&task, tasks->root, keep);
	pthread_mutex_lock(&tasks->lock);
	worker->pid = 0;
	if (!worker->abandoned) {
		lock_watch_put(&tasks->locks, &task);
		return true;
	}
	lock_task_close(&task);
	come_back(worker, task.leaf.pid, NULL, 0);
	return false;
}
