/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which list the keys go to, and when the lists choose their rows anew.
 */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>

struct list *state_list(struct screen *screen)
{
	switch (screen->view) {
	case VIEW_DEVICES:
		return &screen->list[LIST_DEVICES];
	case VIEW_TASKS:
		return &screen->list[LIST_TASKS];
	case VIEW_FINDINGS:
		return &screen->list[LIST_FINDINGS];
	case VIEW_OVERVIEW:
		return &screen->list[screen->focus];
	case VIEW_AIO:
	case VIEWS:
		break;
	}
	return NULL;
}

bool state_keeps_order(const struct screen *screen)
{
	return screen->mode >= MODE_MENU;
}

void state_say(struct screen *screen, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(screen->notice, sizeof(screen->notice), format, args);
	va_end(args);
	screen->notice_frames = 0;
}

void state_update(struct screen *screen)
{
	for (size_t i = 0; i < LISTS; i++) {
		if (screen->frame)
			list_update(&screen->list[i], screen->frame, state_keeps_order(screen));
		else
			list_clear(&screen->list[i]);
	}
}
