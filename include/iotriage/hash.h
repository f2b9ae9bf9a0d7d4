/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash of text, for identities and tables. */
#ifndef IOTRIAGE_HASH_H
#define IOTRIAGE_HASH_H

#include <stdint.h>

/* FNV-1a. */
static inline uint64_t hash_text(const char *s, uint64_t seed)
{
	uint64_t hash = 14695981039346656037u ^ seed;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 1099511628211u;
	return hash;
}

#endif
