/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that a look is at, in the helper that looks. */
#include "looker.h"
#include "parse.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW };

static bool read_stat(struct looker *looker, int folder, struct task_sample *task)
{
	return root_read(folder, "stat", &looker->bytes) == 0 &&
	       task_stat_parse(looker->bytes.p, looker->bytes.n, task);
}

static bool has_ended(const struct task_sample *task)
{
	return task->state == 'Z' || task->state == 'X';
}

/* The folder of a thread that lives, or -1. */
static int open_thread(struct looker *looker, DIR *threads)
{
	enum { MOST = 64 }; /* threads that ended do not stay */
	const struct dirent *entry;

	for (int i = 0; i < MOST && (entry = readdir(threads)); i++) {
		struct task_sample task = {0};
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		int fd = openat(dirfd(threads), entry->d_name, FOLDER);
		if (fd >= 0 && read_stat(looker, fd, &task) && !has_ended(&task))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int open_live(struct looker *looker)
{
	int fd = openat(looker->pid_fd, "task", FOLDER);
	DIR *threads = fd < 0 ? NULL : fdopendir(fd);
	int live_fd = threads ? open_thread(looker, threads) : -1;

	if (threads)
		closedir(threads);
	else if (fd >= 0)
		close(fd);
	return live_fd;
}

bool looker_enter(struct looker *looker)
{
	const struct look_question *question = looker->question;
	struct task_sample task = {0};
	char name[16];

	looker->live_fd = -1;
	snprintf(name, sizeof(name), "%d", (int)question->pid);
	looker->pid_fd = openat(looker->root_fd, name, FOLDER);
	if (looker->pid_fd < 0 || !read_stat(looker, looker->pid_fd, &task) ||
	    (question->start_ticks && task.start_ticks != question->start_ticks))
		return false;
	looker->live_fd =
	    has_ended(&task) && task.threads > 1 ? open_live(looker) : looker->pid_fd;
	return true;
}

void looker_read_io(struct looker *looker)
{
	uint64_t counter[TASK_COUNTERS];

	if (root_read(looker->pid_fd, "io", &looker->bytes) < 0 ||
	    !task_io_parse(looker->bytes.p, looker->bytes.n, counter))
		return;
	looker->answer->io_known = true;
	looker->answer->read_bytes = counter[TASK_READ_BYTES];
}

void looker_leave(struct looker *looker)
{
	if (looker->live_fd >= 0 && looker->live_fd != looker->pid_fd)
		close(looker->live_fd);
	if (looker->pid_fd >= 0)
		close(looker->pid_fd);
	looker->pid_fd = looker->live_fd = -1;
}
