/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests on bytes share: text in memory that ends where the text
 * ends, so that a sanitizer sees a read beyond it, and a repeatable die.
 */
#ifndef TESTS_UNIT_BYTES_H
#define TESTS_UNIT_BYTES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct exact {
	char *p;
	size_t n;
};

static inline struct exact exact_bytes(const void *p, size_t n)
{
	struct exact exact = {malloc(n), n};

	assert_non_null(exact.p);
	memcpy(exact.p, p, n);
	return exact;
}

static inline struct exact exact_text(const char *text)
{
	return exact_bytes(text, strlen(text));
}

/* n times the same byte. */
static inline struct exact exact_run(char c, size_t n)
{
	struct exact exact = {malloc(n), n};

	assert_non_null(exact.p);
	memset(exact.p, c, n);
	return exact;
}

/* xorshift: the same numbers in every run. */
static inline uint32_t die(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* A copy of text with a few bytes changed, some cut off. */
static inline struct exact exact_spoiled(const char *text, uint32_t *seed)
{
	static const char bytes[] = "\n\n  ()-=:.09\0\xff";
	size_t n = strlen(text);
	struct exact exact = exact_bytes(text, n - die(seed) % (n / 2));

	for (uint32_t i = die(seed) % 8; i > 0; i--)
		exact.p[die(seed) % exact.n] = bytes[die(seed) % (sizeof(bytes) - 1)];
	return exact;
}

#endif
