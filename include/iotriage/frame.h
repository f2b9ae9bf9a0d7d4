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
	unsigned major, minor;          /* to find it by; never its identity */
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
	struct value peak_await, peak_avgqu_sz, peak_util; /* since the start, or the last reset */
	const struct device_history *history; /* NULL: none kept */
	/*
	 * Measured, not estimated: only tracing and AIX reports have them. Over reads,
	 * writes and discards, as await is.
	 */
	/* ms: mean time from issue (of a bio: submission) to completion: D(serve_ns)/D(served) */
	struct value avserv;
	struct value avwait; /* ms: mean time in the host's queue before issue: D(wait_ns)/D(waited) */
	struct value minserv, maxserv, minwait, maxwait; /* ms: the shortest and the longest of them */
	struct value sqfull; /* times/s the driver's queue was full: D(requeued)/T */
	/* ms, from the histogram: half, 95 % and 99 % of the requests took no longer; at most a
	 * quarter too high */
	struct value p50serv, p95serv, p99serv, p50wait, p95wait, p99wait;
	const struct latency_row *latency; /* the same by class, with histograms; NULL: not traced */
	const struct pair_row *top; /* whose requests were most; NULL: none, or not known */
	struct value top_share;     /* %: its share of all requests measured */
	/* before any of that: requests/s that could not be made at once, and how long these
	 * took, ms */
	struct value slotwait, avslot;

	char mark;           /* ' ', 'w', 'W': how far await dominates service time */
	/* which that is: "avserv" where measured, "svctm", "" where neither is known */
	const char *mark_by;
	const char *verdict; /* the strongest finding's rule, "ok", "idle", or "" where nothing can be said (yet) */
	bool on_show;        /* set by a sink */
};

/* The last frames of one device, for sparklines and details. Absent is NAN. */
enum { HISTORY_FRAMES = 600 };

struct device_history {
	size_t n;  /* frames in it, at most HISTORY_FRAMES */
	size_t at; /* where the next one goes; the newest is before it */
	float await_ms[HISTORY_FRAMES], avgqu_sz[HISTORY_FRAMES], util[HISTORY_FRAMES];
};

/* What tracing measured of one class of requests of a device over the interval. */
struct latency_figures {
	uint64_t served, waited; /* requests: D(served), D(waited) */
	double rate;             /* requests/s */
	struct value avserv, minserv, maxserv, p50serv, p95serv, p99serv; /* ms; absent: none */
	struct value avwait, minwait, maxwait, p50wait, p95wait, p99wait;
	struct value sqfull, errors;                                      /* times/s */
	struct request_amounts others; /* requests in no pair: of the interval */
	uint32_t wait_bucket[LATENCY_BUCKETS], serve_bucket[LATENCY_BUCKETS]; /* requests */
};

struct latency_row {
	uint64_t disk; /* as in latency_sample */
	/* of a disk without requests: its bios, avserv their whole time, avwait absent */
	bool bios;
	struct latency_figures class[LATENCY_CLASSES];
	struct latency_figures all; /* reads, writes and discards */
};

/*
 * Requests of one task to one device, as far as they completed in the interval:
 * reads, writes and discards. T is the interval between two readings of them.
 */
struct pair_row {
	struct device_row *device;
	int32_t pid;               /* or one of enum pair_issuer */
	const char *comm;          /* NULL: not known, or no process */
	double requests;           /* D(requests) */
	struct value rate, r, w;   /* requests/s: D(requests)/T; of them reads, writes */
	struct value rkb, wkb, kb; /* KiB/s: D(bytes)/1024/T; read, written, together */
	struct value avwait;       /* ms, as of devices: D(wait_ns)/D(waited) */
	struct value avserv;       /* ms, as of devices: D(serve_ns)/D(requests) */
	struct value share;        /* %: of all requests measured on the device */
};

/* The shortest time that falls into a bucket, in ns; of LATENCY_BUCKETS and above: UINT64_MAX. */
uint64_t latency_bucket_ns(unsigned bucket);

/* What is known of a task's names beyond the kernel's own (comm). */
enum task_names {
	TASK_NAMES_WANTED, /* not asked for yet, or not answered: [comm] stands in */
	TASK_NAMES_KNOWN,  /* command is NULL for a kernel thread, which has none */
	TASK_NAMES_NEVER   /* on another root nobody answers: comm is the name */
};

enum task_kind {
	TASK_PROCESS,
	TASK_THREAD,
	TASK_UNATTRIBUTED /* what devices did and no task accounts for; the frame's first row */
};

/* How a task does I/O; a letter each, in this order: D S A U B M. */
enum task_mode {
	MODE_DIRECT = 1 << 0,   /* files opened O_DIRECT */
	MODE_SYNC = 1 << 1,     /* files opened O_SYNC or O_DSYNC, not O_DIRECT ones without it */
	MODE_AIO = 1 << 2,      /* AIO contexts (io_setup) */
	MODE_URING = 1 << 3,    /* io_uring rings */
	MODE_BUFFERED = 1 << 4, /* read or write calls on regular files through the page cache */
	MODE_MMAP = 1 << 5,     /* storage I/O without calls: mapped files */
	MODE_LETTERS = 6
};

