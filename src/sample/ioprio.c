/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changing a task's I/O priority. */
#include "ioprio.h"

#include <errno.h>

int ioprio_change(int32_t pid, uint64_t start_ticks, int32_t tid, enum ioprio_class class, int level)
{
	(void)pid, (void)start_ticks, (void)tid, (void)class, (void)level;
	return -ENOSYS;
}
