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
enum { COST_SHARE = 200 }; /* the looks at one process take so much of a CPU at most */

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

void uses_start(struct uses *uses)
{
	(void)helper_start(&uses->helper);
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
	free(uses->maybe);
	free(uses);
}

void uses_own(struct uses *uses, int32_t pid)
{
	uses->own_pid = pid;
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
	use->frame = uses->frame;
	use->use.why = ABSENT_NEW;
	use->use.contexts = use->use.rings = use->use.sq = use->use.cq = use->use.files =
	    value_absent(ABSENT_NEW);
	use->fault_rate = value_absent(ABSENT_NEW);
	use->next = uses->bucket[(uint32_t)pid % USES_BUCKETS];
	uses->bucket[(uint32_t)pid % USES_BUCKETS] = use;
	uses->nuse++;
	uses->nliving++;
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
	for (size_t i = 0; i < USES_BUCKETS && uses->nuse > uses->nliving; i++)
		for (struct use **link = &uses->bucket[i]; *link;) {
			struct use *use = *link;
			if (use->frame == uses->frame || use->turn || uses_in_lane(uses, use)) {
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

/*
 * No process takes more than a small share of a CPU, however much it has open. This
 * program has thousands of files open where there are thousands of processes: looking
 * at them every time would be most of what it costs.
 */
static int64_t pause_of(const struct uses *uses, const struct use *use)
{
	if (use->pid == uses->own_pid)
		return round_ns;
	if (use->looks < 2)
		return soon_ns;
	return use->cost_ns * COST_SHARE > again_ns ? use->cost_ns * COST_SHARE : again_ns;
}

/* It reads, with calls, and files are open for direct reads. */
static bool reads_directly(const struct use *use, const struct use_group *group)
{
	return value_or(group->rates.rkb, 0) > 0 && value_or(group->rates.rchar, 0) > 0 &&
	       picks_moving(use, NULL) > 0;
}

static unsigned due_files(const struct uses *uses, const struct use *use,
			  const struct use_group *group, int64_t now)
{
	bool async = use->found && (use->found->seen.contexts || use->found->seen.rings);

	if ((is_active(group) || async) &&
	    (!use->stored_ns || now - use->stored_ns >= pause_of(uses, use)))
		return LOOK_STORAGE;
	if ((async || reads_directly(use, group)) && use->tick != group->sample->mono_ns)
		return async && use->found->seen.rings > LOOK_RINGS_MAX ? LOOK_STORAGE : LOOK_KNOWN;
	return 0;
}

/* What did not run since has no other files and mappings than it had. */
bool uses_round_due(const struct use *use, const struct use_group *group, int64_t now)
{
	return !use->looks || (now - use->looked_ns >= round_ns && group->ran_ns > use->whole_tick);
}

static unsigned due_look(const struct uses *uses, const struct use *use,
			 const struct use_group *group, int64_t now)
{
	bool limits = group->waits && (!use->limits_ns || now - use->limits_ns >= again_ns);

	return due_files(uses, use, group, now) | (limits ? LOOK_LIMITS : 0);
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

/* A pass over the processes of a walk. */
struct pass {
	int64_t now;
	size_t left; /* of the round over all so many more may be asked about */
	bool again;  /* of the same walk */
};

static bool takes_round(struct uses *uses, const struct use *use, const struct use_group *group,
			struct pass *pass)
{
	if (pass->left == 0 || use->turn || use->pid <= uses->round_pid ||
	    !uses_round_due(use, group, pass->now))
		return false;
	uses->round_pid = use->pid;
	pass->left--;
	return true;
}

static void ask_group(struct uses *uses, const struct use_group *group, struct pass *pass)
{
	struct use *use;

	if (!group->sample || group->sample->kernel || group->blocked)
		return;
	use = uses_find(uses, group->sample->pid, group->sample->start_ticks);
	if (!use && (is_active(group) || group->waits || uses->all_aio))
		use = get_use(uses, group->sample->pid, group->sample->start_ticks);
	if (!use || use->turn == TURN_URGENT || uses_in_lane(uses, use))
		return;
	unsigned wants = due_look(uses, use, group, pass->now);
	if (!wants && !takes_round(uses, use, group, pass))
		return;
	if (!may_ask(uses, use, group->sample->state, pass->now))
		return;
	use->tick = group->sample->mono_ns;
	if (!wants || (wants & LOOK_STORAGE))
		use->whole_tick = use->tick;
	if (use->turn)
		use->wants = wants;
	else if (wants)
		uses_line_up(uses, use, TURN_URGENT, wants);
	else
		uses_line_up(uses, use, TURN_ROUND, uses->no_context ? LOOK_NO_MAPS : 0);
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

/* Once for each walk over the tasks: those that are active, and some more of the round. */
static void ask_walk(struct uses *uses, const struct frame *frame, int64_t now)
{
	size_t step = uses->story ? frame->ntask : ROUND_STEP;
	size_t begun = uses->all_aio && !uses->line[TURN_ROUND].first ? step : 0;
	bool all = uses->maybe_walk != walk_of(frame) || (uses->all_aio && !uses->maybe_all);
	struct pass pass = {
	    .now = now, .left = begun, .again = uses->asked_walk == walk_of(frame)};

	if (pass.again && (!uses->all_aio || uses->asked_all))
		return;
	uses->asked_walk = walk_of(frame);
	uses->asked_all = uses->all_aio;
	places_name(&uses->places, frame);
	for (size_t i = 0, row = 0; all ? row < frame->ntask : i < uses->nmaybe; i++) {
		struct use_group group = group_at(frame, all ? row : uses->maybe[i]);
		ask_group(uses, &group, &pass);
		row = group.end;
	}
	if (begun > 0 && pass.left > 0) /* it has come to its end, and begins anew */
		uses->round_pid = 0;
	sweep(uses);
}

void uses_ask(struct uses *uses, const struct frame *frame, unsigned wants)
{
	uses->frame_ns = (int64_t)(frame->epoch * 1e9);
	int64_t now = uses_now_ns(uses);

	uses->all_aio = wants & USES_ALL_AIO;
	uses->no_context = value_or(frame->aio.aio_nr, 1) == 0;
	ask_walk(uses, frame, now);
	ask_watched(uses, frame, now);
	lanes_go_on(uses);
	if (uses->story)
		lanes_await_all(uses);
}
