/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to look at and when, and looking after the helper that does it. */
#include "iotriage/uses.h"
#include "clock.h"
#include "iotriage/column.h"
#include "usestate.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_STEP = 300 }; /* processes of the round over all in a tick */

static const int64_t again_ns = 5 * 1000000000LL;
static const int64_t soon_ns = 1000000000LL;       /* the second look, which sees positions move */
static const int64_t round_ns = 10 * 1000000000LL; /* the round comes by again */
static const int64_t retry_ns = 30 * 1000000000LL; /* late or denied */
/* The helper may use an eighth of a CPU, and for a start some more at once. */
static const int64_t burst_ns = 100 * 1000000LL, first_ns = 1000 * 1000000LL;
enum { CPU_SHARE = 8 };
static const int64_t story_deadline_ns = 60 * 1000000000LL;
static const int64_t telling_ns = 100 * 1000000LL; /* news while more is to come */

int64_t uses_now_ns(const struct uses *uses)
{
	return uses->story ? uses->frame_ns : clock_mono_ns();
}

int uses_open(struct uses **ret, bool story)
{
	struct uses *uses = calloc(1, sizeof(*uses));

	if (!uses)
		return -ENOMEM;
	uses->story = story;
	helper_init(&uses->helper, "iotriage-uses", look_serve);
	if (story)
		uses->helper.deadline_ns = story_deadline_ns;
	uses->budget_ns = first_ns;
	uses->budget_at_ns = clock_mono_ns();
	snprintf(uses->root, sizeof(uses->root), "/proc");
	*ret = uses;
	return 0;
}

static void free_use(struct use *use)
{
	free(use->found);
	free(use->file);
	free(use->ring);
	free(use);
}

void uses_close(struct uses *uses)
{
	if (!uses)
		return;
	helper_close(&uses->helper);
	for (size_t i = 0; i < USES_BUCKETS; i++)
		while (uses->bucket[i]) {
			struct use *next = uses->bucket[i]->next;
			free_use(uses->bucket[i]);
			uses->bucket[i] = next;
		}
	for (size_t i = 0; i < LOOK_LANES; i++)
		free(uses->lane[i].file);
	places_release(&uses->places);
	watch_release(&uses->watch);
	free(uses->aio);
	free(uses);
}

void uses_root(struct uses *uses, const char *proc_path)
{
	snprintf(uses->root, sizeof(uses->root), "%s", proc_path);
}

/* ---- processes ---- */

struct use *uses_find(const struct uses *uses, int32_t pid, uint64_t start_ticks)
{
	struct use *use = uses->bucket[(uint32_t)pid % USES_BUCKETS];

	while (use && (use->pid != pid || use->start_ticks != start_ticks))
		use = use->next;
	return use;
}

static struct use *get_use(struct uses *uses, int32_t pid, uint64_t start_ticks)
{
	struct use *use = uses_find(uses, pid, start_ticks);

	if (use)
		return use;
	use = calloc(1, sizeof(*use));
	if (!use)
		return NULL;
	use->pid = pid;
	use->start_ticks = start_ticks;
	use->why = ABSENT_NEW;
	use->in_frame = true;
	use->use.why = ABSENT_NEW;
	use->use.contexts = use->use.rings = use->use.sq = use->use.cq = use->use.files = value_absent(ABSENT_NEW);
	use->fault_rate = value_absent(ABSENT_NEW);
	use->next = uses->bucket[(uint32_t)pid % USES_BUCKETS];
	uses->bucket[(uint32_t)pid % USES_BUCKETS] = use;
	uses->nuse++;
	return use;
}

static bool in_lane(const struct uses *uses, const struct use *use)
{
	for (size_t i = 0; i < LOOK_LANES; i++)
		if (uses->lane[i].of == use)
			return true;
	return uses->watch.of == use;
}

/* Forgets processes that are no more. */
static void sweep(struct uses *uses)
{
	for (size_t i = 0; i < USES_BUCKETS && uses->nuse; i++)
		for (struct use **link = &uses->bucket[i]; *link;) {
			struct use *use = *link;
			if (use->in_frame || use->turn || in_lane(uses, use)) {
				link = &use->next;
				continue;
			}
			*link = use->next;
			uses->nkept -= use->nfile;
			uses->nuse--;
			free_use(use);
		}
}

/* ---- lines ---- */

static void line_up(struct uses *uses, struct use *use, enum use_turn turn, unsigned wants)
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

