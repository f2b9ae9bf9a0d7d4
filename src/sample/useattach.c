/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known by now, set on the rows of a frame. */
#include "clock.h"
#include "iotriage/column.h"
#include "room.h"
#include "usestate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters of what was done stay so long when a tick happens to be idle. */
static const int64_t hold_ns = 5 * 1000000000LL;
/* Limits are read again after 5 s, where it still waits. */
static const int64_t limits_hold_ns = 10 * 1000000000LL;

/* ---- groups of rows ---- */

static struct value add(struct value sum, struct value v)
{
	return value_known(v) ? value_of(value_or(sum, 0) + v.n) : sum;
}

static void add_row(struct use_group *group, const struct task_row *row)
{
	bool main = row->task->tid == 0 || row->task->tid == row->task->pid;

	if (row->kind != TASK_UNATTRIBUTED && main)
		group->sample = row->task;
	group->of_threads |= row->kind == TASK_THREAD;
	group->active |= task_table.active(row);
	group->on_show |= row->on_show;
	group->blocked |= row->blocked;
	group->waits |= row->state == 'D' || value_or(row->blocked_threads, 0) > 0;
	group->faults += row->task->majflt;
	if (row->task->ran_ns > group->ran_ns)
		group->ran_ns = row->task->ran_ns;
	group->rates.rchar = add(group->rates.rchar, row->rchar);
	group->rates.wchar = add(group->rates.wchar, row->wchar);
	group->rates.rkb = add(group->rates.rkb, row->rkb);
	group->rates.wkb = add(group->rates.wkb, row->wkb);
}

int64_t walk_of(const struct frame *frame)
{
	return frame->ntask ? frame->task[frame->ntask - 1].task->mono_ns : 0;
}

/* A process's row, or those of its threads: the main one, or the only one, has the process's start.
 */
struct use_group group_at(const struct frame *frame, size_t i)
{
	const struct task_row *first = &frame->task[i], *row = first;
	const struct task_row *end = frame->task + frame->ntask;
	const struct value none = value_absent(ABSENT_NEW);
	struct use_group group = {.first = i, .rates = {none, none, none, none, none}};

	for (; row < end && row->task->pid == first->task->pid; row++)
		add_row(&group, row);
	group.end = (size_t)(row - frame->task);
	return group;
}

/* ---- one process ---- */

/* Major faults of this interval, if both its ends were seen. */
static void take_faults(struct use *use, const struct use_group *group)
{
	int64_t now = group->sample->mono_ns;
	double seconds = (double)(now - use->sample_ns) / 1e9;

	if (now == use->sample_ns)
		return;
	use->fault_rate = value_absent(ABSENT_NEW);
	if (use->sample_ns && use->of_threads == group->of_threads &&
	    group->faults >= use->faults && seconds > 0)
		use->fault_rate = value_of((double)(group->faults - use->faults) / seconds);
	use->sample_ns = now;
	use->faults = group->faults;
	use->of_threads = group->of_threads;
}

static void set_mode(struct use *use, const struct use_group *group, int64_t now)
{
	const struct use_seen *seen = &use->found->seen;
	struct use_rates rates = group->rates;
	unsigned letters = 0;

	rates.faults = use->fault_rate;
	if (use_is_buffered(seen, &rates))
		use->buffered_ns = now;
	if (use_is_mapped(seen, &rates))
		use->mapped_ns = now;
	letters |= seen->direct ? MODE_DIRECT : 0;
	letters |= seen->sync ? MODE_SYNC : 0;
	letters |= seen->contexts ? MODE_AIO : 0;
	letters |= seen->rings ? MODE_URING : 0;
	letters |= use->buffered_ns && now - use->buffered_ns < hold_ns ? MODE_BUFFERED : 0;
	letters |= use->mapped_ns && now - use->mapped_ns < hold_ns ? MODE_MMAP : 0;
	use_letters(use->use.mode, letters);
}

/* One name for all places on a device: the sum, in the first. */
static size_t merge_places(const struct use_look *look, struct use_tally tally[PLACES_SEEN])
{
	size_t n = 0;

	for (size_t i = 0; i < look->ntally; i++) {
		const struct use_tally *each = &look->tally[i];
		size_t j = 0;
		if (each->place->memory || !*each->place->device)
			continue;
		while (j < n && strcmp(tally[j].place->device, each->place->device) != 0)
			j++;
		if (j == n)
			tally[n++] = (struct use_tally){.place = each->place};
		tally[j].files += each->files;
		tally[j].telling += each->telling;
	}
	return n;
}

static unsigned weight(const struct use_tally *tally, bool telling)
{
	return telling ? tally->telling : tally->files;
}

