/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands on what. Live, sysfs says it. A saved report does not, so there a
 * layer (md, dm and their like, by name) stands on the device, or the devices,
 * that move what it moves; and a partition is what is named after a disk.
 */
#include "stages.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_SETS_MAX = 64 }; /* groups of alike devices looked at in a frame */

struct layering {
	const struct frame *frame;
	const struct device_index *index;
	struct device_view *view;
	const struct thresholds *limits;
	struct layers *layers;
	int err;
};

/* ---- names ---- */

static bool starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* "md0", "dm-3", "dev253-3" (sar), "vg00-root" and "mpatha" (names of dm). */
static bool layer_name(const char *name)
{
	static const char *const numbered[] = {"md", "bcache", "drbd", "zd"};

	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (starts(name, numbered[i]) && isdigit((unsigned char)name[strlen(numbered[i])]))
			return true;
	if (starts(name, "dev") && isdigit((unsigned char)name[3])) {
		unsigned major = (unsigned)strtoul(name + 3, NULL, 10);

		return major == 9 || (major >= 252 && major <= 254);
	}
	return starts(name, "mpath") || strchr(name, '-') != NULL;
}

static bool is_layer(const struct device_row *row)
{
	if (row->info)
		return row->info->nlower > 0 || row->info->class == DEVICE_DM ||
		       row->info->class == DEVICE_MD || row->info->class == DEVICE_STACKED;
	return layer_name(row->name);
}

/* md before dm: what stands on nothing comes first. */
static int layer_rank(const struct layering *l, size_t row)
{
	const char *name = l->frame->device[row].name;

	if (!l->view[row].layer)
		return 0;
	return starts(name, "md") || starts(name, "dev9-") ? 1 : 2;
}

bool layers_partition_of(const char *name, char disk[DEVICE_NAME_MAX])
{
	size_t n = strlen(name), digits = 0;

	while (digits < n && isdigit((unsigned char)name[n - 1 - digits]))
		digits++;
	if (digits == 0 || digits >= n || n >= DEVICE_NAME_MAX)
		return false;
	n -= digits;
	if (name[n - 1] == 'p' && n > 1 && isdigit((unsigned char)name[n - 2]))
		n--;
	else if (!isalpha((unsigned char)name[n - 1]))
		return false;
	snprintf(disk, DEVICE_NAME_MAX, "%.*s", (int)n, name);
	return true;
}

/* ---- the list ---- */

static void layers_add(struct layering *l, size_t upper, size_t lower)
{
	struct layers *layers = l->layers;

	if (upper == lower)
		return;
	if (stage_reserve((void **)&layers->lower, &layers->cap, layers->n + 1,
			  sizeof(*layers->lower)) < 0) {
		l->err = -1;
		return;
	}
	layers->lower[layers->n++] = (uint32_t)lower;
	l->view[upper].nlower++;
}

/* From sysfs; a partition stands for its disk. */
static void layers_known(struct layering *l, size_t row, const struct device_info *info)
{
	for (size_t i = 0; i < info->nlower; i++) {
		long lower = index_find(l->index, l->frame, info->lower[i]), disk;
		const struct device_info *below;

		if (lower == INDEX_NONE)
			continue;
		below = l->frame->device[lower].info;
		if (below && below->class == DEVICE_PARTITION && below->parent[0]) {
			disk = index_find(l->index, l->frame, below->parent);
			lower = disk == INDEX_NONE ? lower : disk;
		}
		layers_add(l, row, (size_t)lower);
	}
}

/* ---- from the rates ---- */

static bool alike(double a, double b, double share)
{
	return fabs(a - b) <= share * fmax(a, b);
}

/* Rates of nothing are like rates of next to nothing. */
static bool same_rate(double a, double b)
{
	return fabs(a - b) <= 2 || alike(a, b, 0.05);
}

static double kib_read(const struct layering *l, size_t row)
{
	return value_or(l->frame->device[row].rkb, 0);
}

static double kib_written(const struct layering *l, size_t row)
{
	return value_or(l->frame->device[row].wkb, 0);
}

static double kib_both(const struct layering *l, size_t row)
{
	return kib_read(l, row) + kib_written(l, row);
}

/* May `lower` be below `upper`? Then one of an earlier rank, or of the same and before it. */
static bool may_carry(const struct layering *l, size_t lower, size_t upper)
{
	int below = layer_rank(l, lower), above = layer_rank(l, upper);

	if (lower == upper || l->view[lower].silent || l->frame->device[lower].why != PRESENT)
		return false;
	return below < above || (below == above && lower < upper);
}

