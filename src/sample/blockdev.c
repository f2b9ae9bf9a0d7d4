/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices known so far, and their identity from tick to tick. */
#include "blockdev.h"
#include "blockinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_DESCRIPTORS_MAX = 256 };

static const int64_t reread_ns = 10 * 1000000000LL;

struct blockdev {
	struct device_info info;
	uint64_t diskseq;
	uint64_t completions; /* at the last tick */
	bool seen;            /* in this snapshot */
	bool known;           /* info was read */
	bool stuck;           /* requests in it, and none came out since the last tick */
	int diskseq_fd; /* kept: a sysfs file of a device that is gone answers ENODEV; -1: none */
};

static struct blockdev *blockdev_new(const char *name)
{
	struct blockdev *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	snprintf(dev->info.name, sizeof(dev->info.name), "%s", name);
	dev->diskseq_fd = -1;
	return dev;
}

static void forget_descriptor(struct blockdev *dev)
{
	if (dev->diskseq_fd >= 0)
		close(dev->diskseq_fd);
	dev->diskseq_fd = -1;
}

static void blockdev_free(struct blockdev *dev)
{
	forget_descriptor(dev);
	free(dev->info.lower);
	free(dev);
}

void blockdevs_release(struct blockdevs *devs)
{
	for (size_t i = 0; i < devs->n; i++)
		blockdev_free(devs->device[i]);
	free(devs->device);
	free(devs->present);
	bytes_release(&devs->text.mountinfo);
	bytes_release(&devs->text.swaps);
	*devs = (struct blockdevs){0};
}

static struct blockdev *blockdevs_add(struct blockdevs *devs, const char *name)
{
	struct blockdev *dev;

	if (devs->n == devs->cap) {
		size_t cap = devs->cap ? devs->cap * 2 : 16;
		struct blockdev **device = reallocarray(devs->device, cap, sizeof(*device));
		if (!device)
			return NULL;
		devs->device = device;
		devs->cap = cap;
	}
	dev = blockdev_new(name);
	if (dev)
		devs->device[devs->n++] = dev;
	return dev;
}

/* Looks from hint on: the kernel lists devices in the same order every time. */
static struct blockdev *blockdevs_find(const struct blockdevs *devs, const char *name, size_t hint)
{
	for (size_t i = 0; i < devs->n; i++) {
		struct blockdev *dev = devs->device[(hint + i) % devs->n];
		if (strcmp(dev->info.name, name) == 0)
			return dev;
	}
	return NULL;
}

static uint64_t parse_diskseq(const char *buf, ssize_t n)
{
	char line[32] = "";

	if (n <= 0 || n >= (ssize_t)sizeof(line))
		return 0;
	memcpy(line, buf, (size_t)n);
	return strtoull(line, NULL, 10);
}

/* 0: the kernel has none, or the device is just going. */
static uint64_t read_diskseq(struct blockdev *dev, const struct root *root, bool keep)
{
	char buf[32], path[DEVICE_NAME_MAX + 32];
	ssize_t n = -1;

	if (dev->diskseq_fd >= 0) {
		n = pread(dev->diskseq_fd, buf, sizeof(buf) - 1, 0);
		if (n > 0)
			return parse_diskseq(buf, n);
		forget_descriptor(dev);
	}
	blockinfo_path(path, sizeof(path), dev->info.name, "diskseq");
	int fd = openat(root->sys_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = pread(fd, buf, sizeof(buf) - 1, 0);
	if (keep)
		dev->diskseq_fd = fd;
	else
		close(fd);
	return parse_diskseq(buf, n);
}

static bool has_sysfs(const struct root *root)
{
	return root->sys_fd >= 0 && (faccessat(root->sys_fd, "block", F_OK, 0) == 0 ||
	                             faccessat(root->sys_fd, "class/block", F_OK, 0) == 0);
}

static int reserve_present(struct blockdevs *devs, size_t n)
{
	if (n <= devs->present_cap)
		return 0;
	struct mounted_device *present = reallocarray(devs->present, n, sizeof(*present));
	if (!present)
		return -ENOMEM;
	devs->present = present;
	devs->present_cap = n;
	return 0;
}

/* Finds or adds each device, and notices those that are new or replaced. */
static int identify(struct blockdevs *devs, const struct root *root, struct device_snapshot *snapshot,
                    bool *changed)
{
	bool keep = root->live && root->procfs && snapshot->n <= KEPT_DESCRIPTORS_MAX &&
	            root->descriptors >= 4 * snapshot->n + KEPT_DESCRIPTORS_MAX;

	if (reserve_present(devs, snapshot->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < devs->n; i++)
		devs->device[i]->seen = false;
	for (size_t i = 0; i < snapshot->n; i++) {
		struct device_sample *sample = &snapshot->device[i];
		struct blockdev *dev = blockdevs_find(devs, sample->name, i);
		if (!dev) {
			dev = blockdevs_add(devs, sample->name);
			*changed = true;
		}
		if (!dev)
			return -ENOMEM;
		sample->info = devs->present[i].info = &dev->info;
		dev->seen = true;
		uint64_t completions = sample->counter[RD_IOS] + sample->counter[WR_IOS] + sample->counter[DC_IOS];
		dev->stuck = sample->counter[IN_FLIGHT] > 0 && completions == dev->completions;
		dev->completions = completions;
		if (!devs->have_sysfs || dev->info.class == DEVICE_PARTITION)
			continue;
		uint64_t diskseq = read_diskseq(dev, root, keep);
		if (diskseq != dev->diskseq)
			*changed = true;
		sample->diskseq = dev->diskseq = diskseq;
	}
	for (size_t i = 0; i < devs->n; i++)
		if (!devs->device[i]->seen)
			forget_descriptor(devs->device[i]);
	return 0;
}

/* A partition is replaced with its disk. The kernel lists a disk before its partitions. */
static void identify_partitions(struct device_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n; i++) {
		struct device_sample *sample = &snapshot->device[i];
		if (sample->info->class != DEVICE_PARTITION)
			continue;
		for (size_t j = 1; j < snapshot->n; j++) {
			const struct device_sample *disk = &snapshot->device[(i + snapshot->n - j) % snapshot->n];
			if (strcmp(disk->name, sample->info->parent) == 0) {
				sample->diskseq = disk->diskseq;
				break;
			}
		}
	}
}

static int read_infos(struct blockdevs *devs, const struct root *root, struct device_snapshot *snapshot)
{
	int error = 0;

	for (size_t i = 0; i < snapshot->n && !error; i++) {
		struct blockdev *dev = blockdevs_find(devs, snapshot->device[i].name, i);
		/* queue/ has a lock that is held while somebody switches a hung device's scheduler */
		if (root->live && dev->known && dev->stuck)
			continue;
		if (devs->have_sysfs)
			error = blockinfo_read(&dev->info, root, snapshot, &devs->text.mountinfo);
		else
			blockinfo_guess(&dev->info, snapshot);
		dev->known = true;
	}
	if (!error)
		mounted_describe(devs->present, snapshot, root, &devs->text);
	return error;
}

int blockdevs_describe(struct blockdevs *devs, const struct root *root, struct device_snapshot *snapshot,
                       int64_t now_ns)
{
	bool changed = !root->live || devs->n == 0 || now_ns - devs->read_ns >= reread_ns;
	int error;

	if (!root->live || devs->n == 0)
		devs->have_sysfs = has_sysfs(root);
	error = identify(devs, root, snapshot, &changed);
	if (!error && changed) {
		devs->read_ns = now_ns;
		error = read_infos(devs, root, snapshot);
	}
	if (!error)
		identify_partitions(snapshot);
	return error;
}
