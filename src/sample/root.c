/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Roots, live and in stories, and reading files under them. */
#include "root.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

static bool exists(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

static unsigned count_steps(const char *folder)
{
	unsigned n = 0;
	char name[32];

	do
		snprintf(name, sizeof(name), "%u", n + 1);
	while (exists(folder, name) && ++n < UINT_MAX);
	return n;
}

/* A folder with a number in it, or a file every /proc has: else it is no /proc. */
static bool looks_like_proc(int fd)
{
	static const char *const known[] = {"diskstats", "stat", "self", "1", "uptime", "meminfo", "sys"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (faccessat(fd, known[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	return false;
}

static size_t raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	return limit.rlim_cur == RLIM_INFINITY ? (size_t)1 << 20 : limit.rlim_cur;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int open_live(struct root *root)
{
	struct statfs fs;

	root->proc_fd = open(root->proc_path, DIR_FLAGS);
	if (root->proc_fd < 0)
		return -errno;
	root->procfs = fstatfs(root->proc_fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
	/* a copied /proc says nothing of this machine's devices */
	if (root->sys_path || root->procfs)
		root->sys_fd = open(root->sys_path ? root->sys_path : "/sys", DIR_FLAGS);
	root->native = root->procfs && same_file(root->proc_path, "/proc");
	return looks_like_proc(root->proc_fd) ? 0 : -ENOTDIR;
}

int root_open(struct root *root, const char *proc_path, const char *sys_path)
{
	*root = (struct root){.proc_fd = -1, .sys_fd = -1, .proc_path = proc_path, .sys_path = sys_path};
	root->descriptors = raise_descriptors();
	root->live = !exists(proc_path, "step");
	if (root->live)
		return open_live(root);
	root->steps = count_steps(proc_path);
	return root->steps > 0 ? 0 : -ENOENT;
}

static void close_dirs(struct root *root)
{
	if (root->proc_fd >= 0)
		close(root->proc_fd);
	if (root->sys_fd >= 0)
		close(root->sys_fd);
	root->proc_fd = root->sys_fd = -1;
}

void root_close(struct root *root)
{
	close_dirs(root);
}

/* The step's sys: given folder's own steps, the given folder, or beside its proc. */
static int open_story_sys(const struct root *root, int step_fd, const char *number)
{
	char path[PATH_MAX];
	int fd, inner;

	if (!root->sys_path)
		return openat(step_fd, "sys", DIR_FLAGS);
	if (!exists(root->sys_path, number))
		return open(root->sys_path, DIR_FLAGS);
	if (snprintf(path, sizeof(path), "%s/%s", root->sys_path, number) >= (int)sizeof(path))
		return -1;
	fd = open(path, DIR_FLAGS);
	/* a folder that holds proc/ and sys/ is a whole root */
	if (fd < 0 || faccessat(fd, "proc", F_OK, 0) < 0)
		return fd;
	inner = openat(fd, "sys", DIR_FLAGS);
	close(fd);
	return inner;
}

static int read_step_clock(struct root *root, int fd)
{
	char line[128];
	double number, mono, epoch, boot;
	int error = root_line(fd, "step", line, sizeof(line));

	if (error)
		return error;
	int n = sscanf(line, "%lf %lf %lf %lf", &number, &mono, &epoch, &boot);
	if (n < 3 || !isfinite(mono) || !isfinite(epoch) || fabs(mono) > 9e9 || fabs(epoch) > 9e12)
		return -EINVAL;
	root->mono_ns = llround(mono * 1e9);
	root->boot_ns = n > 3 && isfinite(boot) && fabs(boot) < 9e9 ? llround(boot * 1e9) : root->mono_ns;
	root->epoch = epoch;
	return 0;
}

int root_next(struct root *root)
{
	char path[PATH_MAX], number[16];
	int fd, error;

	if (root->live)
		return 0;
	if (root->step >= root->steps)
		return -ENODATA;
	close_dirs(root);
	root->step++;
	snprintf(number, sizeof(number), "%u", root->step);
	if (snprintf(path, sizeof(path), "%s/%s", root->proc_path, number) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, DIR_FLAGS);
	if (fd < 0)
		return -errno;
	error = read_step_clock(root, fd);
	/* its sys/ is /sys only where proc/ stands beside it: /proc has a sys/ of its own */
	bool whole = faccessat(fd, "proc", F_OK, 0) == 0;
	if (whole || root->sys_path)
		root->sys_fd = open_story_sys(root, fd, number);
	root->proc_fd = whole ? openat(fd, "proc", DIR_FLAGS) : fd;
	if (snprintf(root->step_path, PATH_MAX, "%s%s", path, whole ? "/proc" : "") >= PATH_MAX)
		error = -ENAMETOOLONG;
	if (whole)
		close(fd);
	return error;
}

int64_t root_now_ns(const struct root *root)
{
	return root->live ? clock_mono_ns() : root->mono_ns;
}

uint64_t root_now_ticks(const struct root *root)
{
	int64_t boot_ns = root->live ? clock_ns(CLOCK_BOOTTIME) : root->boot_ns;

	return boot_ns > 0 ? (uint64_t)(boot_ns / (1000000000LL / sysconf(_SC_CLK_TCK))) : 0;
}

void bytes_release(struct bytes *bytes)
{
	free(bytes->p);
	*bytes = (struct bytes){0};
}

static int bytes_room(struct bytes *bytes, size_t more)
{
	size_t cap = bytes->cap ? bytes->cap : 64;
	char *p;

	while (cap - bytes->n < more) {
		if (cap > SIZE_MAX / 2)
			return -ENOMEM;
		cap *= 2;
	}
	if (cap == bytes->cap)
		return 0;
	p = realloc(bytes->p, cap);
	if (!p)
		return -ENOMEM;
	bytes->p = p;
	bytes->cap = cap;
	return 0;
}

int bytes_append(struct bytes *bytes, const char *text)
{
	size_t n = strlen(text);

	if (bytes_room(bytes, n + 1) < 0)
		return -ENOMEM;
	memcpy(bytes->p + bytes->n, text, n + 1);
	bytes->n += n;
	return 0;
}

/*
 * Asks for no more than what it took last time and a little: the kernel zeroes
 * a buffer of the size asked for.
 */
static int read_all(int fd, struct bytes *bytes)
{
	bytes->n = 0;
	for (;;) {
		if (bytes_room(bytes, 64) < 0)
			return -ENOMEM;
		ssize_t n = pread(fd, bytes->p + bytes->n, bytes->cap - bytes->n - 1, (off_t)bytes->n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes->n += (size_t)n;
		bytes->p[bytes->n] = '\0';
		if (n == 0)
			return 0;
	}
}

int root_read(int dir_fd, const char *path, struct bytes *bytes)
{
	int fd = dir_fd < 0 ? -1 : openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return dir_fd < 0 ? -ENOENT : -errno;
	int error = read_all(fd, bytes);
	close(fd);
	return error;
}

int kept_read(const struct root *root, struct kept_file *file, struct bytes *bytes)
{
	if (!root->live || !root->procfs)
		return root_read(root->proc_fd, file->path, bytes);
	if (file->fd < 0)
		file->fd = openat(root->proc_fd, file->path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	return read_all(file->fd, bytes);
}

void kept_close(struct kept_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

int root_line(int dir_fd, const char *path, char *buf, size_t size)
{
	int fd = dir_fd < 0 ? -1 : openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return dir_fd < 0 ? -ENOENT : -errno;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	int error = n < 0 ? -errno : 0;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return error;
}

long long root_number(int dir_fd, const char *path, long long otherwise)
{
	char line[64], *end;

	if (root_line(dir_fd, path, line, sizeof(line)) < 0)
		return otherwise;
	errno = 0;
	long long number = strtoll(line, &end, 10);
	return errno || end == line ? otherwise : number;
}

struct entry { /* of getdents64(2) */
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* readdir(3) would allocate. */
int root_list(int dir_fd, const char *path, int (*each)(void *context, const char *name), void *context)
{
	_Alignas(struct entry) char buf[2048];
	int fd = dir_fd < 0 ? -1 : openat(dir_fd, path, DIR_FLAGS), error = 0;
	long n;

	if (fd < 0)
		return 0;
	while (!error && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long at = 0; !error && at < n;) {
			const struct entry *entry = (const void *)(buf + at);
			if (entry->name[0] != '.')
				error = each(context, entry->name);
			at += entry->length;
		}
	close(fd);
	return error;
}
