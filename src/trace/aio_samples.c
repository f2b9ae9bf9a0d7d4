/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aio_samples.h"

#include <stdlib.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_processes(const struct aio_activity_sample *a,
			     const struct aio_activity_sample *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return compare_numbers(a->start_ticks, b->start_ticks);
}

static uint64_t sum(const struct aio_activity_sample *sample)
{
	return sample->submitted + sample->completed + sample->uring_submitted +
	       sample->uring_completed;
}

/* The later reading first. */
static int compare(const void *a, const void *b)
{
	int order = compare_processes(a, b);

	return order ? order : compare_numbers(sum(b), sum(a));
}

void aio_samples_settle(struct aio_activity *activity)
{
	struct aio_activity_sample *sample = activity->sample;
	size_t n = 0;

	if (activity->n)
		qsort(sample, activity->n, sizeof(*sample), compare);
	for (size_t i = 0; i < activity->n; i++)
		if (n == 0 || compare_processes(&sample[n - 1], &sample[i]) != 0)
			sample[n++] = sample[i];
	activity->n = n;
}
