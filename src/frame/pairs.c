/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs.h"
#include "counter.h"
#include "iotriage/sort.h"
#include "lookup.h"

#include <errno.h>
#include <stdlib.h>

struct pair_work {
	struct lookup lookup;
	void **scratch;
};

/* Two readings, and where to find a sample of the one before. */
struct readings {
	const struct pair_snapshot *before;
	const struct lookup *lookup;
	double seconds;
};

static uint64_t hash_of(const struct pair_sample *sample)
{
	return (sample->disk << 32 ^ (uint32_t)sample->pid) * 0x9e3779b97f4a7c15ULL;
}

/* NULL: it was not there, or is counted anew since. */
static const struct pair_sample *find(const struct readings *in, const struct pair_sample *now)
{
	const struct lookup *lookup = in->lookup;
	uint32_t place;

	for (size_t at = lookup_first(lookup, hash_of(now)); (place = lookup_at(lookup, at));
	     at = lookup_next(lookup, at)) {
		const struct pair_sample *was = &in->before->sample[place - 1];
		if (was->disk == now->disk && was->pid == now->pid && was->born == now->born)
			return was;
	}
	return NULL;
}

/* ---- one pair ---- */

static void add_grown(struct request_amounts *sum, const struct request_amounts *was,
                      const struct request_amounts *now)
{
	sum->requests += now->requests - was->requests;
	sum->bytes += now->bytes - was->bytes;
	sum->waited += now->waited - was->waited;
	sum->wait_ns += now->wait_ns - was->wait_ns;
	sum->serve_ns += now->serve_ns - was->serve_ns;
}

static void set_row(struct pair_row *row, const struct request_amounts class[PAIR_CLASSES],
                    double seconds)
{
	struct request_amounts all = {0};
	double waiting_ms, serving_ms;

	for (unsigned i = 0; i < PAIR_CLASSES; i++)
		add_grown(&all, &(struct request_amounts){0}, &class[i]);
	row->requests = (double)all.requests;
	waiting_ms = (double)all.wait_ns / 1e6;
	serving_ms = (double)all.serve_ns / 1e6;
	row->rate = value_of(row->requests / seconds);
	row->r = value_of((double)class[LATENCY_READ].requests / seconds);
	row->w = value_of((double)class[LATENCY_WRITE].requests / seconds);
	row->rkb = value_of((double)class[LATENCY_READ].bytes / 1024 / seconds);
	row->wkb = value_of((double)class[LATENCY_WRITE].bytes / 1024 / seconds);
	row->kb = value_of(row->rkb.n + row->wkb.n);
	row->avwait = ratio(waiting_ms, (double)all.waited);
	row->avserv = ratio(serving_ms, row->requests);
}

/* Makes a row where there were requests. */
static void add_row(struct frame *frame, struct device_row *device, int32_t pid, const char *comm,
                    const struct request_amounts class[PAIR_CLASSES], double seconds)
{
	struct pair_row *row = &frame->pair[frame->npair];

	*row = (struct pair_row){.device = device, .pid = pid, .comm = *comm ? comm : NULL};
	set_row(row, class, seconds);
	frame->npair += row->requests > 0;
}

/* ---- all of them ---- */

static struct device_row *device_of(struct frame *frame, uint64_t disk)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		if (frame->device[i].latency && frame->device[i].latency->disk == disk)
			return &frame->device[i];
	return NULL;
}

static void add_task(struct frame *frame, const struct readings *in, const struct pair_sample *now)
{
	static const struct pair_sample nothing;
	const struct pair_sample *was = find(in, now);
	struct request_amounts class[PAIR_CLASSES] = {{0}};
	uint64_t requests = 0;

	was = was ? was : &nothing;
	for (unsigned i = 0; i < PAIR_CLASSES; i++) {
		add_grown(&class[i], &was->class[i], &now->class[i]);
		requests += class[i].requests;
	}
	struct device_row *device = requests ? device_of(frame, now->disk) : NULL;
	if (device)
		add_row(frame, device, now->pid, now->comm, class, in->seconds);
}