/* Those that move the same: one disk, or the halves of a mirror that is written to. */
static bool layers_equal(struct layering *l, size_t upper)
{
	for (int rank = 0; rank <= 2; rank++) {
		for (size_t i = 0; i < l->frame->ndevice; i++)
			if (layer_rank(l, i) == rank && may_carry(l, i, upper) &&
			    same_rate(kib_read(l, i), kib_read(l, upper)) &&
			    same_rate(kib_written(l, i), kib_written(l, upper)))
				layers_add(l, upper, i);
		if (l->view[upper].nlower)
			return true;
	}
	return false;
}

/* Belongs a disk to the group that `leader` stands for? */
typedef bool group_test(const struct layering *l, size_t row, size_t leader);

static bool group_alike(const struct layering *l, size_t row, size_t leader)
{
	return alike(kib_both(l, row), kib_both(l, leader), 0.05);
}

static bool group_kin(const struct layering *l, size_t row, size_t leader)
{
	return strncmp(l->frame->device[row].name, l->frame->device[leader].name, 2) == 0;
}

static bool group_any(const struct layering *l, size_t row, size_t leader)
{
	(void)l, (void)row, (void)leader;
	return true;
}

static bool group_mirror(const struct layering *l, size_t row, size_t leader)
{
	return same_rate(kib_written(l, row), kib_written(l, leader));
}

static bool in_group(const struct layering *l, size_t row, size_t leader, size_t upper,
		     group_test *test)
{
	return !l->view[row].layer && may_carry(l, row, upper) && kib_both(l, row) >= 1 &&
	       (row == leader || test(l, row, leader));
}

/* Do the members add up to the layer? A mirror's writes are those of each. */
static bool group_adds_up(const struct layering *l, size_t leader, size_t upper, group_test *test)
{
	double reads = 0, writes = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->frame->ndevice; i++) {
		if (!in_group(l, i, leader, upper, test))
			continue;
		reads += kib_read(l, i);
		writes += kib_written(l, i);
		n++;
	}
	if (n < 2)
		return false;
	if (test == group_mirror)
		writes /= (double)n;
	return same_rate(reads, kib_read(l, upper)) && same_rate(writes, kib_written(l, upper));
}

static bool layers_sum(struct layering *l, size_t upper)
{
	static group_test *const tests[] = {group_alike, group_mirror, group_kin, group_any};
	int tried = 0;

	for (size_t t = 0; t < sizeof(tests) / sizeof(tests[0]); t++)
		for (size_t leader = 0; leader < l->frame->ndevice; leader++) {
			if (!in_group(l, leader, leader, upper, tests[t]))
				continue;
			if (tried++ > LAYERS_SETS_MAX * 4)
				return false;
			if (!group_adds_up(l, leader, upper, tests[t]))
				continue;
			for (size_t i = 0; i < l->frame->ndevice; i++)
				if (in_group(l, i, leader, upper, tests[t]))
					layers_add(l, upper, i);
			return true;
		}
	return false;
}

/* A stuck layer waits for what is stuck below it. */
static void layers_stuck(struct layering *l, size_t upper)
{
	for (int rank = 0; rank < layer_rank(l, upper); rank++) {
		for (size_t i = 0; i < l->frame->ndevice; i++)
			if (layer_rank(l, i) == rank && !l->view[i].silent &&
			    view_stalled(&l->view[i], l->limits))
				layers_add(l, upper, i);
		if (l->view[upper].nlower)
			return;
	}
}

static void layers_infer(struct layering *l, size_t upper)
{
	if (view_stalled(&l->view[upper], l->limits)) {
		layers_stuck(l, upper);
		return;
	}
	if (kib_both(l, upper) < l->limits->layer_kib)
		return;
	if (!layers_equal(l, upper))
		layers_sum(l, upper);
}

static bool unplaced(const struct layering *l, size_t row)
{
	return l->view[row].layer && !l->view[row].nlower && !l->frame->device[row].info &&
	       kib_both(l, row) > 0;
}

