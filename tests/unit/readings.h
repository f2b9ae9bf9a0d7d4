/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests of frames share: readings made by hand, and values compared.
 */
#ifndef TESTS_UNIT_READINGS_H
#define TESTS_UNIT_READINGS_H

#include "bytes.h"

#include "frame/build.h"

#include <math.h>

enum { SECOND = 1000000000 };

static inline void is_value(struct value v, double expected, const char *what)
{
	if (v.why != PRESENT)
		fail_msg("%s is absent (%d)", what, v.why);
	if (fabs(v.n - expected) > 1e-9 * fmax(1, fabs(expected)))
		fail_msg("%s is %.12g, not %.12g", what, v.n, expected);
}

#define assert_value(v, expected) is_value(v, expected, #v)
#define assert_absent(v, reason) assert_int_equal((v).why, reason)

static inline struct device_sample sample_of(const char *name, enum disk_layout layout)
{
	struct device_sample sample = {.layout = layout};

	snprintf(sample.name, sizeof(sample.name), "%s", name);
	return sample;
}

struct pair {
	struct snapshot before, now;
	struct device_sample was[8], is[8];
	struct device_info info[8];
	struct frame frame;
};

static inline void pair_start(struct pair *pair, double seconds)
{
	memset(pair, 0, sizeof(*pair));
	pair->before.devices = (struct device_snapshot){.mono_ns = SECOND, .device = pair->was};
	pair->now.devices = (struct device_snapshot){.mono_ns = (int64_t)((1 + seconds) * SECOND),
						     .device = pair->is};
	pair->before.system.mono_ns = pair->before.mono_ns = pair->before.boot_ns = SECOND;
	pair->before.system.stat_ns = SECOND;
	pair->now.system.mono_ns = pair->now.mono_ns = pair->now.boot_ns =
	    pair->now.devices.mono_ns;
	pair->now.system.stat_ns = pair->now.devices.mono_ns;
}

/* A disk that read this much. */
static inline void pair_add(struct pair *pair, const char *name, enum device_class class,
			    const char *parent, uint64_t reads)
{
	size_t n = pair->now.devices.n;

	pair->info[n].class = class;
	pair->info[n].iostats = 1;
	snprintf(pair->info[n].parent, DEVICE_NAME_MAX, "%s", parent);
	pair->is[n] = sample_of(name, DISK_FLUSHES);
	pair->is[n].info = &pair->info[n];
	pair->was[n] = pair->is[n];
	pair->is[n].counter[RD_IOS] = reads;
	pair->is[n].counter[RD_SECTORS] = 2 * reads;
	pair->before.devices.n = ++pair->now.devices.n;
}

static inline const struct device_row *row_named(const struct frame *frame, const char *name)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		if (strcmp(frame->device[i].name, name) == 0)
			return &frame->device[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* It did so much itself. */
static inline void did(struct task_sample *task, enum task_counter counter, uint64_t n)
{
	task->counter[counter] += n;
	task->own[counter] += n;
}

/* A walk that began at second `begun`, or rather that many hundred ticks after boot. */
static inline struct task_snapshot walk(struct task_sample *task, size_t n,
					struct task_sample *thread, size_t nthread, int begun)
{
	return (struct task_snapshot){.task = task,
				      .n = n,
				      .thread = thread,
				      .nthread = nthread,
				      .begun_ns = (int64_t)begun * SECOND,
				      .begun_ticks = (uint64_t)begun * 100};
}

static inline struct task_sample sample_at(int32_t pid, int32_t tid, int second)
{
	return (struct task_sample){.pid = pid,
				    .tid = tid,
				    .ppid = 1,
				    .start_ticks = 1,
				    .threads = 1,
				    .state = 'S',
				    .mono_ns = (int64_t)second * SECOND};
}

#endif
