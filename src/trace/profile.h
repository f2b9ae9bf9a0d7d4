/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of iotriage profile share with their reader: keys and values of the maps. */
#ifndef TRACE_PROFILE_H
#define TRACE_PROFILE_H

#include <linux/types.h>

#include "iotriage/profile_cells.h"

enum {
	PROFILE_TARGETS_MAX = 8192,  /* processes */
	PROFILE_WATCHED = 16384,     /* counts of them by number modulo this */
	PROFILE_SLOTS = 8192,        /* for threads by number modulo this, */
	PROFILE_THREADS_MAX = 32768, /* and for those whose slot is another's */
	PROFILE_SUMS = 4,            /* of a thread's own */
	PROFILE_CELLS_MAX = 65536,   /* processes x files x calls */
	PROFILE_FILES_MAX = 16384,   /* with a name */
	PROFILE_FLIGHT_MAX = 65536,  /* requests of libaio or io_uring under way */
	PROFILE_BATCH_MAX = 128,     /* requests of one io_submit that are looked at */
	PROFILE_NUMBERS = 512,       /* of system calls */
	PROFILE_EVENT_BYTES = 8 << 20,
	PROFILE_NO_EVENT_BYTES = 64 << 10, /* where none are told: the least for any page size */
	PROFILE_PARTS_MAX = 40,      /* folders of a path, mount points among them */
	PROFILE_PART_MAX = 256,
	PROFILE_PATH_MAX = 1024,
	PROFILE_PAGE = 4096          /* what small reads and writes are rounded up to */
};

/* What a system call is to us, by its number. */
enum profile_kind {
	PROFILE_NONE,
	PROFILE_PLAIN,
	PROFILE_BYTES,     /* returns bytes */
	PROFILE_OPENS,     /* returns the descriptor */
	PROFILE_SUBMITS,   /* io_submit */
	PROFILE_GETS       /* io_getevents, io_pgetevents */
};

struct profile_rule {
	__u8 kind;
	__u8 call;
	__s8 descriptor; /* which argument; -1: none */
	__u8 pad;
};

/* What a thread's calls of one kind to one file add up to, until another takes its place. */
struct profile_sum {
	struct profile_key key;
	struct profile_amount amount;
};

struct profile_thread {
	__u64 id; /* of process and thread; 0: none's */
	__u64 start_ns;
	__u16 kind; /* of the call it is in; PROFILE_NONE: in none */
	__u16 call;
	__u32 at; /* the sum it goes to */
	__u64 inode, super; /* addresses, of the file of the last call that had one */
	struct profile_sum sum[PROFILE_SUMS];
} __attribute__((aligned(64))); /* threads of other CPUs write beside it */

enum profile_file_kind { PROFILE_FILE, PROFILE_SOCKET, PROFILE_PIPE, PROFILE_ANONYMOUS };

/* The parts of a path, the last one first, each with its NUL. */
struct profile_name {
	__u32 length;
	__u8 kind;
	__u8 deleted;
	__u8 cut;    /* there may be more parts */
	__u8 rooted; /* the root was reached */
	char text[PROFILE_PATH_MAX + PROFILE_PART_MAX];
};

#endif