static void set_late(struct uses *uses, struct use *use, pid_t helper)
{
	use->why = ABSENT_LATE;
	use->late_helper = helper;
	use->retry_ns = uses_now_ns(uses) + retry_ns;
	uses->news = true;
}

static void start_look(struct uses *uses, unsigned n, struct use *use, unsigned wants)
{
	struct use_lane *lane = &uses->lane[n];

	lane->of = use;
	lane->forgotten = false;
	lane->question.pid = use->pid;
	lane->question.lane = n;
	lane->question.start_ticks = use->start_ticks;
	lane->question.wants = wants;
	lane->question.stage = LOOK_MAPS;
	lane->question.cookie = 0;
	lane->question.nring = 0;
	for (size_t i = 0; (wants & LOOK_KNOWN) && i < use->nring; i++)
		lane->question.ring[lane->question.nring++] = use->ring[i].fd;
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
	uses->news = true;
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
static void go_on(struct uses *uses)
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
				start_look(uses, n, use, use->wants);
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
	if (lane->forgotten) {
		lane->of = NULL;
		uses->news = true; /* its lane is free */
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
			start_look(uses, n, use, lane->question.wants);
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
		if (n < (ssize_t)offsetof(struct look_answer, records)) { /* it has died, also while idle */
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

bool uses_tend(struct uses *uses)
{
	take_answers(uses);
	go_on(uses);
	return tell_news(uses);
}

int uses_fd(const struct uses *uses)
{
	return uses->helper.fd;
}

bool uses_pending(const struct uses *uses)
{
	return uses->nflight > 0 || uses->lane[LANE_ANY].of || uses->lane[LANE_WATCH].of || somebody_waits(uses);
}

int uses_timeout_ms(const struct uses *uses)
{
	int left_ms = helper_timeout_ms(&uses->helper);
	int64_t missing_ns = (1 - uses->budget_ns) * CPU_SHARE - (clock_mono_ns() - uses->budget_at_ns);

	if (!uses_pending(uses) || uses->nflight == LOOK_LANES || uses->budget_ns > 0)
		return left_ms;
	int budget_ms = missing_ns <= 0 ? 0 : (int)(missing_ns / 1000000) + 1;
	return left_ms < 0 || budget_ms < left_ms ? budget_ms : left_ms;
}

/* ---- who is looked at ---- */

/* It did I/O in the interval, or at least calls that somebody looks at. */
static bool is_active(const struct use_group *group)
{
	return group->active || (group->on_show && (value_or(group->rates.rchar, 0) > 0 ||
	                                            value_or(group->rates.wchar, 0) > 0));
}

static unsigned due_look(const struct use *use, const struct use_group *group, int64_t now)
{
	bool async = use->found && (use->found->seen.contexts || use->found->seen.rings);
	int64_t pause_ns = use->looks < 2 ? soon_ns : again_ns;

	if ((is_active(group) || async) && (!use->stored_ns || now - use->stored_ns >= pause_ns))
		return LOOK_STORAGE;
	if (async && use->tick != group->sample->mono_ns)
		return use->found->seen.rings > LOOK_RINGS_MAX ? LOOK_STORAGE : LOOK_KNOWN;
	return 0;
}

/* A process that hung is asked about again when it is in another state, or later. */
static bool may_ask(struct uses *uses, struct use *use, char state, int64_t now)
{
	if (use->why == ABSENT_DENIED)
		return now >= use->retry_ns;
	if (use->why != ABSENT_LATE)
		return !use->gone;
	if (use->late_helper && helper_is_left(&uses->helper, use->late_helper))
		return false;
	if (!use->late_in)
		use->late_in = state;
	if (state == use->late_in && now < use->retry_ns)
		return false;
	use->late_in = '\0';
	return true;
}

static void ask_group(struct uses *uses, const struct use_group *group, int64_t now)
{
	struct use *use;
	unsigned wants;

	if (!group->sample || group->sample->kernel || group->blocked)
		return;
	use = uses_find(uses, group->sample->pid, group->sample->start_ticks);
	if (!use && is_active(group))
		use = get_use(uses, group->sample->pid, group->sample->start_ticks);
	if (!use || use->turn == TURN_URGENT || in_lane(uses, use))
		return;
	wants = due_look(use, group, now);
	if (!wants || !may_ask(uses, use, group->sample->state, now))
		return;
	use->tick = group->sample->mono_ns;
	if (use->turn)
		use->wants = wants;
	else
		line_up(uses, use, TURN_URGENT, wants);
}

/* Some more of the round over all processes. */
static void ask_round(struct uses *uses, const struct frame *frame, int64_t now)
{
	size_t left = uses->story ? frame->ntask : ROUND_STEP;
	bool new_tick = uses->cursor_epoch != frame->epoch;

	if (!new_tick || uses->line[TURN_ROUND].first)
		return;
	uses->cursor_epoch = frame->epoch;
	for (size_t seen = 0; seen < frame->ntask && left > 0;) {
		if (uses->cursor >= frame->ntask)
			uses->cursor = 0;
		struct use_group group = group_at(frame, uses->cursor);
		seen += group.end - group.first;
		uses->cursor = group.end;
		if (!group.sample || group.sample->kernel || group.blocked)
			continue;
		struct use *use = get_use(uses, group.sample->pid, group.sample->start_ticks);
		if (!use || use->turn || in_lane(uses, use) || (use->looks && now - use->looked_ns < round_ns) ||
		    !may_ask(uses, use, group.sample->state, now))
			continue;
		line_up(uses, use, TURN_ROUND, 0);
		left--;
	}
}

/* The watched process: at every tick, as soon as the last look at it is on show. */
static void ask_watched(struct uses *uses, const struct frame *frame, int64_t now)
{
	struct use_watch *watch = &uses->watch;
	unsigned wants = LOOK_STORAGE | (watch->files ? LOOK_EVERY : 0) | (watch->sheet ? LOOK_TEXT : 0);
	int64_t tick = frame->ntask ? frame->task[frame->ntask - 1].task->mono_ns : 0;

	if (!watch->pid || watch->ready || uses->lane[LANE_WATCH].of || watch->asked_for == tick)
		return;
	if (!watch->of)
		watch->of = get_use(uses, watch->pid, watch->start_ticks);
	if (!watch->of || watch->of == uses->lane[LANE_ANY].of || !may_ask(uses, watch->of, '\0', now))
		return;
	watch->asked_for = tick;
	start_look(uses, LANE_WATCH, watch->of, wants);
}

void uses_watch(struct uses *uses, int32_t pid, uint64_t start_ticks, bool files, bool sheet)
{
	struct use_watch *watch = &uses->watch;
	bool same = watch->pid == pid && watch->start_ticks == start_ticks;

	if (same && watch->files == files && watch->sheet == sheet)
		return;
	watch->files = files;
	watch->sheet = sheet;
	watch->asked_for = 0;
	if (uses->lane[LANE_WATCH].of) {
		uses->lane[LANE_WATCH].forgotten = is_asked(uses, LANE_WATCH);
		if (!uses->lane[LANE_WATCH].forgotten)
			uses->lane[LANE_WATCH].of = NULL;
	}
	watch->ready = false;
	if (same)
		return;
	watch->pid = pid;
	watch->start_ticks = start_ticks;
	watch->of = NULL;
	watch->state = ABSENT_NEW;
	watch->now.n = watch->nrow = 0;
	watch->now.head[0] = watch->now.tail[0] = watch->text[0] = '\0';
	if (pid) /* somebody waits for it */
		uses->budget_ns = uses->budget_ns < first_ns ? first_ns : uses->budget_ns;
}

/* A story has time: everything is answered before the next step. */
static void await_all(struct uses *uses)
{
	while (uses_pending(uses)) {
		struct pollfd fd = {.fd = uses_fd(uses), .events = POLLIN};
		(void)poll(&fd, 1, uses_timeout_ms(uses));
		take_answers(uses);
		go_on(uses);
	}
}

void uses_ask(struct uses *uses, const struct frame *frame, unsigned wants)
{
	uses->frame_ns = (int64_t)(frame->epoch * 1e9);
	int64_t now = uses_now_ns(uses);

	places_name(&uses->places, frame);
	for (size_t i = 0; i < frame->ntask;) {
		struct use_group group = group_at(frame, i);
		ask_group(uses, &group, now);
		i = group.end;
	}
	ask_watched(uses, frame, now);
	uses->all_aio = wants & USES_ALL_AIO;
	if (uses->all_aio)
		ask_round(uses, frame, now);
	sweep(uses);
	go_on(uses);
	if (uses->story)
		await_all(uses);
}