/* "sda", "sda,sdb", "sda+3": those that files with evidence are on, else all. */
static void set_device(struct use *use)
{
	struct use_tally tally[PLACES_SEEN];
	size_t n = merge_places(use->found, tally), named = 0;
	const char *first = "", *second = "";
	bool telling = false;

	if (n == 0) { /* as of most processes */
		use->use.device[0] = '\0';
		return;
	}
	for (size_t i = 0; i < n; i++)
		telling |= tally[i].telling > 0;
	for (size_t i = 0; i + 1 < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (weight(&tally[j], telling) > weight(&tally[i], telling)) {
				struct use_tally swapped = tally[i];
				tally[i] = tally[j];
				tally[j] = swapped;
			}
	while (named < n && weight(&tally[named], telling) > 0)
		named++;
	if (named > 0)
		first = tally[0].place->device;
	if (named > 1)
		second = tally[1].place->device;
	char *buf = use->use.device;
	const size_t size = sizeof(use->use.device);
	if (named > 2)
		snprintf(buf, size, "%.50s+%u", first, (unsigned)named - 1);
	else
		snprintf(buf, size, "%.31s%s%.31s", first, *second ? "," : "", second);
}

static void set_ring_rates(struct use *use)
{
	struct task_use *to = &use->use;
	unsigned rings = use->found->seen.rings;

	to->sq = to->cq = value_absent(rings ? ABSENT_NEW : ABSENT_IDLE);
	if (rings > use->nring) /* more than are kept: a sum would miss some */
		to->sq = to->cq = value_absent(ABSENT_UNSUPPORTED);
	for (size_t i = 0; rings == use->nring && i < use->nring; i++) {
		if (!use->ring[i].rated)
			continue;
		to->sq = value_of(value_or(to->sq, 0) + use->ring[i].sq);
		to->cq = value_of(value_or(to->cq, 0) + use->ring[i].cq);
	}
}

static void set_all_absent(struct task_use *use, enum absent why)
{
	use->contexts = use->rings = use->sq = use->cq = use->files = value_absent(why);
	use->mode[0] = use->device[0] = '\0';
	use->file = NULL;
	use->nfile = 0;
}

static void set_use(struct use *use, const struct use_group *group, int64_t now)
{
	struct task_use *to = &use->use;
	const struct use_look *found = use->found;

	to->why = group->blocked ? ABSENT_BLOCKED : use->why;
	/* those of an earlier wait may be others by now */
	to->limits_read = to->limits_read && now - use->limits_ns < limits_hold_ns;
	if (found)
		memcpy(to->ioprio, found->ioprio, sizeof(to->ioprio));
	if (!found || (to->why != PRESENT && to->why != ABSENT_UNSUPPORTED)) {
		set_all_absent(to, to->why == PRESENT ? ABSENT_NEW : to->why);
		return;
	}
	to->contexts = found->maps_error ? value_absent(ABSENT_UNSUPPORTED)
					 : value_of(found->seen.contexts);
	to->rings =
	    found->files_error ? value_absent(ABSENT_UNSUPPORTED) : value_of(found->seen.rings);
	to->files =
	    found->files_error ? value_absent(ABSENT_UNSUPPORTED) : value_of((double)found->all);
	set_ring_rates(use);
	if (found->files_error)
		to->sq = to->cq = value_absent(ABSENT_UNSUPPORTED);
	set_mode(use, group, now);
	set_device(use);
	if (found->storage)
		picks_attach(use);
	/* a look for AIO alone says nothing of the other letters */
	if (!found->storage && to->why == PRESENT)
		to->why = *to->mode ? PRESENT : ABSENT_NEW;
}

/* ---- AIO ---- */

static void add_aio(struct uses *uses, const struct use *use, struct task_row *row)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	const struct slab_value unread = {.active = none, .total = none, .state = SLAB_UNREAD};

	if (value_or(use->use.contexts, 0) + value_or(use->use.rings, 0) <= 0 ||
	    !room_for(&uses->aio, &uses->aio_cap, uses->naio + 1, sizeof(*uses->aio)))
		return;
	row->on_show |= uses->all_aio; /* its names are wanted */
	uses->aio[uses->naio++] = (struct aio_row){
	    .task = row,
	    .contexts = use->use.contexts,
	    .rings = use->use.rings,
	    .sq = use->use.sq,
	    .cq = use->use.cq,
	    .aio_nr = none,
	    .aio_max_nr = none,
	    .aio_pct = none,
	    .kioctx = unread,
	    .kiocb = unread,
	    .io_kiocb = unread,
	};
}

/* Whether all were looked at. */
struct whole {
	bool missing, late, denied; /* some were not yet, did not answer, may not be */
};

static void take_whole(struct whole *whole, const struct use *use, const struct use_group *group)
{
	whole->missing |= !use || use->why == ABSENT_NEW;
	whole->late |= group->blocked || (use && use->why == ABSENT_LATE);
	whole->denied |= use && use->why == ABSENT_DENIED;
}

static struct value add_rate(struct value sum, struct value rate, bool *rated)
{
	*rated |= value_known(rate);
	return add(sum, rate);
}

static enum absent no_sum(const struct uses *uses, const struct whole *whole)
{
	if (!uses->round_done)
		return ABSENT_NEW;
	return whole->late ? ABSENT_LATE : PRESENT;
}

/* Nothing found proves nothing where some may not be looked at. */
static struct value found_or_denied(struct value sum, const struct whole *whole)
{
	return whole->denied && value_known(sum) && sum.n == 0 ? value_absent(ABSENT_DENIED) : sum;
}

