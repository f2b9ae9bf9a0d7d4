/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_merge.h"
#include "task_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct task_merge {
	unsigned ticks_per_s;
	bool begun;
	int64_t last_ns; /* since boot: when the pass before began */
	int64_t now_ns;  /* the samples' time */
	struct task_store store;
	struct task_exit *kept; /* exits of threads that this pass still found alive */
	size_t nkept, kept_cap;
};

struct task_merge *task_merge_new(unsigned ticks_per_s)
{
	struct task_merge *merge = calloc(1, sizeof(*merge));

	if (merge)
		merge->ticks_per_s = ticks_per_s;
	return merge;
}

void task_merge_free(struct task_merge *merge)
{
	if (!merge)
		return;
	store_release(&merge->store);
	free(merge->kept);
	free(merge);
}

size_t task_record_size(const struct task_record *record)
{
	return record->flags & RECORD_LEADER ? sizeof(*record)
					     : offsetof(struct task_record, shared_io);
}

static uint64_t to_ticks(const struct task_merge *merge, uint64_t ns)
{
	return ns / (1000000000 / merge->ticks_per_s);
}

static char state_letter(const struct task_record *record)
{
	enum { DEAD = 0x10, ZOMBIE = 0x20, INTERRUPTIBLE = 1, UNINTERRUPTIBLE = 2, STOPPED = 4,
	       TRACED = 8, PARKED = 0x40, NOLOAD = 0x400 };
	uint32_t state = record->state;

	if (record->exit_state)
		return record->exit_state & ZOMBIE ? 'Z' : 'X';
	if (state & UNINTERRUPTIBLE)
		return state & NOLOAD ? 'I' : 'D';
	if (state & INTERRUPTIBLE)
		return 'S';
	if (state & (STOPPED | TRACED))
		return state & STOPPED ? 'T' : 't';
	if (state & PARKED)
		return 'P';
	return state == 0 ? 'R' : 'D'; /* others wait for locks */
}

/* ---- records ---- */

/*
 * One that was there before it was first seen, as all of the first pass were:
 * what the kernel says of it so far is its own, and nothing of it is new.
 */
static bool is_old(const struct task_merge *merge, const struct task_record *record)
{
	const uint64_t second_ns = 1000000000;

	return !merge->begun || record->start_ns + second_ns < (uint64_t)merge->last_ns;
}

static void take_leader(const struct task_merge *merge, struct process *process,
			const struct task_record *record)
{
	struct task_sample *sample = &process->sample;

	memcpy(process->accounts.shared, record->shared_io, sizeof(record->shared_io));
	sample->pid = (int32_t)record->tgid;
	sample->ppid = (int32_t)record->ppid;
	sample->state = state_letter(record);
	sample->kernel = record->flags & RECORD_KERNEL;
	sample->uid_known = true;
	sample->uid = record->uid;
	sample->threads = record->threads;
	sample->start_ticks = to_ticks(merge, record->start_ns);
	sample->blkio_ticks = to_ticks(merge, record->blkio_ns);
	sample->reaped = record->reaped;
	memcpy(sample->comm, record->comm, sizeof(record->comm));
}

/* A process's first thread is known from now on. */
static struct process *begin_process(struct task_merge *merge, const struct task_record *record)
{
	struct process *process = store_make_process(&merge->store, record->tgid, record->start_ns);

	if (!process || !is_old(merge, record))
		return process;
	for (int c = 0; c < TASK_IO; c++) {
		process->accounts.own[c] = process->accounts.before[c] = record->shared_io[c];
		process->accounts.own[c] += record->io[c];
	}
	process->sample.majflt = record->shared_majflt;
	return process;
}

/* What a thread did since it was last read. */
static void add_growth(struct process *process, const struct task_record *was,
		       const struct task_record *is)
{
	for (int c = 0; c < TASK_IO; c++) {
		uint64_t did = store_grown(was->io[c], is->io[c]);
		process->accounts.own[c] += did;
		process->active = process->active || did;
	}
	process->sample.majflt += store_grown(was->majflt, is->majflt);
}

/*
 * A first thread that is new to a process that is not: by execve one of the others took
 * over number and start of the first, which has ended. What it was until then is gone
 * without an exit, and what it did then is known.
 */
static void take_over(struct task_merge *merge, struct thread *thread, struct process *process)
{
	const struct task_store *store = &merge->store;

	thread->process = process;
	for (size_t i = 0; i < store->nthread; i++) {
		struct thread *was = store->thread[i];
		if (was == thread || was->gone || was->process != process ||
		    was->record.task != thread->record.task)
			continue;
		memcpy(thread->record.io, was->record.io, sizeof(was->record.io));
		thread->record.majflt = was->record.majflt;
		was->gone = true;
	}
}

static int begin_leader(struct task_merge *merge, struct thread *thread,
			const struct task_record *record)
{
	struct process *process = store_process(&merge->store, record->tgid, record->start_ns);

	if (process && process->threads > 0) {
		take_over(merge, thread, process);
		add_growth(process, &thread->record, record);
		return 0;
	}
	thread->process = begin_process(merge, record);
	if (!thread->process)
		return -ENOMEM;
	if (!is_old(merge, record))
		add_growth(thread->process, &thread->record, record);
	return 0;
}

