/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often /proc/slabinfo is read, and how far its AIO lines can be trusted. */
#ifndef IOTRIAGE_SAMPLE_SLAB_H
#define IOTRIAGE_SAMPLE_SLAB_H

#include "iotriage/snapshot.h"
#include "root.h"

/* Zero-initialised; released by slabs_release. */
struct slabs {
	struct bytes bytes;
	struct aio_snapshot last; /* the slab counts of the last reading */
	bool have_last;
	bool watched;    /* somebody looks: read at every tick */
	int64_t read_ns; /* when last read */
	int64_t cost_ns; /* what that took */
};

/* Sets the three slab counts in *aio. Reads anew only when it is due. */
void slabs_read(struct slabs *slabs, const struct root *root, struct aio_snapshot *aio);

void slabs_release(struct slabs *slabs);

#endif
