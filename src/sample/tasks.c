/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task worker and the walk it does.
 *
 * Everything in struct tasks is guarded by its lock, which nobody holds while
 * reading a task's file. A descriptor kept open on /proc/PID/io follows one
 * process for ever: when that is gone it answers ESRCH, also if its PID is in
 * use again.
 */
#include "tasks.h"
#include "clock.h"
#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { HANGING_MAX = 4, WORKER_STACK = 256 * 1024, DESCRIPTORS_FEW = 256 };

static const int64_t hang_ns = 1000000000LL;

/* Half of what may be open; nothing where that is little. */
static size_t descriptor_budget(const struct root *root)
{
	if (!root->live || !root->procfs || root->descriptors < DESCRIPTORS_FEW)
		return 0;
	return root->descriptors / 2;
}

static void end_walk(struct tasks *tasks)
{
	tasks->fill.state = PRESENT;
	if (!tasks->fill.traced)
		tasks->fill.mono_ns = clock_mono_ns();
	tasks->walking = false;
	tasks->ended = true;
	lock_watch_end(&tasks->locks, tasks->fill.mono_ns);
	eventfd_write(tasks->ready_fd, 1);
}

/* All tasks by the other source. false: it failed, or there is none. */
static bool ask_source(struct tasks *tasks)
{
	struct task_snapshot *fill = &tasks->fill;

	fill->traced = tasks->source && tasks->source(tasks->source_data, fill) == 0;
	if (!fill->traced)
		fill->n = fill->nthread = 0;
	return fill->traced;
}

/* Lists the PIDs unless a worker before this one already has, or the list stands. */
static void begin_walk(struct tasks *tasks)
{
	if (tasks->at != SIZE_MAX)
		return;
	bool stands = !tasks->gone &&
		      task_list_stands(&tasks->list, tasks->forks, root_now_ns(tasks->root));
	/* what is being listed is this worker's alone: nobody waits for it */
	pthread_mutex_unlock(&tasks->lock);
	int64_t begun_ns = root_now_ns(tasks->root);
	uint64_t begun_ticks = root_now_ticks(tasks->root);
	bool traced = ask_source(tasks);
	if (traced)
		task_list_busy(&tasks->list, &tasks->fill);
	else if (!stands)
		task_list_pids(&tasks->list, tasks->root);
	pthread_mutex_lock(&tasks->lock);
	tasks->fill.begun_ns = begun_ns;
	tasks->fill.begun_ticks = begun_ticks;
	tasks->as_before = stands && !traced;
	tasks->gone = false;
	if (!tasks->as_before)
		task_list_merge(&tasks->list, traced ? 0 : tasks->forks, begun_ns);
	lock_watch_begin(&tasks->locks);
	tasks->at = 0;
}

/* Anew, with the processes there are now: one is gone, and its children have another parent. */
static void begin_again(struct tasks *tasks)
{
	tasks->fill.n = tasks->fill.nthread = tasks->fill.unreadable = 0;
	tasks->at = SIZE_MAX;
}

/* ---- a worker ---- */

/* Waits for a walk to be wanted; meanwhile it looks at locks where that is due. */
static void await_walk(struct worker *worker)
{
	struct tasks *tasks = worker->tasks;
	const int64_t second_ns = 1000000000LL, due_ns = tasks->locks.due_ns;
	const struct timespec due = {.tv_sec = due_ns / second_ns, .tv_nsec = due_ns % second_ns};

	if (tasks->locks.n == 0) {
		pthread_cond_wait(&tasks->wanted, &tasks->lock);
		return;
	}
	if (pthread_cond_timedwait(&tasks->wanted, &tasks->lock, &due) != ETIMEDOUT)
		return;
	for (size_t i = 0; i < tasks->locks.n && !tasks->walking && !tasks->closing; i++)
		if (!walk_lock(worker, i))
			return;
	lock_watch_next(&tasks->locks, clock_mono_ns());
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct tasks *tasks = worker->tasks;

	pthread_mutex_lock(&tasks->lock);
	while (!worker->abandoned && !tasks->closing) {
		if (!tasks->walking) {
			await_walk(worker);
			continue;
		}
		begin_walk(tasks);
		while (!tasks->closing && tasks->at < tasks->list.n && walk_one(worker))
			;
		if (worker->abandoned || tasks->closing)
			break;
		if (tasks->as_before && tasks->gone)
			begin_again(tasks);
		else
			end_walk(tasks);
	}
	if (tasks->worker == worker)
		tasks->worker = NULL;
	pthread_mutex_unlock(&tasks->lock);
	free(worker);
	return NULL;
}

/* Called with the lock held. */
static int start_worker(struct tasks *tasks)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	if (!worker)
		return -ENOMEM;
	worker->tasks = tasks;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	tasks->worker = worker;
	error = pthread_create(&thread, &attr, work, worker);
	pthread_attr_destroy(&attr);
	if (error) {
		tasks->worker = NULL;
		free(worker);
	}
	return -error;
}

