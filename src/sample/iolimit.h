/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on I/O as the files of a cgroup have them, from bytes. */
#ifndef IOTRIAGE_SAMPLE_IOLIMIT_H
#define IOTRIAGE_SAMPLE_IOLIMIT_H

#include "iotriage/frame.h"
#include "parse.h"

/* Of each kind of limit on a device the tightest alone is there. Zero-initialised. */
struct limit_list {
	unsigned n;
	struct io_limit limit[IO_LIMITS_MAX];
};

/*
 * Takes in the lines of io.max (v2) or blkio.throttle.*_device (v1) of the cgroup
 * at path, "system.slice/x.service"; of any other file none. What the list has no
 * room for is left out.
 */
void limits_take(struct limit_list *list, const char *file, const char *path, struct text text);

#endif
