/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo: the longest mount point above a path names its device. */
#include "mounts.h"
#include "mountinfo.h"

#include <errno.h>

static bool holds(const char *mount, size_t n, const char *path)
{
	if (n == 1)
		return true; /* "/" */
	return strncmp(path, mount, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

int mounts_find(const char *p, size_t n, const char *path, unsigned *major, unsigned *minor)
{
	struct text text = {p, p + n};
	struct mount mount;
	size_t best = 0;

	while (mountinfo_next(&text, &mount)) {
		size_t length = strlen(mount.point);
		if (length < best || length == 0 || !holds(mount.point, length, path))
			continue;
		best = length;
		*major = mount.major;
		*minor = mount.minor;
	}
	return best > 0 ? 0 : -ENOENT;
}

int mounts_read(const struct root *root, struct bytes *bytes)
{
	/* a host's /proc seen from a container: self is us, 1 is the host's init */
	int error = root_read(root->proc_fd, root->native ? "self/mountinfo" : "1/mountinfo", bytes);

	return error ? root_read(root->proc_fd, "self/mountinfo", bytes) : 0;
}

int mounts_device(const struct root *root, struct bytes *bytes, const char *path, unsigned *major,
                  unsigned *minor)
{
	int error = mounts_read(root, bytes);

	return error ? error : mounts_find(bytes->p, bytes->n, path, major, minor);
}