static void add_others(struct frame *frame, struct device_row *device, double seconds)
{
	struct request_amounts class[PAIR_CLASSES];

	for (unsigned i = 0; i < PAIR_CLASSES; i++)
		class[i] = device->latency->class[i].others;
	add_row(frame, device, PAIR_OTHERS, "", class, seconds);
}

/* Devices as in the frame; of each its processes, the busiest first, then the rest. */
static int compare(const void *a, const void *b, const void *context)
{
	const struct pair_row *x = a, *y = b;

	(void)context;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->pid < 0 || y->pid < 0)
		return (x->pid < 0) != (y->pid < 0) ? (x->pid < 0) - (y->pid < 0) : y->pid - x->pid;
	return (x->requests < y->requests) - (x->requests > y->requests);
}

/* Shares, and the foremost issuer of each device. */
static void rank(struct frame *frame)
{
	struct pair_row **order = frame->pair_order;

	for (size_t first = 0, end; first < frame->npair; first = end) {
		struct pair_row *top = order[first];
		struct device_row *device = top->device;
		double all = 0;

		for (end = first; end < frame->npair && order[end]->device == device; end++) {
			all += order[end]->requests;
			if (order[end]->requests > top->requests)
				top = order[end];
		}
		for (size_t i = first; i < end; i++)
			order[i]->share = value_of(100 * order[i]->requests / all);
		device->top = top;
		device->top_share = top->share;
	}
}

static int reserve(struct frame *frame, size_t n)
{
	if (!frame->pair_work)
		frame->pair_work = calloc(1, sizeof(*frame->pair_work));
	struct pair_work *work = frame->pair_work;
	if (!work || n <= frame->pair_cap)
		return work ? 0 : -ENOMEM;
	struct pair_row *row = reallocarray(frame->pair, n, sizeof(*row));
	frame->pair = row ? row : frame->pair;
	struct pair_row **order = reallocarray(frame->pair_order, n, sizeof(*order));
	frame->pair_order = order ? order : frame->pair_order;
	void **scratch = reallocarray(work->scratch, n, sizeof(*scratch));
	work->scratch = scratch ? scratch : work->scratch;
	if (!row || !order || !scratch)
		return -ENOMEM;
	frame->pair_cap = n;
	return 0;
}

static int index_before(struct lookup *lookup, const struct pair_snapshot *before)
{
	/* room for all there may be: it grows no more than the samples do */
	if (lookup_reset(lookup, before->cap > before->n ? before->cap : before->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < before->n; i++)
		lookup_put(lookup, hash_of(&before->sample[i]), i);
	return 0;
}

static int build(struct frame *frame, const struct pair_snapshot *before,
                 const struct pair_snapshot *now, double seconds)
{
	/* a row for each sample there may be, and for what is left of each device */
	if (reserve(frame, (now->cap > now->n ? now->cap : now->n) + frame->device_cap) < 0 ||
	    index_before(&frame->pair_work->lookup, before) < 0)
		return -ENOMEM;
	const struct readings in = {before, &frame->pair_work->lookup, seconds};
	for (size_t i = 0; i < now->n; i++)
		add_task(frame, &in, &now->sample[i]);
	for (size_t i = 0; i < frame->ndevice; i++)
		if (frame->device[i].latency)
			add_others(frame, &frame->device[i], seconds);
	for (size_t i = 0; i < frame->npair; i++)
		frame->pair_order[i] = &frame->pair[i];
	sort_pointers((void **)frame->pair_order, frame->pair_work->scratch, frame->npair,
	              compare, NULL);
	rank(frame);
	return 0;
}

static void set_devices(struct frame *frame, enum absent why)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		if (frame->device[i].latency)
			frame->device[i].top_share = value_absent(why);
}

