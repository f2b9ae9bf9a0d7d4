/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices as a tree: a disk, its partitions, what stands on them, and so on up.
 * Each device is there once: under the first of those it stands on.
 */
#include "tree.h"
#include "columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = 0 }; /* links are indexes plus 1 */

int tree_reserve(struct rows_tree *tree, size_t n)
{
	if (n <= tree->cap)
		return 0;
	size_t slots = 64;
	while (slots < 2 * n)
		slots *= 2;
	struct tree_node *node = reallocarray(tree->node, slots / 2, sizeof(*node));
	if (node)
		tree->node = node;
	uint32_t *slot = reallocarray(tree->slot, slots, sizeof(*slot));
	if (slot)
		tree->slot = slot;
	if (!node || !slot)
		return -ENOMEM;
	tree->slots = slots;
	tree->cap = slots / 2;
	return 0;
}

void tree_release(struct rows_tree *tree)
{
	free(tree->node);
	free(tree->slot);
	*tree = (struct rows_tree){0};
}

/* Where a name is in the hash of names, or the free slot where it would be. */
static uint32_t *tree_slot(const struct rows *rows, const char *name)
{
	const struct rows_tree *tree = &rows->tree;
	size_t at = hash_text(name, 0) & (tree->slots - 1);

	while (tree->slot[at]) {
		const struct device_row *row = rows->row[tree->slot[at] - 1];
		if (strcmp(row->name, name) == 0)
			break;
		at = (at + 1) & (tree->slots - 1);
	}
	return &tree->slot[at];
}

/* What a row hangs under: of several the first by name, whatever their order is now. */
static uint32_t tree_find_parent(const struct rows *rows, const struct device_info *info)
{
	uint32_t best = NONE;

	if (!info)
		return NONE;
	if (info->class == DEVICE_PARTITION)
		return *tree_slot(rows, info->parent);
	for (size_t i = 0; i < info->nlower; i++) {
		uint32_t found = *tree_slot(rows, info->lower[i]);
		/* rows lie in one array, in the kernel's order */
		if (found && (!best || rows->row[found - 1] < rows->row[best - 1]))
			best = found;
	}
	return best;
}

/* A device below more than so many others, or below itself, becomes a root. */
static void tree_cut(struct tree_node *node, size_t i)
{
	unsigned depth = 0;

	for (uint32_t up = node[i].parent; up != NONE; up = node[up - 1].parent)
		if (++depth > TREE_DEPTH) {
			node[i].parent = NONE;
			return;
		}
}

/* Every node's first child and next sibling, in the order of the rows. The first root. */
static uint32_t tree_link(struct rows *rows)
{
	struct tree_node *node = rows->tree.node;
	uint32_t root = NONE;

	for (size_t i = rows->n; i-- > 0;) {
		uint32_t up = node[i].parent;
		uint32_t *first = up ? &node[up - 1].child : &root;
		node[i].next = *first;
		*first = (uint32_t)i + 1;
	}
	return root;
}

/* Writes the rows out, each followed by what hangs under it. */
static void tree_write(struct rows *rows, uint32_t at)
{
	struct tree_node *node = rows->tree.node;
	unsigned depth = 0;
	size_t n = 0;

	while (at != NONE) {
		rows->row[n] = rows->scratch[at - 1];
		rows->depth[n++] = (unsigned char)depth;
		if (node[at - 1].child) {
			at = node[at - 1].child;
			depth++;
			continue;
		}
		while (at != NONE && !node[at - 1].next) {
			at = node[at - 1].parent;
			depth--;
		}
		at = at ? node[at - 1].next : NONE;
	}
}

void rows_as_tree(struct rows *rows)
{
	struct rows_tree *tree = &rows->tree;

	if (rows->n == 0)
		return;
	memset(tree->slot, 0, tree->slots * sizeof(*tree->slot));
	for (size_t i = 0; i < rows->n; i++)
		*tree_slot(rows, ((struct device_row *)rows->row[i])->name) = (uint32_t)i + 1;
	for (size_t i = 0; i < rows->n; i++) {
		const struct device_row *row = rows->row[i];
		tree->node[i] = (struct tree_node){.parent = tree_find_parent(rows, row->info)};
	}
	for (size_t i = 0; i < rows->n; i++)
		tree_cut(tree->node, i);
	uint32_t root = tree_link(rows);
	memcpy(rows->scratch, rows->row, rows->n * sizeof(*rows->row));
	tree_write(rows, root);
}
