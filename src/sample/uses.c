/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to look at, and when. */
#include "iotriage/uses.h"
#include "clock.h"
#include "iotriage/column.h"
#include "usestate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND_STEP = 300 }; /* processes of the round over all in a tick */

static const int64_t again_ns = 5 * 1000000000LL;
static const int64_t soon_ns = 900 * 1000000LL;    /* the second look, which sees positions move */
static const int64_t round_ns = 60 * 1000000000LL; /* the round comes by again */
static const int64_t story_deadline_ns = 60 * 1000000000LL;

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
	lanes_open(uses);
	snprintf(uses->root, sizeof(uses->root), "/proc");
	*ret = uses;
	return 0;
}

static void free_use(struct use *use)
{
	free(use->found);
	free(use->file);
	free(use->ring);
	picks_release(use);
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
	use->use.contexts = use->use.rings = use->use.sq = use->use.cq = use->use.files =
	    value_absent(ABSENT_NEW);
	use->fault_rate = value_absent(ABSENT_NEW);
	use->next = uses->bucket[(uint32_t)pid % USES_BUCKETS];
	uses->bucket[(uint32_t)pid % USES_BUCKETS] = use;
	uses->nuse++;
	return use;
}

void uses_drop(struct uses *uses, struct use *use)
{
	for (unsigned n = 0; n < LOOK_LANES; n++)
		if (uses->lane[n].of == use)
			lane_forget(uses, n);
	uses->nkept -= use->nfile;
	use->nfile = use->nring = 0;
	picks_drop(uses, use);
	free(use->found);
	use->found = NULL;
	use->looks = 0;
	use->looked_ns = use->stored_ns = use->buffered_ns = use->mapped_ns = 0;
	use->fault_rate = value_absent(ABSENT_NEW);
	use->sample_ns = 0;
	/* one that hung is left alone as long as it hangs */
	if (use->why != ABSENT_LATE)
		use->why = ABSENT_NEW;
}

/* Forgets processes that are no more. */
static void sweep(struct uses *uses)
{
	for (size_t i = 0; i < USES_BUCKETS && uses->nuse; i++)
		for (struct use **link = &uses->bucket[i]; *link;) {
			struct use *use = *link;
			if (use->in_frame || use->turn || uses_in_lane(uses, use)) {
				link = &use->next;
				continue;
			}
			*link = use->next;
			uses->nkept -= use->nfile;
			uses->npicked -= use->npick;
			uses->nuse--;
			free_use(use);
		}
}

/* ---- who is looked at ---- */

/* It did I/O in the interval, or at least calls that somebody looks at. */
static bool is_active(const struct use_group *group)
{
	return group->active || (group->on_show && (value_or(group->rates.rchar, 0) > 0 ||
						    value_or(group->rates.wchar, 0) > 0));
}

/* It reads, with calls, and files are open for direct reads. */
static bool reads_directly(const struct use *use, const struct use_group *group)
{
	return value_or(group->rates.rkb, 0) > 0 && value_or(group->rates.rchar, 0) > 0 &&
	       picks_moving(use, NULL) > 0;
}

static unsigned due_files(const struct use *use, const struct use_group *group, int64_t now)
{
	bool async = use->found && (use->found->seen.contexts || use->found->seen.rings);
	int64_t pause_ns = use->looks < 2 ? soon_ns : again_ns;

	if ((is_active(group) || async) && (!use->stored_ns || now - use->stored_ns >= pause_ns))
		return LOOK_STORAGE;
	if ((async || reads_directly(use, group)) && use->tick != group->sample->mono_ns)
		return async && use->found->seen.rings > LOOK_RINGS_MAX ? LOOK_STORAGE : LOOK_KNOWN;
	return 0;
}

static unsigned due_look(const struct use *use, const struct use_group *group, int64_t now)
{
	bool limits = group->waits && (!use->limits_ns || now - use->limits_ns >= again_ns);

	return due_files(use, group, now) | (limits ? LOOK_LIMITS : 0);
}

/*
 * A process that hung is asked about again when it is in another state, or later.
 * State '\0': by time only.
 */
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
	if ((!state || state == use->late_in) && now < use->retry_ns)
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
	if (!use && (is_active(group) || group->waits))
		use = get_use(uses, group->sample->pid, group->sample->start_ticks);
	if (!use || use->turn == TURN_URGENT || uses_in_lane(uses, use))
		return;
	wants = due_look(use, group, now);
	if (!wants || !may_ask(uses, use, group->sample->state, now))
		return;
	use->tick = group->sample->mono_ns;
	if (use->turn)
		use->wants = wants;
	else
		uses_line_up(uses, use, TURN_URGENT, wants);
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
		if (!use || use->turn || uses_in_lane(uses, use) ||
		    (use->looks && now - use->looked_ns < round_ns) ||
		    !may_ask(uses, use, group.sample->state, now))
			continue;
		uses_line_up(uses, use, TURN_ROUND, 0);
		left--;
	}
}

/* The walk that a frame's tasks are of. */
static int64_t walk_of(const struct frame *frame)
{
	return frame->ntask ? frame->task[frame->ntask - 1].task->mono_ns : 0;
}

/* The watched process: at every tick, as soon as the last look at it is on show. */
static void ask_watched(struct uses *uses, const struct frame *frame, int64_t now)
{
	struct use_watch *watch = &uses->watch;
	unsigned wants =
	    LOOK_STORAGE | (watch->files ? LOOK_EVERY : 0) | (watch->sheet ? LOOK_TEXT : 0);
	int64_t tick = walk_of(frame);

	if (!watch->pid || watch->ready || uses->lane[LANE_WATCH].of || watch->asked_for == tick)
		return;
	if (!watch->of)
		watch->of = get_use(uses, watch->pid, watch->start_ticks);
	if (!watch->of || watch->of == uses->lane[LANE_ANY].of ||
	    !may_ask(uses, watch->of, '\0', now))
		return;
	watch->asked_for = tick;
	lane_start(uses, LANE_WATCH, watch->of, wants);
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
	lane_forget(uses, LANE_WATCH);
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
		lanes_hurry(uses);
}

/* Once for each walk over the tasks. */
static void ask_active(struct uses *uses, const struct frame *frame, int64_t now)
{
	if (uses->asked_walk == walk_of(frame))
		return;
	uses->asked_walk = walk_of(frame);
	places_name(&uses->places, frame);
	for (size_t i = 0; i < frame->ntask;) {
		struct use_group group = group_at(frame, i);
		ask_group(uses, &group, now);
		i = group.end;
	}
	sweep(uses);
}

void uses_ask(struct uses *uses, const struct frame *frame, unsigned wants)
{
	uses->frame_ns = (int64_t)(frame->epoch * 1e9);
	int64_t now = uses_now_ns(uses);

	ask_active(uses, frame, now);
	ask_watched(uses, frame, now);
	uses->all_aio = wants & USES_ALL_AIO;
	if (uses->all_aio)
		ask_round(uses, frame, now);
	lanes_go_on(uses);
	if (uses->story)
		lanes_await_all(uses);
}
