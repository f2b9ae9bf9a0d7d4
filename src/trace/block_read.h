/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the times that the programs of requests and of bios add up. */
#ifndef TRACE_BLOCK_READ_H
#define TRACE_BLOCK_READ_H

#include "block.h"
#include "iotriage/snapshot.h"

enum { BLOCK_KEPT_READINGS = 600 };

/* Room for one value of the map: each CPU's. */
struct block_cpus {
	int n;
	struct block_times *cpu;
};

/* False without memory. */
bool block_cpus_open(struct block_cpus *cpus);
void block_cpus_close(struct block_cpus *cpus); /* also one that is all 0 */

/* The disk's sample, made where there is none yet; NULL without memory. */
struct latency_sample *block_sample_of(struct latency_snapshot *latency, uint64_t disk);

/* What did not change since that generation is let go from a map. */
bool block_is_idle(uint64_t last, uint64_t ended);

/*
 * Adds what is in a map of struct block_times to the samples of its disks. ended: the
 * generation whose extremes are wanted. 0 or -ENOMEM.
 */
int block_read_times(const struct block_cpus *cpus, int map, uint64_t ended,
                     struct latency_snapshot *latency);

#endif
