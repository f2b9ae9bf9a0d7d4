/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of a process say: of it as a whole, and in rows of their own. */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

struct thread_span thread_span(const struct task_snapshot *walk, size_t *at, int32_t pid)
{
	struct thread_span span = {0};

	if (!walk)
		return span;
	while (*at < walk->nthread && walk->thread[*at].pid < pid)
		(*at)++;
	span.thread = walk->nthread ? walk->thread + *at : NULL;
	while (*at < walk->nthread && walk->thread[*at].pid == pid)
		(*at)++, span.n++;
	return span;
}

static int compare_threads(const void *a, const void *b)
{
	const struct task_sample *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The same thread in another walk, or NULL. */
static const struct task_sample *find(const struct thread_span *span,
				      const struct task_sample *thread)
{
	const struct task_sample *found =
	    span->n ? bsearch(thread, span->thread, span->n, sizeof(*thread), compare_threads)
		    : NULL;

	return found && found->start_ticks == thread->start_ticks ? found : NULL;
}

static bool is_main(const struct task_sample *thread)
{
	return thread->tid == thread->pid;
}

/* The walk before had one thread of it, whose readings are the process's. */
static bool was_single(const struct process *process)
{
	const struct task_pair *pair = &process->pair;

	return pair->was && !pair->born && pair->was->stat_state == PRESENT &&
	       pair->was->threads == 1;
}

struct task_pair thread_pair(const struct task_snapshot *before, const struct process *process,
			     const struct task_sample *thread)
{
	const struct task_sample *was = find(&process->was, thread);
	bool known = process->was.n > 0 || was_single(process) || process->pair.born;

	return task_pair(before, was, thread, known);
}

/* ---- of the process as a whole ---- */

/* The delay of a thread; a main thread that was the only one has it in the process's reading. */
static struct value thread_percent(delay_percent *percent, const struct task_snapshot *before,
				   const struct process *process, const struct task_sample *thread,
				   const struct system_row *system)
{
	struct task_pair pair = thread_pair(before, process, thread);

	if (pair.why != PRESENT && is_main(thread) && was_single(process))
		pair = task_pair(before, process->pair.was, thread, false);
	return percent(&pair, system);
}

/* The larger; a wait that still goes on is longer than any known one. */
static struct value worse(struct value a, struct value b)
{
	if (a.why == ABSENT_LATE || b.why == ABSENT_LATE)
		return value_absent(ABSENT_LATE);
	if (value_known(a) && value_known(b))
		return a.n > b.n ? a : b;
	/* of one that is not measured and one that did not wait the worst is unknown */
	if (value_known(a))
		return a.n > 0 ? a : b;
	return value_known(b) && b.n == 0 ? a : b;
}

/* Threads of an idle process are not read. */
static enum absent unread(const struct task_row *row)
{
	if (row->blocked)
		return ABSENT_BLOCKED;
	bool idle =
	    value_known(row->rchar) && row->rchar.n + row->wchar.n + row->rkb.n + row->wkb.n == 0;
	return idle ? ABSENT_UNREAD : ABSENT_UNSUPPORTED;
}

/* Where the main thread has ended, what the others are in: the busiest of them. */
static char state_of(char state, const struct thread_span *now)
{
	static const char order[] = "DRS";
	const char *best = NULL;

	for (size_t i = 0; state == 'Z' && i < now->n; i++) {
		const char *at = now->thread[i].state ? strchr(order, now->thread[i].state) : NULL;
		if (at && (!best || at < best))
			best = at;
	}
	return best ? *best : state;
}

/* Of its threads' shares the worst; of threads that were not read the row says why. */
static struct value worst_of(delay_percent *percent, const struct task_row *row,
			     const struct task_snapshot *before, const struct process *process,
			     const struct system_row *system)
{
	struct value worst = row->blocked_threads;

	if (system->delayacct == 0)
		worst = value_absent(ABSENT_OFF);
	for (size_t i = 0; i < process->now.n; i++) {
		const struct task_sample *thread = &process->now.thread[i];
		struct value one = thread_percent(percent, before, process, thread, system);
		worst = i ? worse(worst, one) : one;
	}
	return worst;
}

void process_row_threads(struct task_row *row, const struct task_snapshot *before,
			 const struct process *process, const struct system_row *system)
{
	const struct task_sample *now = process->pair.now;
	size_t blocked = 0;

	if (now->stat_state != PRESENT || now->threads <= 1) {
		row->io_pct = task_io_percent(&process->pair, system);
		row->swapin_pct = task_swapin_percent(&process->pair, system);
		row->blocked_threads = now->stat_state == PRESENT
					   ? value_of(now->state == 'D')
					   : value_absent((enum absent)now->stat_state);
		return;
	}
	row->blocked_threads = value_absent(unread(row));
	row->io_pct = worst_of(task_io_percent, row, before, process, system);
	row->swapin_pct = worst_of(task_swapin_percent, row, before, process, system);
	for (size_t i = 0; i < process->now.n; i++)
		blocked += process->now.thread[i].state == 'D';
	if (process->now.n == 0)
		return;
	row->blocked_threads = value_of((double)blocked);
	row->state = blocked ? 'D' : state_of(row->state, &process->now);
}

/* ---- rows of threads ---- */

/*
 * A main thread that was the only one has no reading before of its own: it did
 * what the process did without its other threads, which are new.
 */
static enum absent main_grown(const struct process *process, double own[TASK_COUNTERS])
{
	double all[TASK_COUNTERS];
	enum absent why = task_grown(&process->pair, own, all);

	for (size_t i = 0; why == PRESENT && i < process->now.n; i++) {
		const struct task_sample *other = &process->now.thread[i];
		for (int c = 0; !is_main(other) && c < TASK_COUNTERS; c++)
			own[c] -= (double)other->counter[c];
	}
	for (int c = 0; why == PRESENT && c < TASK_COUNTERS; c++)
		own[c] = own[c] > 0 ? own[c] : 0;
	return why;
}

/* own: what it did. */
static void thread_row(struct task_row *row, const struct task_snapshot *before,
		       const struct process *process, const struct task_sample *thread,
		       const struct system_row *system, double own[TASK_COUNTERS])
{
	double all[TASK_COUNTERS];
	struct task_pair pair = thread_pair(before, process, thread);
	enum absent why = task_grown(&pair, own, all);

	if (pair.why != PRESENT && is_main(thread) && was_single(process)) {
		pair = process->pair;
		why = main_grown(process, own);
	}
	task_row_start(row, TASK_THREAD, thread, why);
	row->blocked_threads = value_absent(ABSENT_UNSUPPORTED);
	row->io_pct = thread_percent(task_io_percent, before, process, thread, system);
	row->swapin_pct = thread_percent(task_swapin_percent, before, process, thread, system);
	if (why != PRESENT)
		return;
	task_row_rates(row, own, pair.seconds);
	row->inh_rkb = row->inh_wkb = value_of(0);
}

static bool some_ended(const struct process *process)
{
	for (size_t i = 0; i < process->was.n; i++)
		if (!find(&process->now, &process->was.thread[i]))
			return true;
	return false;
}

/*
 * What the process itself did and none of its rows has: threads that ended did
 * it, some of which no walk saw. Threads are read a moment after their process;
 * the little that makes is no thread's.
 */
static void add_remainder(const struct process *process, double own[TASK_COUNTERS],
			  const double rows[TASK_COUNTERS])
{
	const double skew = 0.02;
	double whole[TASK_COUNTERS], all[TASK_COUNTERS];
	bool ended = some_ended(process);

	if (task_grown(&process->pair, whole, all) != PRESENT)
		return;
	for (int c = 0; c < TASK_COUNTERS; c++) {
		double left = whole[c] - rows[c];
		if (left > (ended ? 0 : skew * whole[c]))
			own[c] += left;
	}
}

size_t thread_rows(struct task_row *row, const struct task_row *whole,
		   const struct task_snapshot *before, const struct process *process,
		   const struct system_row *system)
{
	struct task_row *main_row = NULL;
	double rows[TASK_COUNTERS] = {0}, own[TASK_COUNTERS], main_own[TASK_COUNTERS];
	bool all_known = true;

	for (size_t i = 0; i < process->now.n; i++) {
		thread_row(&row[i], before, process, &process->now.thread[i], system, own);
		bool known = value_known(row[i].rkb);
		for (int c = 0; known && c < TASK_COUNTERS; c++)
			rows[c] += own[c];
		all_known = all_known && known;
		if (!is_main(row[i].task))
			continue;
		main_row = &row[i];
		memcpy(main_own, own, sizeof(own));
	}
	if (!main_row)
		return process->now.n;
	if (all_known) {
		add_remainder(process, main_own, rows);
		task_row_rates(main_row, main_own, main_row->seconds);
	}
	main_row->inh_rkb = whole->inh_rkb;
	main_row->inh_wkb = whole->inh_wkb;
	return process->now.n;
}
