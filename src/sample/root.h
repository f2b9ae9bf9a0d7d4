/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where /proc and /sys are. Every path in src/sample/ goes through a root.
 *
 * A live root is read where it is. A story is a folder DIR with a file DIR/step
 * and roots DIR/1, DIR/2 ...: each tick reads the next one. DIR/N is a proc root
 * (or holds proc/ and sys/) and has a file step: "N monotonic_s epoch_s
 * [boottime_s]".
 */
#ifndef IOTRIAGE_SAMPLE_ROOT_H
#define IOTRIAGE_SAMPLE_ROOT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct root {
	int proc_fd; /* of the present step; -1: none */
	int sys_fd;
	bool live;    /* not a story */
	bool native;  /* proc is this machine's own /proc: libproc2 answers for it */
	bool procfs;  /* proc is a true procfs, so kept descriptors follow it */
	unsigned step;  /* of a story: 0 before the first */
	unsigned steps; /* how many it has */
	int64_t mono_ns, boot_ns; /* a story's clocks at this step */
	double epoch;
	size_t descriptors; /* that may be open: RLIMIT_NOFILE, raised to what is allowed */
	const char *proc_path; /* as given */
	const char *sys_path;  /* as given; NULL: beside the story's proc, or /sys */
	char step_path[PATH_MAX]; /* of a story's present proc; "" live, or before the first step */
};

/* 0 or -errno: no such folder, or nothing in it that looks like /proc. */
int root_open(struct root *root, const char *proc_path, const char *sys_path);
void root_close(struct root *root);

/* Moves a story on. 0, -ENODATA at its end, -EINVAL on a bad step file. Live: 0. */
int root_next(struct root *root);

/* Now: CLOCK_MONOTONIC, or the clock of the story's step. */
int64_t root_now_ns(const struct root *root);

/* Now, in clock ticks since boot, as the kernel counts when a task started. */
uint64_t root_now_ticks(const struct root *root);

/* A buffer that grows. Zero-initialised; freed by bytes_release. */
struct bytes {
	char *p; /* NUL-terminated after a read */
	size_t n, cap;
};

void bytes_release(struct bytes *bytes);

/* 0 or -ENOMEM. */
int bytes_append(struct bytes *bytes, const char *text);

/* Reads a whole file under dir_fd. 0 or -errno. An absent root: -ENOENT. */
int root_read(int dir_fd, const char *path, struct bytes *bytes);

/* A descriptor kept from tick to tick where the root allows it. */
struct kept_file {
	const char *path; /* under proc */
	int fd;           /* -1: not open */
};

int kept_read(const struct root *root, struct kept_file *file, struct bytes *bytes);
void kept_close(struct kept_file *file);

/* The first line of a small file, without the newline. 0 or -errno. */
int root_line(int dir_fd, const char *path, char *buf, size_t size);

/* A small file holding one decimal number; `otherwise` where there is none. */
long long root_number(int dir_fd, const char *path, long long otherwise);

/*
 * Calls each for every name in a folder that does not begin with a point, until
 * it gives an error, which is returned. No such folder: 0. Does not allocate.
 */
int root_list(int dir_fd, const char *path, int (*each)(void *context, const char *name), void *context);

#endif
