/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers share. Each takes lines that are its own and says so. */
#ifndef IOTRIAGE_IMPORT_IMPORTER_H
#define IOTRIAGE_IMPORT_IMPORTER_H

#include "block.h"
#include "line.h"

#include <stdint.h>

/* ---- grid.c: a table of devices, its header and its rows ---- */

enum { GRID_COLUMNS_MAX = 64 };

struct grid {
	bool active;
	bool heading; /* no row was seen yet: the header may go on */
	bool fresh;   /* the next row begins a block */
	bool wrapped; /* its header takes several lines: places on the line say nothing */
	bool padded;  /* its words stand in columns, not one blank apart */
	bool name_last;
	bool clocked;      /* rows begin with a clock */
	bool sparse_clock; /* only the first row of a block does */
	bool averages;     /* what follows is the average over all blocks */
	bool average;      /* the row is, and no block was there */
	bool ends_on_blank;
	bool half;       /* its rows are the rest of those that were read */
	size_t half_row; /* the next one of these */
	enum import_format format;
	const struct heading *column[GRID_COLUMNS_MAX];
	size_t end[GRID_COLUMNS_MAX]; /* where the header's words end on their line */
	size_t n;
	uint64_t fields; /* that the columns have */
	/* the row that is being read, perhaps over several lines */
	bool named, broken;
	unsigned long line;
	struct stamp stamp; /* in front of its name */
	char name[DEVICE_NAME_MAX];
	struct word cell[GRID_COLUMNS_MAX]; /* their text is not kept */
	size_t ncell;
	bool one_line;
};

/* ---- the others' states ---- */

enum { COMMAND_MAX = 256 };

/* Banners, command lines, times: what stands around the tables. */
struct context {
	enum boot_hint hint; /* of the next table */
	bool said_interval;  /* the command line has -y */
	double asked;        /* seconds it asks for; 0: none */
	unsigned long segment;
	char command[COMMAND_MAX]; /* the last one that reads diskstats */
	bool clocked_rows;         /* sar's rows of intervals were seen below the last banner */
	const char *other_system;  /* the banner of a system whose sar this program does not read */
	struct stamp stamp, last_stamp; /* the next block's; the one before */
	bool have_iowait;
	struct value iowait; /* of the table below */
};

struct cpu_table {
	size_t columns, iowait; /* of the header; 0: none is open */
	size_t cells;
	struct value value;
};

enum { SNAPSHOT_DEVICES_MAX = 20000 };

/* /proc/diskstats: the snapshot that is being read, and the one before. */
struct snapshots {
	struct device_snapshot now, before;
	unsigned *now_fields, *before_fields;
	size_t now_cap, before_cap;
	struct stamp now_stamp, before_stamp;
	unsigned long now_line, before_line, last_line, segment;
	bool have_before, before_used;
	/* a line that is not whole yet */
	char *wrapped;
	size_t nwrapped;
	unsigned long wrapped_line;
};

/* Which numbers the lines below a command are. */
enum { AIO_FILE_NR = 1, AIO_FILE_MAX };

struct aio_files {
	int expect[2];
	size_t n, got;
	double number[2];
};

struct json_text {
	bool active, in_string, escaped;
	int depth;
	char *p;
	size_t n, cap;
	size_t start[64]; /* where the object of this depth begins in p; SIZE_MAX: it is gone */
	unsigned long line, first_line;
};

struct csv_table {
	bool active;
	char mark; /* between cells */
	enum import_format format;
	enum field field[GRID_COLUMNS_MAX];
	double factor[GRID_COLUMNS_MAX];
	size_t n, device, epoch, interval, since_boot, time; /* columns; SIZE_MAX: none */
	char last_time[CLOCK_TEXT_MAX];
};

struct aix_disk {
	char name[DEVICE_NAME_MAX];
	enum { AIX_NONE, AIX_XFER, AIX_READ, AIX_WRITE, AIX_QUEUE } section;
	int last; /* section of this disk */
	const struct heading *column[GRID_COLUMNS_MAX];
	size_t n;
	bool disks;       /* of disks, not of adapters */
	int long_section; /* that the header of long rows goes on in; AIX_NONE: it is whole */
	size_t long_average;
};

struct vmstat_table {
	bool active, seen;
	bool heading; /* no row was seen yet: the header may go on */
	int column[GRID_COLUMNS_MAX];
	size_t n;
	struct value cell[GRID_COLUMNS_MAX]; /* of the row that is being read */
	size_t ncell;
};

struct iotop_table {
	bool active;
	bool timed; /* rows begin with a clock */
	int column[16];
	size_t n;
};

enum { PREFIX_MAX = 64 };

