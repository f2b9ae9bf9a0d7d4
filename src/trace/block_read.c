/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "block_read.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)BLOCK_BUCKETS == (int)LATENCY_BUCKETS, "one histogram");
_Static_assert((int)BLOCK_CLASSES == (int)LATENCY_CLASSES, "the same classes");

bool block_cpus_open(struct block_cpus *cpus)
{
	cpus->n = libbpf_num_possible_cpus();
	cpus->cpu = cpus->n > 0 ? calloc((size_t)cpus->n, sizeof(*cpus->cpu)) : NULL;
	return cpus->cpu != NULL;
}

void block_cpus_close(struct block_cpus *cpus)
{
	free(cpus->cpu);
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

struct latency_sample *block_sample_of(struct latency_snapshot *latency, uint64_t disk)
{
	for (size_t i = 0; i < latency->n; i++)
		if (latency->sample[i].disk == disk)
			return &latency->sample[i];
	if (latency->n == latency->cap && !grow(latency))
		return NULL;
	sample_begin(&latency->sample[latency->n], disk);
	return &latency->sample[latency->n++];
}

static int take(const struct block_cpus *cpus, const struct block_key *key, uint64_t ended,
                struct latency_snapshot *latency)
{
	struct latency_sample *sample = block_sample_of(latency, key->disk);

	if (!sample)
		return -ENOMEM;
	for (int i = 0; i < cpus->n; i++) {
		const struct block_times *cpu = &cpus->cpu[i];
		if (!sample->name[0])
			memcpy(sample->name, cpu->name, sizeof(cpu->name));
		counters_add(&sample->class[key->class], cpu, ended);
	}
	return 0;
}

bool block_is_idle(uint64_t last, uint64_t ended)
{
	return last + BLOCK_KEPT_READINGS < ended;
}

/* Nothing completed for as long. */
static bool is_idle(const struct block_cpus *cpus, uint64_t ended)
{
	uint64_t last = 0;

	for (int i = 0; i < cpus->n; i++)
		for (int odd = 0; odd < 2; odd++)
			last = most(last, cpus->cpu[i].extremes[odd].generation);
	return block_is_idle(last, ended);
}

int block_read_times(const struct block_cpus *cpus, int map, uint64_t ended,
                     struct latency_snapshot *latency)
{
	struct block_key key, next;
	int error = 0;

	/* room before there is a request: then the first one costs nothing */
	if (!latency->cap && !grow(latency))
		return -ENOMEM;
	bool more = bpf_map_get_next_key(map, NULL, &key) == 0;
	while (more && !error) {
		bool idle = false;
		if (key.class < BLOCK_CLASSES && bpf_map_lookup_elem(map, &key, cpus->cpu) == 0) {
			error = take(cpus, &key, ended, latency);
			idle = is_idle(cpus, ended);
		}
		more = bpf_map_get_next_key(map, &key, &next) == 0;
		/* a disk that has gone would stay; one that comes back begins anew */
		if (idle)
			(void)bpf_map_delete_elem(map, &key);
		key = next;
	}
	return error;
}
