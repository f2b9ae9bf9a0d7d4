/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer in front of a descriptor, flushed once per tick in whole lines. */
#ifndef IOTRIAGE_OUTPUT_WRITER_H
#define IOTRIAGE_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer {
	int fd;
	int stop_fd; /* readable: somebody wants the program to end; -1: none */
	char *p;
	size_t n, cap;
	bool failed;    /* memory ran out: writer_flush says so */
	bool stop_seen; /* stop_fd was readable, */
	long stop_ms;   /* since then, on the monotonic clock */
};

/*
 * Opens a file to write anew; waits for a FIFO's reader unless the program is to
 * end. The descriptor or -errno.
 */
int writer_open(const char *path, int stop_fd);

/* Makes room for n bytes more. false: no memory. */
bool writer_grow(struct writer *writer, size_t n);

void writer_put(struct writer *writer, const char *text, size_t n);
void writer_puts(struct writer *writer, const char *text);

/*
 * 0 or -errno; -EPIPE: the reader is gone. A reader that does not keep up is
 * given up a second after stop_fd became readable (-ECANCELED), so that nothing
 * hangs on it.
 */
int writer_flush(struct writer *writer);

void writer_release(struct writer *writer);

#endif
