/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys that look closer: details of a row, and totals in the place of rates.
 */
#include "action.h"
#include "device_view.h"
#include "subject.h"
#include "totals.h"

#include <stdio.h>

static enum screen_event look_at(struct screen *screen, enum details details)
{
	screen->details = details;
	screen->details_page = (struct page){0};
	return SCREEN_NOTHING;
}

static enum screen_event look_at_device(struct screen *screen, const struct device_row *row)
{
	screen->device_identity = device_table.identity(row);
	snprintf(screen->device_name, sizeof(screen->device_name), "%s", row->name);
	return look_at(screen, DETAILS_DEVICE);
}

/* The device a finding is about. */
static enum screen_event look_at_finding(struct screen *screen, const struct finding *finding)
{
	const struct device_row *row = device_view_find(screen->frame, finding->subject);
	if (row)
		return look_at_device(screen, row);
	state_say(screen, "it is about no single device");
	return SCREEN_NOTHING;
}

/* It has no details: what there is to tell takes a line or two. */
static enum screen_event look_at_nobody(struct screen *screen, const struct task_row *row)
{
	char text[160];
	subject_nobody(row, text, sizeof(text));
	state_say(screen, "%s", text);
	return SCREEN_NOTHING;
}

enum screen_event action_details(struct screen *screen)
{
	struct list *list = state_list(screen);
	if (list && screen->frame)
		subject_first(screen, list, false);
	const void *row = list ? list_selected(list) : NULL;
	if (!row)
		return subject_refuse(screen, SUBJECT_NONE);
	if (list->table == &device_table)
		return look_at_device(screen, row);
	if (list->table == &finding_table)
		return look_at_finding(screen, row);
	if (list->table == &task_table && ((const struct task_row *)row)->kind == TASK_UNATTRIBUTED)
		return look_at_nobody(screen, row);
	enum subject_picked picked = subject_pick(screen, false);
	return picked == SUBJECT_PICKED ? look_at(screen, DETAILS_TASK) : subject_refuse(screen, picked);
}

enum screen_event action_totals(struct screen *screen)
{
	totals_next(screen);
	state_update(screen);
	return SCREEN_TOTALS;
}
