/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of metrics. Screen columns, sort menu, CSV header and help are
 * generated from it; adding a metric is adding one entry.
 */
#ifndef IOTRIAGE_COLUMN_H
#define IOTRIAGE_COLUMN_H

#include "iotriage/frame.h"

enum column_flags {
	COLUMN_SCREEN = 1 << 0,  /* shown on screen by default */
	COLUMN_LEFT = 1 << 1,    /* text: aligned left */
	COLUMN_ASCENDING = 1 << 2, /* sorts ascending first (names, PIDs) */
	COLUMN_FILL = 1 << 3,    /* takes what width is left; the last on screen */
	COLUMN_KEY = 1 << 4,     /* names the row: before all others in CSV */
	COLUMN_CSV_ONLY = 1 << 5 /* never on screen */
};

/*
 * A column is a number (`number` set) or text (`text` set).
 * number: the metric of a row.
 * text: raw bytes from the row, or written to buf and returned; NULL: absent.
 */
struct column {
	const char *name;   /* as people know it: CSV header, sort key, --sort argument */
	const char *header; /* on screen; NULL: the name */
	const char *unit;   /* "" where it has none */
	const char *help;   /* one line */
	unsigned char width;     /* on screen, in cells */
	unsigned char precision; /* digits after the point */
	unsigned char rank;      /* 1 stays longest on a narrow screen */
	unsigned flags;
	struct value (*number)(const void *row);
	const char *(*text)(const void *row, char *buf, size_t size);
};

/* A kind of row with its columns, and how to find the rows in a frame. */
struct table {
	const char *name; /* --panel argument and file name: "devices" */
	const char *help;
	const struct column *column;
	size_t ncolumn;
	const char *sort; /* name of the column sorted by at first; "" = the frame's order */
	const char *then; /* where that order's values are equal: by this column, largest first; "" none */
	size_t (*count)(const struct frame *frame);
	void *(*row)(const struct frame *frame, size_t i);
	bool (*active)(const void *row);        /* NULL: every row is active */
	uint64_t (*identity)(const void *row);  /* the same row in the next frame has the same one */
	bool apart; /* not in --panel all: it is of one task, or a ranking of the whole run */
};

extern const struct table device_table, task_table, aio_table, system_table, finding_table, file_table,
	total_table;

/* All tables, in the order of their panels; NULL-terminated. */
extern const struct table *const tables[];

/* NULL where there is none of that name. */
const struct table *table_find(const char *name);
const struct column *column_find(const struct table *table, const char *name);

/* The longest number: sign, 20 digits, point, 9 decimals, NUL. */
enum { NUMBER_MAX = 40 };

/* Plain decimal, "." in every locale: for CSV. Returns the length. Not finite: "". */
size_t number_plain(char buf[NUMBER_MAX], double n, unsigned precision);

/*
 * At most `width` cells, for the screen: loses decimals first, then takes
 * K M G T P E (powers of 1000) after it; never wider, never fails. Absent: "-".
 */
size_t number_fit(char buf[NUMBER_MAX], struct value v, unsigned width, unsigned precision);

/* The same for a figure in KiB: what does not fit is in M G T ... (powers of 1024 of bytes). */
size_t kib_fit(char buf[NUMBER_MAX], struct value kib, unsigned width, unsigned precision);

/* KiB as a size people read: "812K", "1.5M", "31G" (powers of 1024). Absent: "-". */
size_t size_fit(char buf[NUMBER_MAX], struct value kib);

/* What stands for an issuer of requests that is no process (enum pair_issuer). */
const char *pair_issuer_name(int32_t issuer);

/* Compares two rows by one column: <0, 0, >0 ascending; absent is last both ways. */
int column_compare(const struct column *column, bool descending, const void *a, const void *b);

#endif
