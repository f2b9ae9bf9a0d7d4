/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the kernel would not have the programs, in words. */
#ifndef TRACE_REFUSAL_H
#define TRACE_REFUSAL_H

#include "trace.h"

/* What holds of this process and this machine. */
struct refusal {
	int error;      /* -errno */
	bool locked;    /* the kernel is locked down, so that none of its memory can be read */
	bool capable;   /* this process has CAP_BPF and CAP_PERFMON, or what they were once part of */
	bool contained; /* in a user namespace: its capabilities are not the machine's */
};

/* What /sys/kernel/security/lockdown says: the level that holds is in brackets. */
bool refusal_is_lockdown(const char *text);

void refusal_text(char why[TRACE_WHY_MAX], const struct refusal *refusal);

#endif
