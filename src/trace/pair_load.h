/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the map that says whose block requests were. */
#ifndef TRACE_PAIR_LOAD_H
#define TRACE_PAIR_LOAD_H

#include "iotriage/snapshot.h"

struct pair_reader;

/* ncpu: of how many CPUs the map has values. NULL without memory. */
struct pair_reader *pair_reader_new(int ncpu);
void pair_reader_free(struct pair_reader *reader); /* takes NULL */

/*
 * All of the map into *pairs. now: the generation that is under way; what had nothing
 * for long before it goes from the map. 0 or -errno.
 */
int pair_reader_read(struct pair_reader *reader, int map, uint64_t now,
                     struct pair_snapshot *pairs);

#endif
