/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is shown, so that nothing flickers: a finding appears once it held in
 * three of the last four frames and goes once it held in fewer than two. What
 * comes in bursts appears with the second one, and goes when two are missing.
 */
#include "stages.h"

#include <stdlib.h>
#include <string.h>

enum { HELD_SHOW = 3, HELD_KEEP = 2, HELD_WINDOW = (1 << RULE_WINDOW) - 1 };

static const uint64_t PAST_MASK = ((uint64_t)1 << PAST_FRAMES) - 1;

/* In how many of the last frames of the window it held. */
static unsigned persistence_count(uint64_t held)
{
	unsigned n = 0;

	for (held &= HELD_WINDOW; held; held &= held - 1)
		n++;
	return n;
}

/* When the last two bursts began, in frames before this one; -1: there was none. */
struct bursts {
	int last, before;
};

static int persistence_run(uint64_t held, int from, bool set)
{
	while (from < PAST_FRAMES && (held >> from & 1) == set)
		from++;
	return from;
}

static struct bursts persistence_bursts(uint64_t held)
{
	struct bursts bursts = {-1, -1};
	int at;

	held |= held << 1 & held >> 1; /* a gap of one frame does not end a burst */
	at = persistence_run(held, 0, false);
	if (at == PAST_FRAMES)
		return bursts;
	at = persistence_run(held, at, true);
	bursts.last = at - 1;
	at = persistence_run(held, at, false);
	if (at < PAST_FRAMES)
		bursts.before = persistence_run(held, at, true) - 1;
	return bursts;
}

/* How many frames ago it began, if it has come at least twice and two are not missing; else -1. */
static int persistence_recurs(const struct tracked *tracked)
{
	struct bursts bursts;

	if (!(rules_at(tracked->rule)->flags & BURSTS))
		return -1;
	bursts = persistence_bursts(tracked->held);
	if (bursts.before < 0 || 2 * bursts.last > 5 * (bursts.before - bursts.last))
		return -1;
	return bursts.before;
}

static bool persistence_same(const struct tracked *tracked, const struct claim *claim)
{
	return tracked->rule == claim->rule &&
	       tracked->finding.identity == claim->finding.identity &&
	       strcmp(tracked->finding.subject, claim->finding.subject) == 0;
}

/* Claims come in much the same order each frame: start behind the last one found. */
static struct tracked *persistence_find(struct persistence *persistence, const struct claim *claim)
{
	for (size_t i = 0; i < persistence->n; i++) {
		size_t at = (persistence->hint + i) % persistence->n;

		if (persistence_same(&persistence->tracked[at], claim)) {
			persistence->hint = at + 1;
			return &persistence->tracked[at];
		}
	}
	return NULL;
}

static struct tracked *persistence_add(struct persistence *persistence, const struct claim *claim)
{
	struct tracked *tracked;

	if (stage_reserve((void **)&persistence->tracked, &persistence->cap, persistence->n + 1,
			  sizeof(*persistence->tracked)) < 0)
		return NULL;
	tracked = &persistence->tracked[persistence->n++];
	tracked->rule = claim->rule;
	tracked->held = 0;
	tracked->shown = false;
	tracked->finding.since_epoch = tracked->finding.lasted_s = 0;
	return tracked;
}

static int persistence_hold(struct persistence *persistence, const struct claim *claim)
{
	struct tracked *tracked = persistence_find(persistence, claim);
	double since, lasted;

	if (!tracked)
		tracked = persistence_add(persistence, claim);
	if (!tracked)
		return -1;
	since = tracked->finding.since_epoch;
	lasted = tracked->finding.lasted_s;
	tracked->finding = claim->finding;
	tracked->finding.since_epoch = since;
	tracked->finding.lasted_s = lasted;
	tracked->weight = claim->weight;
	tracked->at_once = claim->at_once;
	tracked->held |= 1;
	return 0;
}

/* Seconds since the end of the frame so far back. */
static double persistence_ago(const struct persistence *persistence, int back)
{
	double seconds = 0;

	for (int i = 0; i < back; i++)
		seconds += persistence->seconds[i] + persistence->gap[i];
	return seconds;
}

/*
 * It began with the oldest frame of the window that it held in, or with its first
 * burst; unless it was shown a few frames ago: then it goes on.
 */
