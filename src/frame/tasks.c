/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task rows from two walks over the tasks. */
#include "tasks.h"
#include "build.h"
#include "pairs.h"

#include <errno.h>
#include <stdlib.h>

/* A pass over the processes of a walk, in step with the walk before. */
struct pass {
	const struct task_snapshot *before, *now; /* before NULL: none */
	size_t at, thread_was, thread_now;        /* how far it is in them */
	double asked_rkb, asked_wkb;
	enum absent asked_why; /* of both */
	double newcomers;
};

static int compare_tasks(const void *a, const void *b)
{
	const struct task_sample *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct task_sample *find_pid(const struct task_snapshot *walk, int32_t pid)
{
	const struct task_sample key = {.pid = pid};

	return walk->n ? bsearch(&key, walk->task, walk->n, sizeof(key), compare_tasks) : NULL;
}

/* It is not in this walk any more; the same PID with another start is another process. */
static bool gone(const struct task_snapshot *now, const struct task_sample *task)
{
	const struct task_sample *found = find_pid(now, task->pid);

	return !found || found->start_ticks != task->start_ticks;
}

/* Is pid its parent, or that of its parents that are gone too? */
static bool descends(const struct task_snapshot *before, const struct task_snapshot *now,
		     const struct task_sample *task, int32_t pid)
{
	enum { GENERATIONS = 32 };

	for (int i = 0; i < GENERATIONS && task; i++) {
		if (task->ppid == pid)
			return true;
		task = find_pid(before, task->ppid);
		if (task && !gone(now, task))
			return false;
	}
	return false;
}

void ended_children(const struct task_snapshot *before, const struct task_snapshot *now,
		    int32_t pid, double *read_bytes, double *write_bytes)
{
	size_t j = 0;

	for (size_t i = 0; i < before->n; i++) {
		const struct task_sample *task = &before->task[i];
		while (j < now->n && now->task[j].pid < task->pid)
			j++;
		bool stays = j < now->n && now->task[j].pid == task->pid &&
			     now->task[j].start_ticks == task->start_ticks;
		/* of those that tracing saw end nothing is inherited */
		if (stays || task->state == 'X' || task->io_state != PRESENT || !descends(before, now, task, pid))
			continue;
		*read_bytes += (double)task->counter[TASK_READ_BYTES];
		*write_bytes += (double)task->counter[TASK_WRITE_BYTES];
	}
}

/* What children did that it reaped, less what those rows have had that were theirs. */
static void set_inherited(struct task_row *row, const struct pass *pass, double seconds,
			  const double own[TASK_COUNTERS], const double all[TASK_COUNTERS])
{
	double read_bytes = all[TASK_READ_BYTES] - own[TASK_READ_BYTES];
	double write_bytes = all[TASK_WRITE_BYTES] - own[TASK_WRITE_BYTES];
	double shown_read = 0, shown_written = 0;

	if (read_bytes > 0 || write_bytes > 0)
		ended_children(pass->before, pass->now, row->task->pid, &shown_read,
			       &shown_written);
	read_bytes -= shown_read;
	write_bytes -= shown_written;
	row->inh_rkb = value_of(read_bytes > 0 ? read_bytes / 1024 / seconds : 0);
	row->inh_wkb = value_of(write_bytes > 0 ? write_bytes / 1024 / seconds : 0);
}

static void process_row(struct task_row *row, const struct pass *pass,
			const struct process *process, const struct system_row *system)
{
	double own[TASK_COUNTERS], all[TASK_COUNTERS];
	enum absent why = task_grown(&process->pair, own, all);

	task_row_start(row, TASK_PROCESS, process->pair.now, why);
	if (why == PRESENT) {
		task_row_rates(row, own, process->pair.seconds);
		set_inherited(row, pass, process->pair.seconds, own, all);
	}
	process_row_threads(row, pass->before, process, system);
}

/* The next process of the walk, in ascending order. */
static struct process next_process(struct pass *pass, const struct task_sample *task)
{
	const struct task_snapshot *before = pass->before;
	const struct task_sample *was = NULL;
	struct process process;

	while (before && pass->at < before->n && before->task[pass->at].pid < task->pid)
		pass->at++;
	if (before && pass->at < before->n && before->task[pass->at].pid == task->pid &&
	    before->task[pass->at].start_ticks == task->start_ticks)
		was = &before->task[pass->at];
	process.pair = task_pair(before, was, task, true);
	process.was = thread_span(before, &pass->thread_was, task->pid);
	process.now = thread_span(pass->now, &pass->thread_now, task->pid);
	if (!was)
		process.was.n = 0; /* another's */
	return process;
}

static void count(struct pass *pass, const struct process *process, const struct task_row *row)
{
	const struct task_sample *was = process->pair.was, *now = process->pair.now;

	if (was && now->threads > was->threads &&
	    (process->pair.born || was->stat_state == PRESENT))
		pass->newcomers += now->threads - was->threads;
	if (!value_known(row->rkb))
		return;
	pass->asked_rkb += row->rkb.n + value_or(row->inh_rkb, 0);
	pass->asked_wkb += row->wkb.n + value_or(row->inh_wkb, 0);
	pass->asked_why = PRESENT;
}

static void make_late(struct task_row *row, enum walk_age age)
{
	const struct task_row was = *row;

	if (age == WALK_LATE)
		task_row_start(row, was.kind, was.task, ABSENT_LATE);
	row->late = true;
}

/* Its rows: how many. */
static size_t rows_of(struct task_row *row, struct pass *pass, const struct task_sample *task,
		      const struct system_row *system, bool threads)
{
	struct process process = next_process(pass, task);

	process_row(row, pass, &process, system);
	count(pass, &process, row);
	if (threads && process.now.n > 0) {
		const struct task_row whole = *row;
		return thread_rows(row, &whole, pass->before, &process, system);
	}
	return 1; /* its only thread is all of it */
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

static void sum_up(struct frame *frame, const struct pass *pass)
{
	struct system_row *system = &frame->system;
	bool present = frame->tasks_state == PRESENT;
	enum absent why = present ? pass->asked_why : frame->tasks_state;

	system->asked_rkb = (struct value){pass->asked_rkb, why};
	system->asked_wkb = (struct value){pass->asked_wkb, why};
	system->tasks = system->unreadable = value_absent(frame->tasks_state);
	if (!present)
		return;
	system->tasks = value_of((double)pass->now->n);
	system->unreadable = value_of((double)pass->now->unreadable);
}

int frame_build_tasks(struct frame *frame, const struct task_snapshot *before,
		      const struct task_snapshot *now, enum walk_age age, bool threads)
{
	struct pass pass = {.before = before, .now = now, .asked_why = ABSENT_NEW};
	size_t first = unattributed_has_row(frame);

	if (reserve(frame, first + now->n + (threads ? now->nthread : 0)) < 0)
		return -ENOMEM;
	frame->ntask = first;
	for (size_t i = 0; i < now->n; i++)
		frame->ntask += rows_of(frame->task + frame->ntask, &pass, &now->task[i],
					&frame->system, threads);
	for (size_t i = first; age != WALK_FRESH && i < frame->ntask; i++)
		make_late(&frame->task[i], age);
	frame->threads = threads;
	frame->tasks_traced = now->traced;
	frame->tasks_state = age == WALK_FRESH ? PRESENT : ABSENT_LATE;
	sum_up(frame, &pass);
	unattributed_build(frame, pass.newcomers);
	pairs_attach(frame);
	return 0;
}
