/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every task did since the start. Programs and users are made of the tasks
 * when they are asked for, so that a task whose user becomes known moves there
 * with all it did. Of ended tasks a number is kept; the least are folded into
 * their program, their user and one row "(others)".
 */
#include "totals.h"
#include "groups.h"
#include "users.h"
#include "iotriage/sort.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_AFTER_FOLDING = TOTALS_ENDED_MAX * 3 / 4 }; /* so that folding is rare */

struct task_total {
	struct tally tally; /* the first: order[] holds pointers to tallies */
	int32_t pid;
	uint64_t start_ticks;
	unsigned long seen; /* the last walk it was in */
	uint32_t uid;
	enum { USER_UNKNOWN, USER_NUMBER, USER_NAME } user_is;
};

struct totals {
	struct task_total *task;
	size_t n, cap;
	size_t next;   /* where the next row's is, if nothing changed since the last frame */
	size_t living; /* in the newest walk */
	struct lookup lookup; /* by PID alone */
	unsigned long walks, frame;
	bool frame_done; /* that frame's tasks have been added */
	double seconds;
	/* KiB while both were known, by SUM_RKIB and SUM_WKIB */
	double done_kib[2], asked_kib[2];
	struct tally unattributed, others; /* of all tasks; tasks 0: none */
	struct groups programs, users;     /* what was folded into them, */
	struct tally other_programs, other_users; /* and what of that had no room */
	struct users names;
	struct groups work;
	void **order; /* room to sort in */
	size_t order_cap;
	struct total_row *row;
	size_t row_cap;
};

struct totals *totals_new(void)
{
	struct totals *totals = calloc(1, sizeof(*totals));

	if (!totals)
		return NULL;
	snprintf(totals->unattributed.name, COMM_MAX, "(unattributed)");
	totals->unattributed.why = ABSENT_UNSUPPORTED; /* of what devices do not tell */
	snprintf(totals->others.name, COMM_MAX, "(others)");
	totals->other_programs = totals->other_users = totals->others;
	return totals;
}

void totals_free(struct totals *totals)
{
	if (!totals)
		return;
	free(totals->task);
	lookup_release(&totals->lookup);
	groups_release(&totals->programs);
	groups_release(&totals->users);
	groups_release(&totals->work);
	users_release(&totals->names);
	free(totals->order);
	free(totals->row);
	free(totals);
}

/* ---- finding a task ---- */

/* PIDs are dense: times a large odd number they spread. */
static uint64_t hash_pid(int32_t pid)
{
	return (uint64_t)(uint32_t)pid * 11400714819323198485u;
}

static void look_up_all(struct totals *totals)
{
	for (size_t i = 0; i < totals->n; i++)
		lookup_put(&totals->lookup, hash_pid(totals->task[i].pid), i);
}

static struct task_total *find(struct totals *totals, int32_t pid, uint64_t start_ticks)
{
	const struct lookup *lookup = &totals->lookup;
	uint32_t place;

	if (totals->n == 0)
		return NULL;
	for (size_t at = lookup_first(lookup, hash_pid(pid)); (place = lookup_at(lookup, at));
	     at = lookup_next(lookup, at))
		if (totals->task[place - 1].pid == pid &&
		    totals->task[place - 1].start_ticks == start_ticks)
			return &totals->task[place - 1];
	return NULL;
}

static bool reserve(struct totals *totals, size_t n)
{
	if (n > totals->cap) {
		size_t cap = n + n / 2 + 256;
		struct task_total *task = reallocarray(totals->task, cap, sizeof(*task));
		if (!task)
			return false;
		totals->task = task;
		totals->cap = cap;
	}
	if (lookup_fits(&totals->lookup, n))
		return true;
	if (lookup_reset(&totals->lookup, 2 * n) < 0)
		return false;
	look_up_all(totals);
	return true;
}

/* Finds or adds a process. NULL: no memory. */
static struct task_total *task_of(struct totals *totals, const struct task_sample *sample)
{
	struct task_total *task = totals->next < totals->n ? &totals->task[totals->next] : NULL;

