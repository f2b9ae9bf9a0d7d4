/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "block_load.h"
#include "block_read.h"
#include "pair_load.h"
#include "probe.h"
#include "trace/block.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct block_trace {
	struct block_bpf *bpf;
	struct block_cpus cpus;
	struct pair_reader *pairs; /* NULL: whose requests they are cannot be known */
};

/* Which programs this kernel can have; those without their tracepoint are left out. */
static int choose_programs(struct block_bpf *bpf, const struct probe *probe)
{
	int issue = probe_tracepoint(probe, "block_rq_issue");
	bool start = probe_tracepoint(probe, "block_io_start") == 1;

	if (issue < 1 || issue > 2 || probe_tracepoint(probe, "block_rq_complete") != 3)
		return -ENOENT;
	bpf->rodata->insert_argument = issue == 2;
	bpf->rodata->start_seen = start;
	bpf_program__set_autoload(bpf->progs.block_start, start);
	bpf_program__set_autoload(bpf->progs.block_merge, probe_tracepoint(probe, "block_rq_merge") == issue);
	bpf_program__set_autoload(bpf->progs.block_requeue,
	                          probe_tracepoint(probe, "block_rq_requeue") == issue);
	return 0;
}

/* Completions last: what they find was seen from its issue on. */
static int attach(struct block_bpf *bpf)
{
	struct {
		struct bpf_program *program;
		struct bpf_link **link;
		bool needed;
	} all[] = {
		{bpf->progs.block_complete, &bpf->links.block_complete, true},
		{bpf->progs.block_issue, &bpf->links.block_issue, true},
		{bpf->progs.block_start, &bpf->links.block_start, false},
		{bpf->progs.block_merge, &bpf->links.block_merge, false},
		{bpf->progs.block_requeue, &bpf->links.block_requeue, false},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!bpf_program__autoload(all[i].program))
			continue;
		*all[i].link = bpf_program__attach(all[i].program);
		if (!*all[i].link && all[i].needed)
			return -errno;
	}
	return 0;
}

int block_trace_open(struct block_trace **ret, const struct probe *probe)
{
	struct block_trace *trace = calloc(1, sizeof(*trace));
	int error = -ENOMEM;

	if (!trace)
		return -ENOMEM;
	trace->bpf = block_cpus_open(&trace->cpus) ? block_bpf__open() : NULL;
	if (trace->bpf) {
		error = choose_programs(trace->bpf, probe);
		error = error ? error : block_bpf__load(trace->bpf);
		error = error ? error : attach(trace->bpf);
	} else if (trace->cpus.cpu) {
		error = -errno;
	}
	/* only where a request's start is seen is it seen whose it is */
	if (!error && trace->bpf->links.block_start && probe_first_namespace())
		trace->pairs = pair_reader_new(trace->cpus.n);
	if (error) {
		block_trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void block_trace_close(struct block_trace *trace)
{
	if (!trace)
		return;
	block_bpf__destroy(trace->bpf);
	pair_reader_free(trace->pairs);
	block_cpus_close(&trace->cpus);
	free(trace);
}

int block_trace_read(struct block_trace *trace, struct latency_snapshot *latency)
{
	uint64_t ended = trace->bpf->data->generation;
	struct timespec now;
	int error;

	latency->n = 0;
	latency->state = PRESENT;
	trace->bpf->data->generation = ended + 1;
	error = block_read_times(&trace->cpus, bpf_map__fd(trace->bpf->maps.times), ended, latency);
	clock_gettime(CLOCK_MONOTONIC, &now);
	latency->mono_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	return error;
}

int block_trace_read_pairs(struct block_trace *trace, struct pair_snapshot *pairs)
{
	if (!trace->pairs)
		return -ENOENT;
	return pair_reader_read(trace->pairs, bpf_map__fd(trace->bpf->maps.pairs),
	                        trace->bpf->data->generation, pairs);
}
