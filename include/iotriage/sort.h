/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stable sort of pointers that never allocates (qsort does, for long lists). */
#ifndef IOTRIAGE_SORT_H
#define IOTRIAGE_SORT_H

#include <stddef.h>

typedef int sort_compare(const void *a, const void *b, const void *context);

/* scratch has room for n pointers too. */
void sort_pointers(void **item, void **scratch, size_t n, sort_compare *compare, const void *context);

/* Like strcmp, but runs of digits compare as numbers: dm-2 before dm-10. Any locale. */
int compare_natural(const char *a, const char *b);

#endif