	if (!task || task->pid != sample->pid || task->start_ticks != sample->start_ticks)
		task = find(totals, sample->pid, sample->start_ticks);
	if (!task && reserve(totals, totals->n + 1)) {
		task = &totals->task[totals->n];
		*task = (struct task_total){.pid = sample->pid, .start_ticks = sample->start_ticks};
		memcpy(task->tally.user, "?", 2);
		task->tally.tasks = 1;
		lookup_put(&totals->lookup, hash_pid(task->pid), totals->n++);
	}
	if (task)
		totals->next = (size_t)(task - totals->task) + 1;
	return task;
}

/* ---- folding ---- */

static bool reserve_order(struct totals *totals, size_t n)
{
	if (n <= totals->order_cap)
		return true;
	size_t cap = n + n / 2 + 256;
	void **order = reallocarray(totals->order, 2 * cap, sizeof(*order));
	if (!order)
		return false;
	totals->order = order;
	totals->order_cap = cap;
	return true;
}

static void fold(struct totals *totals, const struct tally *tally)
{
	tally_add(&totals->others, tally);
	if (groups_add(&totals->programs, tally->name, tally) < 0)
		tally_add(&totals->other_programs, tally);
	if (groups_add(&totals->users, tally->user, tally) < 0)
		tally_add(&totals->other_users, tally);
}

/* Whether it lives, and the name of its user where that became known after its end. */
static void settle(struct totals *totals, struct task_total *task)
{
	const char *user = users_name(&totals->names, task->tally.user);

	task->tally.lives = task->seen == totals->walks;
	if (user != task->tally.user)
		snprintf(task->tally.user, USER_MAX, "%s", user);
}

static void fold_ended(struct totals *totals)
{
	size_t n = 0, kept = 0;

	if (totals->n - totals->living <= TOTALS_ENDED_MAX || !reserve_order(totals, totals->n))
		return;
	for (size_t i = 0; i < totals->n; i++) {
		settle(totals, &totals->task[i]);
		if (!totals->task[i].tally.lives)
			totals->order[n++] = &totals->task[i].tally;
	}
	sort_pointers(totals->order, totals->order + totals->order_cap, n, tally_compare, NULL);
	for (size_t i = KEPT_AFTER_FOLDING; i < n; i++) {
		struct tally *tally = totals->order[i];
		fold(totals, tally);
		tally->tasks = 0;
	}
	for (size_t i = 0; i < totals->n; i++)
		if (totals->task[i].tally.tasks > 0)
			totals->task[kept++] = totals->task[i];
	totals->n = kept;
	(void)lookup_reset(&totals->lookup, 0);
	look_up_all(totals);
	if (totals->programs.n > TOTALS_ENDED_MAX)
		groups_shrink(&totals->programs, KEPT_AFTER_FOLDING, &totals->other_programs);
	if (totals->users.n > TOTALS_ENDED_MAX)
		groups_shrink(&totals->users, KEPT_AFTER_FOLDING, &totals->other_users);
}

/* ---- adding a frame ---- */

static void add_value(struct tally *tally, enum sum sum, struct value rate, double seconds)
{
	if (!value_known(rate)) {
		tally->why = rate.why;
		return;
	}
	tally->known[sum] = true;
	tally->kib[sum] += rate.n * seconds;
}

/* The last is the most telling of why there is none. */
static void add_sums(struct tally *tally, const struct task_row *row, double seconds)
{
	add_value(tally, SUM_INH_RKIB, row->inh_rkb, seconds);
	add_value(tally, SUM_INH_WKIB, row->inh_wkb, seconds);
	add_value(tally, SUM_CKIB, row->ckb, seconds);
	add_value(tally, SUM_RKIB, row->rkb, seconds);
	add_value(tally, SUM_WKIB, row->wkb, seconds);
}

