/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool refusal_is_lockdown(const char *text)
{
	return strstr(text, "[confidentiality]") != NULL;
}

void refusal_text(char why[TRACE_WHY_MAX], const struct refusal *refusal)
{
	bool refused = refusal->error == -EPERM || refusal->error == -EACCES;

	if (refused && !refusal->capable)
		snprintf(why, TRACE_WHY_MAX, "needs CAP_BPF and CAP_PERFMON, or root");
	else if (refused && refusal->contained)
		snprintf(why, TRACE_WHY_MAX,
		         "needs CAP_BPF and CAP_PERFMON, or root, outside of this user namespace");
	/* then there are no calls that read its memory: programs with them are invalid */
	else if (refusal->locked && refusal->error != -ENOMEM)
		snprintf(why, TRACE_WHY_MAX, "the kernel is locked down (confidentiality)");
	else if (refused)
		snprintf(why, TRACE_WHY_MAX, "refused in spite of CAP_BPF and CAP_PERFMON: by a security module,"
		                             " or RLIMIT_MEMLOCK before Linux 5.11");
	else if (refusal->error == -ENOENT)
		snprintf(why, TRACE_WHY_MAX, "the kernel lacks a tracepoint that is needed");
	else if (refusal->error == -ENOMEM)
		snprintf(why, TRACE_WHY_MAX, "out of memory");
	else
		snprintf(why, TRACE_WHY_MAX, "the kernel refuses the programs: %s", strerror(-refusal->error));
}
