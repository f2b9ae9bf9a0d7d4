/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot: what the kernel said at one instant. Raw counters in the kernel's
 * own units and the time they were read; no arithmetic.
 */
#ifndef IOTRIAGE_SNAPSHOT_H
#define IOTRIAGE_SNAPSHOT_H

#include "iotriage/value.h"

#include <stddef.h>
#include <stdint.h>

enum { DEVICE_NAME_MAX = 128, COMM_MAX = 64, MOUNTS_MAX = 256, WCHAN_MAX = 48 };

/* ---- block devices: /proc/diskstats ---- */

/*
 * The fields after the device name, in the kernel's order. A sector is 512
 * bytes, always. The *_MS counters are 32-bit milliseconds and wrap on their own.
 */
enum disk_counter {
	RD_IOS,
	RD_MERGES,
	RD_SECTORS,
	RD_MS,
	WR_IOS,
	WR_MERGES,
	WR_SECTORS,
	WR_MS,
	IN_FLIGHT, /* a gauge */
	IO_MS,     /* time the device had something in flight */
	WEIGHTED_MS,
	DC_IOS,
	DC_MERGES,
	DC_SECTORS,
	DC_MS,
	FL_IOS,
	FL_MS,
	DISK_COUNTERS
};

/* Which groups of counters a diskstats line had. */
enum disk_layout {
	DISK_PARTITION_OLD = 4, /* 2.6 partitions: RD_IOS, RD_SECTORS, WR_IOS, WR_SECTORS only */
	DISK_BASIC = 11,        /* up to WEIGHTED_MS */
	DISK_DISCARDS = 15,     /* since 4.18 */
	DISK_FLUSHES = 17       /* since 5.5 */
};

/* What kind of thing a block device is; decides what may be added up. */
enum device_class {
	DEVICE_DISK,      /* nothing below it: counts in totals */
	DEVICE_PARTITION, /* has /sys/class/block/NAME/partition */
	DEVICE_DM,
	DEVICE_MD,
	DEVICE_STACKED, /* any other device that has slaves (bcache, drbd) */
	DEVICE_LOOP,
	DEVICE_MEMORY, /* ram, zram */
	DEVICE_PATH    /* a hidden path of a multipath NVMe namespace */
};

/* Properties of a device, from sysfs. -1, 0 or "" where the kernel does not say. */
struct device_info {
	char name[DEVICE_NAME_MAX];   /* the kernel's name, never one made from numbers */
	char parent[DEVICE_NAME_MAX]; /* a partition's disk, a path's namespace, else "" */
	char title[DEVICE_NAME_MAX];  /* dm/name, md level or loop backing file, else "" */
	enum device_class class;
	uint64_t size_sectors;
	int rotational;  /* queue/rotational; see virtual_medium */
	int nr_requests; /* queue/nr_requests */
	int queue_depth; /* device/queue_depth */
	int read_ahead_kib;
	int logical_block_bytes;
	int iostats;         /* queue/iostats: 0 means accounting is off */
	bool bio_based;      /* passes its I/O on and makes no requests of its own: has no mq/ */
	bool virtual_medium; /* virtio, xen, loop: rotational is not to be believed */
	bool swap;           /* it, a partition of it, or a file on either is in /proc/swaps */
	char scheduler[32];
	char write_cache[32];
	char mounts[MOUNTS_MAX]; /* where it is mounted, the shortest first: "/ /home"; \ooo as in mountinfo */
	char pool[DEVICE_NAME_MAX]; /* the set its file system spans: "btrfs UUID", else "" */
	size_t nlower, lower_cap; /* devices it stands on: slaves/, or a loop file's device */
	char (*lower)[DEVICE_NAME_MAX];
};

struct device_sample {
	char name[DEVICE_NAME_MAX];
	unsigned major, minor;
	enum disk_layout layout;
	uint64_t diskseq; /* /sys/block/NAME/diskseq; 0: unknown */
	uint64_t counter[DISK_COUNTERS];
	const struct device_info *info; /* lives as long as the sampler; NULL: no sysfs */
};

struct device_snapshot {
	int64_t mono_ns;   /* CLOCK_MONOTONIC right after the read */
	enum absent state; /* PRESENT, or why there are none */
	struct device_sample *device;
	size_t n, cap;
	unsigned skipped_lines; /* lines that were no device */
};

/* ---- tasks: /proc/PID/{io,stat} ---- */

enum task_counter {
	TASK_RCHAR,
	TASK_WCHAR,
	TASK_SYSCR,
	TASK_SYSCW,
	TASK_READ_BYTES,
	TASK_WRITE_BYTES,
	TASK_CANCELLED_BYTES,
	TASK_COUNTERS
};

