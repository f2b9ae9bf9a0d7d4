/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aio_activity.h"

#include <stddef.h>

/* Counts of one process, or of all. */
struct counts {
	double submitted, completed, outstanding;
	bool unreaped; /* some process takes its completions without a system call */
};

static const struct aio_activity_sample *find(const struct aio_activity *activity, int32_t pid,
                                              uint64_t start_ticks)
{
	for (size_t i = 0; activity && i < activity->n; i++)
		if (activity->sample[i].pid == pid && activity->sample[i].start_ticks == start_ticks)
			return &activity->sample[i];
	return NULL;
}

static double grown(uint64_t was, uint64_t is)
{
	return is > was ? (double)(is - was) : 0;
}

static void count(struct counts *counts, const struct aio_activity *before,
                  const struct aio_activity_sample *now)
{
	const struct aio_activity_sample *was = find(before, now->pid, now->start_ticks);
	double submitted = grown(was ? was->submitted : 0, now->submitted);
	double completed = grown(was ? was->completed : 0, now->completed);

	counts->submitted += submitted;
	counts->completed += completed;
	/* what was under way when counting began comes out as more completed than submitted */
	counts->outstanding += grown(now->completed, now->submitted);
	counts->unreaped = counts->unreaped || (now->submitted > 0 && now->completed == 0);
}

static void set_libaio(struct aio_row *row, const struct counts *counts, double seconds)
{
	row->submit = value_of(counts->submitted / seconds);
	row->complete = counts->unreaped ? value_absent(ABSENT_UNSUPPORTED)
	                                 : value_of(counts->completed / seconds);
	row->outstanding = counts->unreaped ? row->complete : value_of(counts->outstanding);
}

static void set_absent(struct aio_row *row, enum absent why)
{
	row->submit = row->complete = row->outstanding = value_absent(why);
}

/* Rings that could not be read. */
static void set_uring(struct aio_row *row, const struct aio_activity_sample *was,
                      const struct aio_activity_sample *now, double seconds)
{
	if (value_or(row->rings, 0) <= 0)
		return;
	if (!value_known(row->sq))
		row->sq = value_of(grown(was ? was->uring_submitted : 0, now->uring_submitted) / seconds);
	if (!value_known(row->cq))
		row->cq = value_of(grown(was ? was->uring_completed : 0, now->uring_completed) / seconds);
}

static void set_process(struct aio_row *row, const struct aio_activity *before,
                        const struct aio_activity *now, double seconds)
{
	const struct task_sample *task = row->task->task;
	const struct aio_activity_sample *is = find(now, task->pid, task->start_ticks);
	struct counts counts = {0};

	if (is)
		count(&counts, before, is);
	if (value_or(row->contexts, 0) > 0)
		set_libaio(row, &counts, seconds);
	else
		set_absent(row, ABSENT_IDLE);
	if (is)
		set_uring(row, find(before, task->pid, task->start_ticks), is, seconds);
}

void aio_activity_attach(struct frame *frame, const struct aio_activity *before,
                         const struct aio_activity *now)
{
	double seconds = before ? (double)(now->mono_ns - before->mono_ns) / 1e9 : 0;
	bool known = now->state == PRESENT && before && before->state == PRESENT && seconds > 0;
	struct counts all = {0};

	for (size_t i = 0; i < frame->naio_task; i++) {
		if (known)
			set_process(&frame->aio_task[i], before, now, seconds);
		else
			set_absent(&frame->aio_task[i], now->state == PRESENT ? ABSENT_NEW : now->state);
	}
	for (size_t i = 0; known && i < now->n; i++)
		count(&all, before, &now->sample[i]);
	if (known)
		set_libaio(&frame->aio, &all, seconds);
	else
		set_absent(&frame->aio, now->state == PRESENT ? ABSENT_NEW : now->state);
}
