/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this kernel lets be traced, found by looking at it, never at its version. */
#ifndef TRACE_PROBE_H
#define TRACE_PROBE_H

#include "trace.h"

enum { PROBE_POINTS = 15 };

/* What is asked of the kernel's types, which take megabytes and are read again by each load. */
struct probe {
	int arguments[PROBE_POINTS];
	bool iterates_tasks; /* a program can go over the tasks itself */
};

/* false with the reason where tracing cannot be. */
bool probe_kernel(struct probe *probe, char why[TRACE_WHY_MAX]);

/* How many arguments the tracepoint of this name has; -1: there is no such, or nobody asks for it. */
int probe_tracepoint(const struct probe *probe, const char *name);

/* Processes have the same numbers here as in the programs: those of the first PID namespace. */
bool probe_first_namespace(void);

/* Why loading or attaching failed with -errno. */
void probe_failure(char why[TRACE_WHY_MAX], int error);

#endif