int pairs_build(struct frame *frame, const struct snapshot *before, const struct snapshot *now)
{
	const struct pair_snapshot *is = &now->pairs, *was = before ? &before->pairs : NULL;
	double seconds = was ? (double)(is->mono_ns - was->mono_ns) / 1e9 : 0;

	frame->npair = 0;
	frame->pairs_state = is->state;
	if (is->state == PRESENT && (!was || was->state != PRESENT || seconds <= 0))
		frame->pairs_state = ABSENT_NEW;
	set_devices(frame, frame->pairs_state == PRESENT ? ABSENT_IDLE : frame->pairs_state);
	if (frame->pairs_state != PRESENT)
		return 0;
	return build(frame, was, is, seconds);
}

void pairs_release(struct frame *frame)
{
	free(frame->pair);
	free(frame->pair_order);
	if (frame->pair_work) {
		lookup_release(&frame->pair_work->lookup);
		free(frame->pair_work->scratch);
	}
	free(frame->pair_work);
}

/* ---- the tasks ---- */

static int compare_pid(const void *key, const void *data)
{
	const int32_t pid = *(const int32_t *)key;
	const struct task_row *row = data;

	return (pid > row->task->pid) - (pid < row->task->pid);
}

/* The rows that have this PID: they stand together. */
struct rows {
	struct task_row *first;
	size_t n;
	bool of_two; /* a process has one row, or its threads have */
};

static struct rows rows_of(struct frame *frame, int32_t pid)
{
	struct task_row *end = frame->task + frame->ntask, *row;
	struct rows rows = {0};

	row = frame->ntask ? bsearch(&pid, frame->task, frame->ntask, sizeof(*row), compare_pid)
	                   : NULL;
	if (!row)
		return rows;
	while (row > frame->task && row[-1].task->pid == pid)
		row--;
	rows.first = row;
	for (; row < end && row->task->pid == pid; row++) {
		rows.n++;
		rows.of_two |= row->kind == TASK_PROCESS;
	}
	rows.of_two &= rows.n > 1;
	return rows;
}

static void add_pair(struct task_row *row, struct pair_row *pair)
{
	double requests = row->req.n + pair->rate.n;
	double ms = value_or(row->req_await, 0) * row->req.n +
	            (value_or(pair->avwait, 0) + pair->avserv.n) * pair->rate.n;
	row->req = value_of(requests);
	row->req_await = value_of(ms / requests);
	if (!row->top || row->top->requests < pair->requests)
		row->top = pair;
}

/* Of two that had the PID, one after the other, it cannot be told whose the requests were. */
static void attach(struct frame *frame, struct pair_row *pair)
{
	struct rows rows = {0};

	if (pair->pid > 0)
		rows = rows_of(frame, pair->pid);
	if (rows.of_two)
		pair->comm = NULL;
	else if (rows.n > 0)
		pair->comm = rows.first->task->comm;
	for (size_t i = 0; rows.of_two && i < rows.n; i++)
		if (rows.first[i].kind == TASK_PROCESS)
			rows.first[i].req = rows.first[i].req_await = value_absent(ABSENT_RESET);
	if (rows.n == 1 && rows.first->kind == TASK_PROCESS)
		add_pair(rows.first, pair);
}

void pairs_attach(struct frame *frame)
{
	const struct value absent = value_absent(frame->pairs_state);
	bool known = frame->pairs_state == PRESENT;

	for (size_t i = 0; i < frame->ntask; i++) {
		struct task_row *row = &frame->task[i];
		row->top = NULL;
		row->req = row->req_await = absent;
		if (known && row->kind != TASK_PROCESS) /* they are a process's */
			row->req = row->req_await = value_absent(ABSENT_UNSUPPORTED);
		else if (known)
			row->req = value_of(0), row->req_await = value_absent(ABSENT_IDLE);
	}
	for (size_t i = 0; i < frame->npair; i++)
		attach(frame, frame->pair_order[i]);
}