static int take_record(struct task_merge *merge, const struct task_record *record)
{
	struct thread *thread =
		store_make_thread(&merge->store, record->tid, record->start_ns, record->task);
	int error = 0;

	if (!thread)
		return -ENOMEM;
	thread->fresh = true;
	thread->ran_ns = merge->now_ns;
	if (thread->process)
		add_growth(thread->process, &thread->record, record);
	else if (record->flags & RECORD_LEADER)
		error = begin_leader(merge, thread, record);
	if (error)
		return error;
	if (record->flags & RECORD_LEADER)
		take_leader(merge, thread->process, record);
	memcpy(&thread->record, record, task_record_size(record));
	return 0;
}

/* A new thread, to its process; the leader may come later in the order. */
static void adopt(struct task_merge *merge, struct thread *thread)
{
	static const struct task_record nothing;
	struct process *process = store_youngest(&merge->store, thread->record.tgid);

	thread->process = process;
	if (!process)
		return;
	if (!is_old(merge, &thread->record))
		add_growth(process, &nothing, &thread->record);
	for (int c = 0; is_old(merge, &thread->record) && c < TASK_IO; c++)
		process->accounts.own[c] += thread->record.io[c];
}

static int take_records(struct task_merge *merge, const struct task_pass *pass)
{
	const struct task_store *store = &merge->store;
	int error = 0;

	for (size_t i = 0; i < store->nprocess; i++)
		store->process[i]->touched = store->process[i]->active = store->process[i]->stored = false;
	for (size_t i = 0; i < store->nthread; i++)
		store->thread[i]->fresh = false;
	for (size_t at = 0; at < pass->bytes && !error;) {
		const struct task_record *record = (const void *)(pass->record + at);
		at += task_record_size(record);
		error = take_record(merge, record);
	}
	return error;
}

/* One that has ended is listed until it is reaped; where all are listed, what is not is gone. */
static void place_threads(struct task_merge *merge, bool complete)
{
	const struct task_store *store = &merge->store;

	for (size_t i = 0; i < store->nthread; i++) {
		struct thread *thread = store->thread[i];
		if (!thread->process)
			adopt(merge, thread);
		if (!thread->fresh)
			thread->gone |= complete || thread->record.exit_state;
		if (thread->gone || !thread->process)
			continue;
		thread->process->touched |= thread->fresh;
		/* one that waits on is not in the pass: it did not run */
		thread->process->active |= state_letter(&thread->record) == 'D';
	}
}

/* ---- exits ---- */

/* Its children's I/O is no news to a parent that gets it when it waits for them. */
static int pass_on(struct task_merge *merge, const struct process *child, const struct task_exit *exit)
{
	struct process *parent;

	if (!exit->ppid)
		return 0;
	parent = store_make_process(&merge->store, exit->ppid, exit->parent_start_ns);
	if (!parent)
		return -ENOMEM;
	for (int c = 0; c < TASK_IO; c++)
		parent->accounts.explained[c] += child->accounts.own[c] + child->accounts.explained[c] +
						 child->accounts.unexplained[c];
	return 0;
}

static void describe_ended(const struct task_merge *merge, struct process *process,
			   const struct task_exit *exit)
{
	struct task_sample *sample = &process->sample;

	sample->pid = (int32_t)exit->tgid;
	sample->ppid = (int32_t)exit->ppid;
	sample->state = 'X';
	sample->uid_known = true;
	sample->uid = exit->uid;
	sample->threads = 1;
	sample->start_ticks = to_ticks(merge, exit->leader_start_ns);
	memcpy(sample->comm, exit->comm, sizeof(exit->comm));
}

static int take_exit(struct task_merge *merge, const struct task_exit *exit)
{
	struct thread *thread =
		store_thread(&merge->store, exit->tid, exit->start_ns, exit->task);
	struct process *process =
		store_make_process(&merge->store, exit->tgid, exit->leader_start_ns);

	if (!process)
		return -ENOMEM;
	process->touched = true;
	for (int c = 0; c < TASK_IO; c++) {
		uint64_t did = store_grown(thread ? thread->record.io[c] : 0, exit->io[c]);
		process->accounts.own[c] += did;
		process->accounts.ended[c] += exit->io[c];
		process->active = process->active || did;
		if (did && (c == TASK_READ_BYTES || c == TASK_WRITE_BYTES))
			process->stored = true;
	}
	if (thread && !thread->fresh)
		thread->gone = true;
	if (!(exit->flags & RECORD_GROUP_DEAD))
		return 0;
	if (!thread || thread->gone)
		describe_ended(merge, process, exit);
	return pass_on(merge, process, exit);
}

