/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task that is looked into: chosen once, then found again in every frame.
 */
#ifndef IOTRIAGE_SCREEN_SUBJECT_H
#define IOTRIAGE_SCREEN_SUBJECT_H

#include "state.h"

/* False: the row is no task. */
bool subject_take(struct screen *screen, const struct task_row *row);

enum subject_picked {
	SUBJECT_PICKED,
	SUBJECT_NONE,    /* nothing is selected: the one before stays */
	SUBJECT_NO_TASK, /* a program, a user, or what no task accounts for */
	SUBJECT_ENDED
};

/* Where nothing is selected: selects the first row that can be looked into, or `changed`. */
void subject_first(struct screen *screen, struct list *list, bool changed);

/* The task selected in the list on show, or else in the tasks. first: or their first. */
enum subject_picked subject_pick(struct screen *screen, bool first);

/* What the row is that no task accounts for: its reasons in full. */
void subject_nobody(const struct task_row *row, char *out, size_t size);

/* Tells why nothing was picked. */
enum screen_event subject_refuse(struct screen *screen, enum subject_picked why);

/* One known by its PID alone gets its start and name from the frame. */
void subject_complete(struct screen *screen);

/* Its row in the present frame, or its process's; NULL if there is none. */
struct task_row *subject_row(const struct screen *screen);

/* It was there and is in the frame no more. */
bool subject_gone(const struct screen *screen);

/* The process with this start in the frame, NULL if there is none; start 0: any. */
struct task_row *subject_process(const struct frame *frame, int32_t pid, uint64_t start_ticks);

#endif
