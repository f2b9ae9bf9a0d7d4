/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "latency.h"
#include "counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As the tracer sorts them in: four buckets to a doubling, the first up to 1.25 x 2^10 ns. */
enum { FIRST_OCTAVE = 10 };

uint64_t latency_bucket_ns(unsigned bucket)
{
	if (bucket == 0)
		return 0;
	if (bucket >= LATENCY_BUCKETS)
		return UINT64_MAX;
	return (uint64_t)(4 + bucket % 4) << (bucket / 4 + FIRST_OCTAVE - 2);
}

void latency_absent(struct device_row *row, enum absent why)
{
	const struct value absent = value_absent(why);

	row->avserv = row->minserv = row->maxserv = absent;
	row->avwait = row->minwait = row->maxwait = row->sqfull = absent;
	row->p50serv = row->p95serv = row->p99serv = absent;
	row->p50wait = row->p95wait = row->p99wait = absent;
	row->slotwait = row->avslot = absent;
	row->latency = NULL;
	row->top_share = absent;
	row->top = NULL;
}

/* ---- one class ---- */

/* Milliseconds that this share of n requests did not exceed: the end of the bucket it falls
 * into, and no more than the longest. */
static struct value percentile(const uint32_t *bucket, uint64_t n, double share, struct value longest)
{
	uint64_t below = 0, wanted = (uint64_t)(share * (double)n + 0.5);

	if (n == 0)
		return value_absent(ABSENT_IDLE);
	for (unsigned i = 0; i + 1 < LATENCY_BUCKETS; i++) {
		below += bucket[i];
		if (below < wanted || below == 0)
			continue;
		double ms = (double)latency_bucket_ns(i + 1) / 1e6;
		return value_of(value_known(longest) && longest.n < ms ? longest.n : ms);
	}
	return longest;
}

static struct value extreme(uint64_t n, uint64_t ns)
{
	return n > 0 && ns != UINT64_MAX ? value_of((double)ns / 1e6) : value_absent(ABSENT_IDLE);
}

/* The counters of an interval. before NULL: the class had none then. Those of one that was idle for
 * long are let go and begin anew. */
static void subtract(struct latency_counters *delta, const struct latency_counters *before,
                     const struct latency_counters *now)
{
	*delta = *now;
	if (!before || now->served < before->served || now->requeued < before->requeued)
		return;
	delta->served -= before->served;
	delta->waited -= before->waited;
	delta->wait_ns -= before->wait_ns;
	delta->serve_ns -= before->serve_ns;
	delta->requeued -= before->requeued;
	delta->errors -= before->errors;
	delta->others.requests -= before->others.requests;
	delta->others.bytes -= before->others.bytes;
	delta->others.waited -= before->others.waited;
	delta->others.wait_ns -= before->others.wait_ns;
	delta->others.serve_ns -= before->others.serve_ns;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		delta->wait_bucket[i] -= before->wait_bucket[i];
		delta->serve_bucket[i] -= before->serve_bucket[i];
	}
}

static void add(struct latency_counters *sum, const struct latency_counters *one)
{
	sum->served += one->served;
	sum->waited += one->waited;
	sum->wait_ns += one->wait_ns;
	sum->serve_ns += one->serve_ns;
	sum->requeued += one->requeued;
	sum->errors += one->errors;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		sum->wait_bucket[i] += one->wait_bucket[i];
		sum->serve_bucket[i] += one->serve_bucket[i];
	}
	if (one->wait_min_ns < sum->wait_min_ns)
		sum->wait_min_ns = one->wait_min_ns;
	if (one->wait_max_ns > sum->wait_max_ns)
		sum->wait_max_ns = one->wait_max_ns;
	if (one->serve_min_ns < sum->serve_min_ns)
		sum->serve_min_ns = one->serve_min_ns;
	if (one->serve_max_ns > sum->serve_max_ns)
		sum->serve_max_ns = one->serve_max_ns;
}

static void set_figures(struct latency_figures *row, const struct latency_counters *d, double seconds)
{
	row->served = d->served;
	row->waited = d->waited;
	row->others = d->others;
	row->rate = (double)d->served / seconds;
	row->sqfull = value_of((double)d->requeued / seconds);
	row->errors = value_of((double)d->errors / seconds);
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		row->wait_bucket[i] = (uint32_t)d->wait_bucket[i];
		row->serve_bucket[i] = (uint32_t)d->serve_bucket[i];
	}
	row->avserv = ratio((double)d->serve_ns / 1e6, (double)d->served);
	row->avwait = ratio((double)d->wait_ns / 1e6, (double)d->waited);
	row->minserv = extreme(d->served, d->serve_min_ns);
	row->maxserv = extreme(d->served, d->serve_max_ns);
	row->minwait = extreme(d->waited, d->wait_min_ns);
	row->maxwait = extreme(d->waited, d->wait_max_ns);
	row->p50serv = percentile(row->serve_bucket, d->served, 0.50, row->maxserv);
	row->p95serv = percentile(row->serve_bucket, d->served, 0.95, row->maxserv);
	row->p99serv = percentile(row->serve_bucket, d->served, 0.99, row->maxserv);
	row->p50wait = percentile(row->wait_bucket, d->waited, 0.50, row->maxwait);
	row->p95wait = percentile(row->wait_bucket, d->waited, 0.95, row->maxwait);
	row->p99wait = percentile(row->wait_bucket, d->waited, 0.99, row->maxwait);
}

