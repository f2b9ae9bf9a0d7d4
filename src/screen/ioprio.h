/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking for another I/O priority of the selected task.
 */
#ifndef IOTRIAGE_SCREEN_IOPRIO_H
#define IOTRIAGE_SCREEN_IOPRIO_H

#include "state.h"

enum screen_event action_ioprio(struct screen *screen);

/* Takes a class, then a level where the class has levels; then it is to be confirmed. */
enum screen_event ioprio_key(struct screen *screen, int key);

#endif
