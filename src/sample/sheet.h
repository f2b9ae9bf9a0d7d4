/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pieces a process's sheet is made of, from bytes. */
#ifndef IOTRIAGE_SAMPLE_SHEET_H
#define IOTRIAGE_SAMPLE_SHEET_H

#include "parse.h"

/* "name\tvalue\n" lines in a buffer of a given size; one that does not fit is left out whole. */
struct sheet {
	char *p;
	size_t n, size;
};

void sheet_line(struct sheet *sheet, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The path of a process in the hierarchy that has this controller ("" is v2's),
 * from /proc/PID/cgroup. false: in none.
 */
bool cgroup_path(const char *p, size_t n, const char *controller, char *path, size_t size);

/* Whether a list separated by commas has it. */
bool cgroup_has_controller(struct text list, const char *controller);

/*
 * Where a cgroup path is below the folder of its hierarchy that a mount shows.
 * NULL: not there, or outside of what this cgroup namespace shows.
 */
const char *cgroup_below(const char *path, const char *root);

/* The last *.service or *.scope in a cgroup path; false: none. */
bool cgroup_unit(const char *path, char *unit, size_t size);

/* A file of limits of the cgroup at path, "" the root's, and what it says. */
typedef void cgroup_each(void *context, const char *file, const char *path, struct text text);

/*
 * Each file of limits on I/O of the cgroup at `path` under `top`. v2: io.max and
 * io.weight, also of those above it. v1: blkio.throttle.*, of itself alone, for
 * there a cgroup is not held to what those above it may do.
 */
void cgroup_limits(int top_fd, const char *path, bool v2, cgroup_each *each, void *context);

#endif