/*
 * A limit on a task's I/O, of its cgroup or of one above it, the tightest: v2
 * io.max, v1 blkio.throttle.*_device.
 */
struct io_limit {
	unsigned major, minor;               /* of the device it is for */
	struct value rkb, wkb, riops, wiops; /* KiB/s and requests/s; absent: no such limit */
	char cgroup[64];                     /* path of the cgroup that has it, its end where too long */
};

enum { IO_LIMITS_MAX = 4 };

/*
 * A regular file or block device that a process has open, from fd and fdinfo: one
 * whose position moves, that is direct or synchronous, or open for writing. Of very
 * many some, those that tell more; and these first.
 */
struct file_use {
	int32_t fd;            /* its descriptor */
	uint64_t file;         /* the same for the same device and inode; 0: unknown */
	unsigned mode;         /* MODE_DIRECT, MODE_SYNC: its flags */
	char access;           /* as in file_row */
	struct value pos_kb;   /* KiB/s its position moved on; absent where it did not: pread leaves it */
	struct value pos_share; /* that over what its process read meanwhile; absent as pos_kb */
	const char *path;       /* raw bytes, the end of a long one; NULL: unknown */
};

/* What a look at a process's open files and mappings found. */
struct task_use {
	enum absent why;       /* PRESENT, or why nothing is known: new, denied, late, blocked, off */
	struct value contexts; /* AIO contexts: mappings named /[aio] */
	struct value rings;    /* io_uring rings open */
	struct value sq, cq;   /* io_uring submissions/s and completions/s: D(SqTail)/T, D(CqTail)/T */
	struct value files;    /* open descriptors */
	char mode[MODE_LETTERS + 1]; /* letters; "": none of these seen */
	char device[64];       /* devices its open files are on, the likeliest first: "sda", "sda,sdb", "sda+3" */
	char ioprio[12];       /* "be/4", "rt/0", "idle", "none"; "": unknown */
	const struct file_use *file; /* NULL: its files were not looked at one by one */
	size_t nfile;
	bool limits_read;      /* the limits of its cgroups were read: of tasks in D only */
	unsigned nlimit;
	struct io_limit limit[IO_LIMITS_MAX];
};

struct task_row {
	enum task_kind kind;
	const struct task_sample *task; /* of an unattributed row: pid 0 */
	double seconds;
	char state;                /* the sample's; D where any of a process's threads is in D, the
	                            * busiest of theirs where its main thread has ended */
	struct value rkb, wkb;     /* KiB/s of storage: D(read_bytes), D(write_bytes); its own */
	struct value inh_rkb, inh_wkb; /* KiB/s: of children reaped in the interval */
	struct value blocked_threads;  /* threads in D; absent where threads were not read */
	struct value ckb;          /* KiB/s: cancelled writes */
	struct value rchar, wchar; /* KiB/s asked of the kernel */
	struct value syscr, syscw; /* calls/s */
	struct value bytes_call;   /* bytes per call */
	struct value cache_pct;    /* % of what was read that never reached a device */
	struct value io_pct;       /* %: D(blkio delay)/T; of a process its worst thread's */
	struct value swapin_pct;   /* %: D(swap-in delay)/T, likewise */
	struct value req;          /* requests/s it issued, over all devices: sum of its pairs */
	struct value req_await;    /* ms: mean time of these, in the queue and served */
	const struct pair_row *top; /* the device most of them went to; NULL: none, or not known */
	const struct task_use *use; /* NULL: not looked at */
	/*
	 * Waiting for a file's lock: how often in the interval the wchan of its threads
	 * was looked at (0: it was not), and how many were seen in D in a file system's
	 * write entry, summed over the looks.
	 */
	unsigned lock_looks, lock_seen;
	int32_t lock_fd; /* where lock_seen: the descriptor of that file; -1: not known */

	bool late;         /* figures of an earlier tick could not be renewed */
	bool blocked;      /* its /proc files do not answer */
	const char *user;    /* name, or number; NULL: not known yet */
	uint32_t uid;        /* its number, where user is known */
	const char *command; /* command line, raw bytes; NULL: see names */
	enum task_names names;
	bool on_show;        /* set by a sink: names are wanted */
};

struct slab_value {
	struct value active, total;
	enum slab_state state;
};

/* The machine's row, or one of a process that has contexts or rings. */
struct aio_row {
	const struct task_row *task;     /* NULL: the machine */
	struct value contexts, rings;    /* of the machine: the sum over processes looked at */
	struct value sq, cq;             /* io_uring submissions/s and completions/s */
	/* libaio, counted by tracing: requests/s that io_submit took and io_getevents returned,
	 * and how many are under way or wait to be taken */
	struct value submit, complete, outstanding;
	struct value aio_nr, aio_max_nr; /* slots reserved, and the limit */
	struct value aio_pct;            /* %: 100*aio_nr/aio_max_nr */
	struct slab_value kioctx, kiocb, io_kiocb;
	bool eagain;         /* an io_setup was seen to fail with EAGAIN. Reports only */
	double eagain_slots; /* the slots it asked for; 0: not said */
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
	struct value asked_rkb, asked_wkb; /* KiB/s: sum over tasks, inherited included */
	struct value done_rkb, done_wkb;   /* KiB/s: sum over the lowest physical devices */
	struct value tasks;         /* how many were read */
	struct value unreadable;    /* of them, whose io is refused */
	struct value unattributed_rkb, unattributed_wkb; /* KiB/s: done less asked, at least 0 */
	double forked;              /* processes and threads made in the interval; 0: or unknown */
	struct value forks;         /* the same per second */
	int delayacct;              /* kernel.task_delayacct: 1, 0, or -1 (no switch) */
	uint64_t delayacct_since_ticks; /* as in the snapshot */
	bool others_hidden;         /* hidepid: only this user's processes are visible */
};

