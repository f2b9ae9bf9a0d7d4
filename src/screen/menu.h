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

/* Moves within `n` entries. */
void menu_step(struct screen *screen, long delta, size_t n);

/* Draws the title of a menu, and scrolls it so that a page shows the present of n entries. */
void menu_begin(struct screen *screen, int y, const char *title, size_t page, size_t n);

#endif
