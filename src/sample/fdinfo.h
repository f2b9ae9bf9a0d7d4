/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of an open descriptor: the link in fd, the file in fdinfo. */
#ifndef IOTRIAGE_SAMPLE_FDINFO_H
#define IOTRIAGE_SAMPLE_FDINFO_H

#include "iotriage/frame.h"

struct fdinfo {
	uint64_t position;         /* bytes */
	uint32_t flags;            /* as of open(2) */
	int32_t mnt_id;            /* in mountinfo; -1: not said (before 3.15) */
	uint64_t inode;            /* 0: not said (before 5.14) */
	bool tails;                /* both of the next; missing now and then on a busy ring */
	uint32_t sq_tail, cq_tail; /* of an io_uring ring: entries queued and completed, wrapping */
};

/* false: no position or no flags, so no fdinfo. */
bool fdinfo_parse(const char *p, size_t n, struct fdinfo *info);

/*
 * What a link's text stands for. *length loses the " (deleted)" that *deleted
 * then tells of. A path is FILE_REGULAR, and a memfd has a name that a deleted
 * file may have too: which it is the mount tells (file_on_mount).
 *
 * A file whose own name ends in " (deleted)" cannot be told from a deleted one
 * without touching it.
 */
enum file_kind file_kind_of(const char *link, size_t *length, bool *deleted);

/* 'r', 'w', 'u', or 'p' for O_PATH. */
char fd_access(uint32_t flags);

static inline bool fd_reads(uint32_t flags)
{
	char access = fd_access(flags);

	return access == 'r' || access == 'u';
}

static inline bool fd_writes(uint32_t flags)
{
	char access = fd_access(flags);

	return access == 'w' || access == 'u';
}

bool fd_is_direct(uint32_t flags);
bool fd_is_sync(uint32_t flags); /* O_SYNC or O_DSYNC */
bool fd_is_append(uint32_t flags);
bool fd_is_folder(uint32_t flags); /* opened as one */

#endif
