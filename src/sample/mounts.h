/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device a path is on, without touching the path: from mountinfo. */
#ifndef IOTRIAGE_SAMPLE_MOUNTS_H
#define IOTRIAGE_SAMPLE_MOUNTS_H

#include "parse.h"
#include "root.h"

/* A line of mountinfo; words are escaped as they stand there, and empty where it is cut short. */
struct mount {
	unsigned major, minor;
	struct text root;    /* what of the file system is mounted: "/", or a folder in it */
	struct text point;   /* where */
	struct text type, source;
	struct text options; /* of the file system */
};

/* false: no such line. */
bool mounts_parse(struct text line, struct mount *mount);

/* Reads the mountinfo of this machine, or of the one whose /proc this is. 0 or -errno. */
int mounts_read(const struct root *root, struct bytes *bytes);

/* The device number of the mount that holds path. bytes: room to read in. 0, or -ENOENT. */
int mounts_device(const struct root *root, struct bytes *bytes, const char *path, unsigned *major,
                  unsigned *minor);

/* The same over mountinfo's text. */
int mounts_find(const char *text, size_t n, const char *path, unsigned *major, unsigned *minor);

#endif
