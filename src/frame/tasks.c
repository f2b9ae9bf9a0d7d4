/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task rows from two walks over the tasks. */
#include "build.h"
#include "counter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void set_absent(struct task_row *row, enum absent why)
{
	const struct value absent = value_absent(why);

	row->rkb = row->wkb = row->ckb = row->rchar = row->wchar = absent;
	row->syscr = row->syscw = row->bytes_call = row->cache_pct = absent;
}

static void set_rates(struct task_row *row, const double d[TASK_COUNTERS], double t)
{
	double calls = d[TASK_SYSCR] + d[TASK_SYSCW];

	row->rkb = value_of(d[TASK_READ_BYTES] / 1024 / t);
	row->wkb = value_of(d[TASK_WRITE_BYTES] / 1024 / t);
	row->ckb = value_of(d[TASK_CANCELLED_BYTES] / 1024 / t);
	row->rchar = value_of(d[TASK_RCHAR] / 1024 / t);
	row->wchar = value_of(d[TASK_WCHAR] / 1024 / t);
	row->syscr = value_of(d[TASK_SYSCR] / t);
	row->syscw = value_of(d[TASK_SYSCW] / t);
	row->bytes_call = ratio(d[TASK_RCHAR] + d[TASK_WCHAR], calls);
	row->cache_pct = ratio(100 * (d[TASK_RCHAR] - d[TASK_READ_BYTES]), d[TASK_RCHAR]);
	/* read-ahead, mmap and AIO read without being asked: what came from the cache is unknown */
	if (value_known(row->cache_pct) && row->cache_pct.n < 0)
		row->cache_pct = value_absent(ABSENT_UNSUPPORTED);
}

/*
 * The delay in stat is the main thread's; of a process with more threads it
 * would be a guess. A tick is 10 ms, so a short interval overshoots a little.
 */
static struct value io_percent(const struct task_sample *before, const struct task_sample *now,
                               double seconds, int delayacct)
{
	uint64_t delta;

	if (delayacct == 0)
		return value_absent(ABSENT_OFF);
	if (now->threads > 1)
		return value_absent(ABSENT_UNSUPPORTED);
	if (!counter_delta(before->blkio_ticks, now->blkio_ticks, &delta))
		return value_absent(ABSENT_RESET);
	/* the kernel adds the delay when the wait is over */
	if (delta == 0 && before->state == 'D' && now->state == 'D')
		return value_absent(ABSENT_LATE);
	double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
	double percent = 100 * (double)delta / ticks_per_s / seconds;
	if (percent > 100 + 100 / ticks_per_s / seconds)
		return value_absent(ABSENT_IMPLAUSIBLE);
	return value_of(percent > 100 ? 100 : percent);
}

static void build_row(struct task_row *row, const struct task_sample *before,
                      const struct task_sample *now, int delayacct)
{
	double d[TASK_COUNTERS];
	uint64_t delta;

	*row = (struct task_row){.task = now, .state = now->state, .blocked = now->stat_state == ABSENT_BLOCKED};
	enum absent why = (enum absent)now->io_state;
	if (why == PRESENT && (!before || before->mono_ns >= now->mono_ns))
		why = ABSENT_NEW;
	else if (why == PRESENT && before->io_state != PRESENT)
		why = ABSENT_NEW;
	for (int c = 0; why == PRESENT && c < TASK_COUNTERS; c++) {
		if (!counter_delta(before->counter[c], now->counter[c], &delta))
			why = ABSENT_RESET;
		d[c] = (double)delta;
	}
	row->io_pct = value_absent(delayacct == 0 ? ABSENT_OFF : before ? why : ABSENT_NEW);
	if (before && before->stat_state == PRESENT && now->stat_state == PRESENT &&
	    now->mono_ns > before->mono_ns)
		row->io_pct = io_percent(before, now, (double)(now->mono_ns - before->mono_ns) / 1e9, delayacct);
	if (why != PRESENT) {
		set_absent(row, why);
		return;
	}
	row->seconds = (double)(now->mono_ns - before->mono_ns) / 1e9;
	set_rates(row, d, row->seconds);
}

static int reserve(struct frame *frame, size_t n)
{
	if (n <= frame->task_cap)
		return 0;
	size_t cap = n + n / 8 + 64;
	struct task_row *row = reallocarray(frame->task, cap, sizeof(*row));
	if (!row)
		return -ENOMEM;
	frame->task = row;
	frame->task_cap = cap;
	return 0;
}

static struct value add(struct value sum, struct value v)
{
	return value_known(v) ? value_of(value_or(sum, 0) + v.n) : sum;
}

static void sum_up(struct frame *frame, const struct task_snapshot *now)
{
	struct system_row *system = &frame->system;

	system->asked_rkb = system->asked_wkb = value_absent(frame->tasks_state);
	if (frame->tasks_state == PRESENT)
		system->asked_rkb = system->asked_wkb = value_absent(ABSENT_NEW);
	for (size_t i = 0; i < frame->ntask; i++) {
		system->asked_rkb = add(system->asked_rkb, frame->task[i].rkb);
		system->asked_wkb = add(system->asked_wkb, frame->task[i].wkb);
	}
	system->tasks = system->unreadable = value_absent(frame->tasks_state);
	if (frame->tasks_state != PRESENT)
		return;
	system->tasks = value_of((double)now->n);
	system->unreadable = value_of((double)now->unreadable);
}

int frame_build_tasks(struct frame *frame, const struct task_snapshot *before,
                      const struct task_snapshot *now, bool late, bool threads)
{
	size_t j = 0;

	(void)threads;
	if (reserve(frame, now->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < now->n; i++) {
		const struct task_sample *task = &now->task[i], *earlier = NULL;
		while (before && j < before->n && before->task[j].pid < task->pid)
			j++;
		/* the same PID with another start is another process */
		if (before && j < before->n && before->task[j].pid == task->pid &&
		    before->task[j].start_ticks == task->start_ticks)
			earlier = &before->task[j];
		build_row(&frame->task[i], earlier, task, frame->system.delayacct);
		if (!late)
			continue;
		frame->task[i].late = true;
		set_absent(&frame->task[i], ABSENT_LATE);
		frame->task[i].io_pct = value_absent(ABSENT_LATE);
	}
	frame->ntask = now->n;
	frame->tasks_state = late ? ABSENT_LATE : PRESENT;
	sum_up(frame, now);
	return 0;
}
