/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests in flight, by their address: sets of four entries, found without a
 * lock and given free without a list, which costs a third of a hash map.
 *
 * A request has one entry from its start on, which is its own until it completes.
 * One that finds its set full is not measured; an entry that was left behind is
 * taken again when its request's address is, or when it is old.
 */
#ifndef TRACE_INFLIGHT_H
#define TRACE_INFLIGHT_H

#include "kernel.h"
#include "block.h"

enum { INFLIGHT_WAYS = 4, INFLIGHT_BITS = 15, INFLIGHT_SETS = 1 << INFLIGHT_BITS };

/* As in block_request. */
enum { INFLIGHT_SHIFT = 30, INFLIGHT_OLD = 60 };

struct inflight_set {
	struct block_request way[INFLIGHT_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INFLIGHT_SETS);
	__uint(map_flags, BPF_F_MMAPABLE); /* its values begin on a page: a set is two cache lines */
	__type(key, __u32);
	__type(value, struct inflight_set);
} inflight SEC(".maps");

/* The verifier lets nobody reckon with the address of a request, but with half of one. */
static __always_inline struct inflight_set *inflight_set_of(__u64 request)
{
	/* the golden ratio's bits mix; the upper ones are mixed best */
	__u32 low = request, at = (low * 0x9e3779b9U) >> (32 - INFLIGHT_BITS);

	return bpf_map_lookup_elem(&inflight, &at);
}

static __always_inline struct block_request *inflight_find(__u64 request)
{
	struct inflight_set *set = inflight_set_of(request);

	if (!set)
		return NULL;
#pragma unroll
	for (int i = 0; i < INFLIGHT_WAYS; i++)
		if (set->way[i].request == request)
			return &set->way[i];
	return NULL;
}

static __always_inline bool inflight_is_old(const struct block_request *way, __u32 second)
{
	/* another CPU may be a unit ahead */
	return (__s32)(second - way->seen) > INFLIGHT_OLD;
}

/*
 * The entry of a request that begins; NULL: there are too many. Two CPUs that take the
 * same one in the same nanoseconds lose one of the two requests.
 */
static __always_inline struct block_request *inflight_begin(__u64 request, __u64 now)
{
	struct inflight_set *set = inflight_set_of(request);
	struct block_request *way, *old = NULL;
	__u32 second = now >> INFLIGHT_SHIFT;

	if (!set)
		return NULL;
#pragma unroll
	for (int i = 0; i < INFLIGHT_WAYS; i++) {
		way = &set->way[i];
		if (!way->request || way->request == request)
			goto found;
		if (inflight_is_old(way, second))
			old = way;
	}
	way = old;
	if (!way)
		return NULL;
found:
	way->request = request;
	way->seen = second;
	return way;
}

#endif
