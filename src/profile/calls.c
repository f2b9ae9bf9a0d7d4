/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls: their names, and what they do to a file. */
#include "iotriage/profile_calls.h"
#include "iotriage/profile.h"

#include <sys/syscall.h>

enum { READS = 1, WRITES = 2, FLUSHES = 4 };

/* Some calls a kind of machine does not have. */
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_creat
#define SYS_creat (-1)
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static const struct {
	const char *name;
	int effect;
	struct profile_call_rule rule;
} calls[PROFILE_CALLS] = {
	[PROFILE_READ] = {"read", READS, {SYS_read, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PREAD64] = {"pread64", READS, {SYS_pread64, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_READV] = {"readv", READS, {SYS_readv, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PREADV] = {"preadv", READS, {SYS_preadv, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PREADV2] = {"preadv2", READS, {SYS_preadv2, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_WRITE] = {"write", WRITES, {SYS_write, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PWRITE64] = {"pwrite64", WRITES, {SYS_pwrite64, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_WRITEV] = {"writev", WRITES, {SYS_writev, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PWRITEV] = {"pwritev", WRITES, {SYS_pwritev, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_PWRITEV2] = {"pwritev2", WRITES, {SYS_pwritev2, PROFILE_RETURNS_BYTES, 0}},
	[PROFILE_FSYNC] = {"fsync", FLUSHES, {SYS_fsync, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_FDATASYNC] = {"fdatasync", FLUSHES, {SYS_fdatasync, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_SYNC_FILE_RANGE] = {"sync_file_range", FLUSHES,
				     {SYS_sync_file_range, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_MSYNC] = {"msync", FLUSHES, {SYS_msync, PROFILE_RETURNS_STATUS, -1}},
	[PROFILE_OPEN] = {"open", 0, {SYS_open, PROFILE_RETURNS_DESCRIPTOR, -1}},
	[PROFILE_OPENAT] = {"openat", 0, {SYS_openat, PROFILE_RETURNS_DESCRIPTOR, -1}},
	[PROFILE_OPENAT2] = {"openat2", 0, {SYS_openat2, PROFILE_RETURNS_DESCRIPTOR, -1}},
	[PROFILE_CREAT] = {"creat", 0, {SYS_creat, PROFILE_RETURNS_DESCRIPTOR, -1}},
	[PROFILE_CLOSE] = {"close", 0, {SYS_close, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_LSEEK] = {"lseek", 0, {SYS_lseek, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_FALLOCATE] = {"fallocate", 0, {SYS_fallocate, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_FTRUNCATE] = {"ftruncate", 0, {SYS_ftruncate, PROFILE_RETURNS_STATUS, 0}},
	[PROFILE_TRUNCATE] = {"truncate", 0, {SYS_truncate, PROFILE_RETURNS_STATUS, -1}},
	[PROFILE_SUBMIT_READ] = {"io_submit:read", READS, {-1, 0, 0}},
	[PROFILE_SUBMIT_WRITE] = {"io_submit:write", WRITES, {-1, 0, 0}},
	[PROFILE_SUBMIT_FSYNC] = {"io_submit:fsync", FLUSHES, {-1, 0, 0}},
	[PROFILE_URING_READ] = {"io_uring:read", READS, {-1, 0, 0}},
	[PROFILE_URING_WRITE] = {"io_uring:write", WRITES, {-1, 0, 0}},
	[PROFILE_URING_FSYNC] = {"io_uring:fsync", FLUSHES, {-1, 0, 0}},
	[PROFILE_URING_OTHER] = {"io_uring:other", 0, {-1, 0, 0}},
};

const char *profile_call_name(enum profile_call call)
{
	return calls[call].name;
}

const struct profile_call_rule *profile_call_rule(enum profile_call call)
{
	return &calls[call].rule;
}

bool profile_call_reads(enum profile_call call)
{
	return calls[call].effect == READS;
}

bool profile_call_writes(enum profile_call call)
{
	return calls[call].effect == WRITES;
}

bool profile_call_flushes(enum profile_call call)
{
	return calls[call].effect == FLUSHES;
}