static void persistence_begin(struct persistence *persistence, struct tracked *tracked, int recurs)
{
	struct finding *finding = &tracked->finding;
	int oldest = recurs;

	tracked->shown = true;
	if (ended_resume(&persistence->ended, tracked->rule, finding))
		return;
	for (int i = 0; i < RULE_WINDOW && recurs < 0; i++)
		if (tracked->held >> i & 1)
			oldest = i;
	finding->since_epoch = persistence->began[oldest];
	finding->lasted_s = persistence_ago(persistence, oldest) + persistence->seconds[oldest];
}

/* It is shown no more. It ended with the last frame that it held in. */
static void persistence_end(struct persistence *persistence, const struct tracked *tracked,
			    bool final)
{
	struct finding finding = tracked->finding;
	int last = persistence_run(tracked->held, 0, false);

	if (!tracked->shown || last == PAST_FRAMES)
		return;
	finding.ended_epoch = persistence->began[last] + persistence->seconds[last];
	finding.lasted_s -= persistence_ago(persistence, last);
	ended_add(&persistence->ended, &finding,
		  &(struct ended_state){.rule = tracked->rule,
					.seconds = persistence_ago(persistence, last),
					.final = final});
}

/* False: nothing is left of it. */
static bool persistence_judge(struct persistence *persistence, struct tracked *tracked,
			      unsigned exact)
{
	unsigned count = persistence_count(tracked->held);
	int recurs = persistence_recurs(tracked);

	if (!tracked->shown) {
		if (count >= HELD_SHOW || (exact && count == exact) ||
		    (tracked->at_once && (tracked->held & 1)) || recurs >= 0)
			persistence_begin(persistence, tracked, recurs);
		return count > 0 || (rules_at(tracked->rule)->flags & BURSTS && tracked->held != 0);
	}
	tracked->finding.lasted_s += persistence_ago(persistence, 1);
	return count >= HELD_KEEP || recurs >= 0;
}

static void persistence_clock(struct persistence *persistence, const struct frame *frame)
{
	memmove(&persistence->began[1], &persistence->began[0],
		sizeof(persistence->began) - sizeof(persistence->began[0]));
	memmove(&persistence->seconds[1], &persistence->seconds[0],
		sizeof(persistence->seconds) - sizeof(persistence->seconds[0]));
	memmove(&persistence->gap[1], &persistence->gap[0],
		sizeof(persistence->gap) - sizeof(persistence->gap[0]));
	persistence->began[0] = frame->epoch - frame->seconds;
	persistence->seconds[0] = frame->seconds;
	persistence->gap[0] = persistence->next_gap;
	persistence->next_gap = 0;
	ended_tick(&persistence->ended, persistence_ago(persistence, 1));
}

void persistence_gap(struct persistence *persistence, double seconds)
{
	persistence->next_gap += seconds;
	for (size_t i = 0; i < persistence->n; i++)
		if (!persistence->tracked[i].shown)
			persistence->tracked[i].held = 0;
}

/* Keeps those at `from`, in order, for the hint's sake. */
static void persistence_keep(struct persistence *persistence, size_t from, size_t *kept)
{
	if (*kept != from)
		persistence->tracked[*kept] = persistence->tracked[from];
	++*kept;
}

int persistence_update(struct persistence *persistence, const struct frame *frame,
		       const struct claims *claims, unsigned exact)
{
	size_t kept = 0;
	int err = 0;

	persistence_clock(persistence, frame);
	persistence->hint = 0;
	for (size_t i = 0; i < persistence->n; i++)
		persistence->tracked[i].held = persistence->tracked[i].held << 1 & PAST_MASK;
	for (size_t i = 0; i < claims->n; i++)
		if (!claims->claim[i].explained)
			err |= persistence_hold(persistence, &claims->claim[i]);
	for (size_t i = 0; i < persistence->n; i++)
		if (persistence_judge(persistence, &persistence->tracked[i], exact))
			persistence_keep(persistence, i, &kept);
		else
			persistence_end(persistence, &persistence->tracked[i], false);
	persistence->n = kept;
	return err;
}

