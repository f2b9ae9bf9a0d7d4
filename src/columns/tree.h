/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of devices. */
#ifndef IOTRIAGE_COLUMNS_TREE_H
#define IOTRIAGE_COLUMNS_TREE_H

#include "iotriage/choice.h"

/* Room to make a tree of n rows; grows only. 0 or -ENOMEM. */
int tree_reserve(struct rows_tree *tree, size_t n);

void tree_release(struct rows_tree *tree);

#endif
