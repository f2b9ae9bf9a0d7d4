/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list: the chosen rows of a table, a selection that follows its row, an order
 * that can be held still, and its drawing.
 */
#ifndef IOTRIAGE_SCREEN_LIST_H
#define IOTRIAGE_SCREEN_LIST_H

#include "iotriage/choice.h"

enum { LIST_COLUMNS = 48, LIST_INPUT_MAX = 128, LIST_LINES = 256, LIST_NAMES_MAX = 1024 };
enum { LIST_ROOMY = 100 }; /* from this width on nothing needs to be short */

/* Row identities in the order last drawn, and a hash of where each stood. */
struct list_order {
	uint64_t *identity;
	size_t n, cap;
	size_t *slot; /* index into identity plus 1; 0: free */
	size_t slots; /* a power of two */
	void **place;
};

/* Where it was drawn last, for the mouse. */
struct list_place {
	int y, end;  /* its lines; end = 0: it was not drawn */
	int header;  /* the line of column headers, -1: none */
	size_t nrow; /* rows drawn, from `top` on */
	int row[LIST_LINES];     /* the first line of each */
	int column[LIST_COLUMNS]; /* where each of those shown begins */
};

struct list {
	const struct table *table;
	const char *title;
	const char *source;     /* where its rows come from, beside the title; NULL: as usual */
	struct choice choice;
	struct rows rows;
	struct list_order order;
	size_t total;           /* rows of the table before choosing */
	size_t top, page;       /* first row drawn, rows drawn */
	bool loose;             /* scrolled by itself: the selection may be out of sight */
	bool selected, present; /* there is a selection; its row is in the list */
	uint64_t identity;      /* of the selected row */
	size_t cursor;          /* where it is, or was */
	unsigned hold;          /* ticks for which the order is kept */
	bool held;              /* the rows stand in an order kept from an earlier tick */
	bool resort;            /* the order was asked to change */
	bool names_only;        /* tasks: the kernel's name instead of the command line */
	bool dimmed;            /* the rows are not of now */
	const char *nothing;    /* why the table is empty; NULL: it says so itself */
	char filter[LIST_INPUT_MAX];
	regex_t regex;
	char user[LIST_INPUT_MAX];                /* tasks of this user only; "": all */
	/* columns of the table, a bit each: those chosen (0: the table's own), those shown
	 * in any case, those that go first where it is narrow, those that then stand in */
	uint64_t chosen, forced, yielding, instead;
	uint64_t left_out; /* no row has anything in these */
	const struct column *shown[LIST_COLUMNS]; /* as last drawn */
	size_t nshown;
	struct list_place place;
};

enum list_parts { LIST_TITLE = 1, LIST_HEADER = 2, LIST_FOCUS = 4 };

void list_init(struct list *list, const struct table *table, const char *title,
	       const struct choice *choice);
void list_release(struct list *list);

/* Chooses the rows anew. keep: the order is to stay as it is. */
void list_update(struct list *list, const struct frame *frame, bool keep);

/* No rows. */
void list_clear(struct list *list);

void list_move(struct list *list, long delta);

/* Selects the row at that place of the list. */
void list_select(struct list *list, size_t at);

/* Moves the page, not the selection. */
void list_roll(struct list *list, long rows);

void list_unselect(struct list *list);

/* The selected row, NULL if there is none now. */
void *list_selected(const struct list *list);

void list_sort_by(struct list *list, const struct column *column);
void list_reverse(struct list *list);

/* The column to the right (1) or left (-1) of the one sorted by, as last drawn. */
void list_sort_beside(struct list *list, int step);

/* "" removes it. False with the reason for a bad expression; the old one then stays. */
bool list_set_filter(struct list *list, const char *text, char *why, size_t size);

/* Scrolls so that a page of `page` rows shows the selection. */
void list_scroll(struct list *list, size_t page);

/* Says where it is being drawn, and its next row. */
void list_place(struct list *list, int y, int end);
void list_place_row(struct list *list, int y);

/* The row on that line, by its place in the list. False: none is. */
bool list_row_at(const struct list *list, int y, size_t *ret);

/* The column drawn there, NULL if none is. */
const struct column *list_column_at(const struct list *list, int x);

/* Draws in h lines from y. True: rows came on show that were not. */
bool list_draw(struct list *list, const struct frame *frame, int y, int h, unsigned parts);

/* The title line alone: name, order, filters, how many of how many. */
void list_draw_title(const struct list *list, int y, bool focus);

/* Why there is nothing to show, on one line. */
void list_draw_nothing(const struct list *list, const struct frame *frame, int y);

/* How many of the table's columns the screen knows; those for CSV only come last. */
size_t list_columns(const struct table *table);

/* Columns by name, separated by commas; unknown ones are left out. None: the table's own. */
void list_set_columns(struct list *list, const char *names);

/* The names of those chosen; "" for the table's own. */
void list_column_names(const struct list *list, char *out, size_t size);

/* Shows or hides a column. False: it is the last that tells one row from another. */
bool list_toggle_column(struct list *list, const struct column *column);

/* Whether it is among those to be shown, if there is room. */
bool list_has_column(const struct list *list, const struct column *column);

/* Whether it is to be shown in `width` cells: also if sorted by it, or forced. */
bool list_wants_column(const struct list *list, const struct column *column, int width);

/* Whether it goes to make room at that width. */
bool list_yields_column(const struct list *list, const struct column *column, int width);

/* A column by its bit in `chosen`, `forced` and `yielding`. */
uint64_t list_column_bit(const struct list *list, const struct column *column);

/* Lays the columns out for the width of the screen: `shown` tells what fits. */
void list_fit(struct list *list);

/* Leaves a column out, unless it was chosen, or brings it back. */
void list_leave_out(struct list *list, const char *name, bool out);

/* Tasks: IO% is measured, or gives its place to what was inherited where it is narrow. */
void list_set_io_measured(struct list *list, bool measured);

/* Tasks: threads, with their TID, or processes. */
void list_set_threads(struct list *list, bool threads);

#endif
