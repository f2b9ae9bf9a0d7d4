/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where block devices are mounted: mountinfo, /proc/swaps and /sys/fs/btrfs.
 * No device and no mount point is touched.
 */
#include "mounted.h"
#include "mountinfo.h"
#include "mounts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char more[] = "...", swap[] = "[swap]";

struct mounted {
	struct mounted_device *device;
	const struct device_snapshot *snapshot;
	const struct root *root;
	const struct bytes *mountinfo; /* NULL: could not be read */
	size_t members;   /* of the btrfs being listed */
	const char *uuid; /* its name */
};

/* ---- the list of mount points: words of a string, the shortest first ---- */

static int compare_points(struct text a, struct text b)
{
	size_t n = (size_t)(a.end - a.p), m = (size_t)(b.end - b.p);

	return n != m ? (n < m ? -1 : 1) : memcmp(a.p, b.p, n);
}

/* p is within \\ooo, or within a character. */
static bool splits(const char *p)
{
	return p[-1] == '\\' || p[-2] == '\\' || p[-3] == '\\' || (*p & 0xc0) == 0x80;
}

/* Leaves whole words and "..." where the list is too long, of a single long word its beginning. */
static void store_points(char *points, char *list)
{
	enum { ROOM = MOUNTS_MAX - 1 };
	size_t n = strlen(list);

	if (n > ROOM) {
		n = ROOM - strlen(more);
		while (n > 0 && list[n - 1] != ' ')
			n--;
		if (n == 0)
			for (n = ROOM - strlen(more); n > 3 && splits(list + n); n--)
				;
		memcpy(list + n, more, sizeof(more));
	}
	memcpy(points, list, strlen(list) + 1);
}

static void add_point(char *points, struct text point)
{
	char list[MOUNTS_MAX + PATH_MAX + 8];
	struct text rest = {points, points + strlen(points)}, word;
	size_t before = 0; /* bytes of those that stay before it */

	if (point.end - point.p > PATH_MAX)
		point.end = point.p + PATH_MAX;
	while (text_word(&rest, &word)) {
		int order = text_is(word, more) ? 1 : compare_points(word, point);
		if (order == 0)
			return;
		if (order < 0)
			before = (size_t)(word.end - points);
	}
	const char *after = points + before;
	snprintf(list, sizeof(list), "%.*s%s%.*s%s%s", (int)before, points, before ? " " : "",
	         (int)(point.end - point.p), point.p, *after && *after != ' ' ? " " : "", after);
	store_points(points, list);
}

/* ---- which device is meant ---- */

static struct mounted_device *by_number(const struct mounted *mounted, unsigned major, unsigned minor)
{
	const struct device_snapshot *snapshot = mounted->snapshot;

	/* anonymous numbers have major 0, and so have NVMe paths */
	for (size_t i = 0; major && i < snapshot->n; i++)
		if (snapshot->device[i].major == major && snapshot->device[i].minor == minor)
			return &mounted->device[i];
	return NULL;
}

/* By the kernel's name, as it stands in sysfs ('!' for '/') or under /dev. */
static struct mounted_device *by_name(const struct mounted *mounted, struct text name)
{
	size_t n = (size_t)(name.end - name.p);

	for (size_t i = 0; i < mounted->snapshot->n; i++) {
		const char *own = mounted->snapshot->device[i].name;
		size_t k = 0;
		while (k < n && own[k] && (own[k] == name.p[k] || (own[k] == '/' && name.p[k] == '!')))
			k++;
		if (k == n && !own[k])
			return &mounted->device[i];
	}
	return NULL;
}

static bool begins(struct text *text, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(text->end - text->p) < n || memcmp(text->p, prefix, n) != 0)
		return false;
	text->p += n;
	return true;
}

/* /dev/NAME, or /dev/mapper/ and what device-mapper calls it. */
static struct mounted_device *by_path(const struct mounted *mounted, struct text path)
{
	if (!begins(&path, "/dev/"))
		return NULL;
	if (!begins(&path, "mapper/"))
		return by_name(mounted, path);
	for (size_t i = 0; i < mounted->snapshot->n; i++) {
		const struct device_info *info = mounted->device[i].info;
		if (info->class == DEVICE_DM && text_is(path, info->title))
			return &mounted->device[i];
	}
	return NULL;
}

/* ---- btrfs: one file system on several devices ---- */

static int count_member(void *context, const char *name)
{
	struct mounted *mounted = context;

	(void)name;
	mounted->members++;
	return 0;
}

static int name_pool(void *context, const char *name)
{
	const struct mounted *mounted = context;
	const struct mounted_device *device = by_name(mounted, (struct text){name, name + strlen(name)});

	if (device)
		snprintf(device->info->pool, sizeof(device->info->pool), "btrfs %s", mounted->uuid);
	return 0;
}

