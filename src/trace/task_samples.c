/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool room(struct task_sample **sample, size_t *cap, size_t n)
{
	if (n <= *cap)
		return true;
	size_t more = n + n / 4 + 64;
	struct task_sample *grown_to = reallocarray(*sample, more, sizeof(**sample));
	if (!grown_to)
		return false;
	*sample = grown_to;
	*cap = more;
	return true;
}

static void thread_sample(struct task_sample *sample, const struct thread *thread,
			  unsigned ticks_per_s, int64_t mono_ns)
{
	const struct task_record *record = &thread->record;

	*sample = (struct task_sample){.pid = (int32_t)record->tgid,
				       .tid = (int32_t)record->tid,
				       .state = store_state_letter(record),
				       .ran_ns = thread->ran_ns,
				       .kernel = record->flags & RECORD_KERNEL,
				       .start_ticks = ns_to_ticks(ticks_per_s, record->start_ns),
				       .blkio_ticks = ns_to_ticks(ticks_per_s, record->blkio_ns),
				       .swapin_ns = record->swapin_ns,
				       .traced = true,
				       .swapin_known = record->flags & RECORD_DELAYS,
				       .majflt = record->majflt,
				       .mono_ns = mono_ns};
	memcpy(sample->comm, record->comm, sizeof(record->comm));
	memcpy(sample->counter, record->io, sizeof(record->io));
	memcpy(sample->own, record->io, sizeof(record->io));
}

static int list_threads(struct process *process, unsigned ticks_per_s, struct task_snapshot *tasks)
{
	if (process->unordered && store_order_threads(process) < 0)
		return -ENOMEM;
	if (!room(&tasks->thread, &tasks->thread_cap, tasks->nthread + process->threads))
		return -ENOMEM;
	for (const struct thread *thread = process->first; thread; thread = thread->after)
		thread_sample(&tasks->thread[tasks->nthread++], thread, ticks_per_s, tasks->mono_ns);
	return 0;
}

/* What the pass says of those it is about. */
static void settle_marked(const struct task_store *store, int64_t mono_ns)
{
	for (struct process *process = store->marked; process; process = process->next_marked) {
		process->sample.worked = process->active;
		/* its first thread may not have run since others began */
		if (process->threads > 0)
			process->sample.threads = process->threads;
		if (!process->touched)
			continue;
		store_settle(process);
		process->sample.ran_ns = mono_ns;
	}
}

/* One that has ended and was idle is none, nor is one that is known as a parent only. */
static bool has_sample(const struct process *process)
{
	return process->threads > 0 || (process->stored && process->sample.state == 'X');
}

int task_samples(struct task_store *store, unsigned ticks_per_s, struct task_snapshot *tasks)
{
	int error = 0;

	settle_marked(store, tasks->mono_ns);
	tasks->n = tasks->nthread = 0;
	tasks->traced = true;
	if (!room(&tasks->task, &tasks->cap, store->nprocess))
		return -ENOMEM;
	for (size_t i = 0; i < store->nprocess && !error; i++) {
		struct process *process = store->process[i];
		if (!has_sample(process))
			continue;
		tasks->task[tasks->n] = process->sample;
		tasks->task[tasks->n++].mono_ns = tasks->mono_ns;
		if (process->threads > 1 && (tasks->all_threads || process->active))
			error = list_threads(process, ticks_per_s, tasks);
	}
	return error;
}
