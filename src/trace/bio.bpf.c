// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bios. On a disk that makes no requests: how long each took, all below it
 * included. On the others: whether its submitter slept before there was a request
 * for it, which is where nr_requests or the driver's tags are used up.
 *
 * A bio is queued and gets its request in the same task, so the time between is
 * kept with the task. One that is merged never gets a request; nothing needs to be
 * undone, since the next one takes its place.
 */
#include "kernel.h"
#include "bio.h"
#include "block_times.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * A hash of our own, without locks, costs a third of the kernel's. Two that write one
 * place at once began at the same time, so that what they mix up does not matter.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << BIO_SETS_BITS);
	__type(key, __u32);
	__type(value, struct bio_set);
} bios SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct bio_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BLOCK_DEVICES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct bio_slots);
} slots SEC(".maps");

static __always_inline int class_of(struct bio *bio)
{
	__u32 flags = bio->bi_opf;

	/* an empty write that only flushes */
	if (!bio->bi_iter.bi_size &&
	    (flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH) & 1))
		return BLOCK_FLUSH;
	return class_of_op(flags & OP_MASK);
}

/* The verifier lets nobody calculate with the address of a bio, but with half of one. */
static __always_inline struct bio_set *set_of(__u64 bio)
{
	__u32 low = bio, at = (low * 0x9e3779b9U) >> (32 - BIO_SETS_BITS);

	return bpf_map_lookup_elem(&bios, &at);
}

static __always_inline void bio_starts(__u64 bio, struct gendisk *disk, __u32 class)
{
	struct bio_set *set = set_of(bio);
	struct bio_start *at;

	if (!set)
		return;
	at = &set->start[0];
#pragma unroll
	for (int i = 0; i < BIO_SET_MAX; i++) {
		struct bio_start *one = &set->start[i];
		if (one->bio == bio) {
			at = one; /* it never came back from the disk below */
			break;
		}
		if (at->bio && (!one->bio || one->start_ns < at->start_ns))
			at = one;
	}
	at->bio = bio;
	at->disk = (__u64)disk;
	at->class = class;
	at->start_ns = bpf_ktime_get_ns();
}

static __always_inline void bio_waits(struct bio_task *all, __u64 bio, __u64 sleeps)
{
	struct bio_submitted one = {.bio = bio, .start_ns = bpf_ktime_get_ns(), .sleeps = sleeps};

	for (__u32 i = 0; i < BIO_SUBMITTED_MAX; i++) {
		if (i < all->n && all->submitted[i].bio)
			continue;
		all->submitted[i] = one;
		if (i >= all->n)
			all->n = i + 1;
		return;
	}
}

SEC("tp_btf/block_bio_queue")
int bio_queued(__u64 *ctx)
{
	struct bio *bio = (void *)ctx[0];
	struct gendisk *disk = bio->bi_bdev->bd_disk;
	struct task_struct *task = bpf_get_current_task_btf();
	struct bio_task *all = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	int class;

	/* no call is under way: what is left of former ones was merged, or failed */
	if (all && !task->bio_list)
		all->n = 0;
	if (disk->fops->submit_bio) {
		class = class_of(bio);
		if (class >= 0)
			bio_starts(ctx[0], disk, class);
	} else if (all) {
		bio_waits(all, ctx[0], task->nvcsw);
	}
	return 0;
}

static __always_inline void bio_took(struct gendisk *disk, __u32 class, __u64 ns, bool failed)
{
	struct block_times *times = class < BLOCK_CLASSES ? times_of(disk, identity_of(disk), class) : NULL;

	if (!times)
		return;
	times->served++;
	times->serve_ns += ns;
	times->errors += failed;
	bucket_add(times->serve_bucket, ns);
	extremes_add(times, false, 0, ns);
}

SEC("tp_btf/block_bio_complete")
int bio_completed(__u64 *ctx)
{
	struct bio *bio = (void *)ctx[1];
	struct gendisk *disk = bio->bi_bdev->bd_disk;
	struct bio_set *set = disk->fops->submit_bio ? set_of(ctx[1]) : NULL;

	/* not found: a part of another, or queued before all this began */
#pragma unroll
	for (int i = 0; set && i < BIO_SET_MAX; i++) {
		struct bio_start *one = &set->start[i];
		if (one->bio != ctx[1])
			continue;
		one->bio = 0;
		/* else passed on as it is and ended by a disk below: whose time it is is unknown */
		if (one->disk == (__u64)disk)
			bio_took(disk, one->class, bpf_ktime_get_ns() - one->start_ns, bio->bi_status);
		break;
	}
	return 0;
}

static __always_inline struct bio_slots *slots_of(struct gendisk *disk)
{
	static const struct bio_slots nothing;
	__u64 key = identity_of(disk);
	struct bio_slots *found = bpf_map_lookup_elem(&slots, &key);

	if (found)
		return found;
	bpf_map_update_elem(&slots, &key, &nothing, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&slots, &key);
	if (found)
		bpf_core_read_str(found->name, sizeof(found->name), &disk->disk_name);
	return found;
}

SEC("tp_btf/block_getrq")
int bio_gets_request(__u64 *ctx)
{
	struct bio *bio = (void *)ctx[0];
	struct task_struct *task = bpf_get_current_task_btf();
	struct bio_task *all = bpf_task_storage_get(&tasks, task, 0, 0);
	__u64 key = ctx[0], sleeps = task->nvcsw;
	struct bio_submitted *one = NULL;

	for (__u32 i = 0; all && i < BIO_SUBMITTED_MAX && !one; i++) {
		if (i >= all->n)
			return 0;
		if (all->submitted[i].bio == key || all->submitted[i].part == key)
			one = &all->submitted[i];
	}
	if (!one)
		return 0;
	bool slept = one->sleeps != sleeps, more = one->part == key;
	if (slept || more) {
		__u64 now = bpf_ktime_get_ns();
		struct bio_slots *slots = slept ? slots_of(bio->bi_bdev->bd_disk) : NULL;
		if (slots) {
			__sync_fetch_and_add(&slots->waited, 1);
			__sync_fetch_and_add(&slots->wait_ns, now - one->start_ns);
			slots->changed = generation;
		}
		/* the rest of it waits from now on */
		one->start_ns = now;
		one->sleeps = sleeps;
	}
	one->part = 0;
	if (!more)
		one->bio = 0;
	return 0;
}

/* A bio too large for one request; the part that is split off gets one first. */
SEC("tp_btf/block_split")
int bio_splits(__u64 *ctx)
{
	struct bio_task *all = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	for (__u32 i = 0; all && i < BIO_SUBMITTED_MAX && i < all->n; i++) {
		if (!all->submitted[i].bio)
			continue;
		all->submitted[i].part = ctx[0];
		break;
	}
	return 0;
}
