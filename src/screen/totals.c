/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in the place of the tasks, and what its title says.
 */
#include "totals.h"

#include <stdio.h>
#include <time.h>

static const char *const words[] = {
    [TOTALS_OFF] = "", [TOTALS_BY_TASK] = "task", [TOTALS_BY_PROGRAM] = "program", [TOTALS_BY_USER] = "user"};

void totals_next(struct screen *screen)
{
	screen->totals = screen->totals == TOTALS_BY_USER ? TOTALS_OFF : screen->totals + 1;
	list_unselect(&screen->list[LIST_TOTALS]);
	screen->list[LIST_TOTALS].resort = true;
}

enum total_by totals_by(const struct screen *screen)
{
	return screen->totals == TOTALS_BY_PROGRAM ? TOTAL_PROGRAMS
	       : screen->totals == TOTALS_BY_USER  ? TOTAL_USERS
						   : TOTAL_TASKS;
}

bool totals_are_there(const struct screen *screen)
{
	const struct frame *frame = screen->frame;
	return screen->totals && (frame->ntotal == 0 || frame->total[0].by == totals_by(screen));
}

static double totals_seconds(const struct frame *frame)
{
	double seconds = 0;
	for (size_t i = 0; i < frame->ntotal; i++)
		if (frame->total[i].seconds > seconds)
			seconds = frame->total[i].seconds;
	return seconds;
}

void totals_title(struct screen *screen)
{
	struct list *list = &screen->list[LIST_TOTALS];
	char *title = screen->totals_title, clock[32] = "";
	size_t size = sizeof(screen->totals_title);
	double seconds = screen->frame ? totals_seconds(screen->frame) : 0;
	struct tm tm;

	list_leave_out(list, "pid", screen->totals > TOTALS_BY_TASK);
	list_leave_out(list, "user", screen->totals == TOTALS_BY_USER); /* it is the name */
	list->title = title;
	list->nothing = "nothing was added up yet: the next tick brings it";
	snprintf(title, size, "Totals by %s", words[screen->totals]);
	if (seconds <= 0)
		return;
	time_t since = (time_t)(screen->frame->epoch - seconds);
	if (localtime_r(&since, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(title, size, "Totals by %s since %s (%.0f s)", words[screen->totals], clock,
		 seconds);
}
