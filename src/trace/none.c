/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built without BPF. */
#include "trace.h"

#include <errno.h>
#include <stdio.h>

int trace_open(struct trace **ret, unsigned parts, char why[TRACE_WHY_MAX])
{
	(void)parts;
	*ret = NULL;
	snprintf(why, TRACE_WHY_MAX, "not built in");
	return -ENOSYS;
}

void trace_close(struct trace *trace)
{
	(void)trace;
}

int trace_requests(struct trace *trace, struct latency_snapshot *latency,
                   struct pair_snapshot *pairs)
{
	(void)trace;
	latency->n = pairs->n = 0;
	latency->state = latency->bios = pairs->state = ABSENT_UNTRACED;
	return 0;
}

int trace_aio(struct trace *trace, bool watch, struct aio_activity *activity)
{
	(void)trace, (void)watch;
	activity->n = 0;
	activity->state = ABSENT_UNTRACED;
	return 0;
}

bool trace_has_tasks(const struct trace *trace)
{
	(void)trace;
	return false;
}

int trace_tasks(void *data, struct task_snapshot *tasks)
{
	(void)data, (void)tasks;
	return -ENOSYS;
}
