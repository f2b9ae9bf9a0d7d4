/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes there are, with what is kept of each from walk to walk. */
#ifndef IOTRIAGE_SAMPLE_TASKLIST_H
#define IOTRIAGE_SAMPLE_TASKLIST_H

#include "readtask.h"

#include <dirent.h>

struct task_list {
	DIR *proc;
	struct task_file *file; /* ascending PID */
	size_t n, cap;
	struct task_file *next; /* being listed */
	size_t next_cap;
	size_t kept; /* descriptors of all of them */
};

/* Lists the PIDs there are now: how many. Listing /proc never waits for a task. */
size_t task_list_pids(struct task_list *list, const struct root *root);

/* The same of those alone that wait or did I/O, of a walk that was made by tracing. */
size_t task_list_busy(struct task_list *list, const struct task_snapshot *tasks);

/*
 * Those n become the list. What was kept of processes that are still there is
 * carried over; a blocked one stays even if it is gone, for a hanging worker
 * uses it.
 */
void task_list_merge(struct task_list *list, size_t n);

/* NULL: no such process. */
struct task_file *task_list_find(const struct task_list *list, int32_t pid);

void task_list_release(struct task_list *list);

#endif
