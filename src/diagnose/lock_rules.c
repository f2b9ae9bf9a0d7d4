/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers that wait for each other: for the lock of one file.
 */
#include "iotriage/wchan.h"
#include "rules.h"

#include <math.h>
#include <string.h>

/* Threads of this row that wait for a lock: on average, or now where nobody looked in between. */
static double lock_waiters(const struct task_row *task)
{
	if (task->lock_looks)
		return (double)task->lock_seen / task->lock_looks;
	if (!wchan_is_write_lock(task->task->wchan))
		return 0;
	return fmax(task->state == 'D', value_or(task->blocked_threads, 0));
}

static bool one_program(const struct task_row *a, const struct task_row *b)
{
	return a->task->pid == b->task->pid || strcmp(a->task->comm, b->task->comm) == 0;
}

void rule_input_locks(struct rule_input *in)
{
	in->nlock_row = 0;
	for (size_t i = 0; i < in->frame->ntask && in->nlock_row < LOCK_ROWS_MAX; i++) {
		const struct task_row *task = &in->frame->task[i];

		if (task->task && task->kind != TASK_UNATTRIBUTED && !task->task->kernel &&
		    (task->lock_looks || lock_waiters(task) > 0))
			in->lock_row[in->nlock_row++] = (uint32_t)i;
	}
}

/* The next of them that is of the task's program; NULL: no more. */
static const struct task_row *next_row(const struct rule_input *in, size_t *at)
{
	while (*at < in->nlock_row) {
		const struct task_row *task = &in->frame->task[in->lock_row[(*at)++]];

		if (one_program(task, in->task))
			return task;
	}
	return NULL;
}

/* ---- which file ---- */

static bool files_known(const struct task_row *task)
{
	return leader_looked_at(task) && task->use->file;
}

/* It was seen to write to this one; or, where that is not known, may have been. */
static bool may_be(const struct task_row *task, const struct file_use *file)
{
	if (task->lock_seen && task->lock_fd >= 0)
		return file->fd == task->lock_fd;
	return file->access == 'w' || file->access == 'u';
}

static bool may_wait_for(const struct task_row *task, uint64_t file)
{
	for (size_t i = 0; i < task->use->nfile; i++)
		if (task->use->file[i].file == file && may_be(task, &task->use->file[i]))
			return true;
	return false;
}

/* Threads and processes of the program that may wait for this file. */
static double weigh(const struct rule_input *in, uint64_t file)
{
	const struct task_row *task;
	double n = 0;

	for (size_t at = 0; (task = next_row(in, &at));)
		if (files_known(task) && may_wait_for(task, file))
			n += lock_waiters(task);
	return n;
}

struct contention {
	double n;
	const struct file_use *file; /* that most of them wait for */
	const struct task_row *waiter;
	bool unknown; /* the files of some were not looked at */
};

static void weigh_files(struct contention *most, const struct rule_input *in,
			const struct task_row *task)
{
	for (size_t i = 0; i < task->use->nfile; i++) {
		const struct file_use *file = &task->use->file[i];
		double n = file->file && may_be(task, file) ? weigh(in, file->file) : 0;

		if (n > most->n) {
			most->n = n;
			most->file = file;
			most->waiter = task;
		}
	}
}

/* A row whose file is not known for sure has many: a few of these stand for their like. */
static struct contention contention_find(const struct rule_input *in)
{
	enum { GUESSES = 8 };
	struct contention most = {0};
	const struct task_row *task;
	int guesses = 0;

	for (size_t at = 0; (task = next_row(in, &at));) {
		if (lock_waiters(task) <= 0)
			continue;
		bool sure = task->lock_seen && task->lock_fd >= 0;

		if (!files_known(task))
			most.unknown = true;
		else if (sure || guesses++ < GUESSES)
			weigh_files(&most, in, task);
	}
	return most;
}

/* ---- inode-contention ---- */

/* What this rule says of a device that the task's files are on; NULL: nothing. */
static const struct claim *claim_on(const struct rule_input *in, const char *rule,
				    const struct task_row *task)
{
	for (size_t i = 0; i < in->nclaim; i++) {
		const struct claim *claim = &in->claim[i];

		if (claim->device != CLAIM_NO_DEVICE && strcmp(claim->finding.rule, rule) == 0 &&
		    leader_is_on(in->frame, task, &in->frame->device[claim->device]))
			return claim;
	}
	return NULL;
}

static void contention_words(struct claim *claim, const struct rule_input *in,
			     const struct contention *most)
{
	/* where the device is at its limit, the lock is waited for because the disk is */
	const struct claim *device = claim_on(in, "queueing", most->waiter);
	const struct claim *serial = claim_on(in, "serial-io", most->waiter);
	const char *wchan = most->waiter->task->wchan;
	bool position = wchan_is_position_lock(wchan);
	char path[96];

	text_clean(path, sizeof(path), most->file->path ? most->file->path : "one file");
	claim->finding.severity = device ? SEVERITY_INFO : SEVERITY_WARN;
	claim->weight = most->n;
	claim->absorbs = serial ? serial->device : CLAIM_NO_DEVICE;
	leader_begin(claim, in->task);
	claim_text(
	    claim,
	    ": %s of its threads or processes at a time wait for the lock of %s, to write to "
	    "it.",
	    N(most->n), path);
	if (device)
		claim_text(claim, " %s is at its limit as well, which comes first.",
			   device->finding.subject);
	else
		claim_text(claim, " They queue on the file's %s, not on the disk.",
			   position ? "position" : "inode");
	claim_advice(claim,
		     "%s, spread the writes over more files, or preallocate the file. ps -L -o "
		     "tid,stat,wchan:32 -p %d shows them wait.",
		     position ? "Write with pwrite, or open the file for each thread"
			      : "Use direct I/O on a file system that writes one file in parallel "
				"(XFS)",
		     in->task->task->pid);
	claim_formula(claim, "waiters for the lock of one file = %s at a time, at least %s",
		      F(most->n), F(in->limits->inode_waiters));
	claim_evidence(claim, "waiters", "%.1f", most->n);
	claim_evidence(claim, "wchan", "%s", position || wchan_is_write_lock(wchan) ? wchan : "-");
	claim_evidence(claim, "file", "%s", path);
}

/* One row speaks for all that have the file, also while it happens not to wait itself. */
static const struct task_row *speaker(const struct rule_input *in, const struct contention *most)
{
	const struct task_row *task;

	for (size_t at = 0; (task = next_row(in, &at));)
		for (size_t i = 0; files_known(task) && i < task->use->nfile; i++)
			if (task->use->file[i].file == most->file->file)
				return task;
	return NULL;
}

enum rule_answer task_rule_inode_contention(const struct rule_input *in, struct claim *claim)
{
	const struct task_row *task, *first = NULL;
	struct contention most;
	double n = 0;

	if (in->task->task->kernel || (lock_waiters(in->task) <= 0 && !in->task->lock_looks))
		return RULE_SILENT;
	for (size_t at = 0; (task = next_row(in, &at));) {
		first = first ? first : task;
		n += lock_waiters(task);
	}
	if (n < in->limits->inode_waiters)
		return RULE_SILENT;
	most = contention_find(in);
	if (most.n < in->limits->inode_waiters)
		return most.unknown && in->task == first
			   ? rule_lacks(claim, "the files that the waiting tasks have open")
			   : RULE_SILENT;
	if (speaker(in, &most) != in->task)
		return RULE_SILENT;
	contention_words(claim, in, &most);
	return RULE_CLAIMS;
}
