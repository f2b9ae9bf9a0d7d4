/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rankings at the end of a run: by program and by user, ended tasks included. */
#ifndef IOTRIAGE_OUTPUT_SUMMARY_H
#define IOTRIAGE_OUTPUT_SUMMARY_H

#include "frame/totals.h"

struct summary_setup {
	const char *output; /* NULL: stdout; a file, or a FIFO with a reader */
	bool csv;           /* total_table's CSV instead of text for people */
	size_t top;         /* rows of each ranking; 0: all */
	double from_epoch;  /* wall clock of the first reading; the frame's is the last */
	int stop_fd;        /* readable: the program is to end */
};

/* frame->total is used for it. 0 or -errno. */
int summary_write(const struct summary_setup *setup, struct totals *totals, struct frame *frame);

#endif
