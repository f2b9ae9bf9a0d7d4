/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mount a small FUSE filesystem in the background and serve it until told to stop. */
#ifndef RIG_SERVE_H
#define RIG_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define FUSE_USE_VERSION 34
#include <fuse_lowlevel.h>

/* The largest single read or write that is asked for: one block request, one FUSE request. */
#define SERVE_MAX_IO (1024u * 1024)

struct serve {
	const char *kind; /* the mount's type is fuse.KIND, its source KIND:PID */
	const char *mountpoint;
	bool foreground;
	unsigned lifetime_s; /* leave by itself after that long; 0: never */
	bool stay_if_busy;   /* leave the mount, dead, where its files are still open */
	bool (*start)(void); /* in the process that serves, before the first request */
	void (*release)(void); /* told to stop: from now on hold nothing back */
	void (*stop)(void);    /* no more requests come */
};

/*
 * Returns the exit status. In the background (the default) the parent leaves
 * through _exit() once the filesystem is mounted.
 */
int serve(const struct serve *how, const struct fuse_lowlevel_ops *ops);

/* To be called from the init operation: plenty of requests at once, large ones. */
void serve_tune(struct fuse_conn_info *conn);

/* The files of the only directory: file i has the inode number i + 2. */
struct serve_file {
	const char *name;
	mode_t mode;
	off_t size;
};

/* Ends with an entry without a name; set before serve(). */
extern const struct serve_file *serve_files;

void serve_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void serve_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void serve_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int which,
		   struct fuse_file_info *fi);
void serve_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		   struct fuse_file_info *fi);
void serve_statfs(fuse_req_t req, fuse_ino_t ino);

/* Parse a whole decimal number from 0 to max. */
bool serve_number(const char *text, unsigned long long max, unsigned long long *out);

#endif
