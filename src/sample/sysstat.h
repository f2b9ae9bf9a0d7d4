/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /sys/block/NAME/stat: the counters of diskstats, device by device, for places
 * (some containers) where /proc/diskstats is missing.
 */
#ifndef IOTRIAGE_SAMPLE_SYSSTAT_H
#define IOTRIAGE_SAMPLE_SYSSTAT_H

#include "root.h"

/* Writes what diskstats would say into *all. 0 or -errno: no such files either. */
int sysstat_gather(const struct root *root, struct bytes *all);

#endif
