/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For block.bpf.c: whose request it is, taken where it is started, which is in the
 * issuer's own context; completions run in whatever context they interrupt.
 */
#ifndef TRACE_BLOCK_PAIRS_H
#define TRACE_BLOCK_PAIRS_H

#include "kernel.h"
#include "block.h"

/* Of a task's flags; these have never changed. */
enum { TASK_WORKER = 0x20, TASK_KERNEL = 0x200000 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, BLOCK_PAIRS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_pair_key);
	__type(value, struct block_pair);
} pairs SEC(".maps");

/* A worker of the kernel that writes dirty data back says so: "flush-8:0". */
static __always_inline bool writes_back(struct task_struct *task)
{
	struct task_struct___worker *self = (void *)task;
	char says[8] = "";

	if (!bpf_core_field_exists(self->worker_private))
		return false;
	struct kthread *thread = BPF_CORE_READ(self, worker_private);
	struct worker *worker = BPF_CORE_READ(thread, data);

	bpf_core_read(says, 6, &worker->desc);
	return says[0] == 'f' && says[1] == 'l' && says[2] == 'u' && says[3] == 's' &&
	       says[4] == 'h' && says[5] == '-';
}

/* The process that runs now: a request's issuer where it is started. */
static __always_inline __u32 issuer_now(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u32 worker = TASK_KERNEL | TASK_WORKER;

	if ((task->flags & worker) == worker && writes_back(task))
		return BLOCK_WRITE_BACK;
	return task->tgid;
}

static __always_inline void amounts_add(struct block_amounts *amounts, bool waited, __u64 wait,
					__u64 serve)
{
	amounts->requests++;
	amounts->serve_ns += serve;
	if (!waited)
		return;
	amounts->waited++;
	amounts->wait_ns += wait;
}

/* NULL: there is no room, or nobody knows whose it is. */
static __always_inline struct block_pair *pair_of(__u64 disk, __u32 issuer, __u64 generation)
{
	struct block_pair_key key = {.disk = disk, .issuer = issuer};
	struct block_pair *found;

	if (issuer == BLOCK_NOBODY)
		return NULL;
	found = bpf_map_lookup_elem(&pairs, &key);
	if (found)
		return found;
	struct block_pair none = {.born = generation};
	bpf_map_update_elem(&pairs, &key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pairs, &key);
}

/* Where a request of that class and issuer is counted; NULL: it is a flush. */
static __always_inline struct block_amounts *amounts_of(struct block_times *times, __u64 disk,
							__u32 class, __u32 issuer, __u64 generation)
{
	struct block_pair *pair;

	if (class >= BLOCK_FLUSH)
		return NULL;
	pair = pair_of(disk, issuer, generation);
	if (!pair)
		return &times->others;
	pair->changed = generation;
	return &pair->class[class];
}

#endif