static int read_pool(void *context, const char *uuid)
{
	struct mounted *mounted = context;
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "fs/btrfs/%s/devices", uuid);
	mounted->uuid = uuid;
	mounted->members = 0;
	(void)root_list(mounted->root->sys_fd, path, count_member, mounted);
	if (mounted->members > 1)
		(void)root_list(mounted->root->sys_fd, path, name_pool, mounted);
	return 0;
}

/* ---- mounts ---- */

/* Not a bind mount of some folder. A btrfs subvolume is what its own options name. */
static bool is_whole(const struct mount_line *mount)
{
	static const char subvol[] = "subvol=";

	for (struct text rest = mount->options; rest.p < rest.end; rest.p++)
		if (text_is(mount->type, "btrfs") && begins(&rest, subvol))
			return rest.end - rest.p == mount->root.end - mount->root.p &&
			       memcmp(rest.p, mount->root.p, (size_t)(rest.end - rest.p)) == 0;
	return text_is(mount->root, "/");
}

/* Folders count where nothing else of the file system is mounted: a container has such. */
static void add_mount(struct mounted_device *device, const struct mount_line *mount, bool whole)
{
	if (!whole && device->whole)
		return;
	device->whole = device->whole || whole;
	add_point(device->info->mounts, mount->point);
}

static void read_mount(const struct mounted *mounted, const struct mount_line *mount, bool whole)
{
	struct mounted_device *device = by_number(mounted, mount->major, mount->minor);

	if (!device && mount->major == 0)
		device = by_path(mounted, mount->source);
	if (!device)
		return;
	if (!*device->info->pool) {
		add_mount(device, mount, whole);
		return;
	}
	for (size_t i = 0; i < mounted->snapshot->n; i++)
		if (strcmp(mounted->device[i].info->pool, device->info->pool) == 0)
			add_mount(&mounted->device[i], mount, whole);
}

/* Those of whole file systems first: then it is known where folders are not needed. */
static void read_mounts(const struct mounted *mounted, const struct bytes *bytes)
{
	for (int whole = 1; whole >= 0; whole--) {
		struct text text = {bytes->p, bytes->p + bytes->n}, line;
		struct mount_line mount;
		while (text_line(&text, &line))
			if (mountinfo_line(line, &mount) && is_whole(&mount) == whole)
				read_mount(mounted, &mount, whole);
	}
}

/* What is paged out is on this device, and on the disk it is a part of. */
static void set_swap(const struct mounted *mounted, const struct mounted_device *device)
{
	const char *parent = device ? device->info->parent : "";
	const struct mounted_device *disk = by_name(mounted, (struct text){parent, parent + strlen(parent)});

	if (device)
		device->info->swap = true;
	if (disk)
		disk->info->swap = true;
}

/* The device of the file system that a file which swaps is on. */
static const struct mounted_device *by_file(const struct mounted *mounted, struct text path)
{
	char name[PATH_MAX];
	unsigned major, minor;

	mountinfo_unescape(path, name, sizeof(name));
	if (!mounted->mountinfo ||
	    mounts_find(mounted->mountinfo->p, mounted->mountinfo->n, name, &major, &minor) < 0)
		return NULL;
	return by_number(mounted, major, minor);
}

/* "/dev/sda2 partition 8388604 0 -2", "/swapfile file 100 0 -3" */
static void read_swaps(const struct mounted *mounted, const struct bytes *bytes)
{
	struct text text = {bytes->p, bytes->p + bytes->n}, line, path, type;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &path) || !text_word(&line, &type))
			continue;
		if (text_is(type, "file"))
			set_swap(mounted, by_file(mounted, path));
		const struct mounted_device *device = text_is(type, "partition") ? by_path(mounted, path) : NULL;
		if (!device)
			continue;
		set_swap(mounted, device);
		add_point(device->info->mounts, (struct text){swap, swap + strlen(swap)});
	}
}

void mounted_describe(struct mounted_device *device, const struct device_snapshot *snapshot,
                      const struct root *root, struct mounted_text *text)
{
	struct mounted mounted = {.device = device, .snapshot = snapshot, .root = root};

	for (size_t i = 0; i < snapshot->n; i++) {
		*device[i].info->mounts = *device[i].info->pool = '\0';
		device[i].info->swap = device[i].whole = false;
	}
	(void)root_list(root->sys_fd, "fs/btrfs", read_pool, &mounted);
	if (mounts_read(root, &text->mountinfo) == 0)
		mounted.mountinfo = &text->mountinfo;
	if (root_read(root->proc_fd, "swaps", &text->swaps) == 0)
		read_swaps(&mounted, &text->swaps);
	if (mounted.mountinfo)
		read_mounts(&mounted, mounted.mountinfo);
}
