/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of places in an array that somebody else owns and compares:
 *
 *	for (size_t at = lookup_first(l, hash); (place = lookup_at(l, at)); at = lookup_next(l, at))
 *		if (array[place - 1] is it) ...
 */
#ifndef IOTRIAGE_FRAME_LOOKUP_H
#define IOTRIAGE_FRAME_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised; released by lookup_release. */
struct lookup {
	uint32_t *slot; /* place + 1; 0: free */
	size_t n;       /* a power of two, at least twice as many as are in it */
};

/* Empties it and makes room for n. 0 or -ENOMEM with nothing changed. */
int lookup_reset(struct lookup *lookup, size_t n);
void lookup_release(struct lookup *lookup);

/* There is room for n. */
static inline int lookup_fits(const struct lookup *lookup, size_t n)
{
	return n <= lookup->n / 2;
}

/* lookup has been reset at least once. */
static inline size_t lookup_first(const struct lookup *lookup, uint64_t hash)
{
	return (size_t)((hash ^ hash >> 32) & (lookup->n - 1));
}

static inline size_t lookup_next(const struct lookup *lookup, size_t at)
{
	return (at + 1) & (lookup->n - 1);
}

static inline uint32_t lookup_at(const struct lookup *lookup, size_t at)
{
	return lookup->slot[at];
}

/* There is room for it. */
static inline void lookup_put(struct lookup *lookup, uint64_t hash, size_t place)
{
	size_t at = lookup_first(lookup, hash);

	while (lookup->slot[at])
		at = lookup_next(lookup, at);
	lookup->slot[at] = (uint32_t)place + 1;
}

#endif
