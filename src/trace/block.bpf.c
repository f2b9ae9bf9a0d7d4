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
#include "block_pairs.h"
#include "block_times.h"
#include "inflight.h"

char LICENSE[] SEC("license") = "GPL";

/* From this age on an entry may be of another request than it was made for. */
#define REUSE_NS 60000000000ULL

/* Set before loading: which argument of these tracepoints is the request. */
const volatile __u32 insert_argument, start_seen;

static __always_inline struct gendisk *disk_of(struct request *request)
{
	struct request___rq_disk *old = (void *)request;

	if (bpf_core_field_exists(old->rq_disk))
		return old->rq_disk;
	return request->q->disk;
}

static __always_inline int class_of(struct request *request)
{
	return class_of_op(request->cmd_flags & OP_MASK);
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
	one->issuer = issuer_now();
	return 0;
}

/* This one is of an older request of the same address, whose end was not seen. */
static __always_inline bool outlived(struct request *request, __u64 seen_ns, __u64 now)
{
	return now - seen_ns > REUSE_NS && request->start_time_ns > seen_ns;
}

SEC("tp_btf/block_rq_issue")
int block_issue(__u64 *ctx)
{
	struct request *request = (void *)(insert_argument ? ctx[1] : ctx[0]);
	__u64 key = (__u64)request, now = bpf_ktime_get_ns();
	struct block_request *one = inflight_find(key);

	if (one && !one->issue_ns && !outlived(request, one->start_ns, now)) {
		one->issue_ns = now;
		return 0;
	}
	/* no start seen; an entry that was issued is of an older request of this address */
	one = inflight_begin(key, now);
	if (!one)
		return 0;
	one->start_ns = start_seen ? 0 : request->start_time_ns;
	one->issue_ns = now;
	one->issuer = BLOCK_NOBODY;
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
	struct block_times *times = times_of(disk, identity_of(disk), class);
	if (times) {
		times->requeued++;
		extremes_of(times);
	}
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

static __always_inline void times_add(struct block_times *times, struct block_amounts *amounts,
				      const struct block_request *one, __u64 now, bool failed)
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
	if (amounts)
		amounts_add(amounts, waited, wait, serve);
}

SEC("tp_btf/block_rq_complete")
int block_complete(__u64 *ctx)
{
	struct request *request = (void *)ctx[0];
	__u64 now = bpf_ktime_get_ns();
	__u32 bytes = ctx[2];
	struct block_request *found = inflight_find((__u64)request);
	struct block_request one;
	struct gendisk *disk;
	/* parts of a request complete on their own: the last one counts, and the bytes of all */
	bool last = bytes >= request->__data_len;
	int class;

	if (!found)
		return 0;
	one = *found;
	if (last)
		found->request = 0;
	/* a flush without data is never issued itself */
	if (!one.issue_ns || outlived(request, one.issue_ns, now))
		return 0;
	disk = disk_of(request);
	class = class_of(request);
	if (!disk || class < 0 || class >= BLOCK_CLASSES)
		return 0;
	__u64 id = identity_of(disk);
	struct block_times *times = times_of(disk, id, class);
	if (!times)
		return 0;
	struct block_amounts *amounts = amounts_of(times, id, class, one.issuer, generation);
	if (amounts)
		amounts->bytes += bytes;
	if (last)
		times_add(times, amounts, &one, now, (int)ctx[1] != 0);
	return 0;
}
