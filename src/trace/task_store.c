/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the first one is that has this number or a higher one. */
static size_t place(uint32_t number, void *const *list, size_t n)
{
	size_t low = 0, high = n;

	/* a new one most often has the highest number */
	if (n > 0 && *(const uint32_t *)list[n - 1] < number)
		return n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (*(const uint32_t *)list[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(void ***list, size_t *n, size_t *cap, size_t at, void *one)
{
	if (*n == *cap) {
		size_t more = *cap ? 2 * *cap : 1024;
		void **grown = reallocarray(*list, more, sizeof(*grown));
		if (!grown)
			return false;
		*list = grown;
		*cap = more;
	}
	memmove(*list + at + 1, *list + at, (*n - at) * sizeof(**list));
	(*list)[at] = one;
	(*n)++;
	return true;
}

struct thread *store_thread(const struct task_store *store, uint32_t tid, uint64_t start_ns,
			    uint64_t task)
{
	size_t at = place(tid, (void *const *)store->thread, store->nthread);

	for (; at < store->nthread && store->thread[at]->number == tid; at++)
		if (store->thread[at]->record.start_ns == start_ns &&
		    store->thread[at]->record.task == task)
			return store->thread[at];
	return NULL;
}

struct process *store_process(const struct task_store *store, uint32_t pid, uint64_t start_ns)
{
	size_t at = place(pid, (void *const *)store->process, store->nprocess);

	for (; at < store->nprocess && store->process[at]->number == pid; at++)
		if (store->process[at]->start_ns == start_ns)
			return store->process[at];
	return NULL;
}

struct process *store_youngest(const struct task_store *store, uint32_t pid)
{
	size_t at = place(pid, (void *const *)store->process, store->nprocess);
	struct process *youngest = NULL;

	for (; at < store->nprocess && store->process[at]->number == pid; at++)
		if (!youngest || store->process[at]->start_ns > youngest->start_ns)
			youngest = store->process[at];
	return youngest;
}

struct thread *store_make_thread(struct task_store *store, uint32_t tid, uint64_t start_ns,
				 uint64_t task)
{
	struct thread *thread = store_thread(store, tid, start_ns, task);

	if (thread)
		return thread;
	thread = store->free_threads;
	if (thread)
		store->free_threads = thread->next_free;
	else
		thread = malloc(sizeof(*thread));
	if (!thread)
		return NULL;
	*thread = (struct thread){.number = tid, .seen = store->pass,
				  .record = {.start_ns = start_ns, .task = task}};
	if (insert((void ***)&store->thread, &store->nthread, &store->thread_cap,
		   place(tid, (void *const *)store->thread, store->nthread), thread))
		return thread;
	free(thread);
	return NULL;
}

struct process *store_make_process(struct task_store *store, uint32_t pid, uint64_t start_ns)
{
	struct process *process = store_process(store, pid, start_ns);

	if (process)
		return process;
	process = store->free_processes;
	if (process)
		store->free_processes = process->next_free;
	else
		process = malloc(sizeof(*process));
	if (!process)
		return NULL;
	*process = (struct process){.number = pid, .start_ns = start_ns, .made = store->pass};
	if (insert((void ***)&store->process, &store->nprocess, &store->process_cap,
		   place(pid, (void *const *)store->process, store->nprocess), process)) {
		store_mark(store, process);
		return process;
	}
	free(process);
	return NULL;
}

uint64_t store_grown(uint64_t was, uint64_t is)
{
	return is > was ? is - was : 0;
}

void store_settle(struct process *process)
{
	struct accounts *accounts = &process->accounts;

	for (int c = 0; c < TASK_IO; c++) {
		uint64_t known = accounts->before[c] + accounts->ended[c] + accounts->explained[c];
		uint64_t rest = store_grown(known, accounts->shared[c]);
		if (rest > accounts->unexplained[c])
			accounts->unexplained[c] = rest;
		process->sample.own[c] = accounts->own[c];
		process->sample.counter[c] = accounts->own[c] + accounts->unexplained[c];
	}
}

/* ---- what a pass is about ---- */

void store_mark(struct task_store *store, struct process *process)
{
	if (process->marked)
		return;
	process->marked = true;
	process->next_marked = store->marked;
	store->marked = process;
}

void store_note(struct task_store *store, struct thread *thread)
{
	if (thread->noted)
		return;
	thread->noted = true;
	thread->next_noted = NULL;
	if (store->noted)
		store->last_noted->next_noted = thread;
	else
		store->noted = thread;
	store->last_noted = thread;
}

void store_attach(struct task_store *store, struct thread *thread, struct process *process)
{
	store_mark(store, process);
	thread->process = process;
	thread->before = process->last;
	thread->after = NULL;
	if (process->last) {
		process->unordered |= process->last->number > thread->number;
		process->last->after = thread;
	} else {
		process->first = thread;
	}
	process->last = thread;
	process->threads++;
}

void store_drop(struct task_store *store, struct thread *thread)
{
	struct process *process = thread->process;

	if (thread->gone)
		return;
	thread->gone = true;
	if (thread->number < store->gone_from)
		store->gone_from = thread->number;
	if (!process)
		return;
	store_mark(store, process);
	*(thread->before ? &thread->before->after : &process->first) = thread->after;
	*(thread->after ? &thread->after->before : &process->last) = thread->before;
	process->threads--;
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;

	return (x->number > y->number) - (x->number < y->number);
}

int store_order_threads(struct process *process)
{
	struct thread **list = reallocarray(NULL, process->threads, sizeof(struct thread *));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (struct thread *thread = process->first; thread; thread = thread->after)
		list[n++] = thread;
	qsort(list, n, sizeof(struct thread *), compare_threads);
	for (size_t i = 0; i < n; i++) {
		list[i]->before = i ? list[i - 1] : NULL;
		list[i]->after = i + 1 < n ? list[i + 1] : NULL;
	}
	process->first = list[0];
	process->last = list[n - 1];
	process->unordered = false;
	free(list);
	return 0;
}

char store_state_letter(const struct task_record *record)
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

/* ---- from pass to pass ---- */

void store_begin_pass(struct task_store *store)
{
	store->pass++;
	store->gone_from = store->ended_from = UINT32_MAX;
}

/* One that is known only by what ended of it is waited for until the next pass. */
static void end_marks(struct task_store *store)
{
	struct process *next = store->marked;

	store->marked = NULL;
	for (struct process *process = next; process; process = next) {
		next = process->next_marked;
		process->marked = process->touched = process->active = process->stored = false;
		process->sample.worked = false;
		if (process->threads > 0)
			continue;
		process->ended = process->dead || process->made != store->pass;
		if (!process->ended)
			store_mark(store, process);
		else if (process->number < store->ended_from)
			store->ended_from = process->number;
	}
}

/* One that waits, or exits, or whose process is not known may be no other in the next pass. */
static void end_notes(struct task_store *store)
{
	struct thread *next = store->noted;

	store->noted = NULL;
	for (struct thread *thread = next; thread; thread = next) {
		next = thread->next_noted;
		thread->noted = false;
		if (!thread->gone && (!thread->process || thread->record.exit_state ||
				      store_state_letter(&thread->record) == 'D'))
			store_note(store, thread);
	}
}

static void sweep_threads(struct task_store *store)
{
	size_t n = place(store->gone_from, (void *const *)store->thread, store->nthread);

	for (size_t i = n; i < store->nthread; i++) {
		struct thread *thread = store->thread[i];
		if (!thread->gone) {
			store->thread[n++] = thread;
			continue;
		}
		thread->next_free = store->free_threads;
		store->free_threads = thread;
	}
	store->nthread = n;
}

static void sweep_processes(struct task_store *store)
{
	size_t n = place(store->ended_from, (void *const *)store->process, store->nprocess);

	for (size_t i = n; i < store->nprocess; i++) {
		struct process *process = store->process[i];
		if (!process->ended) {
			store->process[n++] = process;
			continue;
		}
		process->next_free = store->free_processes;
		store->free_processes = process;
	}
	store->nprocess = n;
}

void store_end_pass(struct task_store *store)
{
	end_marks(store);
	end_notes(store);
	sweep_threads(store);
	sweep_processes(store);
}

void store_release(struct task_store *store)
{
	for (size_t i = 0; i < store->nthread; i++)
		free(store->thread[i]);
	for (size_t i = 0; i < store->nprocess; i++)
		free(store->process[i]);
	while (store->free_threads) {
		struct thread *next = store->free_threads->next_free;
		free(store->free_threads);
		store->free_threads = next;
	}
	while (store->free_processes) {
		struct process *next = store->free_processes->next_free;
		free(store->free_processes);
		store->free_processes = next;
	}
	free(store->thread);
	free(store->process);
	*store = (struct task_store){0};
}
