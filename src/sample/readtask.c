/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one task: /proc/PID/{io,stat,status}. */
#include "readtask.h"
#include "clock.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IO_TEXT = 512, STAT_TEXT = 2048, STATUS_TEXT = 4096 };

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void task_file_close(struct task_file *file)
{
	close_fd(&file->io_fd);
	close_fd(&file->stat_fd);
}

static int open_leaf(const struct root *root, int32_t pid, const char *leaf)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/%s", (int)pid, leaf);
	int fd = openat(root->proc_fd, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads through *kept, or opens the leaf and leaves it in *kept if keep. Bytes or -errno. */
static ssize_t read_leaf(const struct root *root, int32_t pid, const char *leaf, int *kept, bool keep,
                         char *buf, size_t size)
{
	int fd = *kept >= 0 ? *kept : open_leaf(root, pid, leaf);
	ssize_t n;

	if (fd < 0)
		return fd;
	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	buf[n > 0 ? n : 0] = '\0';
	if (*kept < 0 && keep && n > 0)
		*kept = fd;
	else if (*kept < 0)
		close(fd);
	return n;
}

static void read_uid(const struct root *root, struct task_file *file)
{
	char buf[STATUS_TEXT];
	int none = -1;
	ssize_t n = read_leaf(root, file->pid, "status", &none, false, buf, sizeof(buf));
	const char *line = n > 0 ? strstr(buf, "\nUid:") : NULL;
	unsigned real, effective;

	if (line && sscanf(line + 5, "%u %u", &real, &effective) == 2) {
		file->uid = effective;
		file->uid_known = true;
	}
}

static enum absent io_absence(ssize_t error)
{
	return error == -EACCES || error == -EPERM ? ABSENT_DENIED : ABSENT_UNSUPPORTED;
}

/* Remembers what stat says of it; a process of another start time has other files. */
static void remember(struct task_file *file, const struct task_sample *sample)
{
	if (file->start_ticks != sample->start_ticks)
		file->uid_known = false;
	file->start_ticks = sample->start_ticks;
	memcpy(file->comm, sample->comm, sizeof(file->comm));
}

static bool read_once(struct task_file *file, const struct root *root, bool keep, bool uid,
                      struct task_sample *sample)
{
	char io[IO_TEXT], stat[STAT_TEXT];
	ssize_t nio = read_leaf(root, file->pid, "io", &file->io_fd, keep, io, sizeof(io));

	sample->mono_ns = clock_mono_ns();
	ssize_t nstat = read_leaf(root, file->pid, "stat", &file->stat_fd, keep, stat, sizeof(stat));
	if (nio == 0 || nio == -ESRCH || nio == -EIO || nstat <= 0)
		return false;
	if (!task_stat_parse(stat, (size_t)nstat, sample))
		return false;
	if (nio < 0)
		sample->io_state = (uint8_t)io_absence(nio);
	else if (!task_io_parse(io, (size_t)nio, sample->counter))
		return false;
	remember(file, sample);
	if (uid && !file->uid_known)
		read_uid(root, file);
	sample->uid = file->uid;
	sample->uid_known = file->uid_known;
	return true;
}

bool task_file_read(struct task_file *file, const struct root *root, bool keep, bool uid,
                    struct task_sample *sample)
{
	bool kept = file->io_fd >= 0 || file->stat_fd >= 0;

	memset(sample, 0, sizeof(*sample));
	sample->pid = file->pid;
	if (read_once(file, root, keep, uid, sample))
		return true;
	task_file_close(file);
	if (!kept)
		return false;
	/* the process is gone; another may have its PID */
	memset(sample, 0, sizeof(*sample));
	sample->pid = file->pid;
	return read_once(file, root, keep, uid, sample);
}
