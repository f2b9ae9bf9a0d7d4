/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for a hash table of places. */
#include "lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lookup_reset(struct lookup *lookup, size_t n)
{
	size_t slots = lookup->n ? lookup->n : 64;
	uint32_t *slot;

	while (slots / 2 < n)
		slots *= 2;
	if (slots != lookup->n) {
		slot = malloc(slots * sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		free(lookup->slot);
		lookup->slot = slot;
		lookup->n = slots;
	}
	memset(lookup->slot, 0, lookup->n * sizeof(*lookup->slot));
	return 0;
}

void lookup_release(struct lookup *lookup)
{
	free(lookup->slot);
	*lookup = (struct lookup){0};
}