static bool persistence_present(unsigned rule, const struct finding *finding,
				const struct frame *frame, const struct device_index *index)
{
	const struct device_row *row;
	long at;

	if (rules_at(rule)->level != RULE_DEVICE)
		return true;
	at = index_find(index, frame, finding->subject);
	if (at == INDEX_NONE)
		return false;
	row = &frame->device[at];
	return row->diskseq == finding->identity && row->why != ABSENT_NEW &&
	       row->why != ABSENT_RESET;
}

void persistence_forget(struct persistence *persistence, const struct frame *frame,
			const struct device_index *index)
{
	struct ended *ended = &persistence->ended;
	size_t kept = 0;

	for (size_t i = 0; i < persistence->n; i++) {
		const struct tracked *tracked = &persistence->tracked[i];

		if (persistence_present(tracked->rule, &tracked->finding, frame, index))
			persistence_keep(persistence, i, &kept);
		else
			persistence_end(persistence, tracked, true);
	}
	persistence->n = kept;
	for (size_t i = 0; i < ended->n; i++)
		if (ended_may_resume(&ended->state[i]) &&
		    !persistence_present(ended->state[i].rule, &ended->finding[i], frame, index))
			ended->state[i].final = true;
}

bool finding_before(const struct finding *a, unsigned rule_a, double weight_a,
		    const struct finding *b, unsigned rule_b, double weight_b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	if (rule_a != rule_b)
		return rule_a < rule_b;
	if (weight_a < weight_b || weight_a > weight_b)
		return weight_a > weight_b;
	return strcmp(a->subject, b->subject) < 0;
}

void persistence_settle(struct persistence *persistence, const struct frame *frame,
			const struct device_index *index, const struct history *history)
{
	size_t kept = 0;

	for (size_t i = 0; i < persistence->n; i++) {
		const struct tracked *tracked = &persistence->tracked[i];
		unsigned flags = rules_at(tracked->rule)->flags;
		long row = INDEX_NONE;

		if (flags & BURSTS && !(flags & NARROW))
			row = index_find(index, frame, tracked->finding.subject);
		if (row == INDEX_NONE || (size_t)row >= history->n || !history->past[row].held_up)
			persistence_keep(persistence, i, &kept);
		else
			persistence_end(persistence, tracked, false);
	}
	persistence->n = kept;
}

void persistence_overrule(struct persistence *persistence, const struct frame *frame,
			  const struct device_index *index, const struct device_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < persistence->n; i++) {
		const struct tracked *tracked = &persistence->tracked[i];
		long row = INDEX_NONE;

		if (rules_at(tracked->rule)->flags & GENERAL)
			row = index_find(index, frame, tracked->finding.subject);
		if (row == INDEX_NONE || !view[row].told)
			persistence_keep(persistence, i, &kept);
		else
			persistence_end(persistence, tracked, false);
	}
	persistence->n = kept;
}

static bool persistence_before(const struct tracked *a, const struct tracked *b)
{
	return finding_before(&a->finding, a->rule, a->weight, &b->finding, b->rule, b->weight);
}

/* Shell sort in place: qsort may allocate. */
static void persistence_sort(struct persistence *persistence)
{
	const struct tracked *tracked = persistence->tracked;
	size_t *order = persistence->order;

	for (size_t gap = persistence->nfinding / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < persistence->nfinding; i++) {
			size_t moving = order[i], at = i;

			for (; at >= gap &&
			       persistence_before(&tracked[moving], &tracked[order[at - gap]]);
			     at -= gap)
				order[at] = order[at - gap];
			order[at] = moving;
		}
}

int persistence_show(struct persistence *persistence)
{
	persistence->nfinding = 0;
	if (stage_reserve((void **)&persistence->order, &persistence->order_cap, persistence->n,
			  sizeof(*persistence->order)) < 0 ||
	    stage_reserve((void **)&persistence->finding, &persistence->finding_cap, persistence->n,
			  sizeof(*persistence->finding)) < 0)
		return -1;
	for (size_t i = 0; i < persistence->n; i++)
		if (persistence->tracked[i].shown)
			persistence->order[persistence->nfinding++] = i;
	persistence_sort(persistence);
	for (size_t i = 0; i < persistence->nfinding; i++)
		persistence->finding[i] = persistence->tracked[persistence->order[i]].finding;
	return 0;
}

void persistence_release(struct persistence *persistence)
{
	free(persistence->tracked);
	free(persistence->finding);
	free(persistence->order);
	ended_release(&persistence->ended);
}
