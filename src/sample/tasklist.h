/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes there are, with what is kept of each from walk to walk. */
#ifndef IOTRIAGE_SAMPLE_TASKLIST_H
#define IOTRIAGE_SAMPLE_TASKLIST_H

#include "readtask.h"

/* Zero-initialised; released by task_list_release. */
struct task_list {
	struct task_file *file; /* ascending PID */
	size_t n, cap;
	size_t kept; /* descriptors of all of them */
	int folder;  /* of the processes, once opened; 0: not yet */
	char *names; /* room for the kernel to list names in */
	int32_t *pid; /* as listed last, ascending */
	size_t npid, pid_cap;
	uint64_t forks;    /* the kernel had made by then; 0: unknown */
	int64_t listed_ns; /* when that was */
	bool distrust;     /* there were new ones although it had made none */
};

/*
 * No process has come since the list was made, for the kernel has made so many
 * processes and threads as it had then. Listing thousands is a quarter of a walk.
 */
bool task_list_stands(const struct task_list *list, uint64_t forks, int64_t now_ns);

/* Lists the PIDs there are now, as far as memory goes. Listing /proc never waits for a task. */
void task_list_pids(struct task_list *list, const struct root *root);

/* The same of those alone that wait or did I/O, of a walk that was made by tracing. */
void task_list_busy(struct task_list *list, const struct task_snapshot *tasks);

/*
 * Those listed become the list. What was kept of processes that are still there is
 * kept on; a blocked one stays even if it is gone, for a hanging worker uses it.
 * forks: as they were before; 0: unknown.
 */
void task_list_merge(struct task_list *list, uint64_t forks, int64_t now_ns);

/* NULL: no such process. */
struct task_file *task_list_find(const struct task_list *list, int32_t pid);

void task_list_release(struct task_list *list);

#endif
