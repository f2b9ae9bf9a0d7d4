/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device rows from two device snapshots. */
#ifndef IOTRIAGE_FRAME_DEVICES_H
#define IOTRIAGE_FRAME_DEVICES_H

#include "iotriage/frame.h"

/*
 * One row from a device's two samples. before NULL: new, or since boot where
 * zero is the reading before. seconds: T.
 */
void device_row_build(struct device_row *row, const struct device_sample *before,
                      const struct device_sample *now, double seconds);

/* All rows in order, disks followed by their partitions. before NULL: since boot. */
int devices_build(struct frame *frame, const struct device_snapshot *before,
                  const struct device_snapshot *now, double seconds);

#endif
