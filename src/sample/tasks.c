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
#include "readtask.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { HANGING_MAX = 4, WORKER_STACK = 256 * 1024, TASK_FILES = 3, DESCRIPTORS_FEW = 256 };

static const int64_t hang_ns = 1000000000LL;

struct worker {
	struct tasks *tasks;
	int32_t pid;         /* what it is reading; 0: nothing */
	unsigned long reads; /* how many tasks it has begun to read */
	bool abandoned;      /* left hanging; another does its work */
};

struct tasks {
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	struct root *root;
	DIR *proc; /* of a live root */
	bool uids;
	bool closing;
	struct worker *worker; /* the one at work, NULL: none */
	unsigned long seen_reads; /* of the worker, when last looked after */
	int64_t seen_ns;          /* since when that number stands */
	unsigned hanging;
	int ready_fd;

	bool walking, ended;
	struct task_file *file; /* ascending PID */
	size_t nfile, file_cap;
	struct task_file *next_file; /* being listed for this walk */
	size_t next_cap;
	size_t at; /* file[at] is read next */
	size_t kept, kept_max;
	struct task_snapshot fill;
};

/* Half of what may be open; nothing where that is little. */
static size_t descriptor_budget(const struct root *root)
{
	if (!root->live || !root->procfs || root->descriptors < DESCRIPTORS_FEW)
		return 0;
	return root->descriptors / 2;
}

