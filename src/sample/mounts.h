/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device a path is on, without touching the path: from mountinfo. */
#ifndef IOTRIAGE_SAMPLE_MOUNTS_H
#define IOTRIAGE_SAMPLE_MOUNTS_H

#include "root.h"

/* Reads the mountinfo of this machine, or of the one whose /proc this is. 0 or -errno. */
int mounts_read(const struct root *root, struct bytes *bytes);

/* The device number of the mount that holds path. bytes: room to read in. 0, or -ENOENT. */
int mounts_device(const struct root *root, struct bytes *bytes, const char *path, unsigned *major,
                  unsigned *minor);

/* The same over mountinfo's text. */
int mounts_find(const char *text, size_t n, const char *path, unsigned *major, unsigned *minor);

#endif
