/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing a task's I/O priority. /proc/PID/stat, which says whether it still is
 * the same process, can hang: so all of it is done by a child that is killed
 * when it is late.
 */
#include "ioprio.h"
#include "child.h"
#include "parse.h"
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEADLINE_MS = 500, CLASS_SHIFT = 13, LEVELS = 8, WHO_PROCESS = 1 };

struct change {
	int32_t pid, tid;
	uint64_t start_ticks;
	int priority;
	int changed; /* threads */
	int error;   /* the first one, of a thread that is there */
};

static void set_thread(struct change *change, int tid)
{
	if (syscall(SYS_ioprio_set, WHO_PROCESS, tid, change->priority) == 0)
		change->changed++;
	else if (errno != ESRCH && !change->error)
		change->error = -errno;
}

static int set_listed(void *context, const char *name)
{
	set_thread(context, atoi(name));
	return 0;
}

/* It is the one that was meant: the descriptor follows that one, whoever has its PID later. */
static int check_start(int folder, const struct change *change)
{
	struct task_sample sample = {0};
	char path[32], line[1024];

	if (change->tid)
		snprintf(path, sizeof(path), "task/%d/stat", (int)change->tid);
	else
		snprintf(path, sizeof(path), "stat");
	int error = root_line(folder, path, line, sizeof(line));
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	if (!task_stat_parse(line, strlen(line), &sample) || sample.start_ticks != change->start_ticks)
		return -ESRCH;
	return 0;
}

static int work(void *context)
{
	struct change *change = context;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)change->pid);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	int error = check_start(folder, change);
	if (error)
		return error;
	if (change->tid) {
		set_thread(change, change->tid);
	} else {
		/* twice: one made meanwhile has the priority of its maker, perhaps the old one */
		(void)root_list(folder, "task", set_listed, change);
		(void)root_list(folder, "task", set_listed, change);
	}
	if (change->error)
		return change->error;
	return change->changed > 0 ? 0 : -ESRCH;
}

int ioprio_change(int32_t pid, uint64_t start_ticks, int32_t tid, enum ioprio_class class,
                  int level)
{
	bool levels = class == IOPRIO_REALTIME || class == IOPRIO_BEST_EFFORT;
	struct change change = {.pid = pid, .tid = tid, .start_ticks = start_ticks};

	/* higher bits of the level are hints to newer kernels */
	if (pid <= 0 || tid < 0 || (unsigned)class > IOPRIO_IDLE ||
	    (levels && (level < 0 || level >= LEVELS)))
		return -EINVAL;
	change.priority = (int)class << CLASS_SHIFT | (levels ? level : 0);
	return child_run(work, &change, DEADLINE_MS, CHILD_KILL);
}
