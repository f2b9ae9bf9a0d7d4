/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What iotriage profile counts, and by what, as the kernel adds it up. For the BPF
 * programs too: no header of the C library is included here.
 */
#ifndef IOTRIAGE_PROFILE_CELLS_H
#define IOTRIAGE_PROFILE_CELLS_H

#include <linux/types.h>

/* In the order of their columns. */
enum profile_call {
	PROFILE_READ,
	PROFILE_PREAD64,
	PROFILE_READV,
	PROFILE_PREADV,
	PROFILE_PREADV2,
	PROFILE_WRITE,
	PROFILE_PWRITE64,
	PROFILE_WRITEV,
	PROFILE_PWRITEV,
	PROFILE_PWRITEV2,
	PROFILE_FSYNC,
	PROFILE_FDATASYNC,
	PROFILE_SYNC_FILE_RANGE,
	PROFILE_MSYNC,
	PROFILE_OPEN,
	PROFILE_OPENAT,
	PROFILE_OPENAT2,
	PROFILE_CREAT,
	PROFILE_CLOSE,
	PROFILE_LSEEK,
	PROFILE_FALLOCATE,
	PROFILE_FTRUNCATE,
	PROFILE_TRUNCATE,
	/* requests, not calls: of libaio, submitted; and of io_uring, completed */
	PROFILE_SUBMIT_READ,
	PROFILE_SUBMIT_WRITE,
	PROFILE_SUBMIT_FSYNC,
	PROFILE_URING_READ,
	PROFILE_URING_WRITE,
	PROFILE_URING_FSYNC,
	PROFILE_URING_OTHER,
	PROFILE_CALLS
};

/* Of device 0, which no file is on. */
enum profile_mark { PROFILE_NO_FILE = 1, PROFILE_OTHER = 2 };

struct profile_file {
	__u64 ino;  /* 0: all of this kind are one */
	__u32 dev;  /* of the file system, as the kernel numbers it */
	__u32 mark; /* the inode's generation; of an anonymous inode its kind */
};

struct profile_key {
	struct profile_file file;
	__u32 tgid; /* 0: of any, for what had no room */
	__u32 call;
};

/* Counters only grow. */
struct profile_amount {
	__u64 count, ns, bytes;
	__u64 pages;  /* bytes of each call, rounded up */
	__u64 errors; /* of count */
};

/* One call, for --save. */
struct profile_event {
	struct profile_key key;
	__u64 end_ns, ns; /* monotonic */
	__s64 result;
	__u32 tid, pad;
};

/* What could not be seen; for the run's end. */
struct profile_losses {
	__u64 events;  /* no room in the ring */
	__u64 requests; /* of io_submit: more than are looked at, or unreadable */
	__u64 threads; /* calls of threads for which there was no room */
	__u64 narrow;  /* calls of 32-bit programs */
};

#endif
