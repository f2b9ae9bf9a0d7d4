// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file which call of some processes went to, and how long it took, added up
 * in the kernel. A file is known by its inode, never by its descriptor, and its
 * path is taken when it is first seen.
 */
#include "kernel.h"
#include "profile.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading: events are wanted; io_uring_complete has its result in an entry. */
const volatile bool save, result_in_entry;

struct profile_losses losses;
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_CELLS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct profile_key);
	__type(value, struct profile_amount);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_FILES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct profile_file);
	__type(value, struct profile_name);
} names SEC(".maps");

/* A request under way: an iocb of a process, or the address of io_uring's. */
struct flight_key {
	__u64 address;
	__u64 tgid; /* 0: io_uring's */
};

struct flight {
	struct profile_key key;
	__u64 start_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PROFILE_FLIGHT_MAX);
	__type(key, struct flight_key);
	__type(value, struct flight);
} flights SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PROFILE_EVENT_BYTES);
} events SEC(".maps");

/* Room to work in, too large for the stack: each program's own. */
enum { WAY_ENTER, WAY_EXIT, WAY_RING, WAYS };

#define LOSE(what) __sync_fetch_and_add(&losses.what, 1)

/* ---- files */

enum { ANONYMOUS_MAGIC = 0x09041934, PIPE_MAGIC = 0x50495045, TYPE_MASK = 0170000,
       TYPE_SOCKET = 0140000 };

static __always_inline struct file *file_of(long descriptor)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **all, *file = NULL;

	if (!table || descriptor < 0 || (__u64)descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;
	all = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), &all[descriptor]);
	return file;
}

static __always_inline __u8 identify(struct file *file, struct profile_file *ret)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	struct super_block *super = BPF_CORE_READ(inode, i_sb);
	unsigned long magic = BPF_CORE_READ(super, s_magic);

	ret->dev = BPF_CORE_READ(super, s_dev);
	ret->ino = 0;
	ret->mark = 0;
	if ((BPF_CORE_READ(inode, i_mode) & TYPE_MASK) == TYPE_SOCKET)
		return PROFILE_SOCKET;
	if (magic == PIPE_MAGIC)
		return PROFILE_PIPE;
	if (magic == ANONYMOUS_MAGIC) {
		/* they share an inode: what it is shows in its operations */
		ret->mark = (__u32)((__u64)BPF_CORE_READ(file, f_op) >> 3);
		return PROFILE_ANONYMOUS;
	}
	ret->ino = BPF_CORE_READ(inode, i_ino);
	ret->mark = BPF_CORE_READ(inode, i_generation);
	return PROFILE_FILE;
}

static __always_inline struct mount *mount_of(struct vfsmount *inner)
{
	__u64 offset = __builtin_preserve_field_info(((struct mount *)0)->mnt, BPF_FIELD_BYTE_OFFSET);

	return (void *)((char *)inner - offset);
}

/* On the way up from a file, over mount points, to the root of its mount namespace. */
struct way {
	struct profile_name name;
	__u64 entry, mount;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WAYS);
	__type(key, __u32);
	__type(value, struct way);
} ways SEC(".maps");

/*
 * 1: it went on. Not static, as all that is called in a loop here: the kernel then
 * checks it once and not in every round.
 */
__noinline int go_up(__u32 which)
{
	struct way *way = bpf_map_lookup_elem(&ways, &which);
	if (!way)
		return 0;
	struct dentry *entry = (void *)way->entry, *parent = BPF_CORE_READ(entry, d_parent);
	struct mount *mount = (void *)way->mount, *above = BPF_CORE_READ(mount, mnt_parent);
	__u32 at = way->name.length;

	if (entry == BPF_CORE_READ(mount, mnt.mnt_root)) {
		way->name.rooted = above == mount;
		way->entry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
		way->mount = (__u64)above;
		return above != mount;
	}
	if (at >= PROFILE_PATH_MAX)
		return 0;
	long n = bpf_probe_read_kernel_str(&way->name.text[at], PROFILE_PART_MAX,
					   BPF_CORE_READ(entry, d_name.name));
	if (n <= 0)
		return 0;
	way->name.length = at + n;
	way->entry = (__u64)parent;
	way->name.cut = parent != entry; /* else it is outside of all folders */
	return parent != entry;
}

