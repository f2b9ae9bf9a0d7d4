/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair_load.h"
#include "block.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

_Static_assert((int)BLOCK_FLUSH == (int)PAIR_CLASSES, "all classes but flushes");

/* Read at a time; and for how many readings an entry stays in which nothing comes. */
enum { BATCH = 64, KEPT_READINGS = 10 };

struct pair_reader {
	int ncpu;
	bool full; /* more than half, when it was read before: what is quiet goes at once */
	struct block_pair_key key[BATCH];
	struct block_pair *cpu; /* of each key: each CPU's */
};

struct pair_reader *pair_reader_new(int ncpu)
{
	struct pair_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->ncpu = ncpu;
	reader->cpu = calloc((size_t)ncpu * BATCH, sizeof(*reader->cpu));
	if (!reader->cpu) {
		free(reader);
		return NULL;
	}
	return reader;
}

void pair_reader_free(struct pair_reader *reader)
{
	if (!reader)
		return;
	free(reader->cpu);
	free(reader);
}

static int reserve(struct pair_snapshot *pairs, size_t n)
{
	size_t cap = pairs->cap ? pairs->cap : BATCH;

	while (cap < n)
		cap *= 2;
	if (cap == pairs->cap)
		return 0;
	struct pair_sample *more = reallocarray(pairs->sample, cap, sizeof(*more));
	if (!more)
		return -ENOMEM;
	pairs->sample = more;
	pairs->cap = cap;
	return 0;
}

static uint64_t last_change(const struct pair_reader *reader, const struct block_pair *cpu)
{
	uint64_t last = 0;

	for (int i = 0; i < reader->ncpu; i++)
		if (cpu[i].changed > last)
			last = cpu[i].changed;
	return last;
}

static void amounts_add(struct request_amounts *sum, const struct block_amounts *one)
{
	sum->requests += one->requests;
	sum->bytes += one->bytes;
	sum->waited += one->waited;
	sum->wait_ns += one->wait_ns;
	sum->serve_ns += one->serve_ns;
}

static void take(const struct pair_reader *reader, const struct block_pair_key *key,
                 const struct block_pair *cpu, struct pair_sample *sample)
{
	*sample = (struct pair_sample){.disk = key->disk, .pid = (int32_t)key->issuer};
	if (key->issuer == BLOCK_WRITE_BACK)
		sample->pid = PAIR_WRITE_BACK;
	for (int i = 0; i < reader->ncpu; i++) {
		if (cpu[i].born > sample->born)
			sample->born = cpu[i].born;
		for (int c = 0; c < PAIR_CLASSES; c++)
			amounts_add(&sample->class[c], &cpu[i].class[c]);
	}
}

/* What comes between the reading and the removal is in what the removal hands out. */
static void remove_stale(const struct pair_reader *reader, int map,
                         const struct block_pair_key *key, struct block_pair *cpu, uint64_t now)
{
	/* the reading of a generation is in the next one */
	if (last_change(reader, cpu) + 1 + (reader->full ? 0 : KEPT_READINGS) >= now)
		return;
	if (bpf_map_lookup_and_delete_elem(map, key, cpu) < 0)
		(void)bpf_map_delete_elem(map, key); /* a kernel that cannot do both at once */
}

int pair_reader_read(struct pair_reader *reader, int map, uint64_t now,
                     struct pair_snapshot *pairs)
{
	struct timespec read_at;
	uint32_t at, count;
	int error = 0;

	pairs->n = 0;
	pairs->state = PRESENT;
	for (bool first = true; !error; first = false) {
		if (reserve(pairs, pairs->n + BATCH) < 0)
			return -ENOMEM;
		count = BATCH;
		if (bpf_map_lookup_batch(map, first ? NULL : &at, &at, reader->key, reader->cpu,
		                         &count, NULL) < 0)
			error = -errno;
		if (error && error != -ENOENT) /* -ENOENT: that were the last ones */
			return error;
		for (uint32_t i = 0; i < count; i++) {
			struct block_pair *cpu = reader->cpu + (size_t)i * (size_t)reader->ncpu;
			remove_stale(reader, map, &reader->key[i], cpu, now);
			take(reader, &reader->key[i], cpu, &pairs->sample[pairs->n++]);
		}
	}
	reader->full = pairs->n > BLOCK_PAIRS_MAX / 2;
	clock_gettime(CLOCK_MONOTONIC, &read_at);
	pairs->mono_ns = (int64_t)read_at.tv_sec * 1000000000 + read_at.tv_nsec;
	return 0;
}
