/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal: taken over, lent back, given back whatever happens. There is
 * one per process, so its state is the module's own.
 */
#ifndef IOTRIAGE_SCREEN_TERMINAL_H
#define IOTRIAGE_SCREEN_TERMINAL_H

#include <stdbool.h>

enum { TERMINAL_NO_KEY = -1, TERMINAL_GONE = -2 };

/* 0, or -errno with *why for people; then nothing was written. mouse: takes it, if there is one. */
int terminal_open(const char **why, bool mouse);
void terminal_close(void);

int terminal_fd(void);

/* The next key: a byte, a KEY_* code, TERMINAL_NO_KEY or TERMINAL_GONE. */
int terminal_key(void);

/* Brings the screen up to date: doupdate() that cannot make the program unkillable. */
void terminal_draw(void);

void terminal_resize(void);
void terminal_suspend(void);
void terminal_resume(void);
void terminal_rescue(void);

#endif
