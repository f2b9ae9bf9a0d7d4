/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of bios and their loader share, beside the times of block.h. */
#ifndef TRACE_BIO_H
#define TRACE_BIO_H

#include "block.h"

enum {
	BIO_SETS_BITS = 13,
	BIO_SET_MAX = 4,      /* x sets: bios in flight on disks without requests */
	BIO_SUBMITTED_MAX = 4 /* of a task at a time: more than one where disks are stacked */
};

/* A bio that a disk without requests has. */
struct bio_start {
	__u64 bio;  /* 0: none */
	__u64 disk; /* the kernel's address of it */
	__u64 start_ns;
	__u32 class;
	__u32 pad;
};

/* Those whose addresses have the same hash; where it is full the oldest is not measured. */
struct bio_set {
	struct bio_start start[BIO_SET_MAX];
};

/* A bio on its way to its request; the task does nothing else meanwhile. */
struct bio_submitted {
	__u64 bio;  /* 0: it has it */
	__u64 part; /* the bio that was split off it last */
	__u64 start_ns;
	__u64 sleeps; /* of the task until then */
};

struct bio_task {
	__u64 n; /* used of: */
	struct bio_submitted submitted[BIO_SUBMITTED_MAX];
};

/* Requests of a disk whose submitter slept before they could be made. Counters only grow. */
struct bio_slots {
	char name[BLOCK_NAME_MAX];
	__u64 waited, wait_ns;
	__u64 changed; /* the last generation it has anything of */
};

#endif
