/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one task: /proc/PID/{io,stat,status}. */
#include "readtask.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IO_TEXT = 512, STAT_TEXT = 2048, STATUS_TEXT = 4096, SCHED_TEXT = 64 };

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
	close_fd(&file->sched_fd);
	file->settled = false;
}

unsigned task_file_kept(const struct task_file *file)
{
	return (unsigned)(file->io_fd >= 0) + (file->stat_fd >= 0) + (file->sched_fd >= 0);
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
		file->last.uid = effective;
		file->last.uid_known = true;
	}
}

void task_file_introduce(struct task_file *file, const struct root *root, bool uid)
{
	char comm[COMM_MAX];
	int none = -1;
	ssize_t n = read_leaf(root, file->pid, "comm", &none, false, comm, sizeof(comm));

	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	if (n > 0)
		memcpy(file->last.comm, comm, sizeof(comm));
	if (uid)
		read_uid(root, file);
}

static enum absent io_absence(ssize_t error)
{
	return error == -EACCES || error == -EPERM ? ABSENT_DENIED : ABSENT_UNSUPPORTED;
}

/* false: unknown, as on kernels without this file or with zeros in it. */
static bool read_ran(struct task_file *file, const struct root *root, bool keep, struct task_ran *ran)
{
	char buf[SCHED_TEXT];
	ssize_t n = read_leaf(root, file->pid, "schedstat", &file->sched_fd, keep, buf, sizeof(buf));
	struct text text = {buf, buf + (n > 0 ? n : 0)}, line, word;
	uint64_t delay_ns;

	return text_line(&text, &line) && text_word(&line, &word) && text_u64(word, &ran->cpu_ns) &&
	       text_word(&line, &word) && text_u64(word, &delay_ns) && text_word(&line, &word) &&
	       text_u64(word, &ran->times) && ran->cpu_ns > 0 && ran->times > 0;
}

/* Its figures are those of the last reading: it did not run since. */
static bool unchanged(struct task_file *file, const struct root *root, struct task_ran *ran, bool *known)
{
	*known = read_ran(file, root, true, ran);
	return *known && file->settled && ran->cpu_ns == file->ran.cpu_ns && ran->times == file->ran.times;
}

static bool read_once(struct task_file *file, const struct root *root, bool keep, bool uid,
                      struct task_sample *sample)
{
	char io[IO_TEXT], stat[STAT_TEXT];

	*sample = (struct task_sample){.pid = file->pid, .ran = true};
	/* stat first: what a thread did that ends in between is then in io */
	ssize_t nstat = read_leaf(root, file->pid, "stat", &file->stat_fd, keep, stat, sizeof(stat));
	ssize_t nio = read_leaf(root, file->pid, "io", &file->io_fd, keep, io, sizeof(io));
	sample->mono_ns = root_now_ns(root);
	if (nio == 0 || nio == -ESRCH || nio == -EIO || nstat <= 0)
		return false;
	if (!task_stat_parse(stat, (size_t)nstat, sample))
		return false;
	if (nio < 0)
		sample->io_state = (uint8_t)io_absence(nio);
	else if (!task_io_parse(io, (size_t)nio, sample->counter))
		return false;
	/* a process of another start time is another one */
	if (file->last.start_ticks != sample->start_ticks)
		file->last.uid_known = false;
	if (uid) /* it may have changed: setuid(2) */
		read_uid(root, file);
	sample->uid = file->last.uid;
	sample->uid_known = file->last.uid_known;
	file->last = *sample;
	return true;
}

bool task_file_read(struct task_file *file, const struct root *root, enum task_keep keep, bool uid,
                    struct task_sample *sample)
{
	bool kept = task_file_kept(file) > 0, ran_known = false, keeps = keep != TASK_KEEP_NONE;
	struct task_ran ran;

	/* what it did before this line shows below, what it does after it the next time */
	if (file->last.threads <= 1 && (keeps || file->sched_fd >= 0) && unchanged(file, root, &ran, &ran_known)) {
		*sample = file->last;
		sample->ran = false;
		sample->mono_ns = root_now_ns(root);
		if (keep != TASK_KEEP_ALL)
			close_fd(&file->io_fd), close_fd(&file->stat_fd);
		return true;
	}
	if (!read_once(file, root, keeps, uid, sample)) {
		task_file_close(file);
		/* the process is gone; another may have its PID */
		return kept && read_once(file, root, keeps, uid, sample);
	}
	file->settled = ran_known && sample->threads == 1 && sample->state != 'R';
	if (ran_known)
		file->ran = ran;
	return true;
}
