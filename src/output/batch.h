/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batch sink: chosen rows of one table or of all, as CSV. */
#ifndef IOTRIAGE_OUTPUT_BATCH_H
#define IOTRIAGE_OUTPUT_BATCH_H

#include "iotriage/choice.h"

struct batch;

struct batch_setup {
	const struct table *table; /* NULL: all tables, each in a file of its own */
	const char *output;        /* NULL: stdout; a file, or a folder for all tables */
	const char *sort;          /* a column's name, for the tables that have it; NULL */
	struct choice choice;
	int stop_fd; /* readable: the program is to end */
};

/* 0 or -errno with *what naming the file that could not be opened. */
int batch_open(struct batch **ret, const struct batch_setup *setup, const char **what);
void batch_close(struct batch *batch);

/* Chooses the rows and marks tasks on_show, so that their names can be asked for. */
int batch_choose(struct batch *batch, struct frame *frame);

/* Writes the chosen rows: whole lines, one flush per table. 0 or -errno. */
int batch_write(struct batch *batch, const struct frame *frame);

/* stdout, to notice a reader that has gone; -1 where output goes to files. */
int batch_fd(const struct batch *batch);

#endif
