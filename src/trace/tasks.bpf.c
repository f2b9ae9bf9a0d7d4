// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * I/O accounts of the threads that ran since the last pass, and the last ones of
 * threads that exit. Neither pass takes any of the locks that make /proc/PID hang.
 *
 * A task that did not run did no I/O. When it last came on a CPU is on the
 * scheduler's clock, so the reader's own last arrival is what it is compared with.
 */
#include "kernel.h"
#include "tasks.h"

char LICENSE[] SEC("license") = "GPL";

enum { TASK_EXITING = 4, TASK_KTHREAD = 0x00200000, EXITS_BYTES = 1 << 20, RUNNING_MAX = 4096 };

/* Clocks of two CPUs may differ by as much. */
static const __u64 slack_ns = 10000000;

/* Set by the reader before a pass: list all; and since when (the reader's arrival then). */
__u64 list_all = 1, since_ns;
/* Set when a pass begins: the reader's arrival. */
__u64 begun_ns;

/* What task_ran found, and by when; and whether there was no room for some of it. */
char ran[RAN_ROOM] __attribute__((aligned(8)));
__u64 ran_bytes, ran_more, ran_ns;

/* Exits for which there was no room. */
__u64 exits_lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EXITS_BYTES);
} exits SEC(".maps");

/*
 * Tasks that were on a CPU when a pass came by: they went on. Few are, so nearly all
 * others are told by a bit that is not set.
 */
__u64 running_bits[RUNNING_WORDS];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RUNNING_MAX);
	__type(key, __u64);
	__type(value, __u8);
} running SEC(".maps");

/* There was no room for one of them. */
__u64 running_lost;

volatile __u64 address;

static __always_inline bool knows_arrivals(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.last_arrival) &&
	       bpf_core_field_exists(task->on_cpu);
}

static __always_inline void begin_pass(void)
{
	struct task_struct *reader = (void *)bpf_get_current_task();

	if (knows_arrivals(reader))
		begun_ns = BPF_CORE_READ(reader, sched_info.last_arrival);
}

/* It was on a CPU at the last pass, or is now. */
static __always_inline bool went_on(struct task_struct *task)
{
	/* with a pointer no program may reckon, until it comes back as a number */
	address = (__u64)task;
	__u64 key = address, hash = key * 0x9E3779B97F4A7C15 >> 32, bit = 1ULL << (hash & 63);
	__u64 *word = &running_bits[(hash >> 6) % RUNNING_WORDS];
	__u8 yes = 1;

	if (task->on_cpu) {
		if (bpf_map_update_elem(&running, &key, &yes, BPF_ANY) != 0)
			running_lost = 1;
		*word |= bit;
		return true;
	}
	return (*word & bit) && bpf_map_delete_elem(&running, &key) == 0;
}

static __always_inline bool may_have_changed(struct task_struct *task)
{
	if (!knows_arrivals(task))
		return true;
	/* one that has to wait while it exits is there yet */
	return went_on(task) || list_all || (task->flags & TASK_EXITING) ||
	       task->sched_info.last_arrival + slack_ns >= since_ns;
}

static __always_inline __u32 state_of(struct task_struct *task)
{
	struct task_struct___state_long *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (__u32)BPF_CORE_READ(old, state);
}

#define COPY_IO(to, from)                                                                          \
	do {                                                                                       \
		(to)[0] = (from).rchar;                                                            \
		(to)[1] = (from).wchar;                                                            \
		(to)[2] = (from).syscr;                                                            \
		(to)[3] = (from).syscw;                                                            \
		(to)[4] = (from).read_bytes;                                                       \
		(to)[5] = (from).write_bytes;                                                      \
		(to)[6] = (from).cancelled_write_bytes;                                            \
	} while (0)

struct delays {
	__u64 blkio_ns, swapin_ns;
	bool kept;
};

/* As /proc/PID/stat and taskstats say them; a kernel may keep none, a task have begun before. */
static __always_inline struct delays delays_of(struct task_struct *task)
{
	struct delays delays = {0};

	if (!bpf_core_field_exists(task->delays))
		return delays;
	struct task_delay_info *info = BPF_CORE_READ(task, delays);
	delays.kept = info;
	if (!info)
		return delays;
	delays.blkio_ns = BPF_CORE_READ(info, blkio_delay);
	delays.swapin_ns = BPF_CORE_READ(info, swapin_delay);
	if (!bpf_core_field_exists(info->swapin_start))
		delays.blkio_ns += delays.swapin_ns;
	return delays;
}

static __always_inline void describe_leader(struct task_record *record, struct task_struct *task)
{
	struct signal_struct *shared = task->signal;

	record->flags |= RECORD_LEADER;
	record->ppid = task->real_parent->tgid;
	record->uid = task->cred->euid.val;
	COPY_IO(record->shared_io, shared->ioac);
	record->shared_majflt = shared->maj_flt;
	record->reaped = shared->cmin_flt + shared->cmaj_flt + shared->cutime + shared->cstime;
	record->threads = shared->nr_threads;
}

