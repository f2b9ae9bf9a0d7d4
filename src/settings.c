/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings file: where it is, and how it is read and written. */
#include "settings.h"
#include "sample/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, FOLDER_MODE = 0700, LINKS_MAX = 40 };
enum { READ_MS = 500, READ_NAMED_MS = 5000, WRITE_MS = 1000 };

struct settings {
	char path[PATH_MAX]; /* "": there is no home */
	struct settings_lines lines;
};

/* ---- where it is ---- */

/*
 * A folder that is not absolute says nothing, and no environment says anything to
 * a program that may more than its user.
 */
static void usual_path(char path[PATH_MAX])
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	int n = -1;

	if (config && *config == '/')
		n = snprintf(path, PATH_MAX, "%s/iotriage/config", config);
	else if (home && *home == '/')
		n = snprintf(path, PATH_MAX, "%s/.config/iotriage/config", home);
	if (n < 0 || n >= PATH_MAX)
		*path = '\0';
}

/* A descriptor is the program's: the child that reads has it by this name only. */
static int named_path(char path[PATH_MAX], const char *name)
{
	static const char descriptors[] = "/dev/fd/";
	size_t n = sizeof(descriptors) - 1;
	bool is_stdin = strcmp(name, "/dev/stdin") == 0;
	int length;

	if (is_stdin || strncmp(name, descriptors, n) == 0)
		length =
		    snprintf(path, PATH_MAX, "/proc/%d/fd/%s", getpid(), is_stdin ? "0" : name + n);
	else
		length = snprintf(path, PATH_MAX, "%s", name);
	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- reading ---- */

/* As much of a file as there may be, and a byte more. The length or -errno. */
static ssize_t read_some(int fd, char text[FILE_MAX + 1])
{
	size_t n = 0;

	while (n <= FILE_MAX) {
		ssize_t got = read(fd, text + n, FILE_MAX + 1 - n);
		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
	}
	return n > FILE_MAX ? -EFBIG : (ssize_t)n;
}

struct reading {
	const char *path;
	char *text; /* shared with the child that reads */
	bool usual; /* nobody named it */
};

static int read_file(void *context)
{
	const struct reading *reading = context;
	int fd = open(reading->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd >= 0)
		return (int)read_some(fd, reading->text);
	/* another user's home, as under sudo -u: there is no file for this one */
	if (reading->usual && errno == EACCES && stat(reading->path, &st) < 0)
		return -ENOENT;
	return -errno;
}

/* The disk it is on may be the one that hangs: a child reads. */
static int load(struct settings *settings, int timeout_ms, bool usual)
{
	struct reading reading = {.path = settings->path, .usual = usual};

	reading.text =
	    mmap(NULL, FILE_MAX + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reading.text == MAP_FAILED)
		return -errno;
	int n = child_run(read_file, &reading, timeout_ms, CHILD_KILL);
	int error = n < 0 ? n : settings_lines_add(&settings->lines, reading.text, (size_t)n);
	munmap(reading.text, FILE_MAX + 1);
	return error;
}

struct settings *settings_open(const char *path, int *error)
{
	struct settings *settings = calloc(1, sizeof(*settings));

	*error = 0;
	if (!settings)
		return NULL;
	if (path)
		*error = named_path(settings->path, path);
	else
		usual_path(settings->path);
	if (!*error && (path || *settings->path))
		*error = load(settings, path ? READ_NAMED_MS : READ_MS, !path);
	if (!path && (*error == -ENOENT || *error == -ENOTDIR))
		*error = 0;
	return settings;
}

void settings_close(struct settings *settings)
{
	if (!settings)
		return;
	settings_lines_release(&settings->lines);
	free(settings);
}

const char *settings_path(const struct settings *settings)
{
	return settings->path;
}

const struct settings_lines *settings_lines(const struct settings *settings)
{
	return &settings->lines;
}

/* ---- writing ---- */

/* Where a link leads in the end, whether that exists or not. */
static int follow_links(char path[PATH_MAX])
{
	char link[PATH_MAX], next[2 * PATH_MAX];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(path, link, sizeof(link) - 1);
		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -errno;
		link[n] = '\0';
		const char *name = strrchr(path, '/');
		int folder = *link == '/' || !name ? 0 : (int)(name + 1 - path);
		if (snprintf(next, sizeof(next), "%.*s%s", folder, path, link) >= PATH_MAX)
			return -ENAMETOOLONG;
		memcpy(path, next, strlen(next) + 1);
	}
	return -ELOOP;
}

