/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open files of one task, kept: they stay on show when the task has ended.
 */
#ifndef IOTRIAGE_SCREEN_FILES_H
#define IOTRIAGE_SCREEN_FILES_H

#include "iotriage/frame.h"

struct screen;

struct files {
	struct frame frame; /* has nothing but these files */
	struct file_row *row;
	size_t cap;
	char *text; /* what the rows point at */
	size_t text_cap;
	uint64_t start_ticks; /* of the task, with frame.files_pid its identity */
	char title[96], note[256], nothing[256];
};

void files_release(struct files *files);

/* Takes over what the frame has of the task that is looked into. */
void files_keep(struct screen *screen);

/* Chooses the rows of the list anew. */
void files_update(struct screen *screen, bool keep_order);

#endif
