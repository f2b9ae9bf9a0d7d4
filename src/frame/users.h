/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users that became known, for what was done while they were numbers. */
#ifndef IOTRIAGE_FRAME_USERS_H
#define IOTRIAGE_FRAME_USERS_H

#include <stddef.h>
#include <stdint.h>

struct users {
	struct user *user;
	size_t n, cap;
};

void users_release(struct users *users);

/* Does nothing where the name is but the number. */
void users_remember(struct users *users, uint32_t uid, const char *name);

/* The name of a user given as a number; as given where it is none, or not known. */
const char *users_name(const struct users *users, const char *given);

#endif
