/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to profile. */
#ifndef PROFILE_TARGETS_H
#define PROFILE_TARGETS_H

#include <sys/types.h>

/* The process that this process or thread is of; 0: there is none. */
pid_t profile_process_of(pid_t pid);

/* Calls each for all processes of this name, but our own. How many; -errno. */
int profile_processes_named(const char *name, void (*each)(void *context, pid_t pid),
			    void *context);

#endif
