/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sysfs says of block devices: class, properties, topology, identity.
 */
#ifndef IOTRIAGE_SAMPLE_BLOCKDEV_H
#define IOTRIAGE_SAMPLE_BLOCKDEV_H

#include "iotriage/snapshot.h"
#include "mounted.h"

struct blockdev; /* one device */

/* Zero-initialised; released by blockdevs_release. */
struct blockdevs {
	struct blockdev **device; /* in the order first seen */
	size_t n, cap;
	int64_t read_ns; /* when properties were last read */
	bool have_sysfs;
	struct mounted_text text; /* as last read */
	struct mounted_device *present; /* those of the snapshot, in its order */
	size_t present_cap;
};

/*
 * Sets info and diskseq of every device in the snapshot. Properties are read
 * when a device is new or replaced, and every 10 s. Without sysfs they are
 * guessed from the names drivers give. 0 or -ENOMEM.
 */
int blockdevs_describe(struct blockdevs *devs, const struct root *root, struct device_snapshot *snapshot,
                       int64_t now_ns);

void blockdevs_release(struct blockdevs *devs);

#endif
