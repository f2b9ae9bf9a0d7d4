/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages around the rules: index, history, stacks and persistence. Arrays
 * grow and are kept: in steady state nothing here allocates.
 */
#ifndef DIAGNOSE_STAGES_H
#define DIAGNOSE_STAGES_H

#include "rules.h"

/* Makes room for n elements; -ENOMEM leaves the array as it was. */
int stage_reserve(void **array, size_t *cap, size_t n, size_t element);

/* ---- index.c: from a device's name to its row ---- */

struct device_index {
	uint32_t *slot; /* row + 1; 0: free */
	size_t cap;     /* a power of two */
};

enum { INDEX_NONE = -1 };

int index_build(struct device_index *index, const struct frame *frame);
/* The row, or INDEX_NONE. */
long index_find(const struct device_index *index, const struct frame *frame, const char *name);
void index_release(struct device_index *index);

/* ---- history.c: the last frames of each device ---- */

struct history {
	struct device_past *past, *spare; /* past: in the order of the frame */
	size_t n, cap, spare_cap;
};

/* Moves the window on and completes the views with it. */
int history_advance(struct history *history, struct device_view *view, size_t n,
		    const struct thresholds *limits);
void history_release(struct history *history);

/* ---- stack.c: one cause, one finding ---- */

enum { STACK_DEPTH = 8 }; /* a deeper stack is a loop */

struct claims {
	struct claim *claim;
	size_t n, cap;
};

/* Marks claims that a device below explains; names the layers in those that stay. */
void stack_absorb(const struct frame *frame, const struct device_index *index, struct device_view *view,
		  struct claims *claims);

/* ---- persistence.c: what is shown, so that nothing flickers ---- */

struct tracked {
	struct finding finding;
	unsigned rule;
	double weight;
	unsigned held; /* bit 0: in this frame, bit 1: in the one before ... */
	bool at_once;
	bool shown;
};

struct persistence {
	struct tracked *tracked;
	size_t n, cap;
	size_t hint;             /* where the next claim is likely to be */
	struct finding *finding; /* shown, strongest first */
	size_t *order;
	size_t nfinding, finding_cap, order_cap;
	double began[RULE_WINDOW], seconds[RULE_WINDOW]; /* of the frames, newest first */
};

/* exact: how many frames a finding must have held in, all of them; 0: the usual rule. */
int persistence_update(struct persistence *persistence, const struct frame *frame,
		       const struct claims *claims, unsigned exact);
/* Forgets findings of devices that are gone or another by now. */
void persistence_forget(struct persistence *persistence, const struct frame *frame,
			const struct device_index *index);
/* Puts what is shown into order. */
int persistence_show(struct persistence *persistence);
void persistence_release(struct persistence *persistence);

#endif
