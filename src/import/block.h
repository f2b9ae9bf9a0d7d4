/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames from what the parsers find, one block of a text at a time. */
#ifndef IOTRIAGE_IMPORT_BLOCK_H
#define IOTRIAGE_IMPORT_BLOCK_H

#include "field.h"
#include "iotriage/import.h"

/* What speaks for a block being an average since boot. */
enum boot_hint {
	BOOT_NEVER,    /* of a tool that prints intervals only */
	BOOT_INTERVAL, /* a later one, or one that is said to be an interval */
	BOOT_TRY,      /* the first of a paste: only its rates can tell */
	BOOT_LIKELY,   /* under a banner or a command line */
	BOOT_CERTAIN
};

enum { CLOCK_TEXT_MAX = 64 };

/* A moment as a text tells it. */
struct stamp {
	bool known, dated;
	double seconds;            /* of the day, or since 1970 where dated */
	char text[CLOCK_TEXT_MAX]; /* as printed */
};

struct block {
	struct frame frame;
	enum import_format format;
	bool pending, has_devices, has_cpu, has_system, has_tasks;
	bool made;     /* its rows are made already, not fields */
	bool in_parts; /* iostat -h: several tables of the same devices */
	bool halves;   /* a table of some columns, and one of the others below it */
	bool average;  /* over blocks of sar that were not there so far */
	enum boot_hint hint;
	double asked; /* seconds between blocks, by the command line above; 0: unknown */
	unsigned long first_line, last_line, segment, intervals;
	struct stamp stamp;
	double seconds; /* 0: unknown */
	char (*name)[DEVICE_NAME_MAX];
	struct value (*field)[FIELDS];
	size_t cap;
	uint32_t *slot; /* row + 1 by hash of name */
	size_t slots;
	uint64_t seen; /* fields of the tables of this block */
	/* rows of iotop */
	struct task_sample *sample;
	char (*command)[512], (*user)[64];
	size_t task_cap;
};

struct import;

/* Hands out what is pending and begins a block. 0, or the import's error. */
int block_begin(struct import *import, enum import_format format, unsigned long line,
		enum boot_hint hint);

/* Hands out what is pending. */
int block_flush(struct import *import);

/* The row of this name in the block; SIZE_MAX: there is none. */
size_t block_find(const struct import *import, const char *name, size_t n);

/* A new row; SIZE_MAX without memory. Its fields are absent. */
size_t block_add(struct import *import, const char *name, size_t n, unsigned long line);

/* A new task row; NULL without memory or with too many of them. */
struct task_row *block_add_task(struct import *import, unsigned long line);

void block_release(struct block *block);

/* ---- since boot ---- */

/* No interval that people ask for gives these rates. */
bool boot_by_rates(const struct block *block);
/* All counts are such as the interval that was asked for gives, by no chance. */
bool boot_as_asked(const struct block *block);
/* All counts are whole numbers, so it is an interval of a second. */
bool boot_whole(const struct block *block);

#endif
