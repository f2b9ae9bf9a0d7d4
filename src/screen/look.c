/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys that look closer: details of a row, and totals in the place of rates.
 */
#include "action.h"
#include "device_view.h"
#include "finding_view.h"
#include "subject.h"
#include "totals.h"

#include <stdio.h>

static enum screen_event look_at(struct screen *screen, enum details details)
{
	screen->details = details;
	screen->from_finding = false;
	screen->details_page = (struct page){0};
	return SCREEN_NOTHING;
}

static enum screen_event look_at_device(struct screen *screen, const struct device_row *row)
{
	screen->device_identity = device_table.identity(row);
	snprintf(screen->device_name, sizeof(screen->device_name), "%s", row->name);
	return look_at(screen, DETAILS_DEVICE);
}

static enum screen_event look_at_finding(struct screen *screen, const struct finding *finding)
{
	screen->finding = *finding;
	screen->finding_gone = false;
	return look_at(screen, DETAILS_FINDING);
}

/* The device or the task of the finding whose details are shown. */
enum screen_event action_finding_subject(struct screen *screen)
{
	const struct finding *finding = &screen->finding;
	const struct device_row *device = NULL;
	const struct task_row *task = NULL;
	if (screen->frame && finding_view_about(finding) == ABOUT_TASK)
		task = finding_view_task(screen->frame, finding);
	else if (screen->frame)
		device = device_view_find(screen->frame, finding->subject);
	if (device)
		(void)look_at_device(screen, device);
	else if (task && subject_take(screen, task))
		(void)look_at(screen, DETAILS_TASK);
	else
		state_say(screen, "%s is not among the rows now", finding->subject);
	screen->from_finding = screen->details != DETAILS_FINDING;
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
