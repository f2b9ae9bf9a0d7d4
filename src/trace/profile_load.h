/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of iotriage profile: loading them, whom they watch, what they counted. */
#ifndef TRACE_PROFILE_LOAD_H
#define TRACE_PROFILE_LOAD_H

#include "iotriage/profile.h"
#include "trace.h"

#include <sys/types.h>

struct profile_trace;

/*
 * Loads them; nothing is counted yet. events: each call is told as well. 0 or
 * -errno, and why in one line for people.
 */
int profile_trace_open(struct profile_trace **ret, bool events, char why[TRACE_WHY_MAX]);
void profile_trace_close(struct profile_trace *trace); /* takes NULL */

/* Watches this process, and what it forks from now on. 0 or -errno; -E2BIG: too many. */
int profile_trace_target(struct profile_trace *trace, pid_t pid);

/* Begins to count. As profile_trace_open. */
int profile_trace_start(struct profile_trace *trace, char why[TRACE_WHY_MAX]);
void profile_trace_stop(struct profile_trace *trace);

/* Calls each for every process that is watched and has not ended. How many. */
size_t profile_trace_living(struct profile_trace *trace, void (*each)(void *context, pid_t pid),
			    void *context);

/* Storage I/O of threads that were watched and have ended, since they began; bytes. */
void profile_trace_ended(const struct profile_trace *trace, __u64 *read, __u64 *written);

/* Readable when there are many events; -1: none are told. */
int profile_trace_fd(const struct profile_trace *trace);

/* Hands over the events so far. */
typedef void profile_take_event(void *context, const struct profile_event *event);
void profile_trace_events(struct profile_trace *trace, profile_take_event *take, void *context);

/* The path of a file, from the kernel; NULL: not known. Valid till the next call. */
const char *profile_trace_path(struct profile_trace *trace, const struct profile_file *file);

/* All that was counted; its memory is freed by profile_snapshot_release. 0 or -ENOMEM. */
int profile_trace_read(struct profile_trace *trace, struct profile_snapshot *snapshot);

#endif