/* What every line of a report has in front. */
struct prefix {
	enum { PREFIX_NONE, PREFIX_TEXT, PREFIX_NUMBER, PREFIX_STAMP } kind;
	char text[PREFIX_MAX];
	size_t n;    /* of the last text, also where it has ended */
	double last;  /* number */
	size_t words; /* of the time */
};

struct import {
	import_sink *sink;
	void *sink_context;
	int error;
	struct import_summary summary;
	struct number_style style;

	/* bytes to lines */
	char *held; /* a line that is not whole yet */
	size_t nheld;
	char *joined; /* a line that mail broke */
	size_t njoined;
	char *clean;
	enum { REST_NONE, REST_SKIPPED, REST_JSON } rest; /* of a line that is too long */
	bool begun, fed;
	bool cr_ends;                                   /* lines end with a carriage return */
	enum { WIDE_NONE, WIDE_LITTLE, WIDE_BIG } wide; /* UTF-16 */
	bool wide_half;
	unsigned long nline, joined_line;
	struct line line;

	struct prefix prefix;
	struct context context;
	struct grid grid;
	struct block block;
	struct cpu_table cpu;
	struct snapshots snapshots;
	struct aio_snapshot aio;
	bool refused;         /* an io_setup was */
	double refused_slots; /* what the last one asked for; 0: not said */
	bool aio_news;        /* figures that no frame has yet */
	unsigned long aio_line;
	struct aio_files aio_files;
	struct json_text json;
	struct csv_table csv;
	struct aix_disk aix;
	struct vmstat_table vmstat;
	struct iotop_table iotop;
	bool foreign; /* within a table of another system */
	uint64_t *device_set;
	size_t ndevice_set;
};

/* Notes that a format was met here. */
void import_met(struct import *import, enum import_format format, unsigned long line);
/* A different device, for the count. */
void import_count_device(struct import *import, const char *name);

/* ---- parsers: true where the line was theirs ---- */

bool context_line(struct import *import, const struct line *line);
/* A time on a line of its own, or of a row. */
bool stamp_read(const struct line *line, struct stamp *stamp);
/* Seconds from one to the other; 0: unknown, below 0: it went back. */
double stamp_difference(const struct stamp *from, const struct stamp *to);
/* The hint for a block that begins now, which uses it up. */
enum boot_hint context_take_hint(struct import *import);
void context_break(struct import *import);

bool grid_header(struct import *import, const struct line *line);
/* Header and rows on one line, whose ends were lost. */
bool grid_flat(struct import *import, const struct line *line);
bool grid_line(struct import *import, const struct line *line);
/* Ends the row that is being read. */
void grid_end_row(struct import *import);
void grid_close(struct import *import);
void grid_blank(struct import *import);
/* Is the line a header without its beginning? */
bool grid_stray_header(const struct line *line);
/* Does a row's name name a device? */
bool device_name_fits(const struct word *word);

/* A clock, or a word like "Average:". */
bool sar_begins(const struct line *line);
bool sar_row_begins(struct import *import, const struct line *line, size_t *first);
bool sar_restart(struct import *import, const struct line *line);
void sar_header(struct import *import, const struct line *line, size_t device);

bool cpu_line(struct import *import, const struct line *line);
bool aix_line(struct import *import, const struct line *line);
bool diskstats_line(struct import *import, const struct line *line);
void diskstats_pause(struct import *import);
void diskstats_end(struct import *import);
void diskstats_release(struct snapshots *snapshots);
bool aio_line(struct import *import, const struct line *line);
void aio_command(struct import *import, const struct line *line);
bool vmstat_line(struct import *import, const struct line *line);
bool meminfo_line(struct import *import, const struct line *line);
bool iotop_line(struct import *import, const struct line *line);
bool csv_line(struct import *import, const struct line *line);
/* The field of one of our own columns. */
enum field own_field(const char *name);
/* Text the JSON reader gave up on is offered to the others. */
bool json_line(struct import *import, const struct line *line);
/* The same of a line that comes in pieces: is it JSON, what is in it, and its end. */
bool json_begins(struct import *import, const char *p, size_t n, unsigned long number);
bool json_bytes(struct import *import, const char *p, size_t n);
void json_line_ends(struct import *import);
void json_end(struct import *import);
bool foreign_line(struct import *import, const struct line *line);
/* A table of what is not judged begins; remedy NULL: a report of Linux instead. */
void foreign_note(struct import *import, const struct line *line, const char *what,
		  const char *remedy);
/* What a binary file is by its first bytes; NULL: text. */
const char *binary_kind(const char *p, size_t n);

/* Takes off the line what every line of the report has in front. */
void prefix_strip(struct import *import, struct line *line);

/* ---- lines ---- */

/* What is done with every line. */
void import_line(struct import *import, struct line *line);
/* The text is over: what is held of its last line is a line too. */
void bytes_end(struct import *import);

#endif
