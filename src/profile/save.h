/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --save: a row for each call. */
#ifndef PROFILE_SAVE_H
#define PROFILE_SAVE_H

#include "iotriage/profile.h"
#include "output/writer.h"
#include "trace/profile_load.h"

struct profile_save;

/* Opens the file and writes the heading. 0 or -errno. */
int profile_save_open(struct profile_save **ret, const char *path, int stop_fd);

/* Writes the calls since the last time. 0 or -errno. */
int profile_save_events(struct profile_save *save, struct profile_trace *trace);

/* Takes NULL. */
void profile_save_close(struct profile_save *save);

#endif
