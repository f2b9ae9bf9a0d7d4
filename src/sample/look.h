/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A look at one process's mappings and descriptors, and what the program and the
 * helper that looks say to each other. A look is made in pieces: an answer says
 * where the next question goes on, so that no process holds the helper up.
 */
#ifndef IOTRIAGE_SAMPLE_LOOK_H
#define IOTRIAGE_SAMPLE_LOOK_H

#include "iolimit.h"

#include <limits.h>

enum look_stage { LOOK_MAPS, LOOK_FILES, LOOK_SOME, LOOK_CGROUP, LOOK_SHEET, LOOK_DONE };

/* What is wanted beside AIO contexts, rings and counts. */
enum look_wants {
	LOOK_STORAGE = 1 << 0, /* records of files that may be on a device, with paths */
	LOOK_EVERY = 1 << 1,   /* the same of every descriptor */
	LOOK_TEXT = 1 << 2,    /* the sheet */
	LOOK_KNOWN = 1 << 3,   /* of descriptors only those that are asked for, without paths */
	LOOK_LIMITS = 1 << 4,  /* the limits of its cgroups; alone it is all that is read */
	LOOK_NO_MAPS = 1 << 5  /* it has no context, as no process has */
};

/* Several looks may be under way, each in a lane of its own. */
enum { LOOK_LANES = 2, LOOK_RINGS_MAX = 256, LOOK_MOVING_MAX = 16, LOOK_SPACE = 96 * 1024 };
enum { LOOK_KNOWN_MAX = LOOK_RINGS_MAX + LOOK_MOVING_MAX };

struct look_question {
	int32_t pid;
	uint32_t lane;
	uint64_t start_ticks; /* 0: whichever process it is */
	uint32_t wants;       /* enum look_wants */
	uint32_t stage;       /* enum look_stage */
	int64_t cookie;       /* where in it to go on; 0: its beginning */
	uint32_t nknown;
	int32_t known[LOOK_KNOWN_MAX]; /* of LOOK_KNOWN: these descriptors */
	char root[PATH_MAX]; /* of /proc; the datagram is cut after it */
};

struct look_answer {
	int32_t pid;
	uint32_t lane;
	uint32_t stage; /* where to go on, or LOOK_DONE */
	int32_t error;  /* ESRCH: it has gone, or is another one */
	int64_t cookie;
	int64_t mono_ns;                 /* when this was read */
	int64_t cpu_ns;                  /* what it took */
	int32_t maps_error, files_error; /* EACCES, ENOENT: these could not be read */
	uint32_t contexts;
	bool io_known;       /* a file is open for direct reads, and io was read beside its position: */
	uint64_t read_bytes; /* of that */
	uint32_t all, deleted,
	    kind[FILE_KINDS];                 /* descriptors; block devices are among FILE_CHAR */
	char ioprio[12];                      /* with the first piece */
	uint32_t length;                      /* of records */
	_Alignas(8) char records[LOOK_SPACE]; /* the datagram is cut after them */
};

/* ---- records: each begins so, and the next one is size bytes on ---- */

enum look_kind { RECORD_FILE, RECORD_MOUNT, RECORD_MAP, RECORD_LIMITS, RECORD_TEXT };

struct look_record {
	uint16_t kind, size;
};

/* A descriptor; its mount's record is before it. */
struct look_file {
	struct look_record head;
	int32_t fd;
	uint8_t kind; /* enum file_kind; a path of a device file system is FILE_CHAR */
	bool deleted;
	bool known; /* fdinfo was read: all below but the path */
	bool tails; /* the ring's tails are there */
	int32_t mnt_id;
	uint32_t flags, sq_tail, cq_tail;
	uint64_t position, inode;
	char path[]; /* ends in NUL; may be empty */
};

struct look_mount {
	struct look_record head;
	int32_t id;
	uint32_t major, minor;
	char text[]; /* type, source and mount point, each ending in NUL */
};

/* A shared, writable mapping of a file on this mount. */
struct look_map {
	struct look_record head;
	int32_t mnt_id;
};

/* Its cgroups could be looked into, and this is what limits it there. */
struct look_limits {
	struct look_record head;
	struct limit_list list;
};

/* Lines of the sheet: part 0 comes before what the program adds, part 1 after it. */
struct look_text {
	struct look_record head;
	uint32_t part;
	char text[]; /* ends in NUL */
};

/* Answers questions until the program is gone. */
void look_serve(int fd);

#endif
