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
	bool tree;         /* devices: each under what it stands on */
	size_t top;        /* 0: all */
	char *const *glob; /* device name patterns */
	size_t nglob;
	const int *pid; /* ascending */
	size_t npid;
	bool by_uid;
	uint32_t uid;
	const regex_t *filter; /* NULL: none; matched against device, comm, command, user, rule, text */
};

/* A row that -p and -u want; the filter is not asked. What no task accounts for is nobody's. */
bool choice_has_task(const struct choice *choice, const struct task_row *row);

/* A device in the tree; indexes of rows plus 1, 0: none. */
struct tree_node {
	uint32_t parent, child, next;
};

/* Room to make a tree in: a node for each row, and a hash of their names. */
struct rows_tree {
	struct tree_node *node;
	uint32_t *slot;
	size_t cap, slots; /* slots: a power of two */
};

enum { TREE_DEPTH = 8 };

/* The chosen rows. Reused from frame to frame; grows, never shrinks. */
struct rows {
	void **row;
	unsigned char *depth; /* of a tree: how deep each row hangs, at most TREE_DEPTH */
	size_t n, cap;
	void **scratch;
	struct rows_tree tree;
	size_t hidden; /* rows left out as inactive, unused or filtered */
};

/* Fills rows from the frame. 0 or -ENOMEM. Stable: equal rows keep the frame's order. */
int rows_choose(struct rows *rows, const struct table *table, const struct choice *choice,
                const struct frame *frame);

/* Puts what is active before what is not, each in the order it is in. */
void rows_active_first(struct rows *rows, const struct table *table);

/*
 * Puts rows of devices, chosen as a tree, into the order of the tree. Siblings
 * keep the order they are in.
 */
void rows_as_tree(struct rows *rows);

void rows_release(struct rows *rows);

#endif
