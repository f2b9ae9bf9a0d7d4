/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that count asynchronous I/O share with their reader. */
#ifndef TRACE_AIO_H
#define TRACE_AIO_H

#include <linux/types.h>

/* In use at a time; the ones unused for longest give way. */
enum { AIO_PROCESSES_MAX = 4096, AIO_RINGS_MAX = 8192 };

enum aio_kind { AIO_LIBAIO, AIO_URING, AIO_KINDS };

struct aio_process {
	__u64 start_ns; /* since boot: with its number its identity */
	__u32 tgid;
	__u32 pad;
};

struct aio_counts {
	__u64 submitted[AIO_KINDS], completed[AIO_KINDS];
};

#endif
