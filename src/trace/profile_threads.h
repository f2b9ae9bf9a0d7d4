/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For profile.bpf.c: the watched threads, and what each of them added up by itself, which
 * needs no look-up and no atomic operation while its calls go to the same few files.
 */
#ifndef TRACE_PROFILE_THREADS_H
#define TRACE_PROFILE_THREADS_H

#include "profile_amounts.h"

/* How many targets there are by number: 0 tells of most others that they are none. */
__u32 watched[PROFILE_WATCHED];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_TARGETS_MAX);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* Found without a look-up. Whose a slot is: the first's to enter it into the owners. */
struct profile_thread slots[PROFILE_SLOTS];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_SLOTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} owners SEC(".maps");

/* The threads whose slot is another's, and how many there ever were. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_THREADS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct profile_thread);
} others SEC(".maps");

__u64 crowded;

/* ---- whose calls count */

static __always_inline void watch(__u32 tgid)
{
	__u8 yes = 1;

	if (bpf_map_update_elem(&targets, &tgid, &yes, BPF_NOEXIST) == 0)
		__sync_fetch_and_add(&watched[tgid % PROFILE_WATCHED], 1);
}

static __always_inline void unwatch(__u32 tgid)
{
	if (bpf_map_delete_elem(&targets, &tgid) == 0)
		__sync_fetch_and_add(&watched[tgid % PROFILE_WATCHED], -1);
}

static __always_inline bool is_watched(__u32 tgid)
{
	return watched[tgid % PROFILE_WATCHED] && bpf_map_lookup_elem(&targets, &tgid);
}

/* ---- their threads */

static __always_inline struct profile_thread *thread_find(__u64 id)
{
	struct profile_thread *thread = &slots[(__u32)id % PROFILE_SLOTS];

	if (thread->id == id)
		return thread;
	return crowded ? bpf_map_lookup_elem(&others, &id) : NULL;
}

static __noinline struct profile_thread *thread_add(__u64 id)
{
	static const struct profile_thread nothing;
	__u32 slot = (__u32)id % PROFILE_SLOTS, tgid = id >> 32;
	struct profile_thread *mine = &slots[(__u32)id % PROFILE_SLOTS], *thread;

	if (!bpf_map_lookup_elem(&targets, &tgid))
		return NULL;
	if (bpf_map_update_elem(&owners, &slot, &id, BPF_NOEXIST) == 0) {
		mine->id = id;
		return mine;
	}
	bpf_map_update_elem(&others, &id, &nothing, BPF_NOEXIST);
	thread = bpf_map_lookup_elem(&others, &id);
	if (!thread) {
		LOSE(threads);
		return NULL;
	}
	__sync_fetch_and_add(&crowded, 1);
	return thread;
}

/* ---- their sums */

static __noinline void sum_flush(struct profile_sum *sum)
{
	const struct profile_amount *more = &sum->amount;
	struct profile_amount *cell = more->count ? cell_of(&sum->key) : NULL;

	if (cell) {
		__sync_fetch_and_add(&cell->count, more->count);
		__sync_fetch_and_add(&cell->ns, more->ns);
		__sync_fetch_and_add(&cell->bytes, more->bytes);
		__sync_fetch_and_add(&cell->pages, more->pages);
		__sync_fetch_and_add(&cell->errors, more->errors);
	}
	__builtin_memset(&sum->amount, 0, sizeof(sum->amount));
}

static __always_inline bool same_key(const struct profile_key *a, const struct profile_key *b)
{
	return a->file.ino == b->file.ino && a->file.dev == b->file.dev &&
	       a->file.mark == b->file.mark && a->call == b->call && a->tgid == b->tgid;
}

static __always_inline struct profile_sum *sum_of(struct profile_thread *thread,
						  const struct profile_key *key)
{
	thread->at = (key->file.ino + key->file.mark + key->call) % PROFILE_SUMS;
	return &thread->sum[thread->at];
}

/* It is the file of the thread's last call, whose identity need not be read again. */
static __always_inline bool is_last(const struct profile_thread *thread,
				    const struct profile_file *last, struct opened it,
				    enum reading how)
{
	struct inode *inode = it.inode;

	return last->ino && (__u64)inode == thread->inode && (__u64)it.super == thread->super &&
	       LOAD(how == CAST, inode, i_ino) == last->ino &&
	       LOAD(how == CAST, inode, i_generation) == last->mark;
}

static __always_inline __u8 thread_identify(struct profile_thread *thread, __u64 file,
					    struct profile_file *ret, enum reading how)
{
	const struct profile_file *last = &thread->sum[thread->at % PROFILE_SUMS].key.file;
	struct opened it = opened_at(file, how);

	if (is_last(thread, last, it, how)) {
		*ret = *last;
		return PROFILE_FILE;
	}
	thread->inode = (__u64)it.inode;
	thread->super = (__u64)it.super;
	return identify(it, ret, how);
}

/*
 * The thread's next call goes to this sum: of this file, by the address of its struct
 * file; 0: none. A file's name is taken when its sum begins.
 */
static __always_inline void sum_choose(struct profile_thread *thread, __u64 file, __u32 call,
				       __u32 way, enum reading how)
{
	struct profile_key key = {.file = {.mark = PROFILE_NO_FILE}, .tgid = thread->id >> 32,
				  .call = call};
	__u8 kind = file ? thread_identify(thread, file, &key.file, how) : PROFILE_FILE;
	struct profile_sum *sum = sum_of(thread, &key);

	if (same_key(&sum->key, &key))
		return;
	if (file && !is_named(file, &key.file, kind, way)) {
		key.file = (struct profile_file){.mark = PROFILE_OTHER};
		sum = sum_of(thread, &key);
		if (same_key(&sum->key, &key))
			return;
	}
	sum_flush(sum);
	sum->key = key;
}

static __always_inline void sum_add(struct profile_sum *sum, __u64 ns, long result, bool bytes)
{
	sum->amount.count++;
	sum->amount.ns += ns;
	if (result < 0) {
		sum->amount.errors++;
	} else if (bytes) {
		sum->amount.bytes += result;
		sum->amount.pages += whole_pages(result);
	}
}

static __always_inline void thread_remove(__u64 id)
{
	__u32 slot = (__u32)id % PROFILE_SLOTS;
	struct profile_thread *thread = thread_find(id);

	if (!thread)
		return;
	for (int i = 0; i < PROFILE_SUMS; i++)
		sum_flush(&thread->sum[i]);
	thread->kind = PROFILE_NONE;
	thread->inode = 0;
	if (thread == &slots[slot]) {
		thread->id = 0;
		bpf_map_delete_elem(&owners, &slot);
	} else {
		bpf_map_delete_elem(&others, &id);
	}
}

#endif