__noinline int name_file(__u64 address, const struct profile_file *id, __u32 kind, __u32 which)
{
	struct file *file = (void *)address;
	struct way *way = bpf_map_lookup_elem(&ways, &which);

	if (!way || !file || !id)
		return 0;
	struct dentry *entry = BPF_CORE_READ(file, f_path.dentry);
	way->entry = (__u64)entry;
	way->mount = (__u64)mount_of(BPF_CORE_READ(file, f_path.mnt));
	way->name.kind = kind;
	way->name.length = way->name.cut = way->name.rooted = 0;
	way->name.deleted = !BPF_CORE_READ(entry, d_hash.pprev);
	for (int i = 0; i < PROFILE_PARTS_MAX && go_up(which); i++)
		;
	if (bpf_map_update_elem(&names, id, &way->name, BPF_ANY) < 0)
		LOSE(names);
	return 0;
}

/*
 * The file's identity; its name is taken where it is not known yet. What *id held
 * before is known.
 */
static __always_inline void meet(struct file *file, struct profile_file *id, __u32 which)
{
	struct profile_file before = *id;

	*id = (struct profile_file){.mark = PROFILE_NO_FILE};
	if (!file)
		return;
	__u8 kind = identify(file, id);
	if (id->ino == before.ino && id->dev == before.dev && id->mark == before.mark)
		return;
	if (!bpf_map_lookup_elem(&names, id))
		name_file((__u64)file, id, kind, which);
}

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
	LOSE(cells);
	return bpf_map_lookup_elem(&cells, &other);
}

static __always_inline void add_bytes(struct profile_amount *cell, __u64 bytes)
{
	__sync_fetch_and_add(&cell->bytes, bytes);
	__sync_fetch_and_add(&cell->pages, (bytes + PROFILE_PAGE - 1) & ~(PROFILE_PAGE - 1ULL));
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

/* A call or request that ended. */
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

/* ---- libaio */

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

/* The request at this place of a list; 0 where there is none that is counted. */
static __always_inline __u64 read_request(__u64 list, __u32 i, struct iocb *one)
{
	__u64 address = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)(list + 8ULL * i)) < 0 ||
	    bpf_probe_read_user(one, sizeof(*one), (void *)address) < 0) {
		LOSE(requests);
		return 0;
	}
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
	call = key.address ? request_call(one.opcode) : -1;
	if (call < 0)
		return 0;
	flight.key.tgid = tgid;
	flight.key.call = call;
	meet(file_of((int)one.descriptor), &flight.key.file, WAY_ENTER);
	cell = cell_of(&flight.key);
	if (!cell)
		return 0;
	__sync_fetch_and_add(&cell->count, 1);
	if (one.opcode == CMD_READ || one.opcode == CMD_WRITE)
		add_bytes(cell, one.bytes);
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
	flight = bpf_map_lookup_elem(&flights, &key);
	cell = flight ? bpf_map_lookup_elem(&cells, &flight->key) : NULL;
	if (cell) {
		__sync_fetch_and_add(&cell->count, -1);
		if (one.opcode == CMD_READ || one.opcode == CMD_WRITE)
			add_bytes(cell, -one.bytes);
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
	}
	tell(&flight.key, now, now - flight.start_ns, event.result);
	return 0;
}

static __always_inline void submit(struct pt_regs *regs, __u32 tgid, __u64 now)
{
	__u64 n = syscall_argument(regs, 1), list = syscall_argument(regs, 2);

	for (__u32 i = 0; i < PROFILE_BATCH_MAX && i < n; i++)
		submit_one(list, i, tgid, now);
	if (n > PROFILE_BATCH_MAX)
		__sync_fetch_and_add(&losses.requests, n - PROFILE_BATCH_MAX);
}

static __always_inline void submitted(struct pt_regs *regs, __u32 tgid, long accepted)
{
	__u64 n = syscall_argument(regs, 1), list = syscall_argument(regs, 2);

	for (__u32 i = 0; i < PROFILE_BATCH_MAX && i < n; i++)
		if ((long)i >= accepted)
			refuse_one(list, i, tgid);
}

static __always_inline void got(struct pt_regs *regs, __u32 tgid, long n)
{
	__u64 list = syscall_argument(regs, 3), now = bpf_ktime_get_ns();

	for (__u32 i = 0; i < 2 * PROFILE_BATCH_MAX && (long)i < n; i++)
		get_one(list, i, tgid, now);
}

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
