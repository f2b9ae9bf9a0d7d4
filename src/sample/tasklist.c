/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing /proc, and what is kept from one walk to the next. */
#include "tasklist.h"
#include "room.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAMES_BYTES = 32 * 1024 };

/* ---- the PIDs ---- */

static int compare_pids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* A story has another folder at each step. false: there is none, or no memory. */
static bool open_folder(struct task_list *list, const struct root *root)
{
	if (!list->names && !(list->names = malloc(NAMES_BYTES)))
		return false;
	if (list->folder > 0 && root->live)
		return lseek(list->folder, 0, SEEK_SET) == 0;
	if (list->folder > 0)
		close(list->folder);
	list->folder = openat(root->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return list->folder > 0;
}

static bool room_for_pid(struct task_list *list)
{
	return room_for(&list->pid, &list->pid_cap, list->npid + 1, sizeof(*list->pid));
}

/* 0: it is no PID. */
static int32_t pid_of(const char *name)
{
	int64_t pid = 0;

	if (*name == '0')
		return 0;
	for (; *name >= '0' && *name <= '9' && pid <= INT32_MAX; name++)
		pid = 10 * pid + (*name - '0');
	return *name || pid > INT32_MAX ? 0 : (int32_t)pid;
}

void task_list_pids(struct task_list *list, const struct root *root)
{
	bool ordered = true;
	ssize_t n;

	list->npid = 0;
	if (!open_folder(list, root))
		return;
	while ((n = getdents64(list->folder, list->names, NAMES_BYTES)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(list->names + at);
			int32_t pid = pid_of(entry->d_name);
			at += entry->d_reclen;
			if (!pid || !room_for_pid(list))
				continue;
			ordered = ordered && (list->npid == 0 || list->pid[list->npid - 1] < pid);
			list->pid[list->npid++] = pid;
		}
	if (!ordered)
		qsort(list->pid, list->npid, sizeof(*list->pid), compare_pids);
}

void task_list_busy(struct task_list *list, const struct task_snapshot *tasks)
{
	list->npid = 0;
	for (size_t i = 0; i < tasks->n; i++) {
		const struct task_sample *task = &tasks->task[i];
		bool lives = task->state != 'X' && task->state != 'Z' && !task->kernel;
		/* of two with the number one has ended */
		if (lives && (task->worked || task->state == 'D') &&
		    (list->npid == 0 || list->pid[list->npid - 1] != task->pid) &&
		    room_for_pid(list))
			list->pid[list->npid++] = task->pid;
	}
}

/* ---- what is kept ---- */

/*
 * A process whose parent ended has another one, without having run: it is read
 * again, because what it did goes to that parent.
 */
static void find_orphans(struct task_list *list)
{
	int32_t lives = 0; /* many have the same */

	for (size_t i = 0; i < list->n; i++) {
		struct task_file *file = &list->file[i];
		int32_t ppid = file->last.ppid;
		if (!file->known || ppid <= 0 || ppid == lives)
			continue;
		if (task_list_find(list, ppid))
			lives = ppid;
		else
			file->again = true;
	}
}

/* Takes those away that are gone. Returns how many of the listed ones there are already. */
static size_t drop_gone(struct task_list *list)
{
	size_t kept = 0, known = 0, j = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct task_file *file = &list->file[i];
		while (j < list->npid && list->pid[j] < file->leaf.pid)
			j++;
		bool listed = j < list->npid && list->pid[j] == file->leaf.pid;
		known += listed;
		if (!listed && !file->blocked) {
			list->kept -= task_file_kept(file);
			task_file_close(file);
			continue;
		}
		if (kept != i)
			list->file[kept] = *file;
		kept++;
	}
	list->n = kept;
	return known;
}

/* Puts in the n listed ones that are not there yet, from the back, where most of them belong. */
static void add_new(struct task_list *list, size_t n)
{
	size_t i = list->n, j = list->npid, to = i + n;

	list->n = to;
	while (to > i) {
		bool same = i > 0 && list->file[i - 1].leaf.pid == list->pid[j - 1];
		if (same || (i > 0 && list->file[i - 1].leaf.pid > list->pid[j - 1])) {
			list->file[--to] = list->file[--i];
			j -= same;
			continue;
		}
		list->file[--to] = (struct task_file){0};
		leaves_init(&list->file[to].leaf, list->pid[--j], 0);
	}
}

bool task_list_stands(const struct task_list *list, uint64_t forks, int64_t now_ns)
{
	/* in a container the count may be somebody's invention */
	static const int64_t most_ns = 10 * 1000000000LL;

	return forks && forks == list->forks && !list->distrust &&
	       now_ns - list->listed_ns < most_ns;
}

void task_list_merge(struct task_list *list, uint64_t forks, int64_t now_ns)
{
	size_t before = list->n, known = drop_gone(list), added = list->npid - known;
	bool dropped = list->n < before;

	list->distrust |= added > 0 && forks && forks == list->forks;
	list->forks = forks;
	list->listed_ns = now_ns;
	if (added > 0 && room_for(&list->file, &list->cap, list->n + added, sizeof(*list->file)))
		add_new(list, added);
	if (dropped)
		find_orphans(list);
}

static int compare_files(const void *a, const void *b)
{
	const struct task_file *x = a, *y = b;

	return compare_pids(&x->leaf.pid, &y->leaf.pid);
}

struct task_file *task_list_find(const struct task_list *list, int32_t pid)
{
	const struct task_file key = {.leaf = {.pid = pid}};

	return list->n ? bsearch(&key, list->file, list->n, sizeof(key), compare_files) : NULL;
}

void task_list_release(struct task_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		task_file_close(&list->file[i]);
	if (list->folder > 0)
		close(list->folder);
	free(list->file);
	free(list->names);
	free(list->pid);
	*list = (struct task_list){0};
}
