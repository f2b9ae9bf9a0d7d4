/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of what tasks did, by a name that several of them share. */
#ifndef IOTRIAGE_FRAME_GROUPS_H
#define IOTRIAGE_FRAME_GROUPS_H

#include "iotriage/snapshot.h"
#include "lookup.h"

enum sum { SUM_RKIB, SUM_WKIB, SUM_INH_RKIB, SUM_INH_WKIB, SUM_CKIB, SUMS };

enum { USER_MAX = COMM_MAX };

/* "?": not known, "": several. */
struct tally {
	char name[COMM_MAX];
	char user[USER_MAX];
	double kib[SUMS];
	bool known[SUMS]; /* measured at least once, of one task; else kib is 0 */
	enum absent why;  /* of what is not known */
	size_t tasks;
	bool lives; /* one of the tasks does */
};

struct groups {
	struct tally *group;
	size_t n, cap;
	struct lookup lookup;
	void **order; /* room to sort in: twice cap */
};

void groups_release(struct groups *groups);
void groups_clear(struct groups *groups);

/* Adds it to the group of that name. 0 or -ENOMEM with nothing added. */
int groups_add(struct groups *groups, const char *name, const struct tally *tally);

/* Keeps the largest, and adds the others to rest. */
void groups_shrink(struct groups *groups, size_t keep, struct tally *rest);

/* Adds one to another, whose name stays. */
void tally_add(struct tally *sum, const struct tally *tally);

/* The one with more read and written first, then more of what else there is. For sort_pointers. */
int tally_compare(const void *a, const void *b, const void *context);

#endif
