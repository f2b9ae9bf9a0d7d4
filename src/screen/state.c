/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which list the keys go to, and when the lists choose their rows anew.
 */
#include "state.h"
#include "finding_view.h"
#include "subject.h"
#include "totals.h"

#include <stdio.h>

struct list *state_tasks(struct screen *screen)
{
	return &screen->list[screen->totals ? LIST_TOTALS : LIST_TASKS];
}

struct list *state_list(struct screen *screen)
{
	if (screen->details)
		return NULL;
	switch (screen->view) {
	case VIEW_DEVICES:
		return &screen->list[LIST_DEVICES];
	case VIEW_TASKS:
		return state_tasks(screen);
	case VIEW_FINDINGS:
		return &screen->list[LIST_FINDINGS];
	case VIEW_OVERVIEW:
		return screen->focus == LIST_TASKS ? state_tasks(screen)
						   : &screen->list[screen->focus];
	case VIEW_AIO:
		return &screen->list[LIST_AIO];
	case VIEW_FILES:
		return &screen->list[LIST_FILES];
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
	state_say_for(screen, NOTICE_FRAMES, format, args);
	va_end(args);
}

void state_say_for(struct screen *screen, unsigned frames, const char *format, va_list args)
{
	vsnprintf(screen->notice, sizeof(screen->notice), format, args);
	screen->notice_frames = frames;
}

/* Lists that are long, or not of use while they are out of sight, then have no rows. */
static bool state_wants(const struct screen *screen, size_t which)
{
	if (which == LIST_TOTALS)
		return totals_are_there(screen);
	return which != LIST_AIO || screen->view == VIEW_AIO;
}

void state_update(struct screen *screen)
{
	bool keep = state_keeps_order(screen);
	subject_complete(screen);
	files_keep(screen);
	finding_view_keep(screen);
	totals_title(screen);
	if (screen->frame)
		list_set_io_measured(&screen->list[LIST_TASKS], screen->frame->system.delayacct != 0);
	for (size_t i = 0; i < LISTS; i++) {
		if (i == LIST_FILES && screen->view == VIEW_FILES)
			files_update(screen, keep);
		else if (i != LIST_FILES && screen->frame && state_wants(screen, i))
			list_update(&screen->list[i], screen->frame, keep);
		else
			list_clear(&screen->list[i]);
	}
}
