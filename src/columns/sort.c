/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting without allocation, and the natural order of names. */
#include "iotriage/sort.h"

#include <stdbool.h>
#include <string.h>

/* Merges the sorted halves [0,half) and [half,n) of from into to. */
static void merge(void **to, void *const *from, size_t half, size_t n, sort_compare *compare,
                  const void *context)
{
	size_t i = 0, j = half;

	for (size_t k = 0; k < n; k++) {
		bool left = j >= n || (i < half && compare(from[i], from[j], context) <= 0);
		to[k] = left ? from[i++] : from[j++];
	}
}

void sort_pointers(void **item, void **scratch, size_t n, sort_compare *compare, const void *context)
{
	size_t half = n / 2;

	if (n < 2)
		return;
	sort_pointers(item, scratch, half, compare, context);
	sort_pointers(item + half, scratch, n - half, compare, context);
	if (compare(item[half - 1], item[half], context) <= 0)
		return;
	memcpy(scratch, item, n * sizeof(*item));
	merge(item, scratch, half, n, compare, context);
}

int compare_natural(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a && *b) {
		if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
			a += strspn(a, "0");
			b += strspn(b, "0");
			size_t na = strspn(a, digits), nb = strspn(b, digits);
			int order = na != nb ? (na > nb ? 1 : -1) : strncmp(a, b, na);
			if (order)
				return order;
			a += na;
			b += nb;
			continue;
		}
		if (*a != *b)
			break;
		a++;
		b++;
	}
	return (int)(unsigned char)*a - (int)(unsigned char)*b;
}
