/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the block programs and their loader share: the maps' keys and values.
 * Counters only grow; the loader subtracts two readings.
 */
#ifndef TRACE_BLOCK_H
#define TRACE_BLOCK_H

#include <linux/types.h>

enum {
	BLOCK_DEVICES_MAX = 4096,   /* x classes */
	BLOCK_NAME_MAX = 32
};

/* Kinds of request, as diskstats keeps them apart. */
enum block_class { BLOCK_READ, BLOCK_WRITE, BLOCK_DISCARD, BLOCK_FLUSH, BLOCK_CLASSES };

/*
 * A histogram of times: four buckets to each doubling, from 2^10 ns on. Bucket 0 is
 * less than 1.28 us, the last one all from 2^33 ns (8.6 s) on.
 */
enum { BLOCK_OCTAVE_FIRST = 10, BLOCK_OCTAVES = 23, BLOCK_BUCKETS = 4 * BLOCK_OCTAVES + 1 };

struct block_key {
	__u64 disk; /* diskseq, or where there is none the kernel's address of the disk */
	__u32 class;
	__u32 pad;
};

/* The shortest and the longest of one generation; the loader counts generations up. */
struct block_extremes {
	__u64 generation;
	__u64 wait_min_ns, wait_max_ns, serve_min_ns, serve_max_ns;
};

/* Per CPU. */
struct block_times {
	char name[BLOCK_NAME_MAX];
	__u64 served;       /* requests completed whose issue was seen */
	__u64 waited;       /* of them, whose start is known too */
	__u64 wait_ns;      /* sum: start to issue */
	__u64 serve_ns;     /* sum: issue to completion */
	__u64 requeued;     /* the driver sent it back: it was full */
	__u64 errors;       /* completed with an error */
	struct block_extremes extremes[2]; /* of even and odd generations */
	__u64 wait_bucket[BLOCK_BUCKETS], serve_bucket[BLOCK_BUCKETS];
};

/* A request that is in flight. */
struct block_request {
	__u64 request;  /* its address; 0: the entry is free */
	__u64 seen_ns;  /* start, or the issue where no start was seen */
	__u64 start_ns; /* 0: not seen */
	__u64 issue_ns; /* 0: not issued yet */
};

#endif
