/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where block devices are mounted, which swap, and which share a file system. */
#ifndef IOTRIAGE_SAMPLE_MOUNTED_H
#define IOTRIAGE_SAMPLE_MOUNTED_H

#include "iotriage/snapshot.h"
#include "root.h"

/* A device that is to be described. */
struct mounted_device {
	struct device_info *info;
	bool whole; /* its file system's own root is mounted, not only a folder of it */
};

/* Room to read in. Zero-initialised; both freed by bytes_release. */
struct mounted_text {
	struct bytes mountinfo, swaps;
};

/*
 * Sets mounts, swap and pool of each device of the snapshot, device[i] being that
 * of sample i. What cannot be read leaves them "" and false.
 */
void mounted_describe(struct mounted_device *device, const struct device_snapshot *snapshot,
                      const struct root *root, struct mounted_text *text);

#endif
