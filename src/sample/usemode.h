/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The letters of MODE: from what a look found and what the interval brought. */
#ifndef IOTRIAGE_SAMPLE_USEMODE_H
#define IOTRIAGE_SAMPLE_USEMODE_H

#include "iotriage/frame.h"

/* Of read calls, or of write calls. Files are those that may be on a device. */
struct use_way {
	bool buffered;  /* a file is open for it that is neither direct nor synchronous */
	bool moved;     /* the position of such a one moved between two looks */
	bool explained; /* a direct or synchronous file is open for it */
};

struct use_seen {
	unsigned contexts, rings;
	bool direct, sync;
	struct use_way read, write;
	bool moved;      /* the position of any file moved */
	bool shared_map; /* a shared, writable mapping of a file on a device */
};

/* An open file that may be on a device; moved: its position, since the look before. */
void use_see_file(struct use_seen *seen, uint32_t flags, bool moved);

/* A process over one interval. */
struct use_rates {
	struct value rchar, wchar, rkb, wkb; /* KiB/s, as in struct task_row */
	struct value faults;                 /* major page faults per second */
};

/* Calls that went through the page cache. */
bool use_is_buffered(const struct use_seen *seen, const struct use_rates *rates);

/* I/O that no call asked for, nor AIO, nor a ring. */
bool use_is_mapped(const struct use_seen *seen, const struct use_rates *rates);

void use_letters(char mode[MODE_LETTERS + 1], unsigned letters);

/* Letters of one file's row. */
unsigned file_letters(enum file_kind kind, uint32_t flags, bool on_device);

#endif
