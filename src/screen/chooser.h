/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keys do to the menu in which the columns to show are chosen.
 */
#ifndef IOTRIAGE_SCREEN_CHOOSER_H
#define IOTRIAGE_SCREEN_CHOOSER_H

#include "state.h"

enum screen_event action_columns(struct screen *screen);
enum screen_event action_column_toggle(struct screen *screen);
enum screen_event action_columns_default(struct screen *screen);
enum screen_event action_columns_close(struct screen *screen);

void chooser_move(struct screen *screen, long delta);

#endif
