/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel function says that a task waits in (wchan). */
#ifndef IOTRIAGE_WCHAN_H
#define IOTRIAGE_WCHAN_H

#include <stdbool.h>
#include <string.h>

/*
 * A file's lock, taken to write to it: a file system's write entry (ext4 and most
 * others), its own function for that lock (XFS, btrfs), or on older kernels the
 * lock's.
 */
static inline bool wchan_is_write_lock(const char *wchan)
{
	static const char entry[] = "_write_iter";
	size_t n = strlen(wchan), m = sizeof(entry) - 1;

	return (n > m && strcmp(wchan + n - m, entry) == 0) ||
	       strncmp(wchan, "xfs_ilock", 9) == 0 || strcmp(wchan, "btrfs_inode_lock") == 0 ||
	       strncmp(wchan, "rwsem_", 6) == 0;
}

/* The lock of an open file's position: whoever reads or writes without saying where takes it. */
static inline bool wchan_is_position_lock(const char *wchan)
{
	return strcmp(wchan, "fdget_pos") == 0 || strcmp(wchan, "__fdget_pos") == 0;
}

#endif
