/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Those fields of the kernel's structures that the BPF programs read. Offsets
 * are put right at load time from the running kernel's BTF (CO-RE); what one
 * kernel lacks is asked for with bpf_core_field_exists.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major, first_minor;
	char disk_name[32];
	__u64 diskseq; /* since 5.15 */
	const struct block_device_operations *fops;
};

struct bio;

/* submit_bio: the disk takes bios as they are and makes no requests of them. */
struct block_device_operations {
	void (*submit_bio)(struct bio *bio);
};

struct block_device {
	struct gendisk *bd_disk;
};

struct bvec_iter {
	unsigned int bi_size;
};

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	__u8 bi_status;
	struct bvec_iter bi_iter;
};

enum req_flag_bits {
	__REQ_PREFLUSH = 18 /* as a name: its number is the running kernel's */
};

struct bio_list;

struct request_queue {
	struct gendisk *disk; /* since 5.15 */
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags, rq_flags;
	unsigned int __data_len;
	__u64 start_time_ns;
};

/* until 5.16 */
struct request___rq_disk {
	struct gendisk *rq_disk;
};

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw;
	__u64 read_bytes, write_bytes, cancelled_write_bytes;
};

struct task_delay_info {
	__u64 swapin_start; /* since 5.16; until then a wait is either for swap or for other I/O */
	__u64 blkio_delay, swapin_delay;
};

struct signal_struct {
	struct {
		int counter;
	} live; /* threads that have not begun to exit */
	int nr_threads;
	__u64 cutime, cstime;
	unsigned long maj_flt, cmin_flt, cmaj_flt;
	struct task_io_accounting ioac;
};

struct cred {
	struct {
		unsigned int val;
	} euid;
};

struct sched_info {
	__u64 last_arrival; /* on a CPU, on the scheduler's clock */
};

struct task_struct {
	unsigned int __state; /* since 5.14 */
	int on_cpu;
	struct sched_info sched_info;
	unsigned int flags;
	int pid, tgid, exit_state;
	struct task_struct *group_leader, *real_parent;
	const struct cred *cred;
	struct signal_struct *signal;
	__u64 start_boottime; /* since 5.5 */
	unsigned long maj_flt, nvcsw;
	struct bio_list *bio_list; /* of a call to submit that is under way */
	struct task_delay_info *delays;
	struct task_io_accounting ioac;
	struct files_struct *files;
	char comm[16];
};

/* until 5.13 */
struct task_struct___state_long {
	long state;
};

/* What a thread of the kernel is: of a workqueue's. Since 5.17 */
struct task_struct___worker {
	void *worker_private; /* struct kthread */
};

struct kthread {
	void *data; /* of a workqueue's: struct worker */
};

struct worker {
	char desc[32];
};

struct io_ring_ctx;

struct file;

struct io_kiocb {
	struct file *file;
	__u8 opcode;
	struct io_ring_ctx *ctx;
};

/* What a request of io_uring ended with. */
struct io_uring_cqe {
	int res;
};

/* ---- files and their names */

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct {
		void **pprev; /* NULL: unlinked */
	} d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	const void *f_op;
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

/* Its first member is a number of 64 bits, wherever the pointer to it comes from. */
struct timespec64 {
	__s64 tv_sec;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id, seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* since 6.7 */
struct bpf_iter_task {
	__u64 opaque[3];
} __attribute__((aligned(8)));

/* The registers of a system call, as each kind of machine has them. */
struct pt_regs;

struct pt_regs___x86 {
	unsigned long di, si, dx, r10, r8, r9, orig_ax, cs;
};

struct pt_regs___arm64 {
	__u64 regs[31], orig_x0, pstate;
	int syscallno;
};

#pragma clang attribute pop

/* What a program may do that reads the kernel's structures. */
enum reading {
	BY_HELPER,
	TYPED, /* loads by pointers of known types, the current task's among them; since 5.11 */
	CAST   /* and by any pointer, cast to its type; since 6.2 */
};

/*
 * A field of a structure. direct: the kernel knows the pointer's type and checks the load
 * itself, which costs a tenth of calling a helper for it. Known when it is compiled.
 */
#define LOAD(direct, pointer, field) \
	((direct) ? (pointer)->field : BPF_CORE_READ(pointer, field))

extern void *bpf_rdonly_cast(void *address, __u32 type) __ksym __weak;

#define AS(type, address) \
	((type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(type)))

/* The number of the system call that these registers are of; -1: another kind of machine. */
static __always_inline long syscall_number(struct pt_regs *regs)
{
	struct pt_regs___x86 *x86 = (void *)regs;
	struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(x86->orig_ax))
		return (long)BPF_CORE_READ(x86, orig_ax);
	if (bpf_core_field_exists(arm64->syscallno))
		return BPF_CORE_READ(arm64, syscallno);
	return -1;
}

/* Its n-th argument, from 0; also after it has returned, but for the first one on arm64. */
static __always_inline unsigned long syscall_argument(struct pt_regs *regs, int n, bool direct)
{
	struct pt_regs___x86 *x86 = (void *)regs;
	struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(arm64->syscallno))
		return n ? LOAD(direct, arm64, regs[n]) : LOAD(direct, arm64, orig_x0);
	switch (n) {
	case 0:
		return LOAD(direct, x86, di);
	case 1:
		return LOAD(direct, x86, si);
	case 2:
		return LOAD(direct, x86, dx);
	case 3:
		return LOAD(direct, x86, r10);
	default:
		return LOAD(direct, x86, r8);
	}
}

/* Made by a 32-bit program, whose calls have other numbers. */
static __always_inline bool syscall_is_narrow(struct pt_regs *regs, bool direct)
{
	enum { X86_USER32_CS = 0x23, ARM64_MODE32 = 0x10 };
	struct pt_regs___x86 *x86 = (void *)regs;
	struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(x86->cs))
		return (LOAD(direct, x86, cs) & 0xffff) == X86_USER32_CS;
	return bpf_core_field_exists(arm64->pstate) && (LOAD(direct, arm64, pstate) & ARM64_MODE32);
}

#endif
