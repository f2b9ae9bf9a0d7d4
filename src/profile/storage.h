/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage I/O of a process's threads, as /proc counts it. */
#ifndef PROFILE_STORAGE_H
#define PROFILE_STORAGE_H

#include "iotriage/profile.h"

#include <sys/types.h>

/*
 * Adds read_bytes and write_bytes of all its present threads. Where one cannot be
 * read for another reason than that it has ended, known becomes false.
 */
void profile_storage_add(struct profile_storage *storage, pid_t pid);

#endif
