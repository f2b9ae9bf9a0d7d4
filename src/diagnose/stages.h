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
	size_t away;    /* of them, behind the others: devices that this frame lacks */
	bool keep_away; /* a report may leave idle devices out */
};

/* Moves the window on and completes the views with it. */
int history_advance(struct history *history, struct device_view *view, size_t n,
		    const struct thresholds *limits);
/* For the next frame: whether something else than a burst holds the device in this row up. */
void history_held_up(struct history *history, size_t at, bool held_up);
/* Forgets all devices. */
void history_forget(struct history *history);
void history_release(struct history *history);

/* ---- layers.c: what stands on what ---- */

struct layer_row {
	double reads, writes; /* KiB/s; 0 where unknown */
	int rank;    /* 0: a disk; what stands on nothing comes before what may stand on it */
	bool speaks; /* present, and no partition of a disk that is there */
};

struct layers {
	uint32_t *lower; /* rows; a device's are lower[view.lower] and the nlower - 1 behind it */
	size_t n, cap;
	struct layer_row *row; /* what is looked at again and again, for each device */
	size_t row_cap;
};

/* Sets layer, lower, nlower and set of the views. */
int layers_build(struct layers *layers, const struct frame *frame, const struct device_index *index,
		 struct device_view *view, const struct thresholds *limits);
/* The disk that a partition's name begins with; false: it is no partition's name. */
bool layers_partition_of(const char *name, char disk[DEVICE_NAME_MAX]);
void layers_release(struct layers *layers);

/* ---- stack.c: one cause, one finding ---- */

enum { STACK_DEPTH = 8 }; /* a deeper stack is a loop */

struct claims {
	struct claim *claim;
	size_t n, cap;
};

/* Marks claims that a device below explains; names the layers in those that stay. */
void stack_absorb(const struct frame *frame, const struct layers *layers, struct device_view *view,
		  struct claims *claims);

/* ---- ended.c: findings that are over ---- */

/* How many are kept; within how many frames one that comes back goes on. */
enum { ENDED_MAX = 100, ENDED_RETURN = 8 };

struct ended_state {
	unsigned rule;
	unsigned frames; /* since it was shown last */
	double seconds;  /* since it held last */
	bool final;      /* what it was about is gone, or another by now: it cannot go on */
};

struct ended {
	struct finding *finding; /* newest end first */
	struct ended_state *state;
	size_t n;
};

/* 0 or -ENOMEM; without it nothing is kept. */
int ended_init(struct ended *ended);
void ended_release(struct ended *ended);
/* A frame has come, so many seconds after the one before. */
void ended_tick(struct ended *ended, double seconds);
/* Keeps it; the oldest falls out. */
void ended_add(struct ended *ended, const struct finding *finding, const struct ended_state *state);
/* It ended so lately that it goes on if it comes back. */
bool ended_may_resume(const struct ended_state *state);
/* True: it is one that ended a few frames ago. It goes on, with the start it had. */
bool ended_resume(struct ended *ended, unsigned rule, struct finding *finding);

/* ---- persistence.c: what is shown, so that nothing flickers ---- */

struct tracked {
	struct finding finding;
	unsigned rule;
	double weight;
	uint64_t held; /* bit 0: in this frame, bit 1: in the one before ... */
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
	double began[PAST_FRAMES], seconds[PAST_FRAMES]; /* of the frames, newest first */
	double gap[PAST_FRAMES]; /* seconds before each in which nothing was read */
	double next_gap;         /* the same of the frame to come */
	struct ended ended;
};

/* exact: how many frames a finding must have held in, all of them; 0: the usual rule. */
int persistence_update(struct persistence *persistence, const struct frame *frame,
		       const struct claims *claims, unsigned exact);
/* Forgets findings of devices that are gone or another by now. */
void persistence_forget(struct persistence *persistence, const struct frame *frame,
			const struct device_index *index);
/* Forgets bursts of devices that something else holds up: they were its beginning. */
void persistence_settle(struct persistence *persistence, const struct frame *frame,
			const struct device_index *index, const struct history *history);
/* Nothing was read for so long before the next frame: what is not shown yet begins anew. */
void persistence_gap(struct persistence *persistence, double seconds);
/* Drops general findings of devices that a narrower one is shown of. */
void persistence_overrule(struct persistence *persistence, const struct frame *frame,
			  const struct device_index *index, const struct device_view *view);
/* Puts what is shown into order. */
int persistence_show(struct persistence *persistence);
void persistence_release(struct persistence *persistence);

/* ---- report.c: the findings of a whole report ---- */

struct report_entry {
	struct finding finding; /* its strongest frame; severity: of all sections that are over */
	unsigned rule;
	double weight;
	bool any;     /* a section with it is over */
	bool tainted; /* the device's figures mean nothing, in the whole report */
	enum severity strongest, section; /* of the finding's frame, of this section */
	unsigned section_held;            /* frames of this section it held in */
	unsigned long first, last, run; /* frames: of this section, and where the last run began */
	bool covered;                   /* a narrower finding says it of all its frames */
};

struct report {
	struct report_entry *entry;
	size_t n, cap;
	size_t hint;                          /* where the next claim's is likely to be */
	unsigned long frames, section_frames; /* intervals so far */
	struct finding *finding;
	size_t *order;
	size_t finding_cap, order_cap;
};

int report_update(struct report *report, const struct frame *frame, const struct device_view *view,
		  const struct device_index *index, const struct claims *claims);
/* A section is over: what held once in several frames is information. */
void report_section(struct report *report);
/* What is left, strongest first. */
int report_finish(struct report *report, size_t *n);
void report_release(struct report *report);

/* ---- judge.c: runs the table of rules ---- */

struct diagnosis {
	struct diagnosis_setup setup;
	struct thresholds limits;
	unsigned long seen;
	struct device_index index;
	struct history history;
	struct layers layers;
	struct device_view *view;
	size_t view_cap;
	const struct task_row **busy; /* of the newest frame, see rule_input */
	size_t busy_cap;
	struct claims claims;
	struct rule_check *check; /* one for each rule */
	struct persistence persistence;
	struct report report;
};

/* A run this short shows what held in every frame of it. */
enum { DIAGNOSE_SHORT_RUN = 2 };

/* Fills the claims from the frame, its views and layers. 0 or -ENOMEM. */
int judge(struct diagnosis *diagnosis, const struct frame *frame);

/* a before b among findings: severity, rule, weight, subject. */
bool finding_before(const struct finding *a, unsigned rule_a, double weight_a,
		    const struct finding *b, unsigned rule_b, double weight_b);

#endif
