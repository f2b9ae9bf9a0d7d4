/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users by their number. */
#include "users.h"
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
	char number[16];
	char name[USER_MAX];
};

void users_release(struct users *users)
{
	free(users->user);
	*users = (struct users){0};
}

static struct user *find(const struct users *users, const char *number)
{
	for (size_t i = 0; i < users->n; i++)
		if (strcmp(users->user[i].number, number) == 0)
			return &users->user[i];
	return NULL;
}

void users_remember(struct users *users, uint32_t uid, const char *name)
{
	char number[sizeof(users->user->number)];

	snprintf(number, sizeof(number), "%u", (unsigned)uid);
	if (strcmp(name, number) == 0 || find(users, number))
		return;
	if (users->n == users->cap) {
		size_t cap = users->cap ? 2 * users->cap : 16;
		struct user *user = reallocarray(users->user, cap, sizeof(*user));
		if (!user)
			return;
		users->user = user;
		users->cap = cap;
	}
	struct user *user = &users->user[users->n++];
	memcpy(user->number, number, sizeof(number));
	snprintf(user->name, sizeof(user->name), "%s", name);
}

const char *users_name(const struct users *users, const char *given)
{
	const struct user *user = *given >= '0' && *given <= '9' ? find(users, given) : NULL;

	return user ? user->name : given;
}
