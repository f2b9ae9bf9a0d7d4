/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mouse: what its reports say, and what it does to the screen.
 */
#ifndef IOTRIAGE_SCREEN_MOUSE_H
#define IOTRIAGE_SCREEN_MOUSE_H

#include "state.h"

enum mouse_button { MOUSE_NONE, MOUSE_PRESS, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
	enum mouse_button button;
	int y, x;
};

/* A report that comes byte by byte. */
struct mouse_report {
	char form; /* what came after ESC [: '<' or 'M'; 0: none is coming */
	int n;     /* fields that are complete */
	int field[3];
};

enum mouse_feed { MOUSE_MORE, MOUSE_DONE, MOUSE_BROKEN };

/* Takes a key of a report that has begun. MOUSE_BROKEN: the key is none of it. */
enum mouse_feed mouse_feed(struct mouse_report *report, int key, struct mouse *ret);

/* Does what a press or the wheel stands for. notice: one stood over the bar of keys. */
enum screen_event mouse_act(struct screen *screen, const struct mouse *mouse, bool notice);

#endif