/* A name is better than a number, and that is better than nothing. */
static void set_user(struct totals *totals, struct task_total *task, const struct task_row *row)
{
	if (row->user) {
		if (task->user_is != USER_NAME ||
		    strncmp(task->tally.user, row->user, USER_MAX - 1) != 0) {
			snprintf(task->tally.user, USER_MAX, "%s", row->user);
			users_remember(&totals->names, row->uid, row->user);
		}
		task->user_is = USER_NAME;
	} else if (row->task->uid_known && task->user_is != USER_NAME &&
	           (task->user_is == USER_UNKNOWN || task->uid != row->task->uid)) {
		task->uid = row->task->uid;
		snprintf(task->tally.user, USER_MAX, "%u", (unsigned)task->uid);
		task->user_is = USER_NUMBER;
	}
}

/* Of a process's threads the main one stands for it: it has its start and its name. */
static const struct task_row *main_row(const struct task_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].task->tid == 0 || row[i].task->tid == row[i].task->pid)
			return &row[i];
	return row;
}

/* The rows of one process. */
static void add_process(struct totals *totals, const struct task_row *row, size_t n)
{
	const struct task_row *main = main_row(row, n);
	struct task_total *task = task_of(totals, main->task);

	if (!task) { /* no memory: it is added up without a row of its own */
		struct tally tally = {.user = "?", .tasks = 1};
		memcpy(tally.name, main->task->comm, COMM_MAX);
		for (size_t i = 0; i < n; i++)
			add_sums(&tally, &row[i], row[i].seconds);
		fold(totals, &tally);
		return;
	}
	totals->living += task->seen != totals->walks;
	task->seen = totals->walks;
	if (*main->task->comm)
		memcpy(task->tally.name, main->task->comm, COMM_MAX);
	set_user(totals, task, main);
	for (size_t i = 0; i < n; i++)
		add_sums(&task->tally, &row[i], row[i].seconds);
}

static void add_done(struct totals *totals, enum sum sum, struct value done, struct value asked,
		     double seconds)
{
	if (!value_known(done) || !value_known(asked))
		return;
	totals->unattributed.known[sum] = true;
	totals->unattributed.tasks = 1;
	totals->done_kib[sum] += done.n * seconds;
	totals->asked_kib[sum] += asked.n * seconds;
}

/*
 * Over the whole run, not per interval: what a task writes now the devices do
 * seconds later.
 */
static void set_unattributed(struct totals *totals)
{
	for (enum sum sum = SUM_RKIB; sum <= SUM_WKIB; sum++) {
		double more = totals->done_kib[sum] - totals->asked_kib[sum];
		totals->unattributed.kib[sum] = more > 0 ? more : 0;
	}
}

static void add_tasks(struct totals *totals, const struct frame *frame, const struct choice *choice)
{
	const struct system_row *system = &frame->system;

	totals->walks++;
	totals->living = totals->next = 0;
	for (size_t i = 0, n; i < frame->ntask; i += n) {
		const struct task_row *row = &frame->task[i];
		for (n = 1; i + n < frame->ntask && row->kind != TASK_UNATTRIBUTED &&
		            row[n].task->pid == row->task->pid;)
			n++;
		if (row->kind != TASK_UNATTRIBUTED && choice_has_task(choice, main_row(row, n)))
			add_process(totals, row, n);
	}
	if (choice->npid == 0 && !choice->by_uid) {
		add_done(totals, SUM_RKIB, system->done_rkb, system->asked_rkb, frame->seconds);
		add_done(totals, SUM_WKIB, system->done_wkb, system->asked_wkb, frame->seconds);
	}
	fold_ended(totals);
}

void totals_add(struct totals *totals, const struct frame *frame, const struct choice *choice)
{
	if (frame->since_boot)
		return;
	if (frame->number != totals->frame) {
		totals->frame = frame->number;
		totals->frame_done = false;
		totals->seconds += frame->seconds;
	}
	if (totals->frame_done || frame->tasks_state != PRESENT)
		return;
	totals->frame_done = true;
	add_tasks(totals, frame, choice);
}

