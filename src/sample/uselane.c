/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The looks under way and those that wait, and looking after the helper that makes them. */
#include "clock.h"
#include "usestate.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

static const int64_t retry_ns = 30 * 1000000000LL; /* late or denied */
/* The helper may use an eighth of a CPU, and for a start some more at once. */
static const int64_t burst_ns = 100 * 1000000LL, first_ns = 1000 * 1000000LL;
enum { CPU_SHARE = 8 };
static const int64_t telling_ns = 100 * 1000000LL; /* news while more is to come */

bool uses_in_lane(const struct uses *uses, const struct use *use)
{
	for (size_t i = 0; i < LOOK_LANES; i++)
		if (uses->lane[i].of == use)
			return true;
	return uses->watch.of == use;
}

/* ---- lines ---- */

void uses_line_up(struct uses *uses, struct use *use, enum use_turn turn, unsigned wants)
{
	struct use_line *line = &uses->line[turn];

	use->wants = wants;
	if (use->turn) /* it stands in line already */
		return;
	use->turn = turn;
	use->later = NULL;
	if (line->last)
		line->last->later = use;
	else
		line->first = use;
	line->last = use;
}

static struct use *take_first(struct use_line *line)
{
	struct use *use = line->first;

	if (!use)
		return NULL;
	line->first = use->later;
	if (!line->first)
		line->last = NULL;
	use->turn = TURN_NONE;
	return use;
}

static bool somebody_waits(const struct uses *uses)
{
	return uses->line[TURN_URGENT].first || uses->line[TURN_ROUND].first;
}

/* ---- the helper's time ---- */

void lanes_open(struct uses *uses)
{
	uses->budget_ns = first_ns;
	uses->budget_at_ns = clock_mono_ns();
}

void lanes_hurry(struct uses *uses)
{
	if (uses->budget_ns < first_ns)
		uses->budget_ns = first_ns;
}

static void refill(struct uses *uses)
{
	int64_t now = clock_mono_ns();

	/* what was given for a start is not taken away */
	if (uses->budget_ns < burst_ns) {
		uses->budget_ns += (now - uses->budget_at_ns) / CPU_SHARE;
		if (uses->budget_ns > burst_ns)
			uses->budget_ns = burst_ns;
	}
	uses->budget_at_ns = now;
}

static bool may_spend(struct uses *uses)
{
	refill(uses);
	return uses->story || uses->budget_ns > 0;
}

/* ---- questions ---- */

static bool ask(struct uses *uses, unsigned n)
{
	struct use_lane *lane = &uses->lane[n];
	size_t length = offsetof(struct look_question, root) + strlen(lane->question.root) + 1;

	if (!helper_ask(&uses->helper, &lane->question, length))
		return false;
	uses->flight[uses->nflight++] = n;
	return true;
}

static bool is_asked(const struct uses *uses, unsigned n)
{
	for (unsigned i = 0; i < uses->nflight; i++)
		if (uses->flight[i] == n)
			return true;
	return false;
}

void lane_forget(struct uses *uses, unsigned n)
{
	struct use_lane *lane = &uses->lane[n];

	lane->forgotten = lane->of && is_asked(uses, n);
	if (!lane->forgotten)
		lane->of = NULL;
}

void uses_note(struct uses *uses)
{
	uses->news = uses->unattached = true;
}

static void set_late(struct uses *uses, struct use *use, pid_t helper)
{
	use->why = ABSENT_LATE;
	use->late_helper = helper;
	use->retry_ns = uses_now_ns(uses) + retry_ns;
	uses_note(uses);
}

/* What comes first of all that is wanted. */
static enum look_stage first_stage(const struct use *use, unsigned wants)
{
	bool async = use->found && (use->found->seen.contexts || use->found->seen.rings);

	if (wants == LOOK_LIMITS)
		return LOOK_CGROUP;
	if (wants & LOOK_NO_MAPS)
		return LOOK_FILES;
	return wants & LOOK_KNOWN && !async ? LOOK_SOME : LOOK_MAPS;
}

void lane_start(struct uses *uses, unsigned n, struct use *use, unsigned wants)
{
	struct use_lane *lane = &uses->lane[n];

	lane->of = use;
	lane->forgotten = false;
	lane->cost_ns = 0;
	lane->question.pid = use->pid;
	lane->question.lane = n;
	lane->question.start_ticks = use->start_ticks;
	lane->question.wants = wants;
	lane->question.stage = first_stage(use, wants);
	lane->question.cookie = 0;
	lane->question.nknown = 0;
	if (wants & LOOK_KNOWN) {
		lane->question.nknown = (uint32_t)picks_moving(use, lane->question.known);
		for (size_t i = 0; i < use->nring; i++)
			lane->question.known[lane->question.nknown++] = use->ring[i].fd;
	}
	memcpy(lane->question.root, uses->root, sizeof(uses->root));
	look_begin(lane);
	if (n == LANE_WATCH)
		watch_begin(&uses->watch);
}

static void end_look(struct uses *uses, struct use_lane *lane, int32_t error)
{
	struct use *use = lane->of;

	if (error) {
		use->gone = error == ESRCH;
		use->why = ABSENT_RESET;
	} else {
		look_end(uses, lane);
		if (use->why == ABSENT_DENIED)
			use->retry_ns = uses_now_ns(uses) + retry_ns;
	}
	if (lane == &uses->lane[LANE_WATCH])
		watch_end(&uses->watch);
	lane->of = NULL;
	uses_note(uses);
}