struct task_sample {
	int32_t pid;
	int32_t tid;  /* of a thread; 0: the process as a whole */
	int32_t ppid; /* stat field 4 */
	/* R S D Z T ...; '?' unknown; 'X': it has ended since the last reading. A process's
	 * is its main thread's */
	char state;
	uint8_t io_state;   /* enum absent: of counter[] */
	uint8_t stat_state; /* enum absent: of the fields below */
	bool worked; /* did I/O since the last reading, or waits; known by tracing only */
	bool kernel; /* a thread of the kernel: stat field 9 has PF_KTHREAD */
	bool uid_known;
	bool traced;       /* not read in /proc */
	bool swapin_known; /* of a traced one that began while delays were accounted */
	uint32_t uid;         /* effective, from status; read only where a filter needs it */
	uint32_t threads;     /* stat field 20 */
	uint64_t start_ticks; /* stat field 22: with the PID a process's identity */
	uint64_t blkio_ticks; /* stat field 42: delay of this thread (main thread), in clock ticks */
	uint64_t swapin_ns;   /* delay of this thread waiting for memory that was swapped out */
	uint64_t majflt;      /* stat field 12: page faults that had to read */
	/* stat fields 11, 13, 16 and 17 added up: faults and CPU ticks of children it
	 * waited for; grows when it reaps one */
	uint64_t reaped;
	int64_t mono_ns;      /* right after the io read */
	/* of the last reading before which it ran, or is not known not to have */
	int64_t ran_ns;
	/* /proc/PID/io: of a process with its ended threads and its reaped children */
	uint64_t counter[TASK_COUNTERS];
	/* the same without what children brought that it reaped since it was first
	 * read, or, if that is known, ever; a thread's is its counter. Grows only, as
	 * counter does */
	uint64_t own[TASK_COUNTERS];
	char comm[COMM_MAX];   /* raw bytes from stat, NUL-terminated */
	/* of a task in D, or of a process with a thread in D: the kernel function it
	 * waits in; else "" */
	char wchan[WCHAN_MAX];
	/* looks since the walk before at whether it waits for a file's lock to write, and
	 * how often it did; of a process the looks at any thread and the sum over all */
	uint16_t lock_looks, lock_seen;
	int32_t lock_fd; /* where lock_seen: the file it called to write to; -1: not known */
};

/* Before its reading, since the one before, or it is not known not to have. */
static inline bool task_has_run(const struct task_sample *task)
{
	return task->ran_ns == task->mono_ns;
}

struct task_snapshot {
	int64_t begun_ns;   /* before the processes were listed */
	uint64_t begun_ticks; /* the same in clock ticks since boot, as start_ticks; 0: unknown */
	int64_t mono_ns;    /* when the walk ended */
	enum absent state;  /* PRESENT, ABSENT_LATE, ABSENT_OFF (not asked for) */
	struct task_sample *task; /* ascending PID */
	size_t n, cap;
	/*
	 * Threads of processes that have several: of all where threads are wanted,
	 * else of those that do I/O. Ascending PID, then TID. A process whose only
	 * thread it is has none here.
	 */
	struct task_sample *thread;
	size_t nthread, thread_cap;
	bool traced;       /* by tracing: short-lived ones are in it, and inherited I/O that has
	                    * a row of its own is not */
	bool all_threads;  /* the threads of every process were read */
	size_t unreadable; /* tasks whose io file was refused */
};

/* ---- AIO: /proc/sys/fs/aio-*, /proc/slabinfo ---- */

enum slab_state {
	SLAB_COUNTED,     /* its own line in slabinfo */
	SLAB_SHARED,      /* a line that also counts other caches: weak */
	SLAB_MERGED,      /* no line: merged into another cache, count unknown */
	SLAB_DENIED,      /* slabinfo needs root */
	SLAB_UNAVAILABLE, /* no slabinfo, or no such cache */
	SLAB_UNREAD       /* not asked for */
};

struct slab_count {
	enum slab_state state;
	uint64_t active, total; /* columns 2 and 3 of slabinfo */
};

struct aio_snapshot {
	struct value aio_nr;     /* slots reserved by io_setup(2); not requests in flight */
	struct value aio_max_nr;
	struct slab_count kioctx;   /* contexts */
	struct slab_count kiocb;    /* kiocb or aio_kiocb: libaio requests */
	struct slab_count io_kiocb; /* io_uring requests */
};

/* ---- the system: /proc/{stat,vmstat,meminfo,pressure/io} ---- */

struct system_snapshot {
	int64_t mono_ns; /* before all but stat, which is read first: */
	int64_t stat_ns;
	enum absent cpu_state;
	uint64_t cpu_total_ticks, cpu_iowait_ticks; /* summed over all CPUs */
	struct value procs_blocked;
	enum absent vm_state;
	uint64_t pgpgin_kib, pgpgout_kib;
	enum absent swap_state;
	uint64_t pswpin_pages, pswpout_pages;
	enum absent psi_state; /* ABSENT_OFF: psi=0; ABSENT_UNSUPPORTED: no file */
	double psi_some_avg10, psi_full_avg10; /* % */
	uint64_t psi_some_us, psi_full_us;
	bool psi_has_some, psi_has_full;
	struct value dirty_kib, writeback_kib, dirty_limit_kib;
	uint64_t forks; /* processes and threads made since boot (stat: processes); 0: unknown */
	/* kernel.task_delayacct: 1 on, 0 off, -1 no such switch (always on) */
	int delayacct;
	/*
	 * While it is on: tasks that started before this (clock ticks since boot) are
	 * older than the switch as far as is known, and are measured only if their
	 * delay is not 0. 0: it was on at boot.
	 */
	uint64_t delayacct_since_ticks;
	bool others_hidden; /* hidepid: /proc shows this user's processes only */
};

