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

struct task_struct {
	unsigned int flags;
	int pid, tgid;
	struct task_struct *group_leader;
	__u64 start_boottime; /* since 5.5 */
};

#pragma clang attribute pop

#endif
