/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is traced, each part on its own. */
#include "trace.h"
#include "aio_load.h"
#include "bio_load.h"
#include "block_load.h"
#include "probe.h"
#include "task_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct trace {
	struct block_trace *block; /* NULL: not possible here; so of the others */
	struct bio_trace *bio; /* only beside block */
	struct aio_trace *aio;
	struct task_trace *tasks;
};

/* Each on its own. 0 if any can be, else why the first cannot. */
static int open_parts(struct trace *trace, unsigned parts, const struct probe *probe)
{
	int error = block_trace_open(&trace->block, probe);

	if (trace->block)
		(void)bio_trace_open(&trace->bio, probe);
	if ((parts & TRACE_AIO) && aio_trace_open(&trace->aio, probe) == 0)
		error = 0;
	if ((parts & TRACE_TASKS) && task_trace_open(&trace->tasks, probe) == 0)
		error = 0;
	return error;
}

int trace_open(struct trace **ret, unsigned parts, char why[TRACE_WHY_MAX])
{
	struct probe probe;
	struct trace *trace;
	int error;

	*ret = NULL;
	if (!probe_kernel(&probe, why))
		return -EOPNOTSUPP;
	trace = calloc(1, sizeof(*trace));
	error = trace ? open_parts(trace, parts, &probe) : -ENOMEM;
	if (error) {
		probe_failure(why, error);
		trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	block_trace_close(trace->block);
	bio_trace_close(trace->bio);
	aio_trace_close(trace->aio);
	task_trace_close(trace->tasks);
	free(trace);
}

int trace_requests(struct trace *trace, struct latency_snapshot *latency, struct pair_snapshot *pairs)
{
	bool traced = trace && trace->block;
	int error = traced ? block_trace_read(trace->block, latency) : -ENOENT;
	int pair_error = error ? error : block_trace_read_pairs(trace->block, pairs);

	latency->bios = traced ? ABSENT_UNSUPPORTED : ABSENT_UNTRACED;
	if (!error && trace->bio)
		error = bio_trace_read(trace->bio, latency);
	if (error) {
		latency->n = 0;
		latency->state = ABSENT_UNTRACED;
	}
	if (pair_error) {
		pairs->n = 0;
		pairs->state = traced ? ABSENT_UNSUPPORTED : ABSENT_UNTRACED;
	}
	return error == -ENOMEM || pair_error == -ENOMEM ? -ENOMEM : 0;
}

int trace_aio(struct trace *trace, bool watch, struct aio_activity *activity)
{
	int error = -ENOENT;

	if (trace && trace->aio) {
		aio_trace_watch(trace->aio, watch);
		error = aio_trace_read(trace->aio, activity);
	}
	if (!error)
		return 0;
	activity->n = 0;
	activity->state = ABSENT_UNTRACED;
	return error == -ENOMEM ? error : 0;
}

bool trace_has_tasks(const struct trace *trace)
{
	return trace && trace->tasks;
}

int trace_tasks(void *data, struct task_snapshot *tasks)
{
	return task_trace_read(((struct trace *)data)->tasks, tasks);
}
