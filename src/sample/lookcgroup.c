/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroups of the process that is looked at, in the helper that looks. */
#include "clock.h"
#include "looker.h"
#include "mountinfo.h"
#include "sheet.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const int64_t stale_ns = 10 * 1000000000LL;

static bool has_limits(const struct mount *mount, bool v2)
{
	const char *options = mount->options;

	if (v2)
		return strcmp(mount->type, "cgroup2") == 0;
	return strcmp(mount->type, "cgroup") == 0 &&
	       cgroup_has_controller((struct text){options, options + strlen(options)}, "blkio");
}

static void forget(struct cgroup_mount *kept)
{
	if (kept->known && kept->fd >= 0)
		close(kept->fd);
	*kept = (struct cgroup_mount){.fd = -1};
}

/* Of several mounts of a hierarchy, which may show parts of it, one that has this path. */
static void find(struct looker *looker, struct cgroup_mount *kept, const char *path, bool v2)
{
	static struct mount mount;
	struct text text;

	forget(kept);
	kept->known = true;
	kept->read_ns = clock_mono_ns();
	if (root_read(looker->root_fd, "self/mountinfo", &looker->mountinfo) < 0)
		return;
	text = (struct text){looker->mountinfo.p, looker->mountinfo.p + looker->mountinfo.n};
	while (kept->fd < 0 && mountinfo_next(&text, &mount)) {
		if (!has_limits(&mount, v2) || !cgroup_below(path, mount.root))
			continue;
		kept->fd = open(mount.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		snprintf(kept->root, sizeof(kept->root), "%s", mount.root);
	}
}

int cgroup_folder(struct looker *looker, const char *path, bool v2, const char **below)
{
	struct cgroup_mount *kept = &looker->cgroup[v2];
	bool stale = !kept->known || clock_mono_ns() - kept->read_ns >= stale_ns;

	*below = NULL;
	if (!looker->native)
		return -1;
	if (!stale && kept->fd >= 0)
		*below = cgroup_below(path, kept->root);
	if (stale || (kept->fd >= 0 && !*below)) {
		find(looker, kept, path, v2);
		if (kept->fd >= 0)
			*below = cgroup_below(path, kept->root);
	}
	return *below ? kept->fd : -1;
}

static void take(void *context, const char *file, const char *path, struct text text)
{
	limits_take(context, file, path, text);
}

bool cgroup_read_limits(struct looker *looker, struct limit_list *list)
{
	bool read = false;
	char path[512];

	if (root_read(looker->pid_fd, "cgroup", &looker->bytes) < 0)
		return false;
	for (int v2 = 1; v2 >= 0; v2--) {
		const char *below;
		int fd = cgroup_path(looker->bytes.p, looker->bytes.n, v2 ? "" : "blkio", path,
				     sizeof(path))
			     ? cgroup_folder(looker, path, v2, &below)
			     : -1;
		if (fd < 0)
			continue;
		cgroup_limits(fd, below, v2, take, list);
		read = true;
	}
	return read;
}
