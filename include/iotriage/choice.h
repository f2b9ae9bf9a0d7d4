/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows of a table are wanted, and in what order. Screen and batch share it.
 */
#ifndef IOTRIAGE_CHOICE_H
#define IOTRIAGE_CHOICE_H

#include "iotriage/column.h"

#include <regex.h>

struct choice {
	const struct column *sort; /* NULL: the frame's order */
	bool descending;
	bool active;       /* only rows that did something */
	bool unused;       /* devices that never did anything too */
	bool tree;         /* devices: partitions under their disk */
	size_t top;        /* 0: all */
	char *const *glob; /* device name patterns */
	size_t nglob;
	const int *pid; /* ascending */
	size_t npid;
	bool by_uid;
	uint32_t uid;
	const regex_t *filter; /* NULL: none; matched against device, comm, command, user, rule, text */
};

/* The chosen rows. Reused from frame to frame; grows, never shrinks. */
struct rows {
	void **row;
	size_t n, cap;
	void **scratch;
	size_t hidden; /* rows left out as inactive, unused or filtered */
};

/* Fills rows from the frame. 0 or -ENOMEM. Stable: equal rows keep the frame's order. */
int rows_choose(struct rows *rows, const struct table *table, const struct choice *choice,
                const struct frame *frame);

void rows_release(struct rows *rows);

#endif