static void sum_aio(struct uses *uses, struct frame *frame, const struct whole *whole)
{
	struct aio_row *machine = &frame->aio;
	bool rated = false, seen = frame->tasks_state == PRESENT;

	/* those that came since the first round are in as soon as they are looked at */
	uses->round_done = uses->all_aio && ((seen && !whole->missing) || uses->round_done);
	enum absent why = seen ? no_sum(uses, whole) : frame->tasks_state;
	const struct value sum = why == PRESENT ? value_of(0) : value_absent(why);
	machine->contexts = machine->rings = machine->sq = machine->cq = sum;
	for (size_t i = 0; why == PRESENT && i < uses->naio; i++) {
		const struct aio_row *row = &uses->aio[i];
		machine->contexts = add(machine->contexts, row->contexts);
		machine->rings = add(machine->rings, row->rings);
		machine->sq = add_rate(machine->sq, row->sq, &rated);
		machine->cq = add_rate(machine->cq, row->cq, &rated);
	}
	if (value_or(machine->rings, 0) > 0 && !rated)
		machine->sq = machine->cq = value_absent(ABSENT_NEW);
	if (value_or(machine->rings, 0) == 0)
		machine->sq = machine->cq = found_or_denied(machine->sq, whole);
	machine->rings = found_or_denied(machine->rings, whole);
	if (value_or(machine->aio_nr, 1) != 0) /* no slot reserved: no context anywhere */
		machine->contexts = found_or_denied(machine->contexts, whole);
	frame->aio_task = uses->aio;
	frame->naio_task = uses->naio;
}

/* ---- the frame ---- */

static const struct task_use of_kernel = {
    .why = ABSENT_UNSUPPORTED,
    .contexts = {.why = ABSENT_UNSUPPORTED},
    .rings = {.why = ABSENT_UNSUPPORTED},
    .sq = {.why = ABSENT_UNSUPPORTED},
    .cq = {.why = ABSENT_UNSUPPORTED},
    .files = {.why = ABSENT_UNSUPPORTED},
};

/* A program that is begun by exec keeps the process, and not what was open and mapped. */
static void notice_program(struct uses *uses, struct use *use, const struct task_sample *sample)
{
	if (!*sample->comm || strcmp(use->comm, sample->comm) == 0)
		return;
	if (*use->comm)
		uses_drop(uses, use);
	memcpy(use->comm, sample->comm, sizeof(use->comm));
}

/* Whether it may be asked about. use NULL: nothing is known of it. */
static bool may_be_due(const struct uses *uses, const struct use *use,
		       const struct use_group *group, int64_t now)
{
	if (group->active || group->waits || value_or(group->rates.rchar, 0) > 0 ||
	    value_or(group->rates.wchar, 0) > 0)
		return true;
	if (use && use->found && (use->found->seen.contexts || use->found->seen.rings))
		return true;
	return uses->all_aio && (!use || uses_round_due(use, group, now));
}

static void note_due(struct uses *uses, const struct use *use, const struct use_group *group,
		     int64_t now)
{
	if (uses->nmaybe < uses->maybe_cap && may_be_due(uses, use, group, now))
		uses->maybe[uses->nmaybe++] = (uint32_t)group->first;
}

static void begin_due(struct uses *uses, const struct frame *frame)
{
	uses->nmaybe = 0;
	uses->maybe_walk = walk_of(frame);
	uses->maybe_all = uses->all_aio;
	/* without memory some are asked about later */
	(void)room_for(&uses->maybe, &uses->maybe_cap, frame->ntask, sizeof(*uses->maybe));
}

static const struct task_use *attach_group(struct uses *uses, struct frame *frame,
					   const struct use_group *group, struct whole *whole,
					   int64_t now)
{
	struct use *use;

	if (!group->sample)
		return NULL;
	if (group->sample->kernel)
		return &of_kernel;
	use = uses_find(uses, group->sample->pid, group->sample->start_ticks);
	if (use)
		notice_program(uses, use, group->sample);
	take_whole(whole, use, group);
	note_due(uses, use, group, now);
	if (!use)
		return NULL;
	uses->nliving++;
	use->frame = uses->frame;
	take_faults(use, group);
	set_use(use, group, now);
	add_aio(uses, use, &frame->task[group->first]);
	return &use->use;
}

void uses_attach(struct uses *uses, struct frame *frame)
{
	struct whole whole = {.denied = frame->system.others_hidden};

	uses->frame_ns = (int64_t)(frame->epoch * 1e9);
	places_name(&uses->places, frame);
	int64_t now = uses_now_ns(uses);
	uses->unattached = false;
	uses->frame++;
	uses->nliving = uses->naio = 0;
	begin_due(uses, frame);
	for (size_t i = 0; i < frame->ntask;) {
		struct use_group group = group_at(frame, i);
		const struct task_use *use = attach_group(uses, frame, &group, &whole, now);
		for (; i < group.end; i++)
			frame->task[i].use = use;
	}
	sum_aio(uses, frame, &whole);
	watch_attach(uses, frame);
}
