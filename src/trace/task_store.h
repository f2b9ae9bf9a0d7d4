/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and processes that are known from one pass to the next. For task_*.c only. */
#ifndef TRACE_TASK_STORE_H
#define TRACE_TASK_STORE_H

#include "iotriage/snapshot.h"
#include "tasks.h"

_Static_assert((int)TASK_IO == (int)TASK_COUNTERS, "the same counters");

/* Where a process's I/O came from; each only grows. */
struct accounts {
	uint64_t own[TASK_IO];         /* what its threads did, as far as was seen */
	uint64_t before[TASK_IO];      /* shared with it when it was first seen */
	uint64_t shared[TASK_IO];      /* the kernel's: of ended threads and reaped children, ... */
	uint64_t ended[TASK_IO];       /* ... and this is of threads whose exit was seen */
	uint64_t explained[TASK_IO];   /* of children whose exit was seen: they had rows */
	uint64_t unexplained[TASK_IO]; /* what it inherited else */
};

struct process {
	uint32_t number;  /* its PID; first, as in struct thread */
	uint32_t threads; /* of it that are known */
	uint64_t start_ns;
	bool marked;  /* it is in the list of those that this pass is about */
	bool touched; /* some thread was in this pass, or ended */
	bool active;  /* did I/O since the pass before, or waits */
	bool stored;  /* storage I/O */
	bool dead;    /* its last thread's exit was seen */
	bool ended;
	bool unordered; /* its threads are not in the order of their numbers */
	unsigned made;  /* in which pass */
	struct thread *first, *last; /* of its threads */
	struct process *next_marked, *next_free;
	struct task_sample sample; /* as last made; before the accounts, which no sleeper needs */
	struct accounts accounts;
};

struct thread {
	uint32_t number; /* its TID */
	bool gone;
	bool noted;      /* it is in the list of those to look at */
	unsigned seen;   /* the last pass it was in */
	int64_t ran_ns;  /* when that was */
	struct process *process;
	struct thread *before, *after; /* of its process */
	struct thread *next_noted, *next_free;
	struct task_record record; /* as last read */
};

/*
 * Both ascend by number. Most processes sleep: but for the samples a pass is about those
 * alone that are marked, and about threads that are noted.
 */
struct task_store {
	struct thread **thread;
	struct process **process;
	size_t nthread, thread_cap, nprocess, process_cap;
	unsigned pass;
	struct process *marked;
	struct thread *noted, *last_noted;
	uint32_t gone_from, ended_from; /* the lowest number of a thread that is gone, and so on */
	struct thread *free_threads;
	struct process *free_processes;
};

/*
 * The one of this number and start; NULL: not known. Of threads also the kernel's own mark
 * for it: by execve one takes over number and start of its process's first thread.
 */
struct thread *store_thread(const struct task_store *store, uint32_t tid, uint64_t start_ns,
			    uint64_t task);
struct process *store_process(const struct task_store *store, uint32_t pid, uint64_t start_ns);

/* Of several with this number the last one that started; NULL: none. */
struct process *store_youngest(const struct task_store *store, uint32_t pid);

/* The same, made where it is not known; NULL without memory. */
struct thread *store_make_thread(struct task_store *store, uint32_t tid, uint64_t start_ns,
				 uint64_t task);
struct process *store_make_process(struct task_store *store, uint32_t pid, uint64_t start_ns);

/* By how much a counter has grown: 0 where it went back. */
uint64_t store_grown(uint64_t was, uint64_t is);

/*
 * The process's sample gets its counters: what its threads did, and what the kernel
 * added that is not of its threads and not of children known to have ended.
 */
void store_settle(struct process *process);

void store_mark(struct task_store *store, struct process *process);
void store_note(struct task_store *store, struct thread *thread);

/* The thread is one of this process. */
void store_attach(struct task_store *store, struct thread *thread, struct process *process);

/* It is gone: its process loses it now, the store at the end of the pass. */
void store_drop(struct task_store *store, struct thread *thread);

/* Puts a process's threads in order. -ENOMEM: they are as they were. */
int store_order_threads(struct process *process);

static inline bool thread_is_fresh(const struct task_store *store, const struct thread *thread)
{
	return thread->seen == store->pass;
}

/* R S D ..., as /proc says it. */
char store_state_letter(const struct task_record *record);

void store_begin_pass(struct task_store *store);

/* Drops what is gone, and processes that have ended; keeps what is to be looked at in the next. */
void store_end_pass(struct task_store *store);

void store_release(struct task_store *store);

#endif
