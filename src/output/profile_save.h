/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --save: a row for each call. */
#ifndef OUTPUT_PROFILE_SAVE_H
#define OUTPUT_PROFILE_SAVE_H

#include "iotriage/profile.h"
#include "writer.h"

struct profile_save;

/* The path of a file; NULL: not known. Valid till the next call. */
typedef const char *profile_path_of(void *context, const struct profile_file *file);

/* Opens the file and writes the heading. 0 or -errno. */
int profile_save_open(struct profile_save **ret, const char *path, int stop_fd,
		      profile_path_of *path_of, void *context);

void profile_save_event(void *save, const struct profile_event *event);

/* Writes what has not been written. 0 or -errno: of any of the writes before, too. */
int profile_save_flush(struct profile_save *save);

/* Takes NULL. */
void profile_save_close(struct profile_save *save);

#endif
