/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times added up by device and class, for the programs of requests and of bios:
 * each object that includes this has a map of its own.
 */
#ifndef TRACE_BLOCK_TIMES_H
#define TRACE_BLOCK_TIMES_H

#include "kernel.h"
#include "block.h"

enum {
	OP_MASK = 0xff, /* of cmd_flags: enum req_op, whose numbers have never changed */
	OP_READ = 0,
	OP_WRITE = 1,
	OP_FLUSH = 2,
	OP_DISCARD = 3,
	OP_SECURE_ERASE = 5,
	OP_DRIVER_FIRST = 32 /* pass-through: not counted by diskstats either */
};

/* Counted up by the loader at every reading. */
__u64 generation = 1;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, BLOCK_DEVICES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct block_key);
	__type(value, struct block_times);
} times SEC(".maps");

/* Too large for the stack. */
static const struct block_times no_times;

static __always_inline __u64 identity_of(struct gendisk *disk)
{
	if (bpf_core_field_exists(disk->diskseq))
		return disk->diskseq;
	return (__u64)disk;
}

static __always_inline int class_of_op(__u32 op)
{
	if (op >= OP_DRIVER_FIRST)
		return -1;
	if (op == OP_FLUSH)
		return BLOCK_FLUSH;
	if (op == OP_DISCARD || op == OP_SECURE_ERASE)
		return BLOCK_DISCARD;
	return op & 1 ? BLOCK_WRITE : BLOCK_READ; /* an odd number writes */
}

/* All of 64 bits: the verifiers of older kernels lose the bounds of a half. */
static __always_inline __u64 bucket_of(__u64 ns)
{
	__u64 octave = 0;

	if (ns < 1ULL << BLOCK_OCTAVE_FIRST)
		return 0;
	if (ns >> (BLOCK_OCTAVE_FIRST + BLOCK_OCTAVES))
		return BLOCK_BUCKETS - 1;
	/* the place of the highest bit, by halves */
	__u64 rest = ns >> BLOCK_OCTAVE_FIRST;
	if (rest >> 16)
		octave += 16, rest >>= 16;
	if (rest >> 8)
		octave += 8, rest >>= 8;
	if (rest >> 4)
		octave += 4, rest >>= 4;
	if (rest >> 2)
		octave += 2, rest >>= 2;
	octave += rest >> 1;
	return 4 * octave + ((ns >> (octave + BLOCK_OCTAVE_FIRST - 2)) & 3);
}

static __always_inline struct block_times *times_of(struct gendisk *disk, __u64 id, __u32 class)
{
	struct block_key key = {.disk = id, .class = class};
	struct block_times *found = bpf_map_lookup_elem(&times, &key);

	if (found)
		goto named;
	bpf_map_update_elem(&times, &key, &no_times, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&times, &key);
named:
	if (found && !found->name[0])
		bpf_core_read_str(found->name, sizeof(found->name), &disk->disk_name);
	return found;
}

/* Those of this generation, begun where it has none yet: that also tells of something new. */
static __always_inline struct block_extremes *extremes_of(struct block_times *times)
{
	__u64 now = generation;
	struct block_extremes *ends = &times->extremes[now & 1];

	if (ends->generation != now) {
		ends->generation = now;
		ends->wait_min_ns = ends->serve_min_ns = ~0ULL;
		ends->wait_max_ns = ends->serve_max_ns = 0;
	}
	return ends;
}

static __always_inline void extremes_add(struct block_times *times, bool waited, __u64 wait,
					 __u64 serve)
{
	struct block_extremes *ends = extremes_of(times);

	if (serve < ends->serve_min_ns)
		ends->serve_min_ns = serve;
	if (serve > ends->serve_max_ns)
		ends->serve_max_ns = serve;
	if (!waited)
		return;
	if (wait < ends->wait_min_ns)
		ends->wait_min_ns = wait;
	if (wait > ends->wait_max_ns)
		ends->wait_max_ns = wait;
}

static __always_inline void bucket_add(__u64 *bucket, __u64 ns)
{
	__u64 at = bucket_of(ns);

	if (at < BLOCK_BUCKETS)
		bucket[at]++;
}

#endif
