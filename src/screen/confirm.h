/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions before something of the system is changed.
 */
#ifndef IOTRIAGE_SCREEN_CONFIRM_H
#define IOTRIAGE_SCREEN_CONFIRM_H

#include "state.h"

/* Asks; "y" is `event`, any other key does nothing. */
void confirm_open(struct screen *screen, enum screen_event event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the answer. */
enum screen_event confirm_key(struct screen *screen, int key);

/* Whether nothing may be changed; says so. */
bool confirm_refuses(struct screen *screen);

/* "D": delay accounting on while the program runs. */
enum screen_event action_delayacct(struct screen *screen);

/* After a frame: says once that it is off. */
void confirm_tell_delayacct(struct screen *screen);

#endif
