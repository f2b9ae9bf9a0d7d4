/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_store.h"

#include <stdlib.h>
#include <string.h>

/* Where the first one is that has this number or a higher one. */
static size_t place(uint32_t number, void *const *list, size_t n)
{
	size_t low = 0, high = n;

	/* most are asked for in order, and new ones have the highest numbers */
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
	*thread = (struct thread){.number = tid, .record = {.start_ns = start_ns, .task = task}};
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
	*process = (struct process){.number = pid, .start_ns = start_ns};
	if (insert((void ***)&store->process, &store->nprocess, &store->process_cap,
		   place(pid, (void *const *)store->process, store->nprocess), process))
		return process;
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

void store_count_threads(struct task_store *store)
{
	for (size_t i = 0; i < store->nprocess; i++)
		store->process[i]->threads = 0;
	for (size_t i = 0; i < store->nthread; i++)
		if (!store->thread[i]->gone && store->thread[i]->process)
			store->thread[i]->process->threads++;
}

void store_sweep(struct task_store *store)
{
	size_t n = 0;

	for (size_t i = 0; i < store->nthread; i++) {
		struct thread *thread = store->thread[i];
		if (!thread->gone) {
			store->thread[n++] = thread;
			continue;
		}
		thread->next_free = store->free_threads;
		store->free_threads = thread;
	}
	store->nthread = n;
	n = 0;
	for (size_t i = 0; i < store->nprocess; i++) {
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
