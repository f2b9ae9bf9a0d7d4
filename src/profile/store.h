/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a table keeps for itself. For src/profile/ only. */
#ifndef PROFILE_STORE_H
#define PROFILE_STORE_H

#include "iotriage/profile.h"
#include "iotriage/sort.h"

#include <errno.h>

struct profile_store {
	void **cell, **scratch; /* pointers to the snapshot's cells, and room to sort them */
	size_t ncell;
	struct profile_row *row;
	char (*name)[64]; /* of rows and */
	char (*flush_name)[64]; /* of flushes whose name is not the snapshot's */
};

void profile_amount_add(struct profile_amount *sum, const struct profile_amount *more);

/* Fills the table's flushes; the store's cells are sorted anew. 0 or -ENOMEM. */
int profile_flushes_build(struct profile_table *table, const struct profile_snapshot *snapshot);

/* A number with commas: "3,666". */
void profile_print_count(char buf[32], __u64 n);

#endif
