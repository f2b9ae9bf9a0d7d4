/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For profile.bpf.c: adding up what ended, and telling of it. */
#ifndef TRACE_PROFILE_AMOUNTS_H
#define TRACE_PROFILE_AMOUNTS_H

#include "profile_names.h"

/* Set before loading: events are wanted. */
const volatile bool save;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_CELLS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct profile_key);
	__type(value, struct profile_amount);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PROFILE_EVENT_BYTES);
} events SEC(".maps");

/* ---- amounts */

static __always_inline struct profile_amount *cell_of(const struct profile_key *key)
{
	static const struct profile_amount nothing;
	struct profile_amount *cell = bpf_map_lookup_elem(&cells, key);

	if (cell)
		return cell;
	bpf_map_update_elem(&cells, key, &nothing, BPF_NOEXIST);
	cell = bpf_map_lookup_elem(&cells, key);
	if (cell)
		return cell;
	struct profile_key other = {.file = {.mark = PROFILE_OTHER}, .call = key->call};
	return bpf_map_lookup_elem(&cells, &other);
}

static __always_inline __u64 whole_pages(__u64 bytes)
{
	return (bytes + PROFILE_PAGE - 1) & ~(PROFILE_PAGE - 1ULL);
}

static __always_inline void add_bytes(struct profile_amount *cell, __u64 bytes)
{
	__sync_fetch_and_add(&cell->bytes, bytes);
	__sync_fetch_and_add(&cell->pages, whole_pages(bytes));
}

static __always_inline void tell(const struct profile_key *key, __u64 now, __u64 ns, long result)
{
	struct profile_event *event;

	if (!save)
		return;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		LOSE(events);
		return;
	}
	event->key = *key;
	event->end_ns = now;
	event->ns = ns;
	event->result = result;
	event->tid = (__u32)bpf_get_current_pid_tgid();
	event->pad = 0;
	/* the reader looks ten times a second by itself */
	bpf_ringbuf_submit(event, bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > PROFILE_EVENT_BYTES / 8
				      ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* A request that ended. */
static __always_inline void ended(const struct profile_key *key, __u64 start_ns, long result,
				  bool bytes)
{
	__u64 now = bpf_ktime_get_ns(), ns = now - start_ns;
	struct profile_amount *cell = cell_of(key);

	if (cell) {
		__sync_fetch_and_add(&cell->count, 1);
		__sync_fetch_and_add(&cell->ns, ns);
		if (result < 0)
			__sync_fetch_and_add(&cell->errors, 1);
		else if (bytes)
			add_bytes(cell, result);
	}
	tell(key, now, ns, result);
}

#endif
