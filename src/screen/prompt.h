/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line being typed at the bottom: a filter, or a user.
 */
#ifndef IOTRIAGE_SCREEN_PROMPT_H
#define IOTRIAGE_SCREEN_PROMPT_H

#include "state.h"

/* mode: MODE_FILTER or MODE_USER. Begins with what is set. */
void prompt_open(struct screen *screen, enum mode mode, struct list *list);

/* Takes a key. False: it is none of the prompt's. */
bool prompt_key(struct screen *screen, int key);

#endif
