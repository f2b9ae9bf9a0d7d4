/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One finding on a whole screen, and what it is about.
 */
#ifndef IOTRIAGE_SCREEN_FINDING_VIEW_H
#define IOTRIAGE_SCREEN_FINDING_VIEW_H

#include "state.h"

enum finding_about { ABOUT_MACHINE, ABOUT_DEVICE, ABOUT_TASK };

enum finding_about finding_view_about(const struct finding *finding);

/* The task it is about, NULL where the frame has none of that number and start. */
const struct task_row *finding_view_task(const struct frame *frame, const struct finding *finding);

/* Takes over what the frame has of the finding that is shown; it stays as it was when it is gone.
 */
void finding_view_keep(struct screen *screen);

#endif