/* Returns the length of the record: what is of a leader only is not there in others. */
static __always_inline __u64 describe(struct task_record *record, struct task_struct *task)
{
	const struct delays delays = delays_of(task);

	COPY_IO(record->io, task->ioac);
	record->start_ns = task->start_boottime;
	record->task = (__u64)task;
	record->majflt = task->maj_flt;
	record->tid = task->pid;
	record->tgid = task->tgid;
	record->ppid = 0;
	record->state = state_of(task);
	record->exit_state = task->exit_state;
	record->flags = task->flags & TASK_KTHREAD ? RECORD_KERNEL : 0;
	record->flags |= delays.kept ? RECORD_DELAYS : 0;
	record->blkio_ns = delays.blkio_ns;
	record->swapin_ns = delays.swapin_ns;
	bpf_core_read(record->comm, sizeof(record->comm), &task->comm);
	if (task->pid != task->tgid)
		return __builtin_offsetof(struct task_record, shared_io);
	describe_leader(record, task);
	return sizeof(*record);
}

/* A pass where the kernel goes from task to task: more than half of what it costs. */
SEC("iter/task")
int task_list(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	if (ctx->meta->seq_num == 0)
		begin_pass();
	if (may_have_changed(task)) {
		struct task_record record = {0};
		bpf_seq_write(ctx->meta->seq, &record, describe(&record, task));
	}
	return 0;
}

/* Calls of the kernel, since 6.7. Where they are not the program is not loaded. */
int bpf_iter_task_new(struct bpf_iter_task *all, struct task_struct *task,
		      unsigned int flags) __ksym __weak;
struct task_struct *bpf_iter_task_next(struct bpf_iter_task *all) __ksym __weak;
void bpf_iter_task_destroy(struct bpf_iter_task *all) __ksym __weak;
void bpf_rcu_read_lock(void) __ksym __weak;
void bpf_rcu_read_unlock(void) __ksym __weak;

enum { ITERATE_THREADS = 1 };

/* The same where it lets a program do that; not in the order of their numbers. */
SEC("syscall")
int task_ran(void *nothing)
{
	struct bpf_iter_task all;
	struct task_struct *task;

	(void)nothing;
	begin_pass();
	ran_bytes = ran_more = 0;
	bpf_rcu_read_lock();
	bpf_iter_task_new(&all, NULL, ITERATE_THREADS);
	while ((task = bpf_iter_task_next(&all))) {
		__u64 at = ran_bytes;
		/* the CPU's own idle task is no task */
		if (task->pid == 0 || !may_have_changed(task))
			continue;
		if (at > RAN_ROOM - sizeof(struct task_record)) {
			ran_more = 1;
			break;
		}
		ran_bytes = at + describe((void *)(ran + at), task);
	}
	bpf_iter_task_destroy(&all);
	bpf_rcu_read_unlock();
	ran_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_process_exit")
int task_exits(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct task_exit *last;

	last = bpf_ringbuf_reserve(&exits, sizeof(*last), 0);
	if (!last) {
		__sync_fetch_and_add(&exits_lost, 1);
		return 0;
	}
	const struct delays delays = delays_of(task);
	last->io[0] = BPF_CORE_READ(task, ioac.rchar);
	last->io[1] = BPF_CORE_READ(task, ioac.wchar);
	last->io[2] = BPF_CORE_READ(task, ioac.syscr);
	last->io[3] = BPF_CORE_READ(task, ioac.syscw);
	last->io[4] = BPF_CORE_READ(task, ioac.read_bytes);
	last->io[5] = BPF_CORE_READ(task, ioac.write_bytes);
	last->io[6] = BPF_CORE_READ(task, ioac.cancelled_write_bytes);
	last->start_ns = BPF_CORE_READ(task, start_boottime);
	last->task = (__u64)task;
	last->leader_start_ns = BPF_CORE_READ(leader, start_boottime);
	last->parent_start_ns = BPF_CORE_READ(leader, real_parent, group_leader, start_boottime);
	last->tid = BPF_CORE_READ(task, pid);
	last->tgid = BPF_CORE_READ(task, tgid);
	last->ppid = BPF_CORE_READ(leader, real_parent, tgid);
	last->uid = BPF_CORE_READ(leader, cred, euid.val);
	last->flags = BPF_CORE_READ(task, signal, live.counter) == 0 ? RECORD_GROUP_DEAD : 0;
	last->flags |= delays.kept ? RECORD_DELAYS : 0;
	last->blkio_ns = delays.blkio_ns;
	last->swapin_ns = delays.swapin_ns;
	last->pad = 0;
	bpf_core_read(last->comm, sizeof(last->comm), &leader->comm);
	bpf_ringbuf_submit(last, 0);
	return 0;
}
