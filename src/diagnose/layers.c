/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands on what. Live, sysfs says it. A saved report does not, so there a
 * layer (md, dm and their like, by name) stands on the device, or the devices,
 * that move what it moves; and a partition is what is named after a disk.
 */
#include "stages.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * How much is tried: groups of devices, for each layer and in each frame, and
 * layers of a frame without sysfs, beyond which none is placed.
 */
enum { LAYERS_GROUPS_MAX = 64, LAYERS_PLACED_MAX = 512 };

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
static int layer_rank(const struct device_view *view)
{
	const char *name = view->row->name;

	if (!view->layer)
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
		l->err = -ENOMEM;
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

static double kib_both(const struct layer_row *row)
{
	return row->reads + row->writes;
}

static bool same_rates(const struct layer_row *a, const struct layer_row *b)
{
	return same_rate(a->reads, b->reads) && same_rate(a->writes, b->writes);
}

/* May `lower` be below `upper`? Then one of an earlier rank, or of the same and before it. */
static bool may_carry(const struct layering *l, size_t lower, size_t upper)
{
	int below = l->layers->row[lower].rank, above = l->layers->row[upper].rank;

	return l->layers->row[lower].speaks && (below < above || (below == above && lower < upper));
}

/* Those that move the same: one disk, or the halves of a mirror that is written to. */
static bool layers_equal(struct layering *l, size_t upper)
{
	const struct layer_row *row = l->layers->row;
	int lowest = row[upper].rank + 1;

	for (size_t i = 0; i < l->frame->ndevice; i++)
		if (row[i].rank < lowest && may_carry(l, i, upper) &&
		    same_rates(&row[i], &row[upper]))
			lowest = row[i].rank;
	if (lowest > row[upper].rank)
		return false;
	for (size_t i = 0; i < l->frame->ndevice; i++)
		if (row[i].rank == lowest && may_carry(l, i, upper) &&
		    same_rates(&row[i], &row[upper]))
			layers_add(l, upper, i);
	return true;
}

/* Does a disk belong to the group that `leader` stands for? */
typedef bool group_test(const struct layering *l, size_t row, size_t leader);

static bool group_alike(const struct layering *l, size_t row, size_t leader)
{
	return alike(kib_both(&l->layers->row[row]), kib_both(&l->layers->row[leader]), 0.05);
}

static bool group_mirror(const struct layering *l, size_t row, size_t leader)
{
	return same_rate(l->layers->row[row].writes, l->layers->row[leader].writes);
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

static bool in_group(const struct layering *l, size_t row, size_t leader, group_test *test)
{
	const struct layer_row *disk = &l->layers->row[row];

	return disk->rank == 0 && disk->speaks && kib_both(disk) >= 1 &&
	       (row == leader || test(l, row, leader));
}

/* Do the members add up to the layer? A mirror's writes are those of each. */
static bool group_adds_up(const struct layering *l, size_t leader, size_t upper, group_test *test)
{
	struct layer_row sum = {0};
	size_t n = 0;

	for (size_t i = 0; i < l->frame->ndevice; i++) {
		if (!in_group(l, i, leader, test))
			continue;
		sum.reads += l->layers->row[i].reads;
		sum.writes += l->layers->row[i].writes;
		n++;
	}
	if (n < 2)
		return false;
	if (test == group_mirror)
		sum.writes /= (double)n;
	return same_rates(&sum, &l->layers->row[upper]);
}

/* False: no group of this kind is what the layer moves. */
static bool layers_sum_of(struct layering *l, size_t upper, group_test *test)
{
	int tried = 0;

	for (size_t leader = 0; leader < l->frame->ndevice; leader++) {
		if (!in_group(l, leader, leader, test))
			continue;
		if (group_adds_up(l, leader, upper, test)) {
			for (size_t i = 0; i < l->frame->ndevice; i++)
				if (in_group(l, i, leader, test))
					layers_add(l, upper, i);
			return true;
		}
		if (++tried == LAYERS_GROUPS_MAX || test == group_any)
			return false;
	}
	return false;
}

static void layers_sum(struct layering *l, size_t upper)
{
	static group_test *const tests[] = {group_alike, group_mirror, group_kin, group_any};

	for (size_t t = 0; t < sizeof(tests) / sizeof(tests[0]); t++)
		if (layers_sum_of(l, upper, tests[t]))
			return;
}

/* A stuck layer waits for what is stuck below it. */
static void layers_stuck(struct layering *l, size_t upper)
{
	for (int rank = 0; rank < l->layers->row[upper].rank; rank++) {
		for (size_t i = 0; i < l->frame->ndevice; i++)
			if (l->layers->row[i].rank == rank && l->layers->row[i].speaks &&
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
	if (kib_both(&l->layers->row[upper]) < l->limits->layer_kib)
		return;
	if (!layers_equal(l, upper))
		layers_sum(l, upper);
}

static bool unplaced(const struct layering *l, size_t row)
{
	return l->layers->row[row].rank > 0 && !l->view[row].nlower &&
	       !l->frame->device[row].info && kib_both(&l->layers->row[row]) > 0;
}

/* Several layers that are on none may share one disk: together they move what it does. */
static void layers_share(struct layering *l)
{
	const struct layer_row *row = l->layers->row;
	struct layer_row sum = {0};
	size_t n = 0, disk = 0;

	for (size_t i = 0; i < l->frame->ndevice; i++)
		if (unplaced(l, i)) {
			sum.reads += row[i].reads;
			sum.writes += row[i].writes;
			n++;
		}
	for (; n >= 2 && disk < l->frame->ndevice; disk++)
		if (row[disk].rank == 0 && row[disk].speaks && !l->frame->device[disk].info &&
		    kib_both(&row[disk]) >= l->limits->layer_kib && same_rates(&sum, &row[disk]))
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
	       alike(l->layers->row[a].reads, l->layers->row[b].reads, share) &&
	       alike(l->layers->row[a].writes, l->layers->row[b].writes, share);
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

	for (size_t i = 0; i < l->frame->ndevice && tried < LAYERS_GROUPS_MAX; i++) {
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

static void layers_look(struct layering *l)
{
	for (size_t i = 0; i < l->frame->ndevice; i++) {
		const struct device_row *row = &l->frame->device[i];

		l->view[i].layer = is_layer(row);
		l->layers->row[i] = (struct layer_row){
		    .reads = value_or(row->rkb, 0),
		    .writes = value_or(row->wkb, 0),
		    .rank = layer_rank(&l->view[i]),
		    .speaks = row->why == PRESENT && !l->view[i].silent,
		};
	}
}

int layers_build(struct layers *layers, const struct frame *frame, const struct device_index *index,
		 struct device_view *view, const struct thresholds *limits)
{
	struct layering l = {frame, index, view, limits, layers, 0};
	int placed = 0;

	layers->n = 0;
	if (stage_reserve((void **)&layers->row, &layers->row_cap, frame->ndevice,
			  sizeof(*layers->row)) < 0)
		return -ENOMEM;
	layers_look(&l);
	for (size_t i = 0; i < frame->ndevice; i++) {
		view[i].lower = layers->n;
		if (frame->device[i].info)
			layers_known(&l, i, frame->device[i].info);
		else if (view[i].layer && layers->row[i].speaks && placed++ < LAYERS_PLACED_MAX)
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
	free(layers->row);
}
