/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All device rows: which samples belong together, in what order, what is folded. */
#include "devices.h"
#include "iotriage/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_partition(const struct device_sample *sample)
{
	return sample->info && sample->info->class == DEVICE_PARTITION;
}

/* A partition sorts as its disk first. */
static const char *disk_name(const struct device_sample *sample)
{
	return is_partition(sample) ? sample->info->parent : sample->name;
}

static int compare_samples(const void *a, const void *b, const void *context)
{
	const struct device_sample *x = a, *y = b;
	int order = compare_natural(disk_name(x), disk_name(y));

	(void)context;
	if (order == 0)
		order = (int)is_partition(x) - (int)is_partition(y);
	return order ? order : compare_natural(x->name, y->name);
}

/* The sample of that name; the kernel keeps its order, so it is mostly at hint. */
static const struct device_sample *find(const struct device_snapshot *snapshot, const char *name, size_t hint)
{
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct device_sample *sample = &snapshot->device[(hint + i) % snapshot->n];
		if (strcmp(sample->name, name) == 0)
			return sample;
	}
	return NULL;
}

static bool is_path_of(const struct device_sample *sample, const char *namespace)
{
	return sample->info && sample->info->class == DEVICE_PATH &&
	       strcmp(sample->info->parent, namespace) == 0;
}

static bool counts_itself(const struct device_sample *sample)
{
	for (enum disk_counter c = 0; c < DISK_COUNTERS; c++)
		if (sample->counter[c])
			return true;
	return false;
}

/*
 * A multipath NVMe namespace whose own counters stay 0 is the sum of its hidden
 * paths. true: *sum is that; false: the sample stands for itself.
 */
static bool fold_paths(const struct device_snapshot *snapshot, const struct device_sample *sample,
                       struct device_sample *sum)
{
	bool folded = false;

	if (counts_itself(sample))
		return false;
	*sum = *sample;
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct device_sample *path = &snapshot->device[i];
		if (!is_path_of(path, sample->name))
			continue;
		for (enum disk_counter c = 0; c < DISK_COUNTERS; c++)
			sum->counter[c] += path->counter[c];
		sum->layout = path->layout;
		folded = true;
	}
	return folded;
}

static int reserve(struct frame *frame, size_t n)
{
	if (n <= frame->device_cap)
		return 0;
	size_t cap = n + n / 4 + 8;
	struct device_row *row = reallocarray(frame->device, cap, sizeof(*row));
	if (!row)
		return -ENOMEM;
	frame->device = row;
	void **order = reallocarray(frame->order, 2 * cap, sizeof(*order));
	if (!order)
		return -ENOMEM;
	frame->order = order;
	frame->device_cap = cap;
	return 0;
}

static void build_row(struct device_row *row, const struct device_snapshot *before,
                      const struct device_snapshot *now, const struct device_sample *sample, double seconds)
{
	static const struct device_sample zero;
	struct device_sample sum, sum_before, at_boot = zero;
	const struct device_sample *earlier = NULL;
	bool folded = fold_paths(now, sample, &sum);

	if (before) {
		earlier = find(before, sample->name, (size_t)(sample - now->device));
		if (earlier && folded && fold_paths(before, earlier, &sum_before))
			earlier = &sum_before;
	} else {
		at_boot.layout = folded ? sum.layout : sample->layout;
		at_boot.diskseq = sample->diskseq;
		earlier = &at_boot;
	}
	device_row_build(row, earlier, folded ? &sum : sample, seconds);
	row->name = sample->name;
	row->folded = folded;
	/* paths are busy at the same time: the sum of their busy times is nobody's */
	if (folded)
		row->util = row->svctm = row->qwait = row->wait_pct = row->depth =
			value_absent(row->why != PRESENT ? row->why : ABSENT_UNSUPPORTED);
	row->since_boot = !before;
	row->hidden = sample->info && sample->info->class == DEVICE_PATH &&
	              find(now, sample->info->parent, 0) != NULL;
	if (row->hidden)
		row->counts_in_totals = false;
}

int devices_build(struct frame *frame, const struct device_snapshot *before,
                  const struct device_snapshot *now, double seconds)
{
	if (reserve(frame, now->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < now->n; i++)
		frame->order[i] = &now->device[i];
	if (now->n > 0)
		sort_pointers(frame->order, frame->order + now->n, now->n, compare_samples, NULL);
	for (size_t i = 0; i < now->n; i++)
		build_row(&frame->device[i], before, now, frame->order[i], seconds);
	frame->ndevice = now->n;
	return 0;
}