/* Several layers that are on none may share one disk: together they move what it does. */
static void layers_share(struct layering *l)
{
	double reads = 0, writes = 0;
	size_t n = 0, disk = 0;

	for (size_t i = 0; i < l->frame->ndevice; i++)
		if (unplaced(l, i)) {
			reads += kib_read(l, i);
			writes += kib_written(l, i);
			n++;
		}
	for (; n >= 2 && disk < l->frame->ndevice; disk++)
		if (!l->view[disk].layer && !l->view[disk].silent && !l->frame->device[disk].info &&
		    kib_both(l, disk) >= l->limits->layer_kib &&
		    same_rate(reads, kib_read(l, disk)) && same_rate(writes, kib_written(l, disk)))
			break;
	for (size_t i = 0; n >= 2 && disk < l->frame->ndevice && i < l->frame->ndevice; i++)
		if (unplaced(l, i)) {
			l->view[i].lower = l->layers->n;
			layers_add(l, i, disk);
		}
}

/* ---- sets ---- */

static uint64_t set_id(const char *name)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	return hash | 1;
}

static void set_join(struct device_view *view, const char *name)
{
	if (view->set)
		return;
	view->set = set_id(name);
	view->set_name = name;
}

static void sets_known(struct layering *l)
{
	for (size_t i = 0; i < l->frame->ndevice; i++) {
		struct device_view *view = &l->view[i];
		const struct device_info *info = view->row->info;

		if (info && info->pool[0] && !view->silent)
			set_join(view, info->pool);
		for (size_t k = 0; view->nlower > 1 && k < view->nlower; k++)
			set_join(&l->view[l->layers->lower[view->lower + k]], view->row->name);
	}
	/* the pool of a file system on partitions is that of their disks */
	for (size_t i = 0; i < l->frame->ndevice; i++) {
		const struct device_info *info = l->frame->device[i].info;
		long disk = INDEX_NONE;

		if (info && info->pool[0] && l->view[i].silent && info->parent[0])
			disk = index_find(l->index, l->frame, info->parent);
		if (disk != INDEX_NONE)
			set_join(&l->view[disk], info->pool);
	}
}

static bool set_alike(const struct layering *l, size_t a, size_t b, double share)
{
	const struct device_row *x = &l->frame->device[a], *y = &l->frame->device[b];

	return alike(value_or(x->r, 0), value_or(y->r, 0), share) &&
	       alike(value_or(x->w, 0), value_or(y->w, 0), share) &&
	       alike(kib_read(l, a), kib_read(l, b), share) &&
	       alike(kib_written(l, a), kib_written(l, b), share);
}

static bool set_candidate(const struct layering *l, size_t row)
{
	const struct device_view *view = &l->view[row];

	return !view->row->info && !view->set && !view->silent && !view->layer &&
	       view->row->why == PRESENT && !view->tainted &&
	       value_or(view->iops, 0) * view->seconds >= l->limits->enough_requests;
}

/* Devices of a report that do the same work. */
static void sets_alike(struct layering *l)
{
	int tried = 0;

	for (size_t i = 0; i < l->frame->ndevice && tried < LAYERS_SETS_MAX; i++) {
		double share = l->limits->legs_alike;
		size_t n = 0;

		if (!set_candidate(l, i))
			continue;
		tried++;
		for (size_t k = 0; k < l->frame->ndevice; k++)
			n += set_candidate(l, k) && set_alike(l, i, k, share);
		if (n == 2)
			share = l->limits->legs_pair_alike;
		for (size_t k = i + 1; n > 1 && k < l->frame->ndevice; k++)
			if (set_candidate(l, k) && set_alike(l, i, k, share)) {
				set_join(&l->view[k], l->frame->device[i].name);
				set_join(&l->view[i], l->frame->device[i].name);
			}
	}
}

int layers_build(struct layers *layers, const struct frame *frame, const struct device_index *index,
		 struct device_view *view, const struct thresholds *limits)
{
	struct layering l = {frame, index, view, limits, layers, 0};

	layers->n = 0;
	for (size_t i = 0; i < frame->ndevice; i++)
		view[i].layer = is_layer(view[i].row);
	for (size_t i = 0; i < frame->ndevice; i++) {
		view[i].lower = layers->n;
		if (frame->device[i].info)
			layers_known(&l, i, frame->device[i].info);
		else if (view[i].layer && frame->device[i].why == PRESENT)
			layers_infer(&l, i);
	}
	layers_share(&l);
	sets_known(&l);
	sets_alike(&l);
	return l.err;
}

void layers_release(struct layers *layers)
{
	free(layers->lower);
}
