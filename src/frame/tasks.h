/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pieces that task rows are made of. */
#ifndef IOTRIAGE_FRAME_TASKS_H
#define IOTRIAGE_FRAME_TASKS_H

#include "iotriage/frame.h"

/* Two readings of one task, or why there is no interval between two. */
struct task_pair {
	const struct task_sample *was; /* where it is new since the walk before: all 0 */
	const struct task_sample *now;
	double seconds;
	enum absent why;
	bool born; /* it is new since */
};

/*
 * was NULL: it is not in the walk before. One that started after that walk began
 * counts from 0 where from_zero allows it; another may have been hidden, refused
 * or blocked, and is new.
 */
struct task_pair task_pair(const struct task_snapshot *before, const struct task_sample *was,
			   const struct task_sample *now, bool from_zero);

/* What its counters grew by, own and all of them. Why there are no differences. */
enum absent task_grown(const struct task_pair *pair, double own[TASK_COUNTERS],
		       double all[TASK_COUNTERS]);

/* A row without figures. */
void task_row_start(struct task_row *row, enum task_kind kind, const struct task_sample *task,
		    enum absent why);

void task_row_rates(struct task_row *row, const double own[TASK_COUNTERS], double seconds);

/* Of the time between two readings how much a thread waited. */
typedef struct value delay_percent(const struct task_pair *pair, const struct system_row *system);

/* IO%: for block I/O. */
struct value task_io_percent(const struct task_pair *pair, const struct system_row *system);

/* SWAPIN%: for memory that was swapped out. */
struct value task_swapin_percent(const struct task_pair *pair, const struct system_row *system);

/* The threads of one process in a walk. */
struct thread_span {
	const struct task_sample *thread;
	size_t n;
};

/* Those of pid, from *at on, which moves behind them. Asked for in ascending order. */
struct thread_span thread_span(const struct task_snapshot *walk, size_t *at, int32_t pid);

/* One process: its readings and those of its threads. */
struct process {
	struct task_pair pair;
	struct thread_span was, now;
};

/* The readings of one of its threads. */
struct task_pair thread_pair(const struct task_snapshot *before, const struct process *process,
			     const struct task_sample *thread);

/* State, threads in D and IO% from the threads, as far as they were read. */
void process_row_threads(struct task_row *row, const struct task_snapshot *before,
			 const struct process *process, const struct system_row *system);

/*
 * The rows of a process's threads, after its own row was made: returns how many.
 * What threads did that ended is its main thread's own; what it inherited stays so.
 */
size_t thread_rows(struct task_row *row, const struct task_row *whole,
		   const struct task_snapshot *before, const struct process *process,
		   const struct system_row *system);

/*
 * What the children that pid has reaped since the walk before had done by then:
 * those that are gone and whose parent it is, or the parent of a parent that is
 * gone too. Adds their read and written bytes.
 */
void ended_children(const struct task_snapshot *before, const struct task_snapshot *now,
		    int32_t pid, double *read_bytes, double *write_bytes);

/*
 * What devices did and no task accounts for: in the system row, and in the
 * frame's first row where it has one. newcomers: processes and threads that came
 * since the walk before.
 */
bool unattributed_has_row(const struct frame *frame);
void unattributed_build(struct frame *frame, double newcomers);

#endif
