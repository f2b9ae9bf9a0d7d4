/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.task_delayacct and its keeper. */
#include "delayacct.h"

#include <errno.h>
#include <stddef.h>

int delayacct_on(struct delayacct **ret)
{
	*ret = NULL;
	return -ENOSYS;
}

void delayacct_restore(struct delayacct *delayacct)
{
	(void)delayacct;
}
