/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroup a process is in, and what limits its I/O there. */
#include "sheet.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* The controllers of a v1 hierarchy are separated by commas. */
bool cgroup_has_controller(struct text list, const char *controller)
{
	size_t n = strlen(controller);

	while (list.p < list.end) {
		const char *comma = memchr(list.p, ',', (size_t)(list.end - list.p));
		const char *end = comma ? comma : list.end;
		if ((size_t)(end - list.p) == n && memcmp(list.p, controller, n) == 0)
			return true;
		list.p = comma ? comma + 1 : list.end;
	}
	return n == 0 && list.p == list.end;
}

/* "4:blkio:/path", "0::/path" */
bool cgroup_path(const char *p, size_t n, const char *controller, char *path, size_t size)
{
	struct text text = {p, p + n}, line;

	while (text_line(&text, &line)) {
		const char *list = memchr(line.p, ':', (size_t)(line.end - line.p));
		const char *rest =
		    list ? memchr(list + 1, ':', (size_t)(line.end - list - 1)) : NULL;
		if (!rest || (*controller == '\0') != (rest == list + 1))
			continue;
		if (!cgroup_has_controller((struct text){list + 1, rest}, controller))
			continue;
		size_t length = (size_t)(line.end - rest - 1);
		if (length >= size)
			return false;
		memcpy(path, rest + 1, length);
		path[length] = '\0';
		return true;
	}
	return false;
}

static bool leads_up(const char *path)
{
	for (; *path; path += *path == '/') {
		size_t n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", 2) == 0)
			return true;
		path += n;
	}
	return false;
}

const char *cgroup_below(const char *path, const char *root)
{
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return leads_up(path + n) ? NULL : path + n;
}

static bool ends(const char *p, size_t n, const char *with)
{
	size_t length = strlen(with);

	return n > length && memcmp(p + n - length, with, length) == 0;
}

bool cgroup_unit(const char *path, char *unit, size_t size)
{
	bool found = false;

	while (*path) {
		size_t n = strcspn(path, "/");
		if ((ends(path, n, ".service") || ends(path, n, ".scope")) && n < size) {
			memcpy(unit, path, n);
			unit[n] = '\0';
			found = true;
		}
		path += n + (path[n] == '/');
	}
	return found;
}

static void read_limit(int top_fd, const char *path, const char *file, cgroup_each *each,
		       void *context)
{
	char name[PATH_MAX], text[1024];
	ssize_t n;

	if (snprintf(name, sizeof(name), "%s%s%s", path, *path ? "/" : "", file) >=
	    (int)sizeof(name))
		return;
	int fd = openat(top_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text));
	close(fd);
	if (n > 0)
		each(context, file, path, (struct text){text, text + n});
}

void cgroup_limits(int top_fd, const char *path, bool v2, cgroup_each *each, void *context)
{
	static const char *const files[2][5] = {
	    {"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
	     "blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device", NULL},
	    {"io.max", "io.weight", NULL},
	};
	char here[PATH_MAX];

	snprintf(here, sizeof(here), "%s", path + strspn(path, "/"));
	for (;;) {
		for (const char *const *file = files[v2]; *file; file++)
			read_limit(top_fd, here, *file, each, context);
		char *slash = strrchr(here, '/');
		if (!*here || !v2)
			return;
		*(slash ? slash : here) = '\0';
	}
}
