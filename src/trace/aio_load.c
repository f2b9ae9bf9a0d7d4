/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aio_load.h"
#include "aio.h"
#include "aio_samples.h"
#include "probe.h"
#include "trace/aio.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct aio_trace {
	struct aio_bpf *bpf;
	bool watched, refused;
	unsigned unwatched; /* readings since somebody looked */
};

int aio_trace_open(struct aio_trace **ret, const struct probe *probe)
{
	struct aio_trace *trace;
	struct aio_bpf *bpf = NULL;
	int error = -ENOMEM;

	if (probe_tracepoint(probe, "sys_exit") != 2)
		return -ENOENT;
	trace = calloc(1, sizeof(*trace));
	if (trace)
		bpf = aio_bpf__open();
	if (bpf) {
		bool uring = probe_tracepoint(probe, "io_uring_submit_req") == 1 &&
		             probe_tracepoint(probe, "io_uring_complete") >= 1;
		bpf->rodata->call_submit = SYS_io_submit;
		bpf->rodata->call_getevents = SYS_io_getevents;
		bpf->rodata->call_pgetevents = SYS_io_pgetevents;
		bpf_program__set_autoload(bpf->progs.uring_submitted, uring);
		bpf_program__set_autoload(bpf->progs.uring_completed, uring);
		error = aio_bpf__load(bpf);
	}
	if (error) {
		aio_bpf__destroy(bpf);
		free(trace);
		return error;
	}
	trace->bpf = bpf;
	*ret = trace;
	return 0;
}

void aio_trace_close(struct aio_trace *trace)
{
	if (!trace)
		return;
	aio_bpf__destroy(trace->bpf);
	free(trace);
}

/* Whoever leaves the view is likely to come back: the programs stay for a while. */
void aio_trace_watch(struct aio_trace *trace, bool watch)
{
	enum { STAY_READINGS = 60 };

	trace->unwatched = watch ? 0 : trace->unwatched + 1;
	if (watch && !trace->watched && !trace->refused) {
		trace->watched = aio_bpf__attach(trace->bpf) == 0;
		trace->refused = !trace->watched;
	}
	if (trace->refused || (trace->watched && trace->unwatched > STAY_READINGS)) {
		aio_bpf__detach(trace->bpf);
		trace->watched = false;
	}
}

static struct aio_activity_sample *room(struct aio_activity *activity)
{
	if (activity->n == activity->cap) {
		size_t cap = activity->cap ? 2 * activity->cap : 32;
		struct aio_activity_sample *more = reallocarray(activity->sample, cap, sizeof(*more));
		if (!more)
			return NULL;
		activity->sample = more;
		activity->cap = cap;
	}
	return &activity->sample[activity->n];
}

int aio_trace_read(struct aio_trace *trace, struct aio_activity *activity)
{
	int map = bpf_map__fd(trace->bpf->maps.processes);
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct aio_process key, *last = NULL;
	struct aio_counts counts;
	struct timespec now;

	activity->n = 0;
	activity->state = trace->watched ? PRESENT : ABSENT_OFF;
	/* a key that is removed meanwhile makes the walk begin again: it is bounded */
	while (trace->watched && activity->n < AIO_PROCESSES_MAX &&
	       bpf_map_get_next_key(map, last, &key) == 0) {
		last = &key;
		if (bpf_map_lookup_elem(map, &key, &counts) < 0)
			continue;
		struct aio_activity_sample *sample = room(activity);
		if (!sample)
			return -ENOMEM;
		*sample = (struct aio_activity_sample){
			.pid = (int32_t)key.tgid,
			.start_ticks = key.start_ns / tick_ns,
			.submitted = counts.submitted[AIO_LIBAIO],
			.completed = counts.completed[AIO_LIBAIO],
			.uring_submitted = counts.submitted[AIO_URING],
			.uring_completed = counts.completed[AIO_URING],
		};
		activity->n++;
	}
	aio_samples_settle(activity);
	clock_gettime(CLOCK_MONOTONIC, &now);
	activity->mono_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	return 0;
}
