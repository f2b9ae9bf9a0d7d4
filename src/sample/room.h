/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow and are used again, so that nothing is allocated once they are large enough. */
#ifndef IOTRIAGE_SAMPLE_ROOM_H
#define IOTRIAGE_SAMPLE_ROOM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for n elements of this size in *array, a pointer to them, which may move; cap:
 * how many it has room for. false: no memory, and all is as it was.
 */
static inline bool room_for(void *array, size_t *cap, size_t n, size_t size)
{
	size_t more = n + n / 4 + 64;
	void *elements;

	if (n <= *cap)
		return true;
	/* pointers to different things are of different types: they are copied as bytes */
	memcpy(&elements, array, sizeof(elements));
	elements = reallocarray(elements, more, size);
	if (!elements)
		return false;
	memcpy(array, &elements, sizeof(elements));
	*cap = more;
	return true;
}

#endif
