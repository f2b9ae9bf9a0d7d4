/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing /proc, and what is carried from one walk to the next. */
#include "tasklist.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int compare_files(const void *a, const void *b)
{
	const struct task_file *x = a, *y = b;

	return (x->leaf.pid > y->leaf.pid) - (x->leaf.pid < y->leaf.pid);
}

/* A story has another folder at each step. */
static void open_folder(struct task_list *list, const struct root *root)
{
	if (list->proc && root->live)
		return;
	if (list->proc)
		closedir(list->proc);
	int fd = openat(root->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list->proc = fd < 0 ? NULL : fdopendir(fd);
	if (!list->proc && fd >= 0)
		close(fd);
}

/* Room for so many in `next`. */
static bool next_room(struct task_list *list, size_t n)
{
	if (n <= list->next_cap)
		return true;
	size_t cap = list->next_cap ? list->next_cap * 2 : 256;
	struct task_file *file = reallocarray(list->next, cap, sizeof(*file));
	if (!file)
		return false;
	list->next = file;
	list->next_cap = cap;
	return true;
}

static bool next_add(struct task_list *list, size_t *n, int32_t pid)
{
	if (!next_room(list, *n + 1))
		return false;
	list->next[(*n)++].leaf.pid = pid; /* the rest is set when the lists are merged */
	return true;
}

size_t task_list_pids(struct task_list *list, const struct root *root)
{
	size_t n = 0;
	bool ordered = true;
	struct dirent *entry;

	open_folder(list, root);
	if (!list->proc)
		return 0;
	rewinddir(list->proc);
	while ((entry = readdir(list->proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (*end != '\0' || pid > INT32_MAX || !next_add(list, &n, (int32_t)pid))
			continue;
		ordered = ordered && (n < 2 || list->next[n - 2].leaf.pid < pid);
	}
	if (!ordered)
		qsort(list->next, n, sizeof(*list->next), compare_files);
	return n;
}

size_t task_list_busy(struct task_list *list, const struct task_snapshot *tasks)
{
	size_t n = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		const struct task_sample *task = &tasks->task[i];
		bool lives = task->state != 'X' && task->state != 'Z' && !task->kernel;
		/* of two with the number one has ended */
		if (lives && (task->worked || task->state == 'D') &&
		    (n == 0 || list->next[n - 1].leaf.pid != task->pid) && !next_add(list, &n, task->pid))
			break;
	}
	return n;
}

/*
 * A process whose parent ended has another one, without having run: it is read
 * again, because what it did goes to that parent.
 */
static void find_orphans(struct task_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct task_file *file = &list->file[i];
		if (file->known && file->last.ppid > 0 && !task_list_find(list, file->last.ppid))
			file->again = true;
	}
}

static void drop(struct task_list *list, struct task_file *file)
{
	list->kept -= task_file_kept(file);
	task_file_close(file);
}

/* A process that was not in the list before. */
static void begin(struct task_file *file)
{
	int32_t pid = file->leaf.pid;

	*file = (struct task_file){0};
	leaves_init(&file->leaf, pid, 0);
}

void task_list_merge(struct task_list *list, size_t n)
{
	size_t added = n, j = 0;
	bool dropped = false;

	for (size_t i = 0; i < list->n; i++) {
		struct task_file *old = &list->file[i];
		while (j < n && list->next[j].leaf.pid < old->leaf.pid)
			begin(&list->next[j++]);
		if (j < n && list->next[j].leaf.pid == old->leaf.pid) {
			list->next[j++] = *old;
		} else if (!old->blocked) {
			drop(list, old);
			dropped = true;
		} else if (next_room(list, added + 1)) {
			/* without room it is lost, but not taken from its worker */
			list->next[added++] = *old;
		}
	}
	while (j < n)
		begin(&list->next[j++]);
	if (added > n)
		qsort(list->next, added, sizeof(*list->next), compare_files);
	struct task_file *spare = list->file;
	size_t spare_cap = list->cap;
	list->file = list->next;
	list->cap = list->next_cap;
	list->n = added;
	list->next = spare;
	list->next_cap = spare_cap;
	if (dropped)
		find_orphans(list);
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
	free(list->file);
	free(list->next);
	if (list->proc)
		closedir(list->proc);
	*list = (struct task_list){0};
}
