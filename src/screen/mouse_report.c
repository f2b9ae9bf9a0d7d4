/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a terminal reports of its mouse: ESC [ M and three bytes, or ESC [ < and
 * three numbers. Curses would wait for all of a report, however long it takes.
 */
#include "mouse.h"

enum { FIELD_MAX = 9999, X10_BASE = 32 };
enum { BUTTON_BITS = 3, MOTION = 32, WHEEL = 64, MORE_BUTTONS = 128 };

static enum mouse_button mouse_button(int code, bool released)
{
	int button = code & BUTTON_BITS;
	if (code & MORE_BUTTONS)
		return MOUSE_NONE;
	if (code & WHEEL)
		return button == 0   ? MOUSE_WHEEL_UP
		       : button == 1 ? MOUSE_WHEEL_DOWN
				     : MOUSE_NONE;
	return button == 0 && !released && !(code & MOTION) ? MOUSE_PRESS : MOUSE_NONE;
}

static enum mouse_feed mouse_complete(struct mouse_report *report, struct mouse *ret, bool released)
{
	ret->button = mouse_button(report->field[0], released);
	ret->x = report->field[1] - 1;
	ret->y = report->field[2] - 1;
	report->form = 0;
	return MOUSE_DONE;
}

static enum mouse_feed mouse_feed_byte(struct mouse_report *report, int key, struct mouse *ret)
{
	if (key < X10_BASE || key > 255) {
		report->form = 0;
		return MOUSE_BROKEN;
	}
	report->field[report->n++] = key - X10_BASE;
	return report->n == 3 ? mouse_complete(report, ret, false) : MOUSE_MORE;
}

static enum mouse_feed mouse_feed_digit(struct mouse_report *report, int key, struct mouse *ret)
{
	int *field = &report->field[report->n < 3 ? report->n : 2];
	if (key >= '0' && key <= '9') {
		*field = *field < FIELD_MAX ? *field * 10 + key - '0' : *field;
		return MOUSE_MORE;
	}
	if (key == ';') {
		report->n++;
		return MOUSE_MORE;
	}
	if ((key == 'M' || key == 'm') && report->n == 2)
		return mouse_complete(report, ret, key == 'm');
	report->form = 0;
	if (key != 'M' && key != 'm')
		return MOUSE_BROKEN;
	ret->button = MOUSE_NONE;
	return MOUSE_DONE;
}

enum mouse_feed mouse_feed(struct mouse_report *report, int key, struct mouse *ret)
{
	return report->form == 'M' ? mouse_feed_byte(report, key, ret)
				   : mouse_feed_digit(report, key, ret);
}
