/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last frames and the peaks of each device. */
#include "history.h"

#include <stdlib.h>

struct histories {
	size_t n;
};

struct histories *histories_new(void)
{
	return calloc(1, sizeof(struct histories));
}

void histories_free(struct histories *histories)
{
	free(histories);
}

void histories_add(struct histories *histories, struct frame *frame)
{
	(void)histories, (void)frame;
}

void histories_reset_peaks(struct histories *histories, struct frame *frame)
{
	(void)histories, (void)frame;
}
