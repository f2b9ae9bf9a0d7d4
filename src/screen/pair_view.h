/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose requests a device gets, and where a task's requests go: parts of details.
 */
#ifndef IOTRIAGE_SCREEN_PAIR_VIEW_H
#define IOTRIAGE_SCREEN_PAIR_VIEW_H

#include "sheet.h"

void pair_view_tasks(struct sheet *sheet, const struct frame *frame, const struct device_row *row);

/* Of a thread: its process's. */
void pair_view_devices(struct sheet *sheet, const struct frame *frame, const struct task_row *row);

#endif
