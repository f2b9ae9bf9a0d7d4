/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For profile.bpf.c: which file it is, and its path, taken when it is first seen. */
#ifndef TRACE_PROFILE_NAMES_H
#define TRACE_PROFILE_NAMES_H

#include "kernel.h"
#include "profile.h"

struct profile_losses losses;

#define LOSE(what) __sync_fetch_and_add(&losses.what, 1)

/* No file comes to it any more. */
bool names_full;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROFILE_FILES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct profile_file);
	__type(value, struct profile_name);
} names SEC(".maps");

/* Room to work in, too large for the stack: each program's own. */
enum { WAY_ENTER, WAY_EXIT, WAY_RING, WAYS };

/* ---- files */

enum { ANONYMOUS_MAGIC = 0x09041934, PIPE_MAGIC = 0x50495045, TYPE_MASK = 0170000,
       TYPE_SOCKET = 0140000, TOO_MANY = 7 /* E2BIG */ };

/* The address of its struct file; 0: it is none. */
static __always_inline __u64 file_of(long descriptor, enum reading how)
{
	struct task_struct *task = how >= TYPED ? bpf_get_current_task_btf()
						: (void *)bpf_get_current_task();
	struct files_struct *files = LOAD(how >= TYPED, task, files);
	struct fdtable *table = LOAD(how >= TYPED, files, fdt);
	__u64 file = 0, place;

	if (descriptor < 0 || (__u64)descriptor >= LOAD(how >= TYPED, table, max_fds))
		return 0;
	place = (__u64)LOAD(how >= TYPED, table, fd) + sizeof(file) * descriptor;
	if (how == CAST)
		return AS(struct timespec64, place)->tv_sec;
	bpf_probe_read_kernel(&file, sizeof(file), (void *)place);
	return file;
}

/* An open file, with what its identity is read from. */
struct opened {
	struct file *file;
	struct inode *inode;
	struct super_block *super;
};

static __always_inline struct opened opened_at(__u64 address, enum reading how)
{
	struct file *file = how == CAST ? AS(struct file, address) : (void *)address;
	struct inode *inode = LOAD(how == CAST, file, f_inode);
	struct super_block *super = LOAD(how == CAST, inode, i_sb);

	return (struct opened){file, inode, super};
}

/* Which file it is, and its kind. */
static __always_inline __u8 identify(struct opened it, struct profile_file *ret, enum reading how)
{
	/* not by its fields: those of our own structure are no kernel's */
	struct file *file = it.file;
	struct inode *inode = it.inode;
	struct super_block *super = it.super;
	unsigned long magic = LOAD(how == CAST, super, s_magic);

	ret->dev = LOAD(how == CAST, super, s_dev);
	ret->ino = 0;
	ret->mark = 0;
	if ((LOAD(how == CAST, inode, i_mode) & TYPE_MASK) == TYPE_SOCKET)
		return PROFILE_SOCKET;
	if (magic == PIPE_MAGIC)
		return PROFILE_PIPE;
	if (magic == ANONYMOUS_MAGIC) {
		/* they share an inode: what it is shows in its operations */
		ret->mark = (__u32)((__u64)BPF_CORE_READ(file, f_op) >> 3);
		return PROFILE_ANONYMOUS;
	}
	ret->ino = LOAD(how == CAST, inode, i_ino);
	ret->mark = LOAD(how == CAST, inode, i_generation);
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

/* 1: it has one. */
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
	/* the root of a file system is in no folder either */
	way->name.deleted = !BPF_CORE_READ(entry, d_hash.pprev) && BPF_CORE_READ(entry, d_parent) != entry;
	for (int i = 0; i < PROFILE_PARTS_MAX && go_up(which); i++)
		;
	long error = bpf_map_update_elem(&names, id, &way->name, BPF_ANY);
	if (error == -TOO_MANY)
		names_full = true;
	return error == 0;
}

/* The file's name is known, or now is. */
static __always_inline bool is_named(__u64 file, const struct profile_file *id, __u8 kind,
				     __u32 which)
{
	return bpf_map_lookup_elem(&names, id) ||
	       (!names_full && name_file(file, id, kind, which));
}

/* The file's identity; its name is taken where it is not known yet. */
static __always_inline void meet(__u64 file, struct profile_file *id, __u32 which)
{
	*id = (struct profile_file){.mark = PROFILE_NO_FILE};
	if (!file)
		return;
	__u8 kind = identify(opened_at(file, BY_HELPER), id, BY_HELPER);
	if (!is_named(file, id, kind, which))
		*id = (struct profile_file){.mark = PROFILE_OTHER};
}

#endif
