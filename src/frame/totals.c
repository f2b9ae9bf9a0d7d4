/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every task did since the start. */
#include "totals.h"

#include <stdlib.h>

struct totals {
	size_t n;
};

struct totals *totals_new(void)
{
	return calloc(1, sizeof(struct totals));
}

void totals_free(struct totals *totals)
{
	free(totals);
}

void totals_add(struct totals *totals, const struct frame *frame)
{
	(void)totals, (void)frame;
}

int totals_attach(struct totals *totals, struct frame *frame, enum total_by by)
{
	(void)totals, (void)frame, (void)by;
	return 0;
}
