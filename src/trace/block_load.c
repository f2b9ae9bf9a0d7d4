/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "block_load.h"
#include "block.h"
#include "pair_load.h"
#include "probe.h"
#include "trace/block.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert((int)BLOCK_BUCKETS == (int)LATENCY_BUCKETS, "one histogram");
_Static_assert((int)BLOCK_CLASSES == (int)LATENCY_CLASSES, "the same classes");

struct block_trace {
	struct block_bpf *bpf;
	int ncpu;
	struct block_times *cpu; /* one value of the map: each CPU's */
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
	trace->ncpu = libbpf_num_possible_cpus();
	trace->cpu = trace->ncpu > 0 ? calloc((size_t)trace->ncpu, sizeof(*trace->cpu)) : NULL;
	trace->bpf = trace->cpu ? block_bpf__open() : NULL;
	if (trace->bpf) {
		error = choose_programs(trace->bpf, probe);
		error = error ? error : block_bpf__load(trace->bpf);
		error = error ? error : attach(trace->bpf);
	}
	/* only where a request's start is seen is it seen whose it is */
	if (!error && trace->bpf->links.block_start && probe_first_namespace())
		trace->pairs = pair_reader_new(trace->ncpu);
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
	free(trace->cpu);
	free(trace);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds what one CPU counted. ended: the generation whose extremes are wanted. */
static void counters_add(struct latency_counters *sum, const struct block_times *cpu, uint64_t ended)
{
	const struct block_extremes *ends = &cpu->extremes[ended & 1];

	sum->served += cpu->served;
	sum->waited += cpu->waited;
	sum->wait_ns += cpu->wait_ns;
	sum->serve_ns += cpu->serve_ns;
	sum->requeued += cpu->requeued;
	sum->errors += cpu->errors;
	sum->others.requests += cpu->others.requests;
	sum->others.bytes += cpu->others.bytes;
	sum->others.waited += cpu->others.waited;
	sum->others.wait_ns += cpu->others.wait_ns;
	sum->others.serve_ns += cpu->others.serve_ns;
	for (int i = 0; i < BLOCK_BUCKETS; i++) {
		sum->wait_bucket[i] += cpu->wait_bucket[i];
		sum->serve_bucket[i] += cpu->serve_bucket[i];
	}
	if (ends->generation != ended)
		return;
	sum->wait_min_ns = least(sum->wait_min_ns, ends->wait_min_ns);
	sum->wait_max_ns = most(sum->wait_max_ns, ends->wait_max_ns);
	sum->serve_min_ns = least(sum->serve_min_ns, ends->serve_min_ns);
	sum->serve_max_ns = most(sum->serve_max_ns, ends->serve_max_ns);
}

static void sample_begin(struct latency_sample *sample, uint64_t disk)
{
	*sample = (struct latency_sample){.disk = disk};
	for (int i = 0; i < LATENCY_CLASSES; i++)
		sample->class[i].wait_min_ns = sample->class[i].serve_min_ns = UINT64_MAX;
}

static bool grow(struct latency_snapshot *latency)
{
	size_t cap = latency->cap ? 2 * latency->cap : 32;
	struct latency_sample *more = realloc(latency->sample, cap * sizeof(*more));

	if (!more)
		return false;
	latency->sample = more;
	latency->cap = cap;
	return true;
}

/* The disk's sample, made where there is none yet; NULL without memory. */
static struct latency_sample *sample_of(struct latency_snapshot *latency, uint64_t disk)
{
	for (size_t i = 0; i < latency->n; i++)
		if (latency->sample[i].disk == disk)
			return &latency->sample[i];
	if (latency->n == latency->cap && !grow(latency))
		return NULL;
	sample_begin(&latency->sample[latency->n], disk);
	return &latency->sample[latency->n++];
}

static int take(struct block_trace *trace, const struct block_key *key, uint64_t ended,
                struct latency_snapshot *latency)
{
	struct latency_sample *sample = sample_of(latency, key->disk);

	if (!sample)
		return -ENOMEM;
	for (int i = 0; i < trace->ncpu; i++) {
		const struct block_times *cpu = &trace->cpu[i];
		if (!sample->name[0])
			memcpy(sample->name, cpu->name, sizeof(cpu->name));
		counters_add(&sample->class[key->class], cpu, ended);
	}
	return 0;
}

int block_trace_read(struct block_trace *trace, struct latency_snapshot *latency)
{
	int map = bpf_map__fd(trace->bpf->maps.times);
	uint64_t ended = trace->bpf->data->generation;
	struct block_key key, *last = NULL;
	struct timespec now;
	int error = 0;

	/* room before there is a request: then the first one costs nothing */
	if (!latency->cap && !grow(latency))
		return -ENOMEM;
	latency->n = 0;
	latency->state = PRESENT;
	trace->bpf->data->generation = ended + 1;
	while (!error && bpf_map_get_next_key(map, last, &key) == 0) {
		last = &key;
		if (key.class < BLOCK_CLASSES && bpf_map_lookup_elem(map, &key, trace->cpu) == 0)
			error = take(trace, &key, ended, latency);
	}
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
