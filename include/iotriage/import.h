/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved reports: text in, frames out. The formats are recognised by themselves,
 * several of them may stand in one text, and what lies between is skipped.
 *
 * Nothing is invented: a figure the text lacks is absent in the frame. Memory
 * does not grow with the text.
 */
#ifndef IOTRIAGE_IMPORT_H
#define IOTRIAGE_IMPORT_H

#include "iotriage/frame.h"

enum import_format {
	IMPORT_IOSTAT,      /* Linux iostat, with or without -x */
	IMPORT_IOSTAT_JSON, /* iostat -o JSON, sadf -j */
	IMPORT_SAR,         /* Linux sar -d */
	IMPORT_AIX_IOSTAT,  /* AIX iostat, iostat -D */
	IMPORT_AIX_SAR,     /* AIX sar -d */
	IMPORT_DISKSTATS,   /* /proc/diskstats */
	IMPORT_AIO,         /* slabinfo lines, aio-nr, io_setup in a trace */
	IMPORT_VMSTAT,
	IMPORT_CPU,     /* avg-cpu blocks */
	IMPORT_MEMINFO, /* Dirty and Writeback of /proc/meminfo */
	IMPORT_IOTOP,
	IMPORT_OWN_CSV,
	IMPORT_OWN_JSON,
	IMPORT_FORMATS
};

/* One block of a text: what was measured over one interval, or since boot. */
struct import_block {
	struct frame *frame; /* good until the sink returns; it may be changed */
	enum import_format format;
	unsigned long first_line, last_line; /* of the text, from 1 */
	unsigned long
	    segment;       /* of one run of one tool: nothing may be compared across two of them */
	const char *clock; /* the time as the text prints it, "" where it does not */
	bool timed;        /* frame->epoch holds */
};

enum { IMPORT_DEVICES_MAX = 8192 };

/* What was met in the text, so far. */
struct import_summary {
	unsigned long lines;
	struct import_met {
		unsigned long line; /* where it was met first; 0: not met */
		unsigned long blocks, since_boot;
		unsigned long rows; /* of tables: parsed rows; else lines */
	} met[IMPORT_FORMATS];
	size_t devices;                      /* different ones, counted up to IMPORT_DEVICES_MAX */
	unsigned long boot_line;             /* of the first block since boot; 0: there was none */
	unsigned long dropped, dropped_line; /* rows whose figures do not fit their header */
	unsigned long averages;              /* rows that are averages or sums over others */
	bool only_averages;                  /* read as an interval, for lack of others */
	unsigned long restarts;
	unsigned long too_long, too_long_line; /* lines that were skipped for their length */
	unsigned long ambiguous,
	    ambiguous_line;         /* numbers like "1,234" with nothing to tell what they are */
	const char *foreign;        /* a report this program does not read: what it is; NULL */
	const char *foreign_remedy; /* what to send instead */
	unsigned long foreign_line;
	const char *unreadable;  /* the whole text is binary: what it is; NULL */
	const char *broken_json; /* "" or why JSON could not be read */
	unsigned long broken_json_line;
	struct aio_row aio; /* the last figures */
	bool have_aio;
};

/* Takes a block. Not 0: the import ends with that. */
typedef int import_sink(void *context, const struct import_block *block);

struct import;

/* NULL without memory. Freed by import_free, which takes NULL. */
struct import *import_new(import_sink *sink, void *context);
void import_free(struct import *import);

/* Feeds bytes, in pieces of any size. 0, -ENOMEM or what the sink returned. */
int import_bytes(struct import *import, const char *p, size_t n);

/* The text is over: hands out what is left. As import_bytes. */
int import_end(struct import *import);

const struct import_summary *import_summary(const struct import *import);

/* "iostat", "sar -d" ... */
const char *import_format_name(enum import_format format);

#endif
