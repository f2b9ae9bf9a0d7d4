/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the system calls of iotriage profile are recognised on this kind of machine. */
#ifndef IOTRIAGE_PROFILE_CALLS_H
#define IOTRIAGE_PROFILE_CALLS_H

#include "iotriage/profile_cells.h"

enum profile_returns {
	PROFILE_RETURNS_STATUS,
	PROFILE_RETURNS_BYTES,
	PROFILE_RETURNS_DESCRIPTOR
};

struct profile_call_rule {
	long number; /* -1: no system call of its own, or not on this machine */
	enum profile_returns returns;
	int descriptor; /* which argument is one; -1: none */
};

const struct profile_call_rule *profile_call_rule(enum profile_call call);

#endif