/* ---- a device ---- */

/* A bio waits and is served in the disks below: one time, and nothing apart. */
static void figures_of_bios(struct latency_figures *row)
{
	const struct value absent = value_absent(ABSENT_BIO);

	row->avwait = row->minwait = row->maxwait = row->sqfull = absent;
	row->p50wait = row->p95wait = row->p99wait = absent;
}

static void build_row(struct latency_row *row, const struct latency_sample *before,
                      const struct latency_sample *now, double seconds)
{
	struct latency_counters all = {
		.wait_min_ns = UINT64_MAX, .serve_min_ns = UINT64_MAX}, delta;

	for (unsigned i = 0; i < LATENCY_CLASSES; i++) {
		subtract(&delta, before ? &before->class[i] : NULL, &now->class[i]);
		set_figures(&row->class[i], &delta, seconds);
		if (i != LATENCY_FLUSH)
			add(&all, &delta);
	}
	set_figures(&row->all, &all, seconds);
	row->bios = now->bios;
	for (unsigned i = 0; row->bios && i < LATENCY_CLASSES; i++)
		figures_of_bios(&row->class[i]);
	if (row->bios)
		figures_of_bios(&row->all);
}

/* Of those that had to wait; of a disk without a sample before all since tracing began. */
static void show_slots(struct device_row *device, const struct latency_sample *before,
                       const struct latency_sample *now, enum absent state, double seconds)
{
	bool grown = before && now->slot_waits >= before->slot_waits;
	uint64_t waits = now->slot_waits - (grown ? before->slot_waits : 0);
	uint64_t ns = now->slot_wait_ns - (grown ? before->slot_wait_ns : 0);

	if (now->bios)
		state = ABSENT_BIO;
	device->slotwait = device->avslot = value_absent(state);
	if (state != PRESENT)
		return;
	device->slotwait = value_of((double)waits / seconds);
	device->avslot = ratio((double)ns / 1e6, (double)waits);
}

static void show(struct device_row *device, const struct latency_row *row)
{
	const struct latency_figures *all = &row->all;

	device->latency = row;
	device->avserv = all->avserv;
	device->minserv = all->minserv;
	device->maxserv = all->maxserv;
	device->avwait = all->avwait;
	device->minwait = all->minwait;
	device->maxwait = all->maxwait;
	device->sqfull = all->sqfull;
	device->p50serv = all->p50serv;
	device->p95serv = all->p95serv;
	device->p99serv = all->p99serv;
	device->p50wait = all->p50wait;
	device->p95wait = all->p95wait;
	device->p99wait = all->p99wait;
}

/* hint: where it probably is. */
static const struct latency_sample *find(const struct latency_snapshot *snapshot, uint64_t disk, size_t hint)
{
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct latency_sample *sample = &snapshot->sample[(hint + i) % snapshot->n];
		if (sample->disk == disk)
			return sample;
	}
	return NULL;
}

static bool is_of(const struct latency_sample *sample, const struct device_row *device)
{
	return strcmp(sample->name, device->name) == 0 &&
	       (!device->diskseq || device->diskseq == sample->disk || device->folded);
}

/* Its place among the samples of now; SIZE_MAX: it has none. */
static size_t find_device(const struct latency_snapshot *now, const struct device_row *device)
{
	for (size_t i = 0; i < now->n; i++)
		if (is_of(&now->sample[i], device))
			return i;
	return SIZE_MAX;
}

static bool has_requests(const struct device_row *device)
{
	return !device->info || !device->info->bio_based;
}

static int reserve(struct frame *frame, size_t n)
{
	if (n <= frame->latency_cap)
		return 0;
	struct latency_row *more = realloc(frame->latency, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	frame->latency = more;
	frame->latency_cap = n;
	return 0;
}

static void show_nothing(struct device_row *device, const struct latency_snapshot *now)
{
	/* bios that are passed on as they are end on the disks below */
	const struct value idle = value_absent(device->ios > 0 ? ABSENT_BIO : ABSENT_IDLE);
	bool requests = has_requests(device);

	latency_absent(device, requests ? ABSENT_IDLE : ABSENT_BIO);
	if (now->bios != PRESENT && requests)
		device->slotwait = device->avslot = value_absent(now->bios);
	if (now->bios != PRESENT || requests)
		return;
	device->avserv = device->minserv = device->maxserv = idle;
	device->p50serv = device->p95serv = device->p99serv = idle;
}

int latency_build(struct frame *frame, const struct latency_snapshot *before,
                  const struct latency_snapshot *now)
{
	double seconds = before ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;

	frame->nlatency = 0;
	if (now->state != PRESENT || !before || before->state != PRESENT || seconds <= 0)
		return 0;
	/* once for all: rows are pointed to */
	if (reserve(frame, now->cap > now->n ? now->cap : now->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < frame->ndevice; i++) {
		struct device_row *device = &frame->device[i];
		size_t at = find_device(now, device);
		if (at == SIZE_MAX || frame->nlatency == frame->latency_cap) {
			show_nothing(device, now);
			continue;
		}
		struct latency_row *row = &frame->latency[frame->nlatency++];
		const struct latency_sample *was = find(before, now->sample[at].disk, at);
		row->disk = now->sample[at].disk;
		build_row(row, was, &now->sample[at], seconds);
		show(device, row);
		show_slots(device, was, &now->sample[at], now->bios, seconds);
	}
	return 0;
}