static int keep_exit(struct task_merge *merge, const struct task_exit *exit)
{
	if (merge->nkept == merge->kept_cap) {
		size_t cap = merge->kept_cap ? 2 * merge->kept_cap : 64;
		struct task_exit *more = reallocarray(merge->kept, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		merge->kept = more;
		merge->kept_cap = cap;
	}
	merge->kept[merge->nkept++] = *exit;
	return 0;
}

/*
 * A thread that the pass found alive has ended after it: its last figures are for
 * the next one. One that was found ended has them in its record.
 */
static int take_exits(struct task_merge *merge, const struct task_pass *pass)
{
	size_t waiting = merge->nkept;
	int error = 0;

	merge->nkept = 0;
	for (size_t i = 0; !error && i < waiting + pass->nexit; i++) {
		const struct task_exit exit = i < waiting ? merge->kept[i] : pass->exit[i - waiting];
		const struct thread *thread =
			store_thread(&merge->store, exit.tid, exit.start_ns, exit.task);
		bool alive = thread && thread->fresh && !thread->record.exit_state;
		error = alive ? keep_exit(merge, &exit) : take_exit(merge, &exit);
	}
	return error;
}

/* ---- samples ---- */

static bool room(void *array, size_t *cap, size_t n, size_t size)
{
	struct task_sample **sample = array;

	if (n <= *cap)
		return true;
	size_t more = n + n / 4 + 64;
	struct task_sample *grown_to = reallocarray(*sample, more, size);
	if (!grown_to)
		return false;
	*sample = grown_to;
	*cap = more;
	return true;
}

/* Those that live, and those that ended and were not idle. */
static int list_processes(struct task_merge *merge, struct task_snapshot *tasks)
{
	const struct task_store *store = &merge->store;

	tasks->n = 0;
	tasks->traced = true;
	if (!room(&tasks->task, &tasks->cap, store->nprocess, sizeof(*tasks->task)))
		return -ENOMEM;
	for (size_t i = 0; i < store->nprocess; i++) {
		struct process *process = store->process[i];
		if (process->touched)
			store_settle(process);
		process->ended = process->threads == 0;
		/* also one that is known as a parent only */
		if (process->ended && (!process->stored || process->sample.state != 'X'))
			continue;
		if (!process->ended) /* its first thread may not have run since others began */
			process->sample.threads = process->threads;
		process->sample.worked = process->active;
		process->sample.mono_ns = tasks->mono_ns;
		if (process->touched)
			process->sample.ran_ns = tasks->mono_ns;
		tasks->task[tasks->n++] = process->sample;
	}
	return 0;
}

static bool shows_threads(const struct process *process, const struct task_snapshot *tasks)
{
	return process && process->threads > 1 && (tasks->all_threads || process->active);
}

static void thread_sample(const struct task_merge *merge, struct task_sample *sample,
			  const struct thread *thread, int64_t mono_ns)
{
	const struct task_record *record = &thread->record;

	*sample = (struct task_sample){.pid = (int32_t)record->tgid,
				       .tid = (int32_t)record->tid,
				       .state = state_letter(record),
				       .ran_ns = thread->ran_ns,
				       .kernel = record->flags & RECORD_KERNEL,
				       .start_ticks = to_ticks(merge, record->start_ns),
				       .blkio_ticks = to_ticks(merge, record->blkio_ns),
				       .majflt = record->majflt,
				       .mono_ns = mono_ns};
	memcpy(sample->comm, record->comm, sizeof(record->comm));
	memcpy(sample->counter, record->io, sizeof(record->io));
	memcpy(sample->own, record->io, sizeof(record->io));
}

static int list_threads(struct task_merge *merge, struct task_snapshot *tasks)
{
	const struct task_store *store = &merge->store;
	size_t n = 0;

	tasks->nthread = 0;
	for (size_t i = 0; i < store->nprocess; i++) {
		store->process[i]->first = (uint32_t)n;
		if (shows_threads(store->process[i], tasks) && !store->process[i]->ended)
			n += store->process[i]->threads;
	}
	if (!room(&tasks->thread, &tasks->thread_cap, n, sizeof(*tasks->thread)))
		return -ENOMEM;
	for (size_t i = 0; n > 0 && i < store->nthread; i++) {
		const struct thread *thread = store->thread[i];
		if (thread->gone || !shows_threads(thread->process, tasks) || thread->process->ended)
			continue;
		/* they come in order, so those of a process do */
		thread_sample(merge, &tasks->thread[thread->process->first++], thread, tasks->mono_ns);
		tasks->nthread++;
	}
	return 0;
}

int task_merge_pass(struct task_merge *merge, const struct task_pass *pass, struct task_snapshot *tasks)
{
	merge->now_ns = tasks->mono_ns;
	int error = take_records(merge, pass);

	if (!error) {
		place_threads(merge, pass->complete);
		error = merge->begun ? take_exits(merge, pass) : 0;
	}
	if (!error) {
		store_count_threads(&merge->store);
		error = list_processes(merge, tasks);
	}
	if (!error)
		error = list_threads(merge, tasks);
	merge->begun = true;
	merge->last_ns = pass->boot_ns;
	store_sweep(&merge->store);
	return error;
}
