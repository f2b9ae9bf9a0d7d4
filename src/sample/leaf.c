/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, keeping and reading /proc/PID/{io,stat,schedstat} and /proc/PID/task/TID/... */
#include "leaf.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCHED_TEXT = 64 };

static const char *const leaf_names[LEAVES] = {
    [LEAF_IO] = "io",
    [LEAF_STAT] = "stat",
    [LEAF_SCHED] = "schedstat",
};

void leaves_init(struct leaves *leaves, int32_t pid, int32_t tid)
{
	*leaves = (struct leaves){.pid = pid, .tid = tid, .fd = {-1, -1, -1}};
}

void leaves_close(struct leaves *leaves, enum leaf leaf)
{
	if (leaves->fd[leaf] >= 0)
		close(leaves->fd[leaf]);
	leaves->fd[leaf] = -1;
}

void leaves_close_all(struct leaves *leaves)
{
	for (enum leaf leaf = 0; leaf < LEAVES; leaf++)
		leaves_close(leaves, leaf);
}

unsigned leaves_kept(const struct leaves *leaves)
{
	unsigned n = 0;

	for (enum leaf leaf = 0; leaf < LEAVES; leaf++)
		n += leaves->fd[leaf] >= 0;
	return n;
}

static int leaf_open(const struct leaves *leaves, const struct root *root, const char *name)
{
	char path[64];

	if (leaves->tid)
		snprintf(path, sizeof(path), "%d/task/%d/%s", (int)leaves->pid, (int)leaves->tid,
			 name);
	else
		snprintf(path, sizeof(path), "%d/%s", (int)leaves->pid, name);
	int fd = openat(root->proc_fd, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static ssize_t read_text(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

ssize_t leaf_read(struct leaves *leaves, struct reader *reader, enum leaf leaf, bool keep,
		  char *buf, size_t size)
{
	int *kept = &leaves->fd[leaf];
	int fd = *kept >= 0 ? *kept : leaf_open(leaves, reader->root, leaf_names[leaf]);

	if (fd < 0)
		return fd;
	ssize_t n = read_text(fd, buf, size);
	if (*kept >= 0)
		return n;
	if (keep && n > 0 && reader->room > 0) {
		*kept = fd;
		reader->room--;
	} else {
		close(fd);
	}
	return n;
}

ssize_t leaf_read_once(const struct leaves *leaves, const struct root *root, const char *name,
		       char *buf, size_t size)
{
	int fd = leaf_open(leaves, root, name);

	if (fd < 0)
		return fd;
	ssize_t n = read_text(fd, buf, size);
	close(fd);
	return n;
}

ssize_t leaf_read_kept(const struct leaves *leaves, const struct root *root, const char *name,
		       int *fd, char *buf, size_t size)
{
	if (*fd < 0)
		*fd = leaf_open(leaves, root, name);
	return *fd < 0 ? *fd : read_text(*fd, buf, size);
}

static bool parse_ran(const char *buf, ssize_t n, struct task_ran *ran)
{
	struct text text = {buf, buf + (n > 0 ? n : 0)}, line, word;
	uint64_t delay_ns;

	return text_line(&text, &line) && text_word(&line, &word) && text_u64(word, &ran->cpu_ns) &&
	       text_word(&line, &word) && text_u64(word, &delay_ns) && text_word(&line, &word) &&
	       text_u64(word, &ran->times) && ran->cpu_ns > 0 && ran->times > 0;
}

bool leaf_ran(struct leaves *leaves, struct reader *reader, struct task_ran *ran)
{
	char buf[SCHED_TEXT];
	ssize_t n = leaf_read(leaves, reader, LEAF_SCHED, true, buf, sizeof(buf));

	if (n < 0) /* another process may have its number */
		leaves_close(leaves, LEAF_SCHED);
	return parse_ran(buf, n, ran);
}

bool task_ran_same(const struct task_ran *a, const struct task_ran *b)
{
	return a->cpu_ns == b->cpu_ns && a->times == b->times;
}

bool leaf_rests(int sched_fd, const struct task_ran *ran)
{
	char buf[SCHED_TEXT];
	struct task_ran now;

	return parse_ran(buf, read_text(sched_fd, buf, sizeof(buf)), &now) &&
	       task_ran_same(&now, ran);
}

void leaf_wchan(const struct leaves *leaves, const struct root *root, char wchan[WCHAN_MAX])
{
	ssize_t n = leaf_read_once(leaves, root, "wchan", wchan, WCHAN_MAX);

	wchan[n > 0 ? strcspn(wchan, "\n") : 0] = '\0';
	if (strcmp(wchan, "0") == 0)
		wchan[0] = '\0';
}

static bool is_short(ssize_t error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

static enum absent io_absence(ssize_t error)
{
	if (is_short(error))
		return ABSENT_LATE;
	return error == -EACCES || error == -EPERM ? ABSENT_DENIED : ABSENT_UNSUPPORTED;
}

enum leaf_reading leaves_read(struct leaves *leaves, struct reader *reader, bool keep,
			      struct task_sample *sample)
{
	char io[IO_TEXT], stat[STAT_TEXT];

	*sample = (struct task_sample){.pid = leaves->pid, .tid = leaves->tid};
	ssize_t nstat = leaf_read(leaves, reader, LEAF_STAT, keep, stat, sizeof(stat));
	ssize_t nio = leaf_read(leaves, reader, LEAF_IO, keep, io, sizeof(io));
	sample->mono_ns = sample->ran_ns = root_now_ns(reader->root);
	if (nio == 0 || nio == -ESRCH || nio == -EIO)
		return LEAF_GONE;
	if (is_short(nstat))
		return LEAF_SHORT;
	if (nstat <= 0 || !task_stat_parse(stat, (size_t)nstat, sample))
		return LEAF_GONE;
	if (nio < 0)
		sample->io_state = (uint8_t)io_absence(nio);
	else if (!task_io_parse(io, (size_t)nio, sample->counter))
		return LEAF_GONE;
	return LEAF_READ;
}

bool task_wrote(const struct task_sample *was, const struct task_sample *now)
{
	return was->io_state == PRESENT && now->io_state == PRESENT &&
	       (now->counter[TASK_WCHAR] != was->counter[TASK_WCHAR] ||
		now->counter[TASK_WRITE_BYTES] != was->counter[TASK_WRITE_BYTES]);
}

void leaves_set_late(struct task_sample *sample, const struct root *root)
{
	sample->io_state = sample->stat_state = ABSENT_LATE;
	sample->state = '?';
	sample->wchan[0] = '\0';
	sample->mono_ns = sample->ran_ns = root_now_ns(root);
}
