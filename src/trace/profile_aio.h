/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For profile.bpf.c: requests of libaio, from io_submit to io_getevents. */
#ifndef TRACE_PROFILE_AIO_H
#define TRACE_PROFILE_AIO_H

#include "profile_amounts.h"

/* A request under way: an iocb of a process, or the address of io_uring's. */
struct flight_key {
	__u64 address;
	__u64 tgid; /* 0: io_uring's */
};

struct flight {
	struct profile_key key;
	__u64 start_ns;
	__u32 vector; /* how much it moves is known at its end */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PROFILE_FLIGHT_MAX);
	__type(key, struct flight_key);
	__type(value, struct flight);
} flights SEC(".maps");

/* As a program writes it, in an order that does not depend on the machine's. */
struct iocb {
	__u64 data;
	__u32 key_and_flags[2];
	__u16 opcode;
	__s16 priority;
	__u32 descriptor;
	__u64 buffer, bytes;
};

struct io_event {
	__u64 data, object;
	__s64 result, result2;
};

enum { CMD_READ, CMD_WRITE, CMD_FSYNC, CMD_FDSYNC, CMD_READV = 7, CMD_WRITEV = 8 };

/* The request at this place of a list, its address; 0: it cannot be read. */
static __always_inline __u64 read_request(__u64 list, __u32 i, struct iocb *one)
{
	__u64 address = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)(list + 8ULL * i)) < 0 ||
	    bpf_probe_read_user(one, sizeof(*one), (void *)address) < 0)
		return 0;
	return address;
}

static __always_inline int request_call(__u16 opcode)
{
	switch (opcode) {
	case CMD_READ:
	case CMD_READV:
		return PROFILE_SUBMIT_READ;
	case CMD_WRITE:
	case CMD_WRITEV:
		return PROFILE_SUBMIT_WRITE;
	case CMD_FSYNC:
	case CMD_FDSYNC:
		return PROFILE_SUBMIT_FSYNC;
	default:
		return -1;
	}
}

__noinline int submit_one(__u64 list, __u32 i, __u32 tgid, __u64 now)
{
	struct flight_key key = {.tgid = tgid};
	struct flight flight = {.start_ns = now};
	struct profile_amount *cell;
	struct iocb one;
	int call;

	key.address = read_request(list, i, &one);
	if (!key.address)
		LOSE(requests);
	call = key.address ? request_call(one.opcode) : -1;
	if (call < 0)
		return 0;
	flight.key.tgid = tgid;
	flight.key.call = call;
	meet(file_of((int)one.descriptor, BY_HELPER), &flight.key.file, WAY_ENTER);
	cell = cell_of(&flight.key);
	if (!cell)
		return 0;
	__sync_fetch_and_add(&cell->count, 1);
	if (one.opcode == CMD_READ || one.opcode == CMD_WRITE)
		add_bytes(cell, one.bytes);
	flight.vector = one.opcode == CMD_READV || one.opcode == CMD_WRITEV;
	bpf_map_update_elem(&flights, &key, &flight, BPF_ANY);
	return 0;
}

/* It was not accepted after all: the program has it still as it was. */
__noinline int refuse_one(__u64 list, __u32 i, __u32 tgid)
{
	struct flight_key key = {.tgid = tgid};
	struct profile_amount *cell;
	struct flight *flight;
	struct iocb one;

	key.address = read_request(list, i, &one);
	if (!key.address) /* it was counted as lost */
		__sync_fetch_and_add(&losses.requests, -1);
	flight = bpf_map_lookup_elem(&flights, &key);
	cell = flight ? bpf_map_lookup_elem(&cells, &flight->key) : NULL;
	if (cell) {
		__sync_fetch_and_add(&cell->count, -1);
		if (one.opcode == CMD_READ || one.opcode == CMD_WRITE) {
			__sync_fetch_and_add(&cell->bytes, -one.bytes);
			__sync_fetch_and_add(&cell->pages, -whole_pages(one.bytes));
		}
	}
	bpf_map_delete_elem(&flights, &key);
	return 0;
}

__noinline int get_one(__u64 list, __u32 i, __u32 tgid, __u64 now)
{
	struct flight_key key = {.tgid = tgid};
	struct profile_amount *cell;
	struct flight *found, flight;
	struct io_event event;

	if (bpf_probe_read_user(&event, sizeof(event), (void *)(list + sizeof(event) * i)) < 0)
		return 0;
	key.address = event.object;
	found = bpf_map_lookup_elem(&flights, &key);
	if (!found)
		return 0;
	flight = *found;
	bpf_map_delete_elem(&flights, &key);
	cell = cell_of(&flight.key);
	if (cell) {
		__sync_fetch_and_add(&cell->ns, now - flight.start_ns);
		if (event.result < 0)
			__sync_fetch_and_add(&cell->errors, 1);
		else if (flight.vector)
			add_bytes(cell, event.result);
	}
	tell(&flight.key, now, now - flight.start_ns, event.result);
	return 0;
}

static __always_inline void submit(struct pt_regs *regs, __u32 tgid, __u64 now, enum reading how)
{
	__u64 n = syscall_argument(regs, 1, how >= TYPED);
	__u64 list = syscall_argument(regs, 2, how >= TYPED);

	for (__u32 i = 0; i < PROFILE_BATCH_MAX && i < n; i++)
		submit_one(list, i, tgid, now);
	if (n > PROFILE_BATCH_MAX)
		__sync_fetch_and_add(&losses.requests, n - PROFILE_BATCH_MAX);
}

static __always_inline void submitted(struct pt_regs *regs, __u32 tgid, long accepted,
				      enum reading how)
{
	__u64 n = syscall_argument(regs, 1, how >= TYPED);
	__u64 list = syscall_argument(regs, 2, how >= TYPED);

	for (__u32 i = 0; i < PROFILE_BATCH_MAX && i < n; i++)
		if ((long)i >= accepted)
			refuse_one(list, i, tgid);
}

static __always_inline void got(struct pt_regs *regs, __u32 tgid, long n, enum reading how)
{
	__u64 list = syscall_argument(regs, 3, how >= TYPED), now = bpf_ktime_get_ns();

	for (__u32 i = 0; i < 2 * PROFILE_BATCH_MAX && (long)i < n; i++)
		get_one(list, i, tgid, now);
}

#endif
