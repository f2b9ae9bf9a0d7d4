/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler: asks each source for its part of a snapshot. No arithmetic.
 */
#ifndef IOTRIAGE_SAMPLE_SAMPLER_H
#define IOTRIAGE_SAMPLE_SAMPLER_H

#include "iotriage/snapshot.h"

enum sampler_needs {
	NEED_TASKS = 1 << 0,  /* walk the tasks */
	NEED_SYSTEM = 1 << 1, /* stat, vmstat, meminfo, pressure */
	NEED_SLABS = 1 << 2,  /* slabinfo, every 5 s: reading it takes a global lock */
	NEED_UIDS = 1 << 3    /* each task's user */
};

struct sampler_setup {
	const char *procfs; /* NULL: /proc */
	const char *sysfs;  /* NULL: /sys, or the story's own */
	unsigned needs;     /* enum sampler_needs; devices and aio-nr come always */
};

struct sampler;

/* 0 or -errno; -ENOENT or -ENOTDIR: no /proc there. */
int sampler_open(struct sampler **ret, const struct sampler_setup *setup);

/*
 * Takes NULL. false: some worker still reads; all it uses stays till the process
 * ends, a source of tasks too.
 */
bool sampler_close(struct sampler *sampler);

/*
 * Reads everything but the tasks into *snapshot, whose memory is used again,
 * and starts the walk over them. 0, -ENODATA at a story's end, or -errno.
 */
int sampler_tick(struct sampler *sampler, struct snapshot *snapshot);

/*
 * Waits at most so long for the walk, looking after its worker. True: *tasks is
 * the result, swapped with the memory it had. False: it is late, and comes with
 * a later call. A story waits as long as it takes.
 */
bool sampler_tasks(struct sampler *sampler, struct task_snapshot *tasks, int timeout_ms);

/* Readable when a late walk has ended; -1 without NEED_TASKS. */
int sampler_fd(const struct sampler *sampler);

/* Where else to know of all tasks; before the first tick. See tasks_use. */
void sampler_use_tasks(struct sampler *sampler, int (*source)(void *data, struct task_snapshot *tasks),
                       void *data);

/* slabinfo at every tick, while somebody looks at it. */
void sampler_watch_slabs(struct sampler *sampler, bool watch);

/* Threads of every process that has several, from the next walk on; else of active ones. */
void sampler_all_threads(struct sampler *sampler, bool all);

/* The path of the proc root, of a story its present step's. */
const char *sampler_proc_path(const struct sampler *sampler);

bool sampler_is_story(const struct sampler *sampler);
bool sampler_is_native(const struct sampler *sampler); /* the root is this machine's /proc */
unsigned sampler_steps(const struct sampler *sampler); /* of a story; 0 live */
const char *sampler_host(const struct sampler *sampler);

void snapshot_release(struct snapshot *snapshot);

#endif
