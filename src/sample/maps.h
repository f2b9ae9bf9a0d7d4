/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: the mappings that tell of I/O, from bytes. */
#ifndef IOTRIAGE_SAMPLE_MAPS_H
#define IOTRIAGE_SAMPLE_MAPS_H

#include "parse.h"

/*
 * A child inherits the mapping of an AIO context and not the context: what a
 * process has that forked after io_setup(2) counts in its children, too.
 */
enum map_kind {
	MAP_OTHER,
	MAP_AIO,   /* an AIO context, or on another file system a file of that name */
	MAP_SHARED /* a file, shared and writable */
};

struct map {
	enum map_kind kind;
	unsigned major, minor; /* of the file system */
};

/* One line. Cheap for those that tell nothing. */
void maps_line(struct text line, struct map *map);

#endif
