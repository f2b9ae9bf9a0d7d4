// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Block requests: how long each waited in the host (start to issue) and was
 * served (issue to completion), added up in the kernel.
 *
 * A request is known by its address. It is started (where the kernel has that
 * tracepoint), perhaps requeued, issued and completed; a completion whose issue
 * was not seen is not counted.
 */
#include "kernel.h"
#include "block.h"
#include "inflight.h"

char LICENSE[] SEC("license") = "GPL";

enum {
	OP_MASK = 0xff, /* of cmd_flags: enum req_op, whose numbers have never changed */
	OP_READ = 0,
	OP_WRITE = 1,
	OP_FLUSH = 2,
	OP_DISCARD = 3,
	OP_SECURE_ERASE = 5,
	OP_DRIVER_FIRST = 32 /* pass-through: not counted by diskstats either */
};

/* Set before loading: which argument of these tracepoints is the request. */
const volatile __u32 insert_argument, start_seen;
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

static __always_inline struct gendisk *disk_of(struct request *request)
{
	struct request___rq_disk *old = (void *)request;

	if (bpf_core_field_exists(old->rq_disk))
		return old->rq_disk;
	return request->q->disk;
}

static __always_inline __u64 identity_of(struct gendisk *disk)
{
	if (bpf_core_field_exists(disk->diskseq))
		return disk->diskseq;
	return (__u64)disk;
}

static __always_inline int class_of(struct request *request)
{
	__u32 op = request->cmd_flags & OP_MASK;

	if (op >= OP_DRIVER_FIRST)
		return -1;
	if (op == OP_FLUSH)
		return BLOCK_FLUSH;
	if (op == OP_DISCARD || op == OP_SECURE_ERASE)
		return BLOCK_DISCARD;
	return op & 1 ? BLOCK_WRITE : BLOCK_READ; /* an odd number writes */
}

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 octave = 0;

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

static __always_inline struct block_times *times_of(struct gendisk *disk, __u32 class)
{
	struct block_key key = {.disk = identity_of(disk), .class = class};
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

static __always_inline void extremes_add(struct block_times *times, bool waited, __u64 wait,
					 __u64 serve)
{
	__u64 now = generation;
	struct block_extremes *ends = &times->extremes[now & 1];

	if (ends->generation != now) {
		ends->generation = now;
		ends->wait_min_ns = ends->serve_min_ns = ~0ULL;
		ends->wait_max_ns = ends->serve_max_ns = 0;
	}
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
	__u32 at = bucket_of(ns);

	if (at < BLOCK_BUCKETS)
		bucket[at]++;
}

SEC("tp_btf/block_io_start")
int block_start(__u64 *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct block_request *one = inflight_begin(ctx[0], now);

	if (!one)
		return 0;
	one->start_ns = now;
	one->issue_ns = 0;
	return 0;
}

SEC("tp_btf/block_rq_issue")
int block_issue(__u64 *ctx)
{
	struct request *request = (void *)(insert_argument ? ctx[1] : ctx[0]);
	__u64 key = (__u64)request, now = bpf_ktime_get_ns();
	struct block_request *one = inflight_find(key);

	if (one && !one->issue_ns) {
		one->issue_ns = now;
		return 0;
	}
	/* no start seen; an entry that was issued is of an older request of this address */
	one = inflight_begin(key, now);
	if (!one)
		return 0;
	one->start_ns = start_seen ? 0 : request->start_time_ns;
	one->issue_ns = now;
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int block_requeue(__u64 *ctx)
{
	struct request *request = (void *)(insert_argument ? ctx[1] : ctx[0]);
	struct block_request *one = inflight_find((__u64)request);
	struct gendisk *disk = disk_of(request);
	int class = class_of(request);

	if (one)
		one->issue_ns = 0;
	if (!disk || class < 0)
		return 0;
	struct block_times *times = times_of(disk, class);
	if (times)
		times->requeued++;
	return 0;
}

SEC("tp_btf/block_rq_merge")
int block_merge(__u64 *ctx)
{
	struct block_request *one = inflight_find(insert_argument ? ctx[1] : ctx[0]);

	if (one)
		one->request = 0;
	return 0;
}

static __always_inline void times_add(struct block_times *times, const struct block_request *one,
				      __u64 now, bool failed)
{
	__u64 serve = now - one->issue_ns, wait = one->issue_ns - one->start_ns;
	bool waited = one->start_ns && one->start_ns <= one->issue_ns;

	times->served++;
	times->serve_ns += serve;
	times->errors += failed;
	bucket_add(times->serve_bucket, serve);
	if (waited) {
		times->waited++;
		times->wait_ns += wait;
		bucket_add(times->wait_bucket, wait);
	}
	extremes_add(times, waited, wait, serve);
}

SEC("tp_btf/block_rq_complete")
int block_complete(__u64 *ctx)
{
	struct request *request = (void *)ctx[0];
	__u64 now = bpf_ktime_get_ns();
	struct block_request *found = inflight_find((__u64)request);
	struct block_request one;
	struct gendisk *disk;
	int class;

	/* parts of a request complete on their own: the last one counts */
	if (!found || !found->issue_ns || (__u32)ctx[2] < request->__data_len)
		return 0;
	one = *found;
	found->request = 0;
	disk = disk_of(request);
	class = class_of(request);
	if (!disk || class < 0 || class >= BLOCK_CLASSES)
		return 0;
	struct block_times *times = times_of(disk, class);
	if (times)
		times_add(times, &one, now, (int)ctx[1] != 0);
	return 0;
}
