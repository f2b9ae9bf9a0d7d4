/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame: one interval, computed from two snapshots. Rates, averages and
 * gauges only. Rules and sinks see frames and nothing else.
 *
 * Pointers in a frame stay good until the next frame is built into it.
 */
#ifndef IOTRIAGE_FRAME_H
#define IOTRIAGE_FRAME_H

#include "iotriage/finding.h"
#include "iotriage/snapshot.h"

/* T is the interval in seconds, D(x) the difference of a counter over it, and
 * ios = reads + writes + discards completed. */
struct device_row {
	const char *name;
	const struct device_info *info; /* NULL: no sysfs */
	uint64_t diskseq;               /* with the name, the device's identity */
	double seconds;                 /* T of this row */
	double ios;                     /* D(ios); 0 where unknown */
	bool since_boot;                /* an average since boot, no interval */
	bool used;                      /* did anything since boot */
	bool folded;                    /* the sum of its hidden paths */
	bool hidden;                    /* a path shown through its namespace */
	bool counts_in_totals;          /* a lowest physical device */
	enum absent why;                /* of the row: PRESENT, or why it has no rates */
	uint64_t inflight_was;          /* in flight when the interval began */

	struct value rrqm, wrqm, drqm;    /* merged requests/s: D(merges)/T */
	struct value r, w, d, f;          /* completed requests/s: D(ios)/T; f: flushes */
	struct value rkb, wkb, dkb;       /* KiB/s: D(sectors)/2/T */
	struct value avgrq_sz;            /* sectors: D(sectors)/D(ios) */
	struct value areq_sz;             /* KiB: half of avgrq_sz */
	struct value avgqu_sz;            /* requests: D(weighted_ms)/1000/T */
	struct value await;               /* ms: D(ms)/D(ios), reads, writes and discards */
	struct value r_await, w_await, d_await, f_await; /* ms, by kind */
	struct value svctm;               /* ms: D(io_ms)/D(ios); an estimate */
	struct value util;                /* %: D(io_ms)/10/T; not capped */
	struct value qwait;               /* ms: max(0, await - svctm) */
	struct value wait_pct;            /* %: 100*qwait/await */
	struct value depth;               /* requests while busy: avgqu_sz/(util/100) */
	struct value inflight;            /* requests now */

	char mark;           /* ' ', 'w', 'W': how far await dominates svctm */
	const char *verdict; /* the strongest finding's rule, "ok", "idle", or "" where nothing can be said (yet) */
	bool on_show;        /* set by a sink */
};

/* What is known of a task's names beyond the kernel's own (comm). */
enum task_names {
	TASK_NAMES_WANTED, /* not asked for yet, or not answered: [comm] stands in */
	TASK_NAMES_KNOWN,  /* command is NULL for a kernel thread, which has none */
	TASK_NAMES_NEVER   /* on another root nobody answers: comm is the name */
};

struct task_row {
	const struct task_sample *task;
	double seconds;
	struct value rkb, wkb;     /* KiB/s of storage: D(read_bytes), D(write_bytes) */
	struct value ckb;          /* KiB/s: cancelled writes */
	struct value rchar, wchar; /* KiB/s asked of the kernel */
	struct value syscr, syscw; /* calls/s */
	struct value bytes_call;   /* bytes per call */
	struct value cache_pct;    /* % of what was read that never reached a device */
	struct value io_pct;       /* %: D(blkio delay)/T */

	bool late;         /* figures of an earlier tick could not be renewed */
	bool blocked;      /* its /proc files do not answer */
	const char *user;    /* name, or number; NULL: not known yet */
	const char *command; /* command line, raw bytes; NULL: see names */
	enum task_names names;
	bool on_show;        /* set by a sink: names are wanted */
};

struct slab_value {
	struct value active, total;
	enum slab_state state;
};

struct aio_row {
	struct value aio_nr, aio_max_nr; /* slots reserved, and the limit */
	struct value aio_pct;            /* %: 100*aio_nr/aio_max_nr */
	struct slab_value kioctx, kiocb, io_kiocb;
};

struct system_row {
	double seconds;             /* T */
	bool since_boot;
	struct value iowait;        /* % of CPU time */
	struct value blocked;       /* processes in D state: procs_blocked */
	struct value psi_some, psi_full;             /* % of the interval */
	struct value psi_some_avg10, psi_full_avg10; /* %, the kernel's own average */
	struct value dirty_kib, writeback_kib, dirty_limit_kib;
	struct value pgpgin, pgpgout; /* KiB/s */
	struct value pswpin, pswpout; /* pages/s */
	struct value asked_rkb, asked_wkb; /* KiB/s: sum over tasks */
	struct value done_rkb, done_wkb;   /* KiB/s: sum over the lowest physical devices */
	struct value tasks;         /* how many were read */
	struct value unreadable;    /* of them, whose io is refused */
	int delayacct;              /* kernel.task_delayacct: 1, 0, or -1 (no switch) */
	bool others_hidden;         /* hidepid: only this user's processes are visible */
};

struct frame {
	unsigned long number; /* 1 is the first interval; 0 the since-boot frame */
	double epoch;         /* wall clock at the end of the interval */
	double seconds;       /* T of the tick */
	bool since_boot;      /* an average since boot, no interval */
	bool suspended;       /* the machine slept within the interval */
	char host[65];

	enum absent devices_state;
	struct device_row *device; /* every disk followed by its partitions; in the kernel's order */
	size_t ndevice, device_cap;
	void **order; /* room to sort devices in */

	enum absent tasks_state; /* PRESENT, ABSENT_LATE, ABSENT_OFF */
	struct task_row *task;   /* ascending PID */
	size_t ntask, task_cap;

	struct aio_row aio;
	struct system_row system;

	const struct finding *finding; /* strongest first; owned by the diagnosis */
	size_t nfinding;
};

#endif
