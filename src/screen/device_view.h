/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a device's details.
 */
#ifndef IOTRIAGE_SCREEN_DEVICE_VIEW_H
#define IOTRIAGE_SCREEN_DEVICE_VIEW_H

#include "sheet.h"

/* NULL where the frame has none of that name. */
const struct device_row *device_view_find(const struct frame *frame, const char *name);

/* What it stands on and what stands on it, with rates. */
void device_view_stack(struct sheet *sheet, const struct frame *frame, const struct device_row *row);

/* Queue and service times where they are measured, or why they are not. */
void device_view_latency(struct sheet *sheet, const struct frame *frame,
			 const struct device_row *row);

#endif