/* There is no helper to be had. */
static void drop_lines(struct uses *uses)
{
	struct use *use;

	for (int turn = 0; turn < TURNS; turn++)
		while ((use = take_first(&uses->line[turn])))
			set_late(uses, use, 0);
}

/* Goes on with what is under way, and begins what waits, as far as there is time for it. */
void lanes_go_on(struct uses *uses)
{
	for (unsigned n = LOOK_LANES; n-- > 0;) {
		struct use_lane *lane = &uses->lane[n];
		if (is_asked(uses, n) || !may_spend(uses))
			continue;
		if (!lane->of && n == LANE_ANY) {
			struct use *use = take_first(&uses->line[TURN_URGENT]);
			if (!use)
				use = take_first(&uses->line[TURN_ROUND]);
			if (use)
				lane_start(uses, n, use, use->wants);
		}
		if (!lane->of || ask(uses, n))
			continue;
		set_late(uses, lane->of, 0);
		lane->of = NULL;
		drop_lines(uses);
	}
}

/* ---- answers ---- */

static void take_answer(struct uses *uses, const struct look_answer *answer)
{
	struct use_lane *lane = &uses->lane[uses->flight[0]];

	uses->nflight--;
	memmove(uses->flight, uses->flight + 1, uses->nflight * sizeof(*uses->flight));
	uses->budget_ns -= answer->cpu_ns;
	lane->cost_ns += answer->cpu_ns;
	if (lane->forgotten) {
		lane->of = NULL;
		uses_note(uses); /* its lane is free */
		return;
	}
	look_take(uses, lane, answer);
	lane->question.stage = answer->stage;
	lane->question.cookie = answer->cookie;
	if (answer->error || answer->stage == LOOK_DONE)
		end_look(uses, lane, answer->error);
}

/*
 * A late helper is killed. The process it hung on is left alone for a while;
 * looks of which it has lost its place begin anew.
 */
static void give_up(struct uses *uses)
{
	int hung = uses->nflight ? (int)uses->flight[0] : -1;
	pid_t helper = helper_stop(&uses->helper);

	uses->nflight = 0;
	for (unsigned n = 0; n < LOOK_LANES; n++) {
		struct use_lane *lane = &uses->lane[n];
		struct use *use = lane->of;
		lane->of = NULL;
		if (!use || lane->forgotten)
			continue;
		if ((int)n == hung)
			set_late(uses, use, helper);
		else
			lane_start(uses, n, use, lane->question.wants);
		if ((int)n == hung && n == LANE_WATCH)
			uses->watch.state = ABSENT_LATE;
	}
}

static void take_answers(struct uses *uses)
{
	static struct look_answer answer; /* large; only the main thread is here */

	while (uses->helper.fd >= 0) {
		ssize_t n = helper_answer(&uses->helper, &answer, sizeof(answer));
		if (n == 0)
			break;
		if (n < (ssize_t)offsetof(struct look_answer,
					  records)) { /* it has died, also while idle */
			give_up(uses);
			break;
		}
		answer.length = (uint32_t)(n - (ssize_t)offsetof(struct look_answer, records));
		take_answer(uses, &answer);
	}
	if (helper_timeout_ms(&uses->helper) == 0)
		give_up(uses);
}

/* Many looks end within a tick: they are told of together. */
static bool tell_news(struct uses *uses)
{
	int64_t now = clock_mono_ns();

	if (!uses->news || (uses_pending(uses) && now - uses->told_ns < telling_ns))
		return false;
	uses->news = false;
	uses->told_ns = now;
	return true;
}

bool uses_is_new(const struct uses *uses)
{
	return uses->unattached;
}

bool uses_tend(struct uses *uses)
{
	take_answers(uses);
	lanes_go_on(uses);
	return tell_news(uses);
}

int uses_fd(const struct uses *uses)
{
	return uses->helper.fd;
}

bool uses_pending(const struct uses *uses)
{
	return uses->nflight > 0 || uses->lane[LANE_ANY].of || uses->lane[LANE_WATCH].of ||
	       somebody_waits(uses);
}

int uses_timeout_ms(const struct uses *uses)
{
	int left_ms = helper_timeout_ms(&uses->helper);
	int64_t missing_ns =
	    (1 - uses->budget_ns) * CPU_SHARE - (clock_mono_ns() - uses->budget_at_ns);

	if (!uses_pending(uses) || uses->nflight == LOOK_LANES || uses->budget_ns > 0)
		return left_ms;
	int budget_ms = missing_ns <= 0 ? 0 : (int)(missing_ns / 1000000) + 1;
	return left_ms < 0 || budget_ms < left_ms ? budget_ms : left_ms;
}

/* A story has time: everything is answered before the next step. */
void lanes_await_all(struct uses *uses)
{
	while (uses_pending(uses)) {
		struct pollfd fd = {.fd = uses_fd(uses), .events = POLLIN};
		(void)poll(&fd, 1, uses_timeout_ms(uses));
		take_answers(uses);
		lanes_go_on(uses);
	}
}
