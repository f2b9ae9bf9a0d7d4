/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of tasks with the same name. */
#include "groups.h"
#include "iotriage/hash.h"
#include "iotriage/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void groups_release(struct groups *groups)
{
	free(groups->group);
	free(groups->order);
	lookup_release(&groups->lookup);
	*groups = (struct groups){0};
}

void groups_clear(struct groups *groups)
{
	groups->n = 0;
	if (groups->lookup.n)
		(void)lookup_reset(&groups->lookup, 0);
}

void tally_add(struct tally *sum, const struct tally *tally)
{
	if (sum->tasks == 0)
		memcpy(sum->user, tally->user, sizeof(sum->user));
	else if (strcmp(sum->user, tally->user) != 0)
		*sum->user = '\0';
	for (int s = 0; s < SUMS; s++) {
		sum->kib[s] += tally->kib[s];
		sum->known[s] = sum->known[s] || tally->known[s];
	}
	if (tally->why != PRESENT)
		sum->why = tally->why;
	sum->tasks += tally->tasks;
	sum->lives = sum->lives || tally->lives;
}

int tally_compare(const void *a, const void *b, const void *context)
{
	const struct tally *x = a, *y = b;
	double p = x->kib[SUM_RKIB] + x->kib[SUM_WKIB], q = y->kib[SUM_RKIB] + y->kib[SUM_WKIB];

	(void)context;
	if (p == q) {
		p = x->kib[SUM_INH_RKIB] + x->kib[SUM_INH_WKIB] + x->kib[SUM_CKIB];
		q = y->kib[SUM_INH_RKIB] + y->kib[SUM_INH_WKIB] + y->kib[SUM_CKIB];
	}
	return (p < q) - (p > q);
}

static void look_up_all(struct groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		lookup_put(&groups->lookup, hash_text(groups->group[i].name, 0), i);
}

static int reserve(struct groups *groups, size_t n)
{
	if (n > groups->cap) {
		size_t cap = n + n / 2 + 64;
		struct tally *group = reallocarray(groups->group, cap, sizeof(*group));
		if (!group)
			return -ENOMEM;
		groups->group = group;
		void **order = reallocarray(groups->order, 2 * cap, sizeof(*order));
		if (!order)
			return -ENOMEM;
		groups->order = order;
		groups->cap = cap;
	}
	if (lookup_fits(&groups->lookup, n))
		return 0;
	if (lookup_reset(&groups->lookup, 2 * n) < 0)
		return -ENOMEM;
	look_up_all(groups);
	return 0;
}

static struct tally *find(const struct groups *groups, const char *name)
{
	const struct lookup *lookup = &groups->lookup;
	uint32_t place;

	if (groups->n == 0)
		return NULL;
	for (size_t at = lookup_first(lookup, hash_text(name, 0)); (place = lookup_at(lookup, at));
	     at = lookup_next(lookup, at))
		if (strcmp(groups->group[place - 1].name, name) == 0)
			return &groups->group[place - 1];
	return NULL;
}

int groups_add(struct groups *groups, const char *name, const struct tally *tally)
{
	struct tally *group = find(groups, name);

	if (!group) {
		if (reserve(groups, groups->n + 1) < 0)
			return -ENOMEM;
		group = &groups->group[groups->n];
		*group = (struct tally){0};
		snprintf(group->name, sizeof(group->name), "%s", name);
		lookup_put(&groups->lookup, hash_text(group->name, 0), groups->n++);
	}
	tally_add(group, tally);
	return 0;
}

void groups_shrink(struct groups *groups, size_t keep, struct tally *rest)
{
	size_t kept = 0;

	if (groups->n <= keep)
		return;
	for (size_t i = 0; i < groups->n; i++)
		groups->order[i] = &groups->group[i];
	sort_pointers(groups->order, groups->order + groups->n, groups->n, tally_compare, NULL);
	for (size_t i = keep; i < groups->n; i++) {
		struct tally *group = groups->order[i];
		tally_add(rest, group);
		group->tasks = 0; /* a group has at least one */
	}
	for (size_t i = 0; i < groups->n; i++)
		if (groups->group[i].tasks > 0)
			groups->group[kept++] = groups->group[i];
	groups->n = kept;
	(void)lookup_reset(&groups->lookup, 0);
	look_up_all(groups);
}
