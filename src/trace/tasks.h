/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the task programs and their reader share. Counters as in /proc/PID/io. */
#ifndef TRACE_TASKS_H
#define TRACE_TASKS_H

#include <linux/types.h>

enum { TASK_IO = 7, TASK_NAME = 16, RUNNING_WORDS = 64 };

/* Bytes of records that one pass of task_ran can give: some thousand tasks that ran. */
enum { RAN_ROOM = 1 << 20 };

enum task_record_flags {
	RECORD_KERNEL = 1 << 0, /* a thread of the kernel */
	RECORD_LEADER = 1 << 1, /* the process's first thread: the record has its part */
	RECORD_GROUP_DEAD = 1 << 2, /* of an exit: the last thread of its process */
	RECORD_DELAYS = 1 << 3 /* its delays are kept */
};

/* One thread. rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes. */
struct task_record {
	__u64 io[TASK_IO];
	__u64 start_ns;  /* since boot */
	__u64 task;      /* which it is, whatever its number: never shown */
	__u64 blkio_ns, swapin_ns; /* delays, where they are kept */
	__u64 majflt;
	__u32 tid, tgid, ppid, flags;
	__u32 state;     /* the kernel's bits */
	__u32 exit_state;
	char comm[TASK_NAME];
	/* of a leader only: */
	__u64 shared_io[TASK_IO]; /* of threads that ended and children that were reaped */
	__u64 shared_majflt;
	__u64 reaped;    /* faults and CPU ticks of reaped children, in some unit */
	__u32 uid, threads;
};

/* An exit: the last figures of a thread. */
struct task_exit {
	__u64 io[TASK_IO];
	__u64 start_ns, leader_start_ns, parent_start_ns;
	__u64 blkio_ns, swapin_ns;
	__u64 task;
	__u32 tid, tgid, ppid, flags;
	__u32 uid, pad;
	char comm[TASK_NAME]; /* the process's */
};

#endif
