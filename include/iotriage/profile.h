/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iotriage profile measured, and the tables made of it. */
#ifndef IOTRIAGE_PROFILE_H
#define IOTRIAGE_PROFILE_H

#include "iotriage/profile_cells.h"

#include <stdbool.h>
#include <stddef.h>

/* One process, one file, one call. */
struct profile_cell {
	struct profile_key key;
	struct profile_amount amount;
};

struct profile_path {
	struct profile_file file;
	bool stored;      /* a file or device; not a socket, a pipe or the like */
	const char *text; /* clean UTF-8 */
};

/* The readings of a run. Its memory is the reader's (trace/profile_load.h). */
struct profile_snapshot {
	struct profile_cell *cell;
	size_t ncell;
	struct profile_path *path; /* ascending by file */
	size_t npath;
	struct profile_losses losses;
	bool rings; /* requests of io_uring are seen */
};

/* Storage I/O of the processes over the run, as /proc/PID/io counts it; bytes. */
struct profile_storage {
	bool known;
	__u64 read, written;
};

enum profile_by { PROFILE_BY_FILE, PROFILE_BY_PID, PROFILE_BY_ALL };
enum profile_unit { PROFILE_TIMES, PROFILE_COUNT, PROFILE_SIZES };
enum profile_aggregate { PROFILE_SUM, PROFILE_AVERAGE };

struct profile_view {
	enum profile_by by;
	enum profile_unit unit;
	enum profile_aggregate aggregate;
};

struct profile_row {
	const char *name; /* of the file; the process's number; or "all" */
	struct profile_amount total;
	struct profile_amount call[PROFILE_CALLS];
};

/* A file that was flushed. */
struct profile_flush {
	const char *name;
	__u64 writes;              /* calls and requests */
	struct profile_amount all; /* its flushes, */
	__u64 count[PROFILE_CALLS]; /* by kind; of other calls 0 */
};

enum { PROFILE_NOTE_MAX = 256, PROFILE_NOTES_MAX = 12 };

struct profile_table {
	struct profile_view view;
	double seconds;              /* the run's length */
	struct profile_row **row;    /* descending by what is shown as total */
	size_t nrow;
	bool occurred[PROFILE_CALLS];
	struct profile_flush *flush; /* descending by number */
	size_t nflush;
	char note[PROFILE_NOTES_MAX][PROFILE_NOTE_MAX]; /* for people, a line each */
	size_t nnote;
	struct profile_store *store; /* of the table's own */
};

/* What a call is called, in a table's heading too. */
const char *profile_call_name(enum profile_call call);

bool profile_call_reads(enum profile_call call);
bool profile_call_writes(enum profile_call call);
bool profile_call_flushes(enum profile_call call);

/* The file of this identity; NULL: it has no name. */
const struct profile_path *profile_path_find(const struct profile_snapshot *snapshot,
					     const struct profile_file *file);

/* What to call a file: its path, or what else is known of it, in buf. */
const char *profile_file_name(const struct profile_snapshot *snapshot,
			      const struct profile_file *file, char buf[64]);

/* Order of files, of their identities. */
int profile_file_compare(const struct profile_file *a, const struct profile_file *b);

/* Seconds, calls or bytes, summed or per call; 0 of nothing. */
double profile_value(const struct profile_amount *amount, const struct profile_view *view);

/* "times" and so on, as the options call them. */
const char *profile_unit_name(enum profile_unit unit);
const char *profile_by_name(enum profile_by by);

/* A number as every table has it: seconds with six decimals, else none unless averaged. */
void profile_print_value(char buf[32], const struct profile_amount *amount,
			 const struct profile_view *view);

/* "ib_logfile0: 3,666 fdatasync for 3,677 writes: one per write" */
void profile_print_flush(char *buf, size_t size, const struct profile_flush *flush);

/*
 * Rows, flushes and notes. Names in it are the snapshot's: that must stay. 0 or
 * -ENOMEM; profile_table_release in either case.
 */
int profile_table_build(struct profile_table *table, const struct profile_view *view,
			const struct profile_snapshot *snapshot);
void profile_table_release(struct profile_table *table);

/* Adds what the run could not see: its losses, and storage I/O that was in no call. */
void profile_table_notes(struct profile_table *table, const struct profile_snapshot *snapshot,
			 const struct profile_storage *storage);
void profile_table_note(struct profile_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
