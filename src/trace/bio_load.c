/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bio_load.h"
#include "bio.h"
#include "block_read.h"
#include "probe.h"
#include "trace/bio.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bio_trace {
	struct bio_bpf *bpf;
	struct block_cpus cpus;
};

/* Their arguments as of 5.12, which has all else that is needed too. */
static bool possible(const struct probe *probe)
{
	return probe_tracepoint(probe, "block_bio_queue") == 1 &&
	       probe_tracepoint(probe, "block_bio_complete") == 2 &&
	       probe_tracepoint(probe, "block_getrq") == 1 &&
	       probe_tracepoint(probe, "block_split") == 2;
}

int bio_trace_open(struct bio_trace **ret, const struct probe *probe)
{
	struct bio_trace *trace;
	int error = -ENOMEM;

	if (!possible(probe))
		return -ENOENT;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return -ENOMEM;
	trace->bpf = block_cpus_open(&trace->cpus) ? bio_bpf__open_and_load() : NULL;
	if (trace->bpf)
		error = bio_bpf__attach(trace->bpf);
	else if (trace->cpus.cpu)
		error = -errno;
	if (error) {
		bio_trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void bio_trace_close(struct bio_trace *trace)
{
	if (!trace)
		return;
	bio_bpf__destroy(trace->bpf);
	block_cpus_close(&trace->cpus);
	free(trace);
}

/* A disk has either requests or bios, so what is new in the list has bios. */
static int read_bios(struct bio_trace *trace, uint64_t ended, struct latency_snapshot *latency)
{
	size_t requests = latency->n;
	int error;

	trace->bpf->data->generation = ended + 1;
	error = block_read_times(&trace->cpus, bpf_map__fd(trace->bpf->maps.times), ended, latency);
	for (size_t i = requests; i < latency->n; i++)
		latency->sample[i].bios = true;
	return error;
}

static bool take_slots(struct latency_snapshot *latency, __u64 disk, const struct bio_slots *slots)
{
	struct latency_sample *sample = block_sample_of(latency, disk);

	if (!sample)
		return false;
	if (!sample->name[0])
		memcpy(sample->name, slots->name, sizeof(slots->name));
	sample->slot_waits = slots->waited;
	sample->slot_wait_ns = slots->wait_ns;
	return true;
}

static int read_slots(struct bio_trace *trace, uint64_t ended, struct latency_snapshot *latency)
{
	int map = bpf_map__fd(trace->bpf->maps.slots);
	__u64 key, next;
	bool more = bpf_map_get_next_key(map, NULL, &key) == 0;

	while (more) {
		struct bio_slots slots = {.changed = ended};
		if (bpf_map_lookup_elem(map, &key, &slots) == 0 && !take_slots(latency, key, &slots))
			return -ENOMEM;
		more = bpf_map_get_next_key(map, &key, &next) == 0;
		if (block_is_idle(slots.changed, ended))
			(void)bpf_map_delete_elem(map, &key);
		key = next;
	}
	return 0;
}

int bio_trace_read(struct bio_trace *trace, struct latency_snapshot *latency)
{
	uint64_t ended = trace->bpf->data->generation;
	int error = read_bios(trace, ended, latency);

	if (!error)
		error = read_slots(trace, ended, latency);
	if (!error)
		latency->bios = PRESENT;
	return error;
}
