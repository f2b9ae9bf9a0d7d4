/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo: what is mounted where, from bytes. */
#ifndef IOTRIAGE_SAMPLE_MOUNTINFO_H
#define IOTRIAGE_SAMPLE_MOUNTINFO_H

#include "parse.h"

#include <limits.h>

/* A line's words as they stand there, escaped; empty where it is cut short. */
struct mount_line {
	int32_t id;
	unsigned major, minor;
	struct text root, point, type, source, options; /* as in struct mount */
};

/* false: no such line. */
bool mountinfo_line(struct text line, struct mount_line *mount);

/* Blanks, tabs, newlines and backslashes are written as \ooo; so they are in /proc/swaps. */
void mountinfo_unescape(struct text word, char *buf, size_t size);

/* The same, unescaped. */
struct mount {
	int32_t id;
	unsigned major, minor;
	char root[256];       /* the folder of its file system that is mounted */
	char point[PATH_MAX]; /* where */
	char type[32];        /* of file system */
	char source[256];     /* a device's path, a server's export, anything */
	char options[256];    /* of the file system */
};

/* Takes the next mount from the text; lines that are none are left out. false at the end. */
bool mountinfo_next(struct text *text, struct mount *mount);

/* A type of file system that has nothing on a device: tmpfs, proc ... */
bool mount_is_memory(const char *type);

/* One that holds device files: /dev and below. */
bool mount_is_dev(const char *type, const char *point);

#endif
