/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keys do to the menu of sort columns.
 */
#ifndef IOTRIAGE_SCREEN_MENU_H
#define IOTRIAGE_SCREEN_MENU_H

#include "state.h"

void menu_open(struct screen *screen);
void menu_move(struct screen *screen, long delta);
void menu_choose(struct screen *screen);

#endif
