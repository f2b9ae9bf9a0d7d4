/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_merge.h"
#include "task_samples.h"
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
	sample->state = store_state_letter(record);
	sample->kernel = record->flags & RECORD_KERNEL;
	sample->uid_known = true;
	sample->uid = record->uid;
	sample->threads = record->threads;
	sample->start_ticks = ns_to_ticks(merge->ticks_per_s, record->start_ns);
	sample->blkio_ticks = ns_to_ticks(merge->ticks_per_s, record->blkio_ns);
	sample->swapin_ns = record->swapin_ns;
	sample->traced = true;
	sample->swapin_known = record->flags & RECORD_DELAYS;
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
	struct thread *next;

	for (struct thread *was = process->first; was; was = next) {
		next = was->after;
		if (was->record.task != thread->record.task)
			continue;
		memcpy(thread->record.io, was->record.io, sizeof(was->record.io));
		thread->record.majflt = was->record.majflt;
		store_drop(&merge->store, was);
	}
	store_attach(&merge->store, thread, process);
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
	process = begin_process(merge, record);
	if (!process)
		return -ENOMEM;
	store_attach(&merge->store, thread, process);
	if (!is_old(merge, record))
		add_growth(process, &thread->record, record);
	return 0;
}

static int take_record(struct task_merge *merge, const struct task_record *record)
{
	struct thread *thread =
		store_make_thread(&merge->store, record->tid, record->start_ns, record->task);
	int error = 0;

	if (!thread)
		return -ENOMEM;
	thread->seen = merge->store.pass;
	store_note(&merge->store, thread);
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

	if (!process)
		return;
	store_attach(&merge->store, thread, process);
	if (!is_old(merge, &thread->record))
		add_growth(process, &nothing, &thread->record);
	for (int c = 0; is_old(merge, &thread->record) && c < TASK_IO; c++)
		process->accounts.own[c] += thread->record.io[c];
}

static int take_records(struct task_merge *merge, const struct task_pass *pass)
{
	int error = 0;

	for (size_t at = 0; at < pass->bytes && !error;) {
		const struct task_record *record = (const void *)(pass->record + at);
		at += task_record_size(record);
		error = take_record(merge, record);
	}
	return error;
}

static void place_thread(struct task_merge *merge, struct thread *thread, bool complete)
{
	bool fresh = thread_is_fresh(&merge->store, thread);

	if (!thread->process)
		adopt(merge, thread);
	if (!fresh && (complete || thread->record.exit_state))
		store_drop(&merge->store, thread);
	if (thread->gone || !thread->process)
		return;
	store_mark(&merge->store, thread->process);
	thread->process->touched |= fresh;
	/* one that waits on is not in the pass: it did not run */
	thread->process->active |= store_state_letter(&thread->record) == 'D';
}

/* One that has ended is listed until it is reaped; where all are listed, what is not is gone. */
static void place_threads(struct task_merge *merge, bool complete)
{
	const struct task_store *store = &merge->store;

	for (size_t i = 0; complete && i < store->nthread; i++)
		place_thread(merge, store->thread[i], true);
	for (struct thread *thread = store->noted; !complete && thread; thread = thread->next_noted)
		place_thread(merge, thread, false);
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
	sample->start_ticks = ns_to_ticks(merge->ticks_per_s, exit->leader_start_ns);
	sample->traced = true;
	memcpy(sample->comm, exit->comm, sizeof(exit->comm));
}

/* What its thread did since it was last read; thread NULL: it never was. */
static void add_exit(struct process *process, const struct thread *thread,
		     const struct task_exit *exit, unsigned ticks_per_s)
{
	process->touched = true;
	for (int c = 0; c < TASK_IO; c++) {
		uint64_t did = store_grown(thread ? thread->record.io[c] : 0, exit->io[c]);
		process->accounts.own[c] += did;
		process->accounts.ended[c] += exit->io[c];
		process->active = process->active || did;
		if (did && (c == TASK_READ_BYTES || c == TASK_WRITE_BYTES))
			process->stored = true;
	}
	if (exit->tid != exit->tgid)
		return;
	process->sample.blkio_ticks = ns_to_ticks(ticks_per_s, exit->blkio_ns);
	process->sample.swapin_ns = exit->swapin_ns;
	process->sample.swapin_known = exit->flags & RECORD_DELAYS;
}

static int take_exit(struct task_merge *merge, const struct task_exit *exit)
{
	struct thread *thread =
		store_thread(&merge->store, exit->tid, exit->start_ns, exit->task);
	struct process *process =
		store_make_process(&merge->store, exit->tgid, exit->leader_start_ns);

	if (!process)
		return -ENOMEM;
	store_mark(&merge->store, process);
	add_exit(process, thread, exit, merge->ticks_per_s);
	if (thread && !thread_is_fresh(&merge->store, thread))
		store_drop(&merge->store, thread);
	if (!(exit->flags & RECORD_GROUP_DEAD))
		return 0;
	process->dead = true;
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
		bool alive = thread && thread_is_fresh(&merge->store, thread) && !thread->record.exit_state;
		error = alive ? keep_exit(merge, &exit) : take_exit(merge, &exit);
	}
	return error;
}

int task_merge_pass(struct task_merge *merge, const struct task_pass *pass, struct task_snapshot *tasks)
{
	merge->now_ns = tasks->mono_ns;
	store_begin_pass(&merge->store);
	int error = take_records(merge, pass);

	if (!error) {
		place_threads(merge, pass->complete);
		error = merge->begun ? take_exits(merge, pass) : 0;
	}
	if (!error)
		error = task_samples(&merge->store, merge->ticks_per_s, tasks);
	merge->begun = true;
	merge->last_ns = pass->boot_ns;
	store_end_pass(&merge->store);
	return error;
}