int tasks_open(struct tasks **ret, struct root *root, bool uids)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	pthread_condattr_t attr;
	int error;

	if (!tasks)
		return -ENOMEM;
	tasks->root = root;
	tasks->uids = uids;
	tasks->kept_max = descriptor_budget(root);
	bool keep = tasks->kept_max >= 4 * LOCK_TASKS_MAX;
	tasks->kept_max -= keep ? LOCK_TASKS_MAX : 0;
	lock_watch_open(&tasks->locks, keep);
	tasks->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tasks->ready_fd < 0) {
		error = -errno;
		free(tasks);
		return error;
	}
	pthread_mutex_init(&tasks->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&tasks->wanted, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&tasks->lock);
	(void)start_worker(tasks); /* where it cannot, each walk tries again */
	pthread_mutex_unlock(&tasks->lock);
	*ret = tasks;
	return 0;
}

static void free_all(struct tasks *tasks)
{
	task_list_release(&tasks->list);
	lock_watch_release(&tasks->locks);
	free(tasks->fill.task);
	free(tasks->fill.thread);
	close(tasks->ready_fd);
	pthread_mutex_destroy(&tasks->lock);
	pthread_cond_destroy(&tasks->wanted);
	free(tasks);
}

bool tasks_close(struct tasks *tasks)
{
	bool idle = false;

	if (!tasks)
		return true;
	pthread_mutex_lock(&tasks->lock);
	tasks->closing = true;
	pthread_cond_broadcast(&tasks->wanted);
	pthread_mutex_unlock(&tasks->lock);
	/* a worker between two reads ends at once; one that hangs keeps the memory it uses */
	for (int i = 0; i < 100 && !idle; i++) {
		pthread_mutex_lock(&tasks->lock);
		idle = !tasks->worker && tasks->hanging == 0;
		pthread_mutex_unlock(&tasks->lock);
		if (!idle)
			usleep(1000);
	}
	if (idle)
		free_all(tasks);
	return idle;
}

void tasks_use(struct tasks *tasks, task_source *source, void *data)
{
	pthread_mutex_lock(&tasks->lock);
	tasks->source = source;
	tasks->source_data = data;
	pthread_mutex_unlock(&tasks->lock);
}

bool tasks_start(struct tasks *tasks, uint64_t forks)
{
	pthread_mutex_lock(&tasks->lock);
	bool free_to_go = !tasks->walking && !tasks->ended;
	if (free_to_go) {
		tasks->walking = true;
		tasks->forks = forks;
		tasks->at = SIZE_MAX;
		tasks->fill.n = tasks->fill.nthread = tasks->fill.unreadable = 0;
		tasks->fill.all_threads = tasks->all_threads;
		pthread_cond_signal(&tasks->wanted);
	}
	pthread_mutex_unlock(&tasks->lock);
	return free_to_go;
}

void tasks_all_threads(struct tasks *tasks, bool all)
{
	pthread_mutex_lock(&tasks->lock);
	tasks->all_threads = all;
	pthread_mutex_unlock(&tasks->lock);
}

int tasks_fd(const struct tasks *tasks)
{
	return tasks->ready_fd;
}

/* Leaves a worker that hangs on one task behind and lets another go on. */
static void supervise(struct tasks *tasks)
{
	struct worker *worker = tasks->worker;

	if (!tasks->walking)
		return;
	if (!worker) {
		(void)start_worker(tasks);
		return;
	}
	int64_t now = clock_mono_ns();
	unsigned long reads = atomic_load(&worker->reads);
	if (worker->pid == 0 || reads != tasks->seen_reads) {
		tasks->seen_reads = reads;
		tasks->seen_ns = now;
		return;
	}
	if (now - tasks->seen_ns < hang_ns || tasks->hanging >= HANGING_MAX)
		return;
	struct task_file *file = task_list_find(&tasks->list, worker->pid);
	worker->abandoned = true;
	tasks->hanging++;
	tasks->seen_reads = 0;
	tasks->worker = NULL;
	lock_watch_lose(&tasks->locks);
	if (file)
		file->blocked = true;
	if (start_worker(tasks) < 0)
		return; /* tried again at the next call */
	pthread_cond_signal(&tasks->wanted);
}

bool tasks_done(struct tasks *tasks)
{
	pthread_mutex_lock(&tasks->lock);
	supervise(tasks);
	bool ended = tasks->ended;
	pthread_mutex_unlock(&tasks->lock);
	return ended;
}

void tasks_take(struct tasks *tasks, struct task_snapshot *snapshot)
{
	eventfd_t count;

	pthread_mutex_lock(&tasks->lock);
	if (tasks->ended) {
		struct task_snapshot old = *snapshot;
		*snapshot = tasks->fill;
		tasks->fill = old;
		tasks->ended = false;
		(void)eventfd_read(tasks->ready_fd, &count);
	}
	pthread_mutex_unlock(&tasks->lock);
}
