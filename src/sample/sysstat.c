/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskstats put together from /sys/block/NAME/stat. */
#include "sysstat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int gather_one(int block_fd, const char *name, struct bytes *all)
{
	char path[300], dev[32] = "0:0", stat[512], line[900];
	unsigned major = 0, minor = 0;

	snprintf(path, sizeof(path), "%s/stat", name);
	if (root_line(block_fd, path, stat, sizeof(stat)) < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/dev", name);
	(void)root_line(block_fd, path, dev, sizeof(dev));
	(void)sscanf(dev, "%u:%u", &major, &minor);
	snprintf(line, sizeof(line), "%u %u %s %s\n", major, minor, name, stat);
	return bytes_append(all, line);
}

int sysstat_gather(const struct root *root, struct bytes *all)
{
	int fd = root->sys_fd < 0 ? -1 : openat(root->sys_fd, "block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int error = 0;

	all->n = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	for (struct dirent *entry; !error && (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			error = gather_one(fd, entry->d_name, all);
	closedir(dir);
	return error ? error : all->n > 0 ? 0 : -ENOENT;
}
