/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helper has found about files and mappings. */
#include "iotriage/uses.h"

#include <errno.h>
#include <stdlib.h>

struct uses {
	bool story;
};

int uses_open(struct uses **ret, bool story)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->story = story;
	return 0;
}

void uses_close(struct uses *uses)
{
	free(uses);
}

void uses_root(struct uses *uses, const char *proc_path)
{
	(void)uses, (void)proc_path;
}

void uses_watch(struct uses *uses, int32_t pid, uint64_t start_ticks, bool files, bool sheet)
{
	(void)uses, (void)pid, (void)start_ticks, (void)files, (void)sheet;
}

void uses_attach(struct uses *uses, struct frame *frame)
{
	(void)uses, (void)frame;
}

void uses_ask(struct uses *uses, const struct frame *frame, unsigned wants)
{
	(void)uses, (void)frame, (void)wants;
}

int uses_fd(const struct uses *uses)
{
	(void)uses;
	return -1;
}

int uses_timeout_ms(const struct uses *uses)
{
	(void)uses;
	return -1;
}

bool uses_tend(struct uses *uses)
{
	(void)uses;
	return false;
}

bool uses_pending(const struct uses *uses)
{
	(void)uses;
	return false;
}
