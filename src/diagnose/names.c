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

static size_t names_hash(const char *name)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	return (size_t)(hash ^ hash >> 32);
}

static int names_grow(struct names *names, size_t ndevice)
{
	size_t cap = names->cap ? names->cap : 64;
	uint32_t *slot;

	while (cap < 2 * ndevice)
		cap *= 2;
	if (cap == names->cap)
		return 0;
	slot = malloc(cap * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(names->slot);
	names->slot = slot;
	names->cap = cap;
	return 0;
}

int names_build(struct names *names, const struct frame *frame)
{
	if (names_grow(names, frame->ndevice) < 0)
		return -ENOMEM;
	memset(names->slot, 0, names->cap * sizeof(*names->slot));
	for (size_t i = 0; i < frame->ndevice; i++) {
		size_t at = names_hash(frame->device[i].name) & (names->cap - 1);

		while (names->slot[at])
			at = (at + 1) & (names->cap - 1);
		names->slot[at] = (uint32_t)(i + 1);
	}
	return 0;
}

long names_find(const struct names *names, const struct frame *frame, const char *name)
{
	size_t at;

	if (!names->cap)
		return NAMES_NONE;
	at = names_hash(name) & (names->cap - 1);
	for (; names->slot[at]; at = (at + 1) & (names->cap - 1)) {
		size_t row = names->slot[at] - 1;

		if (strcmp(frame->device[row].name, name) == 0)
			return (long)row;
	}
	return NAMES_NONE;
}

void names_release(struct names *names)
{
	free(names->slot);
}
