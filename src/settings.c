/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file. It is kept as its lines, so that what is written back has
 * every comment and every blank of what was read.
 */
#include "settings.h"
#include "sample/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, FOLDER_MODE = 0700, LINKS_MAX = 40, READ_MS = 500, WRITE_MS = 1000 };

struct setting {
	char *name, *value;
	size_t line; /* from 0 */
};

struct settings {
	char path[PATH_MAX]; /* "": there is no home */
	char **line;
	size_t nline, line_cap;
	struct setting *setting;
	size_t n, cap;
};

/* ---- where it is ---- */

/* A folder that is not absolute says nothing. */
static void usual_path(char path[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = -1;

	if (config && *config == '/')
		n = snprintf(path, PATH_MAX, "%s/iotriage/config", config);
	else if (home && *home == '/')
		n = snprintf(path, PATH_MAX, "%s/.config/iotriage/config", home);
	if (n < 0 || n >= PATH_MAX)
		*path = '\0';
}

const char *settings_path(const struct settings *settings)
{
	static char path[PATH_MAX];

	if (settings)
		return settings->path;
	usual_path(path);
	return path;
}

/* ---- lines ---- */

/* A copy of [p, end) without blanks around it. */
static char *copy_trimmed(const char *p, const char *end)
{
	static const char blanks[] = " \t\r";

	while (p < end && strchr(blanks, *p))
		p++;
	while (end > p && strchr(blanks, end[-1]))
		end--;
	return strndup(p, (size_t)(end - p));
}

/* Room for one element more. */
static bool reserve(void **array, size_t *cap, size_t n, size_t element)
{
	if (n < *cap)
		return true;
	size_t more = *cap ? 2 * *cap : 16;
	void *grown = reallocarray(*array, more, element);
	if (!grown)
		return false;
	*array = grown;
	*cap = more;
	return true;
}

static int add_setting(struct settings *settings, const char *line, const char *equals)
{
	if (!reserve((void **)&settings->setting, &settings->cap, settings->n,
	             sizeof(*settings->setting)))
		return -ENOMEM;
	struct setting setting = {copy_trimmed(line, equals),
	                          copy_trimmed(equals + 1, line + strlen(line)), settings->nline};
	if (!setting.name || !setting.value) {
		free(setting.name);
		free(setting.value);
		return -ENOMEM;
	}
	settings->setting[settings->n++] = setting;
	return 0;
}

/* 0, -ENOMEM, or -EINVAL: neither empty, nor a comment, nor "name = value". */
static int add_line(struct settings *settings, const char *p, size_t n)
{
	const char *equals = memchr(p, '=', n);
	size_t blank = 0;
	int error = 0;

	while (blank < n && (p[blank] == ' ' || p[blank] == '\t' || p[blank] == '\r'))
		blank++;
	bool setting = blank < n && p[blank] != '#';
	if (memchr(p, '\0', n) || (setting && (!equals || equals == p + blank)))
		return -EINVAL;
	if (!reserve((void **)&settings->line, &settings->line_cap, settings->nline,
	             sizeof(*settings->line)))
		return -ENOMEM;
	char *line = strndup(p, n);
	if (!line)
		return -ENOMEM;
	if (setting)
		error = add_setting(settings, line, line + (equals - p));
	if (error)
		free(line);
	else
		settings->line[settings->nline++] = line;
	return error;
}

static int parse(struct settings *settings, const char *p, size_t n, unsigned *line)
{
	const char *end = p + n;
	int error = 0;

	for (unsigned number = 1; p < end && !error; number++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		error = add_line(settings, p, (size_t)((newline ? newline : end) - p));
		p = newline ? newline + 1 : end;
		*line = error == -EINVAL ? number : 0;
	}
	return error;
}

static struct setting *find(const struct settings *settings, const char *name)
{
	for (size_t i = settings->n; i > 0; i--) /* the last one holds */
		if (strcmp(settings->setting[i - 1].name, name) == 0)
			return &settings->setting[i - 1];
	return NULL;
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
};

static int read_file(void *context)
{
	const struct reading *reading = context;
	/* a FIFO must not hold us */
	int fd = open(reading->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : (int)read_some(fd, reading->text);
}

/* The disk it is on may be the one that hangs: a child reads. */
static int load(struct settings *settings, unsigned *line)
{
	struct reading reading = {.path = settings->path};

	reading.text = mmap(NULL, FILE_MAX + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reading.text == MAP_FAILED)
		return -errno;
	int n = child_run(read_file, &reading, READ_MS, CHILD_KILL);
	int error = n < 0 ? n : parse(settings, reading.text, (size_t)n, line);
	munmap(reading.text, FILE_MAX + 1);
	return error;
}

int settings_open(struct settings **ret, const char *path, unsigned *line)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	int error = 0;

	*line = 0;
	if (!settings)
		return -ENOMEM;
	if (!path)
		usual_path(settings->path);
	else if (snprintf(settings->path, PATH_MAX, "%s", path) >= PATH_MAX)
		error = -ENAMETOOLONG;
	if (!error && (path || *settings->path))
		error = load(settings, line);
	/* a home that is somebody else's, or hangs, must not keep the program from starting */
	if (!path && error != -EINVAL && error != -ENOMEM)
		error = 0;
	if (error) {
		settings_close(settings);
		return error;
	}
	*ret = settings;
	return 0;
}

void settings_close(struct settings *settings)
{
	if (!settings)
		return;
	for (size_t i = 0; i < settings->nline; i++)
		free(settings->line[i]);
	for (size_t i = 0; i < settings->n; i++) {
		free(settings->setting[i].name);
		free(settings->setting[i].value);
	}
	free(settings->line);
	free(settings->setting);
	free(settings);
}

const char *settings_get(const struct settings *settings, const char *name)
{
	const struct setting *setting = find(settings, name);

	return setting ? setting->value : NULL;
}

const char *settings_at(const struct settings *settings, size_t i, const char **value, unsigned *line)
{
	if (i >= settings->n)
		return NULL;
	*value = settings->setting[i].value;
	*line = (unsigned)settings->setting[i].line + 1;
	return settings->setting[i].name;
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
	for (size_t i = 0; i < settings->nline; i++)
		fprintf(file, "%s\n", settings->line[i]);
	int error = fflush(file) != 0 || ferror(file) || fsync(fileno(file)) < 0 ? -errno : 0;
	if (fclose(file) != 0 && !error)
		error = -errno;
	return error;
}

/* A new file takes the old one's place when all of it is on the disk. */
static int write_file(const struct settings *settings)
{
	char path[PATH_MAX], fresh[PATH_MAX + 8];
	struct stat old;

	memcpy(path, settings->path, sizeof(path));
	int error = follow_links(path);
	if (error)
		return error;
	bool exists = lstat(path, &old) == 0;
	if (exists && !S_ISREG(old.st_mode))
		return -EINVAL; /* /dev/null is to stay what it is */
	make_folders(path);
	snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
	int fd = mkostemp(fresh, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* it stays whose it is, also where root runs this */
	if (exists && fchown(fd, old.st_uid, old.st_gid) == 0)
		(void)fchmod(fd, old.st_mode & 0777);
	error = write_lines(settings, fd);
	if (!error && rename(fresh, path) < 0)
		error = -errno;
	if (error)
		(void)unlink(fresh);
	return error;
}

/* In memory. */
static int change(struct settings *settings, const char *name, const char *value)
{
	struct setting *setting = find(settings, name);
	char *line, *copy;

	if (asprintf(&line, "%s = %s", name, value) < 0)
		return -ENOMEM;
	if (!setting) {
		int error = add_line(settings, line, strlen(line));
		free(line);
		return error;
	}
	copy = copy_trimmed(value, value + strlen(value));
	if (!copy) {
		free(line);
		return -ENOMEM;
	}
	free(setting->value);
	free(settings->line[setting->line]);
	setting->value = copy;
	settings->line[setting->line] = line;
	return 0;
}

struct wish {
	const char *path, *name, *value;
};

/* What others have written into the file since it was read stays in it. */
static int rewrite(void *context)
{
	const struct wish *wish = context;
	struct settings *settings = calloc(1, sizeof(*settings));
	unsigned line;

	if (!settings)
		return -ENOMEM;
	snprintf(settings->path, sizeof(settings->path), "%s", wish->path);
	int error = load(settings, &line);
	if (error == -ENOENT || error == -ENOTDIR)
		error = 0;
	if (!error)
		error = change(settings, wish->name, wish->value);
	if (!error)
		error = write_file(settings);
	settings_close(settings);
	return error;
}

int settings_set(struct settings *settings, const char *name, const char *value)
{
	struct wish wish = {settings->path, name, value};

	if (!*name || strpbrk(name, " \t\r\n=#") || strpbrk(value, "\n"))
		return -EINVAL;
	int error = change(settings, name, value);
	if (error || !*settings->path)
		return error ? error : -ENOENT;
	/* the disk may be the one that is slow: nobody waits for it */
	return child_run(rewrite, &wish, WRITE_MS, CHILD_LEAVE);
}
