// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests of libaio and io_uring, submitted and completed, by process. libaio has
 * no tracepoints: what its system calls return is counted. A ring is its first
 * submitter's.
 */
#include "kernel.h"
#include "aio.h"

char LICENSE[] SEC("license") = "GPL";

/* The machine's numbers of these calls. */
const volatile long call_submit, call_getevents, call_pgetevents;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, AIO_PROCESSES_MAX);
	__type(key, struct aio_process);
	__type(value, struct aio_counts);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, AIO_RINGS_MAX);
	__type(key, __u64);
	__type(value, struct aio_process);
} rings SEC(".maps");

static __always_inline struct aio_process this_process(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return (struct aio_process){.start_ns = BPF_CORE_READ(task, group_leader, start_boottime),
				    .tgid = bpf_get_current_pid_tgid() >> 32};
}

static __always_inline struct aio_counts *counts_of(const struct aio_process *process)
{
	static const struct aio_counts nothing;
	struct aio_counts *counts = bpf_map_lookup_elem(&processes, process);

	if (counts)
		return counts;
	bpf_map_update_elem(&processes, process, &nothing, BPF_NOEXIST);
	return bpf_map_lookup_elem(&processes, process);
}

SEC("tp_btf/sys_exit")
int aio_call_returns(__u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	long returned = (long)ctx[1], call = syscall_number(regs);

	if (returned <= 0 ||
	    (call != call_submit && call != call_getevents && call != call_pgetevents) ||
	    syscall_is_narrow(regs, false))
		return 0;
	struct aio_process process = this_process();
	struct aio_counts *counts = counts_of(&process);
	if (!counts)
		return 0;
	if (call == call_submit)
		__sync_fetch_and_add(&counts->submitted[AIO_LIBAIO], returned);
	else
		__sync_fetch_and_add(&counts->completed[AIO_LIBAIO], returned);
	return 0;
}

SEC("tp_btf/io_uring_submit_req")
int uring_submitted(__u64 *ctx)
{
	struct io_kiocb *request = (void *)ctx[0];
	__u64 ring = (__u64)BPF_CORE_READ(request, ctx);
	struct aio_process process = this_process();
	struct aio_process *owner = bpf_map_lookup_elem(&rings, &ring);
	struct aio_counts *counts = counts_of(&process);

	if (counts)
		__sync_fetch_and_add(&counts->submitted[AIO_URING], 1);
	/* the address may have been another's ring before */
	if (!owner || owner->tgid != process.tgid || owner->start_ns != process.start_ns)
		bpf_map_update_elem(&rings, &ring, &process, BPF_ANY);
	return 0;
}

SEC("tp_btf/io_uring_complete")
int uring_completed(__u64 *ctx)
{
	__u64 ring = ctx[0];
	struct aio_process *owner = bpf_map_lookup_elem(&rings, &ring);
	struct aio_counts *counts = owner ? bpf_map_lookup_elem(&processes, owner) : NULL;

	if (counts)
		__sync_fetch_and_add(&counts->completed[AIO_URING], 1);
	return 0;
}