/* What a descriptor stands for, as far as its link says. */
enum file_kind {
	FILE_REGULAR, /* or a folder: a path on a mount */
	FILE_BLOCK,   /* a block device */
	FILE_CHAR,    /* any other path of a device file system */
	FILE_PIPE,
	FILE_SOCKET,
	FILE_MEMFD,
	FILE_URING,
	FILE_ANON, /* eventfd, epoll, timerfd ... */
	FILE_KINDS
};

struct file_row {
	int32_t pid, fd;
	enum file_kind kind;
	bool deleted;           /* of a regular file: or its own name ends in " (deleted)" */
	char access;            /* 'r', 'w', 'u' (both), 'p' (O_PATH: neither) */
	char mode[MODE_LETTERS + 1]; /* D, S, B, U as for a task, plus nothing else */
	bool append;
	struct value position;  /* bytes; absent where there is none: sockets, pipes */
	struct value pos_kb;    /* KiB/s the position moved; absent where it stands at 0 (pread keeps it there) */
	struct value size_kib;  /* known without touching the file: block devices only */
	const char *device;     /* "sda", a file system's type where it has none; "" unknown */
	const char *mount;      /* mount point, "" unknown */
	const char *path;       /* the link, raw bytes; without " (deleted)" unless regular */
};

/* How many of each kind there are: of all descriptors, also those without a row. */
struct file_counts {
	size_t all, kind[FILE_KINDS], deleted;
};

/* What was done since the start, by one task, program or user. */
enum total_by { TOTAL_TASKS, TOTAL_PROGRAMS, TOTAL_USERS };

struct total_row {
	enum total_by by;
	const char *name;      /* comm, program or user */
	int32_t pid;           /* 0: a program or a user */
	uint64_t start_ticks;
	const char *user;      /* NULL: unknown, or several */
	size_t tasks;          /* processes in it, ended ones included */
	bool ended;            /* none of them lives */
	double rkib, wkib, inh_rkib, inh_wkib, ckib; /* KiB so far; NAN: never measured */
	enum absent why;       /* of what was not */
	double seconds;        /* since the first frame that counts */
};

struct frame {
	unsigned long number; /* 1 is the first interval; 0 the since-boot frame */
	double epoch;         /* wall clock at the end of the interval */
	double seconds;       /* T of the tick */
	bool since_boot;      /* an average since boot, no interval */
	bool suspended;       /* the machine slept within the interval */
	bool aix;             /* of a report from AIX, whose commands are others */
	char host[65];
	const char *untraced; /* why the kernel is not traced, for people; NULL: it is, or nobody asked */

	enum absent devices_state;
	struct device_row *device; /* every disk followed by its partitions; in the kernel's order */
	size_t ndevice, device_cap;
	void **order; /* room to sort devices in */
	struct latency_row *latency; /* of devices that are traced */
	size_t nlatency, latency_cap;

	enum absent pairs_state; /* PRESENT, ABSENT_NEW, ABSENT_UNTRACED */
	struct pair_row *pair;   /* those with requests in the interval, ... */
	/* ... by device; each device's busiest task first, no processes last */
	struct pair_row **pair_order;
	size_t npair, pair_cap;
	struct pair_work *pair_work; /* room to make them in */

	enum absent tasks_state; /* PRESENT, ABSENT_LATE, ABSENT_OFF */
	bool tasks_traced;       /* tasks were read by tracing, not in /proc */
	bool threads;            /* task rows are threads, not processes */
	struct task_row *task;   /* ascending PID, then TID */
	size_t ntask, task_cap;
	char unattributed[80]; /* the command of that row: its name and the likely reasons */

	struct aio_row aio;
	struct aio_row *aio_task; /* processes with contexts or rings, ascending PID */
	size_t naio_task;

	/* the files of the watched task */
	int32_t files_pid; /* 0: none is watched */
	enum absent files_state;
	const struct file_row *file;
	size_t nfile;
	struct file_counts file_counts;
	const char *sheet; /* the watched task in words: "name\tvalue\n" lines; NULL: not known yet */

	const struct total_row *total; /* by the grouping asked for */
	size_t ntotal;

	struct system_row system;

	/* owned by the diagnosis, until its next frame. Of a report both are empty */
	const struct finding *finding; /* that hold, strongest first */
	size_t nfinding;
	const struct finding *ended; /* that held before, the last to end first */
	size_t nended;
};

#endif