/* ---- rows ---- */

static bool reserve_rows(struct totals *totals, size_t n)
{
	if (!reserve_order(totals, n))
		return false;
	if (n <= totals->row_cap)
		return true;
	size_t cap = n + n / 2 + 256;
	struct total_row *row = reallocarray(totals->row, cap, sizeof(*row));
	if (!row)
		return false;
	totals->row = row;
	totals->row_cap = cap;
	return true;
}

static int group_all(struct totals *totals, bool programs)
{
	const struct groups *folded = programs ? &totals->programs : &totals->users;
	int error = 0;

	groups_clear(&totals->work);
	for (size_t i = 0; i < folded->n && !error; i++)
		error = groups_add(&totals->work,
				   programs ? folded->group[i].name
					    : users_name(&totals->names, folded->group[i].name),
				   &folded->group[i]);
	for (size_t i = 0; i < totals->n && !error; i++) {
		const struct tally *tally = &totals->task[i].tally;
		error = groups_add(&totals->work, programs ? tally->name : tally->user, tally);
	}
	return error;
}

static double sum_of(const struct tally *tally, enum sum sum)
{
	return tally->known[sum] ? tally->kib[sum] : NAN;
}

static void put_row(struct totals *totals, size_t i, enum total_by by)
{
	const struct tally *tally = totals->order[i];
	bool apart = tally == &totals->unattributed;
	bool own = by == TOTAL_TASKS && !apart && tally != &totals->others;
	const char *user = by == TOTAL_USERS ? tally->name : tally->user;

	/* what is in parentheses is no user, and one row of many tasks has several */
	if (apart || tally == &totals->others || tally == &totals->other_programs ||
	    tally == &totals->other_users || strcmp(user, "?") == 0 || !*user)
		user = NULL;
	totals->row[i] = (struct total_row){
		.by = by,
		.name = tally->name,
		.user = user,
		.tasks = apart ? 0 : tally->tasks,
		.ended = !apart && !tally->lives,
		.rkib = sum_of(tally, SUM_RKIB),
		.wkib = sum_of(tally, SUM_WKIB),
		.inh_rkib = sum_of(tally, SUM_INH_RKIB),
		.inh_wkib = sum_of(tally, SUM_INH_WKIB),
		.ckib = sum_of(tally, SUM_CKIB),
		.why = tally->why,
		.seconds = totals->seconds,
	};
	if (!own)
		return;
	totals->row[i].pid = ((const struct task_total *)totals->order[i])->pid;
	totals->row[i].start_ticks = ((const struct task_total *)totals->order[i])->start_ticks;
}

int totals_attach(struct totals *totals, struct frame *frame, enum total_by by)
{
	struct tally *rest = by == TOTAL_TASKS      ? &totals->others
	                     : by == TOTAL_PROGRAMS ? &totals->other_programs
	                                            : &totals->other_users;
	size_t n = 0;

	frame->ntotal = 0;
	set_unattributed(totals);
	for (size_t i = 0; i < totals->n; i++)
		settle(totals, &totals->task[i]);
	if (by != TOTAL_TASKS && group_all(totals, by == TOTAL_PROGRAMS) < 0)
		return -ENOMEM;
	size_t rows = by == TOTAL_TASKS ? totals->n : totals->work.n;
	if (!reserve_rows(totals, rows + 2))
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++)
		totals->order[n++] = by == TOTAL_TASKS ? &totals->task[i].tally : &totals->work.group[i];
	if (rest->tasks > 0)
		totals->order[n++] = rest;
	if (totals->unattributed.tasks > 0)
		totals->order[n++] = &totals->unattributed;
	sort_pointers(totals->order, totals->order + totals->order_cap, n, tally_compare, NULL);
	for (size_t i = 0; i < n; i++)
		put_row(totals, i, by);
	frame->total = totals->row;
	frame->ntotal = n;
	return 0;
}
