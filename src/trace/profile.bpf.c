// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file which call of some processes went to, and how long it took, added up
 * in the kernel. A file is known by its inode, never by its descriptor, and its
 * path is taken when it is first seen.
 */
#include "profile_aio.h"
#include "profile_threads.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading: io_uring_complete has its result in an entry. */
const volatile bool result_in_entry;
/* Storage I/O of threads that ended: read_bytes, write_bytes. */
__u64 ended_read, ended_written;

/* Set before loading: what each system call is to us. */
const volatile struct profile_rule rules[PROFILE_NUMBERS];

/*
 * ---- system calls. Of every call of the machine: whoever is no target leaves after one
 * look. Each program for each way of reading the kernel's structures.
 */

static __always_inline int enter(__u64 *ctx, enum reading how)
{
	struct pt_regs *regs = (void *)ctx[0];
	__u64 number = ctx[1], id = bpf_get_current_pid_tgid(), file = 0;
	__u32 kind = PROFILE_NONE;

	if (!watched[(id >> 32) % PROFILE_WATCHED])
		return 0;
	bool narrow = syscall_is_narrow(regs, how >= TYPED);
	if (!narrow && number < PROFILE_NUMBERS)
		kind = rules[number].kind;
	if (!narrow && kind == PROFILE_NONE)
		return 0;
	struct profile_thread *thread = thread_find(id);
	if (!thread)
		thread = thread_add(id);
	if (!thread)
		return 0;
	if (narrow) {
		LOSE(narrow);
		return 0;
	}
	thread->kind = kind;
	thread->call = rules[number].call;
	if (kind == PROFILE_PLAIN || kind == PROFILE_BYTES) {
		if (rules[number].descriptor == 0)
			file = file_of((int)syscall_argument(regs, 0, how >= TYPED), how);
		sum_choose(thread, file, thread->call, WAY_ENTER, how);
	}
	thread->start_ns = bpf_ktime_get_ns();
	if (kind == PROFILE_SUBMITS)
		submit(regs, id >> 32, thread->start_ns, how);
	return 0;
}

static __always_inline int leave(__u64 *ctx, enum reading how)
{
	struct pt_regs *regs = (void *)ctx[0];
	long result = (long)ctx[1];
	__u64 id = bpf_get_current_pid_tgid();
	struct profile_thread *thread = thread_find(id);
	__u64 now;
	__u32 kind;

	if (!thread || thread->kind == PROFILE_NONE)
		return 0;
	kind = thread->kind;
	thread->kind = PROFILE_NONE;
	if (kind == PROFILE_SUBMITS) {
		submitted(regs, id >> 32, result, how);
		return 0;
	}
	if (kind == PROFILE_GETS) {
		got(regs, id >> 32, result, how);
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (kind == PROFILE_OPENS)
		sum_choose(thread, file_of(result, how), thread->call, WAY_EXIT, how);
	struct profile_sum *sum = &thread->sum[thread->at % PROFILE_SUMS];
	sum_add(sum, now - thread->start_ns, result, kind == PROFILE_BYTES);
	tell(&sum->key, now, now - thread->start_ns, result);
	return 0;
}

SEC("tp_btf/sys_enter")
int profile_enter(__u64 *ctx)
{
	return enter(ctx, CAST);
}

SEC("tp_btf/sys_exit")
int profile_exit(__u64 *ctx)
{
	return leave(ctx, CAST);
}

SEC("tp_btf/sys_enter")
int profile_enter_typed(__u64 *ctx)
{
	return enter(ctx, TYPED);
}

SEC("tp_btf/sys_exit")
int profile_exit_typed(__u64 *ctx)
{
	return leave(ctx, TYPED);
}

SEC("tp_btf/sys_enter")
int profile_enter_helped(__u64 *ctx)
{
	return enter(ctx, BY_HELPER);
}

SEC("tp_btf/sys_exit")
int profile_exit_helped(__u64 *ctx)
{
	return leave(ctx, BY_HELPER);
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

	if (!is_watched(tgid))
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
	meet((__u64)BPF_CORE_READ(request, file), &flight.key.file, WAY_RING);
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

	if (tgid != new && is_watched(tgid))
		watch(new);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int profile_task_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = BPF_CORE_READ(task, pid), tgid = BPF_CORE_READ(task, tgid);

	if (!is_watched(tgid))
		return 0;
	__sync_fetch_and_add(&ended_read, BPF_CORE_READ(task, ioac.read_bytes));
	__sync_fetch_and_add(&ended_written, BPF_CORE_READ(task, ioac.write_bytes));
	thread_remove((__u64)tgid << 32 | tid);
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		unwatch(tgid);
	return 0;
}
