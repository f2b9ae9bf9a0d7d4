/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a reading of iotriage profile. */
#ifndef TRACE_PROFILE_SNAPSHOT_H
#define TRACE_PROFILE_SNAPSHOT_H

#include "iotriage/profile.h"

/* Each 0 or -ENOMEM. The text is copied. */
int profile_snapshot_cell(struct profile_snapshot *snapshot, const struct profile_key *key,
			  const struct profile_amount *amount);
int profile_snapshot_path(struct profile_snapshot *snapshot, const struct profile_file *file,
			  bool stored, const char *text);

/* Paths are looked up after this. */
void profile_snapshot_sort(struct profile_snapshot *snapshot);

void profile_snapshot_release(struct profile_snapshot *snapshot);

#endif