/* All folders above it. What cannot be made shows when the file is. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, FOLDER_MODE);
		*slash = '/';
	}
}

static int write_lines(const struct settings *settings, int fd)
{
	FILE *file = fdopen(fd, "w");

	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	for (size_t i = 0; i < settings->lines.n; i++) {
		const struct settings_line *line = &settings->lines.line[i];

		(void)fwrite(line->text, 1, line->n, file);
		(void)fputc('\n', file);
	}
	int error = fflush(file) != 0 || ferror(file) || fsync(fileno(file)) < 0 ? -errno : 0;
	if (fclose(file) != 0 && !error)
		error = -errno;
	return error;
}

/* A new file takes the old one's place when all of it is on the disk. */
static int write_file(const struct settings *settings, char path[PATH_MAX])
{
	char fresh[PATH_MAX + 8];
	struct stat old;
	bool exists = lstat(path, &old) == 0;

	snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
	int fd = mkostemp(fresh, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* it stays whose it is, also where root runs this */
	if (exists && fchown(fd, old.st_uid, old.st_gid) == 0)
		(void)fchmod(fd, old.st_mode & 0777);
	int error = write_lines(settings, fd);
	if (!error && rename(fresh, path) < 0)
		error = -errno;
	if (error)
		(void)unlink(fresh);
	return error;
}

struct wish {
	const char *path, *name, *value;
};

/* /dev/null is to stay what it is, and a FIFO is not waited for. */
static int check_regular(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 || S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* Who writes a file of this folder next waits, until the descriptor is closed; -1: nobody can. */
static int lock_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	snprintf(folder, sizeof(folder), "%.*s/.", slash ? (int)(slash - path) : 1, slash ? path : ".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)flock(fd, LOCK_EX);
	return fd;
}

/* What others have written into the file since it was read stays in it. */
static int change_file(struct settings *settings, char path[PATH_MAX], const struct wish *wish)
{
	int error = load(settings, READ_MS, false);

	if (error == -ENOENT || error == -ENOTDIR)
		error = 0;
	if (!error)
		error = settings_lines_set(&settings->lines, wish->name, wish->value);
	if (!error)
		error = write_file(settings, path);
	return error;
}

static int rewrite(void *context)
{
	const struct wish *wish = context;
	struct settings *settings = calloc(1, sizeof(*settings));
	char path[PATH_MAX];

	if (!settings)
		return -ENOMEM;
	snprintf(settings->path, sizeof(settings->path), "%s", wish->path);
	memcpy(path, settings->path, sizeof(path));
	int error = follow_links(path);
	if (!error)
		error = check_regular(path);
	if (!error) {
		if (access(path, F_OK) < 0)
			make_folders(path);
		int lock = lock_folder(path);
		error = change_file(settings, path, wish);
		if (lock >= 0)
			close(lock);
	}
	settings_close(settings);
	return error;
}

int settings_set(struct settings *settings, const char *name, const char *value)
{
	struct wish wish = {settings->path, name, value};

	if (!*name || strpbrk(name, " \t\r\n=#") || strpbrk(value, "\n"))
		return -EINVAL;
	int error = settings_lines_set(&settings->lines, name, value);
	if (error || !*settings->path)
		return error ? error : -ENOENT;
	/* the disk may be the one that is slow: nobody waits for it */
	return child_run(rewrite, &wish, WRITE_MS, CHILD_LEAVE);
}
