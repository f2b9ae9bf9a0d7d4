// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file which call of some processes went to, and how long it took, added up
 * in the kernel. A file is known by its inode, never by its descriptor, and its
 * path is taken when it is first seen.
 */
#include "kernel.h"
#include "profile_aio.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading: io_uring_complete has its result in an entry. */
const volatile bool result_in_entry;
/* Storage I/O of threads that ended: read_bytes, write_bytes. */
__u64 ended_read, ended_written;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROFILE_NUMBERS);
	__type(key, __u32);
	__type(value, struct profile_rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_TARGETS_MAX);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* The call a thread is in. Its entry stays for the next one. */
struct in_call {
	struct profile_key key;
	__u64 start_ns;
	__u32 kind; /* PROFILE_NONE: in none */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_THREADS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct in_call);
} threads SEC(".maps");

/* ---- system calls */

SEC("tp_btf/sys_enter")
int profile_enter(__u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	__u32 number = (__u32)ctx[1], tid = (__u32)bpf_get_current_pid_tgid();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct profile_rule *rule = bpf_map_lookup_elem(&rules, &number);
	struct in_call *call, first = {0};

	if (!rule || rule->kind == PROFILE_NONE || !bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	if (syscall_is_narrow(regs)) {
		LOSE(narrow);
		return 0;
	}
	call = bpf_map_lookup_elem(&threads, &tid);
	if (!call) {
		bpf_map_update_elem(&threads, &tid, &first, BPF_ANY);
		call = bpf_map_lookup_elem(&threads, &tid);
	}
	if (!call) {
		LOSE(threads);
		return 0;
	}
	call->key.tgid = tgid;
	call->key.call = rule->call;
	call->kind = rule->kind;
	if (rule->descriptor == 0)
		meet(file_of((int)syscall_argument(regs, 0)), &call->key.file, WAY_ENTER);
	else
		call->key.file = (struct profile_file){.mark = PROFILE_NO_FILE};
	call->start_ns = bpf_ktime_get_ns();
	if (rule->kind == PROFILE_SUBMITS)
		submit(regs, tgid, call->start_ns);
	return 0;
}

SEC("tp_btf/sys_exit")
int profile_exit(__u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	long result = (long)ctx[1];
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct in_call *call = bpf_map_lookup_elem(&threads, &tid);
	__u32 kind;

	if (!call || call->kind == PROFILE_NONE)
		return 0;
	kind = call->kind;
	call->kind = PROFILE_NONE;
	if (kind == PROFILE_SUBMITS) {
		submitted(regs, call->key.tgid, result);
		return 0;
	}
	if (kind == PROFILE_GETS) {
		got(regs, call->key.tgid, result);
		return 0;
	}
	if (kind == PROFILE_OPENS && result >= 0)
		meet(file_of(result), &call->key.file, WAY_EXIT);
	ended(&call->key, call->start_ns, result, kind == PROFILE_BYTES);
	return 0;
}

/* ---- io_uring */

/* The operations of linux/io_uring.h, whose numbers are its interface. */
enum { RING_READV = 1, RING_WRITEV, RING_FSYNC, RING_READ_FIXED, RING_WRITE_FIXED,
       RING_SYNC_FILE_RANGE = 8, RING_READ = 22, RING_WRITE = 23, RING_READ_MULTISHOT = 49,
       RING_READV_FIXED = 60, RING_WRITEV_FIXED = 61 };

static __always_inline __u32 ring_call(__u8 opcode)
{
	switch (opcode) {
	case RING_READV:
	case RING_READ_FIXED:
	case RING_READ:
	case RING_READ_MULTISHOT:
	case RING_READV_FIXED:
		return PROFILE_URING_READ;
	case RING_WRITEV:
	case RING_WRITE_FIXED:
	case RING_WRITE:
	case RING_WRITEV_FIXED:
		return PROFILE_URING_WRITE;
	case RING_FSYNC:
	case RING_SYNC_FILE_RANGE:
		return PROFILE_URING_FSYNC;
	default:
		return PROFILE_URING_OTHER;
	}
}

SEC("tp_btf/io_uring_submit_req")
int profile_ring_submit(__u64 *ctx)
{
	struct flight_key key = {.address = ctx[0]};
	struct flight flight = {0};
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (!bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	flight.key.tgid = tgid;
	flight.start_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&flights, &key, &flight, BPF_ANY);
	return 0;
}

SEC("tp_btf/io_uring_complete")
int profile_ring_complete(__u64 *ctx)
{
	struct io_kiocb *request = (void *)ctx[1];
	struct flight_key key = {.address = ctx[1]};
	struct flight *found = bpf_map_lookup_elem(&flights, &key), flight;
	int result;

	if (!request || !found)
		return 0;
	flight = *found;
	bpf_map_delete_elem(&flights, &key);
	result = result_in_entry ? BPF_CORE_READ((struct io_uring_cqe *)ctx[2], res) : (int)ctx[3];
	flight.key.call = ring_call(BPF_CORE_READ(request, opcode));
	meet(BPF_CORE_READ(request, file), &flight.key.file, WAY_RING);
	ended(&flight.key, flight.start_ns, result,
	      flight.key.call == PROFILE_URING_READ || flight.key.call == PROFILE_URING_WRITE);
	return 0;
}

/* ---- processes */

SEC("tp_btf/sched_process_fork")
int profile_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	__u32 tgid = BPF_CORE_READ(parent, tgid), new = BPF_CORE_READ(child, tgid);
	__u8 yes = 1;

	if (tgid != new && bpf_map_lookup_elem(&targets, &tgid))
		bpf_map_update_elem(&targets, &new, &yes, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int profile_task_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = BPF_CORE_READ(task, pid), tgid = BPF_CORE_READ(task, tgid);

	if (!bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	__sync_fetch_and_add(&ended_read, BPF_CORE_READ(task, ioac.read_bytes));
	__sync_fetch_and_add(&ended_written, BPF_CORE_READ(task, ioac.write_bytes));
	bpf_map_delete_elem(&threads, &tid);
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}
