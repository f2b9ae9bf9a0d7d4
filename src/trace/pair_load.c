/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair_load.h"
#include "block.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert((int)BLOCK_FLUSH == (int)PAIR_CLASSES, "all classes but flushes");

/* Read at a time; and for how many readings an entry stays in which nothing comes. */
enum { BATCH = 64, KEPT_READINGS = 10 };

/* Names kept, of the processes with these last bits; and asked for in one reading. */
enum { NAMES = 512, ASKED_MAX = 32 };

struct name {
	int32_t pid;
	char comm[COMM_MAX];
};

struct pair_reader {
	int ncpu;
	struct name name[NAMES];
	int asked; /* in this reading */
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

static void ask_name(struct name *name, int32_t pid)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* it has ended; what is known of it stays */
	n = read(fd, name->comm, sizeof(name->comm) - 1);
	close(fd);
	name->pid = pid;
	name->comm[n > 0 ? n : 0] = '\0';
	name->comm[strcspn(name->comm, "\n")] = '\0';
}

/* Where tasks are not read, or it has ended since; "" if nobody knows. */
static const char *name_of(struct pair_reader *reader, int32_t pid, bool new)
{
	struct name *name = &reader->name[pid % NAMES];

	if ((new || name->pid != pid) && reader->asked < ASKED_MAX) {
		reader->asked++;
		ask_name(name, pid);
	}
	return name->pid == pid ? name->comm : "";
}

static void take(struct pair_reader *reader, const struct block_pair_key *key,
                 const struct block_pair *cpu, uint64_t now, struct pair_sample *sample)
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
	if (sample->pid > 0 && last_change(reader, cpu) + 1 >= now)
		snprintf(sample->comm, sizeof(sample->comm), "%s",
			 name_of(reader, sample->pid, sample->born + 1 >= now));
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
	reader->asked = 0;
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
			take(reader, &reader->key[i], cpu, now, &pairs->sample[pairs->n++]);
		}
	}
	reader->full = pairs->n > BLOCK_PAIRS_MAX / 2;
	clock_gettime(CLOCK_MONOTONIC, &read_at);
	pairs->mono_ns = (int64_t)read_at.tv_sec * 1000000000 + read_at.tv_nsec;
	return 0;
}
