/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The properties of one block device. */
#ifndef IOTRIAGE_SAMPLE_BLOCKINFO_H
#define IOTRIAGE_SAMPLE_BLOCKINFO_H

#include "iotriage/snapshot.h"
#include "root.h"

/* "block/NAME/leaf", or "class/block/..." for what is not there; '/' in a name is '!' in sysfs. */
void blockinfo_path(char *path, size_t size, const char *name, const char *leaf);

/* Reads all properties of info->name from sysfs; mountinfo is room to read in. 0 or -ENOMEM. */
int blockinfo_read(struct device_info *info, const struct root *root,
                   const struct device_snapshot *snapshot, struct bytes *mountinfo);

/* Without sysfs: what the names in the snapshot tell. Drivers name devices, not people. */
void blockinfo_guess(struct device_info *info, const struct device_snapshot *snapshot);

#endif
