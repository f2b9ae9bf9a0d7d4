/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built without BPF: it cannot be opened, so that the rest is never called. */
#include "profile_load.h"

#include <errno.h>
#include <stdio.h>

int profile_trace_open(struct profile_trace **ret, bool events, char why[TRACE_WHY_MAX])
{
	(void)events;
	*ret = NULL;
	snprintf(why, TRACE_WHY_MAX, "not built in");
	return -ENOSYS;
}

void profile_trace_close(struct profile_trace *trace)
{
	(void)trace;
}

int profile_trace_target(struct profile_trace *trace, pid_t pid)
{
	(void)trace, (void)pid;
	return -ENOSYS;
}

int profile_trace_start(struct profile_trace *trace, char why[TRACE_WHY_MAX])
{
	(void)trace, (void)why;
	return -ENOSYS;
}

void profile_trace_stop(struct profile_trace *trace)
{
	(void)trace;
}

size_t profile_trace_living(struct profile_trace *trace, void (*each)(void *context, pid_t pid),
			    void *context)
{
	(void)trace, (void)each, (void)context;
	return 0;
}

void profile_trace_ended(const struct profile_trace *trace, __u64 *read, __u64 *written)
{
	(void)trace;
	*read = *written = 0;
}

int profile_trace_fd(const struct profile_trace *trace)
{
	(void)trace;
	return -1;
}

void profile_trace_events(struct profile_trace *trace, profile_take_event *take, void *context)
{
	(void)trace, (void)take, (void)context;
}

const char *profile_trace_path(struct profile_trace *trace, const struct profile_file *file)
{
	(void)trace, (void)file;
	return NULL;
}

int profile_trace_read(struct profile_trace *trace, struct profile_snapshot *snapshot)
{
	(void)trace, (void)snapshot;
	return -ENOSYS;
}
