/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Those fields of the kernel's structures that the BPF programs read. Offsets
 * are put right at load time from the running kernel's BTF (CO-RE); what one
 * kernel lacks is asked for with bpf_core_field_exists.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major, first_minor;
	char disk_name[32];
	__u64 diskseq; /* since 5.15 */
};

struct request_queue {
	struct gendisk *disk; /* since 5.15 */
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags, rq_flags;
	unsigned int __data_len;
	__u64 start_time_ns;
};

/* until 5.16 */
struct request___rq_disk {
	struct gendisk *rq_disk;
};

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw;
	__u64 read_bytes, write_bytes, cancelled_write_bytes;
};

struct task_delay_info {
	__u64 blkio_delay, swapin_delay;
};

struct signal_struct {
	struct {
		int counter;
	} live; /* threads that have not begun to exit */
	int nr_threads;
	__u64 cutime, cstime;
	unsigned long maj_flt, cmin_flt, cmaj_flt;
	struct task_io_accounting ioac;
};

struct cred {
	struct {
		unsigned int val;
	} euid;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct sched_info {
	__u64 last_arrival; /* on a CPU, on the scheduler's clock */
};

struct task_struct {
	unsigned int __state; /* since 5.14 */
	int on_cpu;
	struct sched_info sched_info;
	unsigned int flags;
	int pid, tgid, exit_state;
	struct sched_entity se;
	struct task_struct *group_leader, *real_parent;
	const struct cred *cred;
	struct signal_struct *signal;
	__u64 start_boottime; /* since 5.5 */
	unsigned long maj_flt;
	struct task_delay_info *delays;
	struct task_io_accounting ioac;
	char comm[16];
};

/* until 5.13 */
struct task_struct___state_long {
	long state;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id, seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
