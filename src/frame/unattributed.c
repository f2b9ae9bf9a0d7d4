/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the devices did and no task accounts for, and what it likely was. */
#include "tasks.h"

#include <stdio.h>
#include <string.h>

static const struct task_sample nobody = {.state = ' ', .comm = "(unattributed)"};

bool unattributed_has_row(const struct frame *frame)
{
	return frame->devices_state == PRESENT && frame->ndevice > 0;
}

static struct value beyond(struct value done, struct value asked)
{
	if (!value_known(done))
		return done;
	if (!value_known(asked))
		return asked;
	return value_of(done.n > asked.n ? done.n - asked.n : 0);
}

/* Mirrors write twice what one task asked for, and pools write by threads of their own. */
static bool stacked_work(const struct frame *frame)
{
	for (size_t i = 0; i < frame->ndevice; i++) {
		const struct device_row *row = &frame->device[i];
		bool stacked = row->info && (row->info->class == DEVICE_MD ||
					     row->info->class == DEVICE_STACKED);
		if (stacked && row->ios > 0)
			return true;
	}
	return false;
}

struct reasons {
	char *text;
	size_t size;
	unsigned n;
};

/* At most two: a row has no room for more. */
static void say(struct reasons *reasons, const char *reason)
{
	enum { MOST = 2 };
	size_t length = strlen(reasons->text);

	if (reasons->n < MOST)
		snprintf(reasons->text + length, reasons->size - length, "%s%s",
			 reasons->n ? ", " : " ", reason);
	reasons->n++;
}

/* The likeliest first. */
static void name_reasons(const struct frame *frame, double newcomers, struct reasons *reasons)
{
	const struct system_row *system = &frame->system;
	double written = value_or(system->unattributed_wkb, 0),
	       read = value_or(system->unattributed_rkb, 0);
	double unreadable = value_or(system->unreadable, 0);
	double ended = system->forked - newcomers;
	bool most_unreadable = 2 * unreadable > value_or(system->tasks, 0), writes = written > read;
	bool clean = value_or(system->dirty_kib, 1) <= 0 && value_or(system->writeback_kib, 1) <= 0;
	char refused[32];

	snprintf(refused, sizeof(refused), "%.0f task%s unreadable", unreadable,
		 unreadable == 1 ? "" : "s");
	if (read + written <= 0)
		return;
	if (system->others_hidden)
		say(reasons, "other users' tasks hidden");
	if (most_unreadable)
		say(reasons, refused);
	if (stacked_work(frame))
		say(reasons, "md or ZFS work");
	if (writes && !clean)
		say(reasons, "write-back");
	/* less than one may be one that is counted a moment earlier or later */
	if (ended >= 1)
		say(reasons, "ended tasks");
	if (unreadable > 0 && !most_unreadable)
		say(reasons, refused);
	if (written > 0 && !writes && !clean)
		say(reasons, "write-back");
}

void unattributed_build(struct frame *frame, double newcomers)
{
	struct system_row *system = &frame->system;

	system->unattributed_rkb = beyond(system->done_rkb, system->asked_rkb);
	system->unattributed_wkb = beyond(system->done_wkb, system->asked_wkb);
	snprintf(frame->unattributed, sizeof(frame->unattributed), "%s", nobody.comm);
	name_reasons(
	    frame, newcomers,
	    &(struct reasons){.text = frame->unattributed, .size = sizeof(frame->unattributed)});
	if (!unattributed_has_row(frame))
		return;
	struct task_row *row = &frame->task[0];
	task_row_start(row, TASK_UNATTRIBUTED, &nobody, ABSENT_UNSUPPORTED);
	row->seconds = frame->seconds;
	row->late = frame->tasks_state == ABSENT_LATE;
	row->rkb = system->unattributed_rkb;
	row->wkb = system->unattributed_wkb;
	row->command = frame->unattributed;
	row->names = TASK_NAMES_KNOWN;
}