static int compare_files(const void *a, const void *b)
{
	const struct task_file *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool list_add(struct tasks *tasks, size_t *n, int32_t pid)
{
	if (*n == tasks->next_cap) {
		size_t cap = tasks->next_cap ? tasks->next_cap * 2 : 256;
		struct task_file *file = reallocarray(tasks->next_file, cap, sizeof(*file));
		if (!file)
			return false;
		tasks->next_file = file;
		tasks->next_cap = cap;
	}
	tasks->next_file[*n] = (struct task_file){.pid = pid, .io_fd = -1, .stat_fd = -1, .sched_fd = -1};
	(*n)++;
	return true;
}

/* The PIDs there are now, ascending. Listing /proc never waits for a task. */
static size_t list_pids(struct tasks *tasks)
{
	size_t n = 0;
	bool ordered = true;
	struct dirent *entry;

	if (!tasks->proc)
		return 0;
	rewinddir(tasks->proc);
	while ((entry = readdir(tasks->proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (*end != '\0' || pid > INT32_MAX || !list_add(tasks, &n, (int32_t)pid))
			continue;
		ordered = ordered && (n < 2 || tasks->next_file[n - 2].pid < pid);
	}
	if (!ordered)
		qsort(tasks->next_file, n, sizeof(*tasks->next_file), compare_files);
	return n;
}

static void drop_file(struct tasks *tasks, struct task_file *file)
{
	tasks->kept -= task_file_kept(file);
	task_file_close(file);
}

/* Room for one file more in next_file, which may have to grow for blocked ones. */
static bool merge_room(struct tasks *tasks, size_t n)
{
	if (n <= tasks->next_cap)
		return true;
	struct task_file *file = reallocarray(tasks->next_file, n, sizeof(*file));
	if (!file)
		return false;
	tasks->next_file = file;
	tasks->next_cap = n;
	return true;
}

/*
 * Carries kept descriptors over to the new list. A blocked file stays even if
 * its PID is gone: a hanging worker still uses it.
 */
static void merge_lists(struct tasks *tasks, size_t n)
{
	size_t added = n, i = 0, j = 0;

	while (i < tasks->nfile) {
		struct task_file *old = &tasks->file[i];
		while (j < n && tasks->next_file[j].pid < old->pid)
			j++;
		if (j < n && tasks->next_file[j].pid == old->pid)
			tasks->next_file[j] = *old;
		else if (old->blocked && merge_room(tasks, added + 1))
			tasks->next_file[added++] = *old;
		else
			drop_file(tasks, old);
		i++;
	}
	if (added > n)
		qsort(tasks->next_file, added, sizeof(*tasks->next_file), compare_files);
	struct task_file *spare = tasks->file;
	size_t spare_cap = tasks->file_cap;
	tasks->file = tasks->next_file;
	tasks->file_cap = tasks->next_cap;
	tasks->nfile = added;
	tasks->next_file = spare;
	tasks->next_cap = spare_cap;
}

static struct task_sample *fill_next(struct task_snapshot *fill)
{
	if (fill->n == fill->cap) {
		size_t cap = fill->cap ? fill->cap + fill->cap / 2 : 256;
		struct task_sample *task = reallocarray(fill->task, cap, sizeof(*task));
		if (!task)
			return NULL;
		fill->task = task;
		fill->cap = cap;
	}
	return &fill->task[fill->n];
}

static void store(struct tasks *tasks, const struct task_sample *sample)
{
	struct task_sample *task = fill_next(&tasks->fill);

	if (!task)
		return;
	*task = *sample;
	tasks->fill.n++;
	tasks->fill.unreadable += sample->io_state == ABSENT_DENIED;
}

/* What is known of a task that hangs: who it is. */
static void store_blocked(struct tasks *tasks, const struct task_file *file)
{
	struct task_sample sample = file->last;

	sample.pid = file->pid;
	sample.state = '?';
	sample.io_state = sample.stat_state = ABSENT_BLOCKED;
	sample.mono_ns = clock_mono_ns();
	store(tasks, &sample);
}

static struct task_file *find_file(struct tasks *tasks, int32_t pid)
{
	const struct task_file key = {.pid = pid};

	return bsearch(&key, tasks->file, tasks->nfile, sizeof(key), compare_files);
}

/* Reads one file with the lock open. false: this worker was given up meanwhile. */
static bool read_unlocked(struct worker *worker, struct task_file *copy, enum task_keep keep,
                          struct task_sample *sample, bool *alive)
{
	struct tasks *tasks = worker->tasks;

	worker->pid = copy->pid;
	worker->reads++;
	bool stranger = copy->last.comm[0] == '\0';
	pthread_mutex_unlock(&tasks->lock);
	if (stranger) {
		task_file_introduce(copy, tasks->root, tasks->uids);
		pthread_mutex_lock(&tasks->lock);
		tasks->file[tasks->at].last = copy->last;
		pthread_mutex_unlock(&tasks->lock);
	}
	*alive = task_file_read(copy, tasks->root, keep, tasks->uids, sample);
	pthread_mutex_lock(&tasks->lock);
	worker->pid = 0;
	return !worker->abandoned;
}

/* What a hanging worker does when its read comes back after all. */
static void come_back(struct worker *worker, const struct task_file *copy)
{
	struct tasks *tasks = worker->tasks;
	struct task_file *file = find_file(tasks, copy->pid);

	if (file && file->blocked) {
		/* descriptors opened or closed meanwhile are the copy's */
		tasks->kept -= task_file_kept(file);
		*file = *copy;
		file->blocked = false;
		tasks->kept += task_file_kept(file);
	}
	tasks->hanging--;
}

static enum task_keep may_keep(const struct tasks *tasks)
{
	if (tasks->kept + TASK_FILES > tasks->kept_max)
		return TASK_KEEP_NONE;
	return tasks->kept > tasks->kept_max / 2 ? TASK_KEEP_FEW : TASK_KEEP_ALL;
}

static bool walk_one(struct worker *worker)
{
	struct tasks *tasks = worker->tasks;
	struct task_file *file = &tasks->file[tasks->at];
	struct task_sample sample;
	bool alive;

	if (file->blocked) {
		store_blocked(tasks, file);
		tasks->at++;
		return true;
	}
	struct task_file copy = *file;
	if (!read_unlocked(worker, &copy, may_keep(tasks), &sample, &alive)) {
		come_back(worker, &copy);
		return false;
	}
	file = &tasks->file[tasks->at];
	tasks->kept -= task_file_kept(file);
	*file = copy;
	tasks->kept += task_file_kept(file);
	if (alive)
		store(tasks, &sample);
	tasks->at++;
	return true;
}

static void end_walk(struct tasks *tasks)
{
	tasks->fill.state = PRESENT;
	tasks->fill.mono_ns = clock_mono_ns();
	tasks->walking = false;
	tasks->ended = true;
	eventfd_write(tasks->ready_fd, 1);
}

static void open_listing(struct tasks *tasks)
{
	if (tasks->proc && tasks->root->live)
		return;
	if (tasks->proc)
		closedir(tasks->proc);
	int fd = openat(tasks->root->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tasks->proc = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks->proc && fd >= 0)
		close(fd);
}

/* Lists the PIDs unless a worker before this one already has. */
static void begin_walk(struct tasks *tasks)
{
	if (tasks->at != SIZE_MAX)
		return;
	/* next_file is this worker's alone: nobody waits for the listing */
	pthread_mutex_unlock(&tasks->lock);
	open_listing(tasks);
	size_t n = list_pids(tasks);
	pthread_mutex_lock(&tasks->lock);
	merge_lists(tasks, n);
	tasks->at = 0;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct tasks *tasks = worker->tasks;

	pthread_mutex_lock(&tasks->lock);
	while (!worker->abandoned && !tasks->closing) {
		if (!tasks->walking) {
			pthread_cond_wait(&tasks->wanted, &tasks->lock);
			continue;
		}
		begin_walk(tasks);
		while (!tasks->closing && tasks->at < tasks->nfile && walk_one(worker))
			;
		if (!worker->abandoned && !tasks->closing)
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
	int error;

	if (!tasks)
		return -ENOMEM;
	tasks->root = root;
	tasks->uids = uids;
	tasks->kept_max = descriptor_budget(root);
	tasks->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tasks->ready_fd < 0) {
		error = -errno;
		free(tasks);
		return error;
	}
	pthread_mutex_init(&tasks->lock, NULL);
	pthread_cond_init(&tasks->wanted, NULL);
	pthread_mutex_lock(&tasks->lock);
	(void)start_worker(tasks); /* where it cannot, each walk tries again */
	pthread_mutex_unlock(&tasks->lock);
	*ret = tasks;
	return 0;
}

static void free_all(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->nfile; i++)
		task_file_close(&tasks->file[i]);
	free(tasks->file);
	free(tasks->next_file);
	free(tasks->fill.task);
	if (tasks->proc)
		closedir(tasks->proc);
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

bool tasks_start(struct tasks *tasks)
{
	pthread_mutex_lock(&tasks->lock);
	bool free_to_go = !tasks->walking && !tasks->ended;
	if (free_to_go) {
		tasks->walking = true;
		tasks->at = SIZE_MAX;
		tasks->fill.n = tasks->fill.unreadable = 0;
		pthread_cond_signal(&tasks->wanted);
	}
	pthread_mutex_unlock(&tasks->lock);
	return free_to_go;
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
	if (worker->pid == 0 || worker->reads != tasks->seen_reads) {
		tasks->seen_reads = worker->reads;
		tasks->seen_ns = now;
		return;
	}
	if (now - tasks->seen_ns < hang_ns || tasks->hanging >= HANGING_MAX)
		return;
	struct task_file *file = find_file(tasks, worker->pid);
	worker->abandoned = true;
	tasks->hanging++;
	tasks->seen_reads = 0;
	tasks->worker = NULL;
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
