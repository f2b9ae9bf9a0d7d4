/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The properties of one block device, from sysfs or from its name. */
#include "blockinfo.h"
#include "mounts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void blockinfo_path(char *path, size_t size, const char *name, const char *leaf)
{
	snprintf(path, size, "class/block/%s/%s", name, leaf);
	for (char *p = path + strlen("class/block/"); *p && p < path + strlen("class/block/") + strlen(name); p++)
		if (*p == '/')
			*p = '!';
}

/* Where this device's folder is: class/block/NAME, block/NAME or block/DISK/NAME. */
static int open_folder(const struct root *root, const struct device_info *info)
{
	char path[2 * DEVICE_NAME_MAX + 32];
	int fd;

	blockinfo_path(path, sizeof(path), info->name, "");
	fd = openat(root->sys_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = openat(root->sys_fd, path + strlen("class/"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 || !*info->parent)
		return fd;
	snprintf(path, sizeof(path), "block/%s/%s", info->parent, info->name);
	return openat(root->sys_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool has(int fd, const char *path)
{
	return faccessat(fd, path, F_OK, 0) == 0;
}

/* "mq-deadline kyber [none]" gives the one in brackets. */
static void read_scheduler(int fd, char *scheduler, size_t size)
{
	char line[256], *open, *close;

	*scheduler = '\0';
	if (root_line(fd, "queue/scheduler", line, sizeof(line)) < 0)
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	snprintf(scheduler, size, "%.*s", (int)size - 1, close ? open + 1 : line);
}

static void read_line(int fd, const char *path, char *buf, size_t size)
{
	if (root_line(fd, path, buf, size) < 0)
		*buf = '\0';
}

static int read_int(int fd, const char *path)
{
	long long n = root_number(fd, path, -1);

	return n < 0 || n > INT_MAX ? -1 : (int)n;
}

/* A '/' in the kernel's name of a device is '!' in sysfs. */
static int add_lower(void *context, const char *name)
{
	struct device_info *info = context;

	if (info->nlower == info->lower_cap) {
		size_t cap = info->lower_cap ? 2 * info->lower_cap : 4;
		char(*lower)[DEVICE_NAME_MAX] = reallocarray(info->lower, cap, sizeof(*lower));
		if (!lower)
			return -ENOMEM;
		info->lower = lower;
		info->lower_cap = cap;
	}
	char *lower = info->lower[info->nlower++];
	snprintf(lower, DEVICE_NAME_MAX, "%s", name);
	for (char *p = lower; (p = strchr(p, '!'));)
		*p = '/';
	return 0;
}

/* A loop device stands on the device its file's mount is on, where it is a block device. */
static int read_backing(int fd, struct device_info *info, const struct root *root,
                        const struct device_snapshot *snapshot, struct bytes *mountinfo)
{
	unsigned major, minor;

	read_line(fd, "loop/backing_file", info->title, sizeof(info->title));
	if (!*info->title || mounts_device(root, mountinfo, info->title, &major, &minor) < 0)
		return 0;
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct device_sample *sample = &snapshot->device[i];
		if (sample->major == major && sample->minor == minor && (major || minor))
			return add_lower(info, sample->name);
	}
	return 0;
}

static bool named(const char *name, const char *driver)
{
	size_t n = strlen(driver);

	return strncmp(name, driver, n) == 0 && isdigit((unsigned char)name[n]) &&
	       name[n + strspn(name + n, "0123456789")] == '\0';
}

static enum device_class class_by_name(const char *name)
{
	if (named(name, "loop"))
		return DEVICE_LOOP;
	if (named(name, "ram") || named(name, "zram"))
		return DEVICE_MEMORY;
	if (named(name, "md"))
		return DEVICE_MD;
	if (named(name, "zd")) /* a ZFS volume: its pool's disks are elsewhere in the list */
		return DEVICE_STACKED;
	return named(name, "dm-") ? DEVICE_DM : DEVICE_DISK;
}

/* "nvme0c1n2" is a hidden path of "nvme0n2". false: not such a name. */
static bool path_namespace(const char *name, char *namespace, size_t size)
{
	unsigned subsystem, controller, ns;
	int end = 0;

	if (sscanf(name, "nvme%uc%un%u%n", &subsystem, &controller, &ns, &end) != 3 || name[end])
		return false;
	snprintf(namespace, size, "nvme%un%u", subsystem, ns);
	return true;
}

static enum device_class classify(int fd, struct device_info *info)
{
	if (has(fd, "partition"))
		return DEVICE_PARTITION;
	if (path_namespace(info->name, info->parent, sizeof(info->parent)))
		return DEVICE_PATH;
	if (has(fd, "dm"))
		return DEVICE_DM;
	if (has(fd, "md"))
		return DEVICE_MD;
	enum device_class class = class_by_name(info->name);
	if (class == DEVICE_DISK && info->nlower > 0)
		return DEVICE_STACKED;
	return class;
}

/* What the kernel's own link says: the disk above a partition, and the bus. */
static void read_link(const struct root *root, struct device_info *info)
{
	char path[DEVICE_NAME_MAX + 32], target[PATH_MAX], *name;
	ssize_t n;

	blockinfo_path(path, sizeof(path), info->name, "");
	path[strlen(path) - 1] = '\0';
	n = readlinkat(root->sys_fd, path, target, sizeof(target) - 1);
	if (n < 0)
		n = readlinkat(root->sys_fd, path + strlen("class/"), target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	info->virtual_medium = strstr(target, "/virtio") || strstr(target, "/vbd-") ||
	                       strncmp(info->name, "vd", 2) == 0 || strncmp(info->name, "xvd", 3) == 0;
	name = strrchr(target, '/');
	if (!name)
		return;
	*name = '\0';
	name = strrchr(target, '/');
	if (name)
		snprintf(info->parent, sizeof(info->parent), "%.*s", DEVICE_NAME_MAX - 1, name + 1);
}

/* True where name is disk's name and a number, with a p between where the disk ends in a digit. */
static bool partition_name(const char *name, const char *disk)
{
	size_t n = strlen(disk);

	if (n == 0 || strncmp(name, disk, n) != 0)
		return false;
	if (isdigit((unsigned char)disk[n - 1]) && name[n++] != 'p')
		return false;
	return name[n] && name[n + strspn(name + n, "0123456789")] == '\0';
}

/* Trees without links: the disk whose folder holds this partition's. */
static void search_parent(const struct root *root, struct device_info *info,
                          const struct device_snapshot *snapshot)
{
	char path[2 * DEVICE_NAME_MAX + 32];

	for (size_t i = 0; i < snapshot->n; i++) {
		if (!partition_name(info->name, snapshot->device[i].name))
			continue;
		snprintf(path, sizeof(path), "block/%s/%s/partition", snapshot->device[i].name, info->name);
		if (has(root->sys_fd, path)) {
			snprintf(info->parent, sizeof(info->parent), "%s", snapshot->device[i].name);
			return;
		}
	}
}

static void clear(struct device_info *info)
{
	struct device_info empty = {.rotational = -1, .nr_requests = -1, .queue_depth = -1,
	                            .read_ahead_kib = -1, .logical_block_bytes = -1, .iostats = -1};

	memcpy(empty.name, info->name, sizeof(empty.name));
	empty.lower = info->lower; /* its memory serves again */
	empty.lower_cap = info->lower_cap;
	*info = empty;
}

static void read_queue(int fd, struct device_info *info)
{
	info->rotational = read_int(fd, "queue/rotational");
	info->nr_requests = read_int(fd, "queue/nr_requests");
	info->queue_depth = read_int(fd, "device/queue_depth");
	info->read_ahead_kib = read_int(fd, "queue/read_ahead_kb");
	info->logical_block_bytes = read_int(fd, "queue/logical_block_size");
	info->iostats = read_int(fd, "queue/iostats");
	info->bio_based = faccessat(fd, "mq", F_OK, 0) < 0;
	read_scheduler(fd, info->scheduler, sizeof(info->scheduler));
	read_line(fd, "queue/write_cache", info->write_cache, sizeof(info->write_cache));
}

void blockinfo_guess(struct device_info *info, const struct device_snapshot *snapshot)
{
	clear(info);
	info->nlower = 0;
	info->class = class_by_name(info->name);
	info->virtual_medium = info->class == DEVICE_LOOP || strncmp(info->name, "vd", 2) == 0 ||
	                       strncmp(info->name, "xvd", 3) == 0;
	if (path_namespace(info->name, info->parent, sizeof(info->parent)))
		info->class = DEVICE_PATH;
	for (size_t i = 0; i < snapshot->n; i++) {
		if (!partition_name(info->name, snapshot->device[i].name))
			continue;
		info->class = DEVICE_PARTITION;
		snprintf(info->parent, sizeof(info->parent), "%s", snapshot->device[i].name);
	}
}

int blockinfo_read(struct device_info *info, const struct root *root,
                   const struct device_snapshot *snapshot, struct bytes *mountinfo)
{
	int fd, error;

	clear(info);
	read_link(root, info);
	bool linked = *info->parent != '\0';
	if (!linked)
		search_parent(root, info, snapshot);
	fd = open_folder(root, info);
	if (fd < 0) { /* no folder for it in this sysfs */
		blockinfo_guess(info, snapshot);
		return 0;
	}
	error = root_list(fd, "slaves", add_lower, info);
	info->size_sectors = (uint64_t)root_number(fd, "size", 0);
	info->class = classify(fd, info);
	if (info->class != DEVICE_PARTITION && info->class != DEVICE_PATH)
		*info->parent = '\0';
	read_queue(fd, info);
	if (info->class == DEVICE_DM)
		read_line(fd, "dm/name", info->title, sizeof(info->title));
	if (info->class == DEVICE_MD)
		read_line(fd, "md/level", info->title, sizeof(info->title));
	if (info->class == DEVICE_LOOP) {
		info->virtual_medium = true;
		if (!error)
			error = read_backing(fd, info, root, snapshot, mountinfo);
	}
	close(fd);
	return error;
}
