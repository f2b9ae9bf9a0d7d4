/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a device's name to its row: a hash table built anew for each frame, so
 * that ten thousand devices with parents and layers cost no quadratic time.
 */
#include "stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stage_reserve(void **array, size_t *cap, size_t n, size_t element)
{
	size_t more = n + n / 2 + 8;
	void *grown;

	if (n <= *cap)
		return 0;
	if (more > SIZE_MAX / element)
		return -ENOMEM;
	grown = realloc(*array, more * element);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*cap = more;
	return 0;
}

static size_t index_hash(const char *name)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	return (size_t)(hash ^ hash >> 32);
}

static int index_grow(struct device_index *index, size_t ndevice)
{
	size_t cap = index->cap ? index->cap : 64;
	uint32_t *slot;

	while (cap < 2 * ndevice)
		cap *= 2;
	if (cap == index->cap)
		return 0;
	slot = malloc(cap * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(index->slot);
	index->slot = slot;
	index->cap = cap;
	return 0;
}

int index_build(struct device_index *index, const struct frame *frame)
{
	if (index_grow(index, frame->ndevice) < 0)
		return -ENOMEM;
	memset(index->slot, 0, index->cap * sizeof(*index->slot));
	for (size_t i = 0; i < frame->ndevice; i++) {
		size_t at = index_hash(frame->device[i].name) & (index->cap - 1);

		while (index->slot[at])
			at = (at + 1) & (index->cap - 1);
		index->slot[at] = (uint32_t)(i + 1);
	}
	return 0;
}

long index_find(const struct device_index *index, const struct frame *frame, const char *name)
{
	size_t at;

	if (!index->cap)
		return INDEX_NONE;
	at = index_hash(name) & (index->cap - 1);
	for (; index->slot[at]; at = (at + 1) & (index->cap - 1)) {
		size_t row = index->slot[at] - 1;

		if (strcmp(frame->device[row].name, name) == 0)
			return (long)row;
	}
	return INDEX_NONE;
}

void index_release(struct device_index *index)
{
	free(index->slot);
}
