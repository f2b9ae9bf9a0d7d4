/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen is at: shared by what draws it and by what keys do to it.
 */
#ifndef IOTRIAGE_SCREEN_STATE_H
#define IOTRIAGE_SCREEN_STATE_H

#include "iotriage/screen.h"
#include "list.h"

enum view { VIEW_OVERVIEW, VIEW_DEVICES, VIEW_TASKS, VIEW_AIO, VIEW_FINDINGS, VIEWS };

/* What gets the keys. */
enum mode { MODE_VIEW, MODE_HELP, MODE_MENU, MODE_FILTER, MODE_USER };

enum { LIST_DEVICES, LIST_TASKS, LIST_FINDINGS, LISTS };

/* A line being typed. */
struct prompt {
	char text[LIST_INPUT_MAX];
	char why[96]; /* what is wrong with it, "" if nothing */
	struct list *list;
};

struct screen {
	struct list list[LISTS];
	struct frame *frame; /* NULL: none yet */
	enum view view;
	enum mode mode;
	unsigned focus; /* the list that gets the keys in the overview */
	struct prompt prompt;
	size_t menu_at, menu_top;
	size_t help_top, help_lines, help_page;
	double interval_s;
	bool story, paused, suspended;
	bool names_wanted; /* rows came on show whose names are not known */
	char source[128];
	char notice[256];
};

/* The list that gets the keys, NULL in the AIO view. */
struct list *state_list(struct screen *screen);

/* Whether any list's order must not change now. */
bool state_keeps_order(const struct screen *screen);

/* Chooses the rows of every list anew, and draws all. */
void state_update(struct screen *screen);

#endif
