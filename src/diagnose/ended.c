/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings that are over: the last ones, newest end first. One that comes back
 * within a few frames goes on as if it had never ended.
 */
#include "stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All the room at once: nothing is allocated when a finding ends. */
int ended_init(struct ended *ended)
{
	ended->finding = calloc(ENDED_MAX, sizeof(*ended->finding));
	ended->state = calloc(ENDED_MAX, sizeof(*ended->state));
	return ended->finding && ended->state ? 0 : -ENOMEM;
}

void ended_release(struct ended *ended)
{
	free(ended->finding);
	free(ended->state);
}

void ended_tick(struct ended *ended, double seconds)
{
	for (size_t i = 0; i < ended->n; i++) {
		ended->state[i].frames++;
		ended->state[i].seconds += seconds;
	}
}

/* Moves what is behind a place by one: towards the end, or back over it. */
static void ended_move(struct ended *ended, size_t to, size_t from, size_t n)
{
	memmove(&ended->finding[to], &ended->finding[from], n * sizeof(*ended->finding));
	memmove(&ended->state[to], &ended->state[from], n * sizeof(*ended->state));
}

void ended_add(struct ended *ended, const struct finding *finding, const struct ended_state *state)
{
	size_t at = 0, behind;

	if (!ended->finding)
		return;
	/* by the time that has gone by, for the wall clock may step */
	while (at < ended->n && ended->state[at].seconds < state->seconds)
		at++;
	if (at == ENDED_MAX)
		return;
	behind = ended->n - at;
	if (ended->n == ENDED_MAX)
		behind--;
	else
		ended->n++;
	ended_move(ended, at + 1, at, behind);
	ended->finding[at] = *finding;
	ended->finding[at].ended = true;
	ended->state[at] = *state;
}

bool ended_may_resume(const struct ended_state *state)
{
	return !state->final && state->frames <= ENDED_RETURN;
}

bool ended_resume(struct ended *ended, unsigned rule, struct finding *finding)
{
	for (size_t i = 0; i < ended->n; i++) {
		const struct finding *old = &ended->finding[i];
		const struct ended_state *state = &ended->state[i];

		if (!ended_may_resume(state) || state->rule != rule ||
		    old->identity != finding->identity ||
		    strcmp(old->subject, finding->subject) != 0)
			continue;
		finding->since_epoch = old->since_epoch;
		finding->lasted_s = old->lasted_s + state->seconds;
		ended_move(ended, i, i + 1, --ended->n - i);
		return true;
	}
	return false;
}