/*
 * ---- block requests as the kernel handled them: by tracing block_io_start,
 * block_rq_issue, block_rq_requeue and block_rq_complete; bios by block_bio_queue,
 * block_bio_complete and block_getrq ----
 */

enum latency_class { LATENCY_READ, LATENCY_WRITE, LATENCY_DISCARD, LATENCY_FLUSH, LATENCY_CLASSES };

/* Requests completed since tracing began; times in ns, as below. */
struct request_amounts {
	uint64_t requests, bytes;
	uint64_t waited; /* of them, whose start is known: wait_ns is of these */
	uint64_t wait_ns, serve_ns;
};

/*
 * Histograms of times: four buckets to each doubling. latency_bucket_ns says
 * where a bucket begins.
 */
enum { LATENCY_BUCKETS = 93 };

struct latency_counters {
	/* since tracing began */
	uint64_t served;   /* requests completed whose issue to the driver was seen */
	uint64_t waited;   /* of them, whose start is known too */
	uint64_t wait_ns;  /* sum of start to issue: the time in the host's queue */
	uint64_t serve_ns; /* sum of issue to completion: driver and device */
	uint64_t requeued; /* times the driver sent one back, being full */
	uint64_t errors;
	struct request_amounts others; /* of them, what is in no pair, below */
	uint64_t wait_bucket[LATENCY_BUCKETS], serve_bucket[LATENCY_BUCKETS];
	/* since the reading before; the smallest is UINT64_MAX where there was none */
	uint64_t wait_min_ns, wait_max_ns, serve_min_ns, serve_max_ns;
};

struct latency_sample {
	char name[DEVICE_NAME_MAX];
	uint64_t disk; /* diskseq, or where the kernel has none a number of its own */
	struct latency_counters class[LATENCY_CLASSES];
	/* the disk makes no requests: served are its bios, from submission to completion */
	bool bios;
	/* since tracing began: requests whose submitter slept before they could be made */
	uint64_t slot_waits, slot_wait_ns;
};

struct latency_snapshot {
	int64_t mono_ns;   /* CLOCK_MONOTONIC right after the read */
	enum absent state; /* PRESENT, or ABSENT_UNTRACED */
	enum absent bios;  /* the same of bios and of waits for a slot */
	struct latency_sample *sample;
	size_t n, cap;
};

/*
 * ---- whose these requests were: the process that ran when block_io_start was
 * passed. What was merged into a request before it was issued is its issuer's ----
 */

enum { PAIR_CLASSES = LATENCY_FLUSH }; /* the classes before that: flushes are nobody's */

enum pair_issuer {
	PAIR_WRITE_BACK = -1, /* the kernel, writing back dirty data */
	/* not known: started before tracing, or more than can be told apart */
	PAIR_OTHERS = -2
};

/* A process and a disk. Samples are only of pairs that had requests of late. */
struct pair_sample {
	uint64_t disk; /* as in latency_sample */
	int32_t pid;   /* or PAIR_WRITE_BACK */
	/* counting began: one that comes again has another number, and begins with 0 */
	uint64_t born;
	char comm[COMM_MAX]; /* as /proc/PID/comm had it when it was new here; "": not known */
	struct request_amounts class[PAIR_CLASSES];
};

struct pair_snapshot {
	int64_t mono_ns;   /* CLOCK_MONOTONIC right after the read */
	enum absent state; /* PRESENT, or ABSENT_UNTRACED */
	struct pair_sample *sample;
	size_t n, cap;
};

/* ---- asynchronous I/O by process: by tracing ---- */

struct aio_activity_sample {
	int32_t pid;
	uint64_t start_ticks;
	/* since it was watched */
	uint64_t submitted, completed;             /* libaio: returned by io_submit, io_getevents */
	uint64_t uring_submitted, uring_completed; /* io_uring requests */
};

struct aio_activity {
	int64_t mono_ns;
	enum absent state; /* PRESENT, ABSENT_OFF (nobody looks) or ABSENT_UNTRACED */
	struct aio_activity_sample *sample;
	size_t n, cap;
};

/* ---- all of it ---- */

struct snapshot {
	int64_t mono_ns;   /* CLOCK_MONOTONIC of the tick; a story's own clock in a story */
	int64_t boot_ns;   /* CLOCK_BOOTTIME: only to notice a suspend */
	double epoch;      /* wall clock, for display only */
	double uptime_s;   /* /proc/uptime; 0: unknown */
	struct device_snapshot devices;
	struct aio_snapshot aio;
	struct system_snapshot system;
	struct latency_snapshot latency;
	struct pair_snapshot pairs;
	struct aio_activity aio_activity;
};

#endif
