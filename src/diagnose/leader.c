/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who drives a device: the task that moves most of what it does.
 */
#include "rules.h"

#include <stdio.h>
#include <string.h>

/* Where the files of a task are, as far as its row says. */
enum place { ELSEWHERE, UNKNOWN, HERE };

/* Of one device named in a row: itself and its partitions are here; what is stacked may be. */
static enum place place_of_device(const struct frame *frame, const char *name, size_t n,
				  const struct device_row *row)
{
	for (size_t i = 0; i < frame->ndevice; i++) {
		const struct device_row *device = &frame->device[i];
		if (strlen(device->name) != n || memcmp(device->name, name, n) != 0)
			continue;
		if (device == row)
			return HERE;
		if (!device->info)
			return UNKNOWN;
		if (strcmp(device->info->parent, row->name) == 0)
			return HERE;
		bool plain = device->info->class == DEVICE_DISK || device->info->class == DEVICE_PARTITION;
		return plain || device->info->class == DEVICE_LOOP ? ELSEWHERE : UNKNOWN;
	}
	return UNKNOWN;
}

bool leader_looked_at(const struct task_row *task)
{
	return task->use && task->use->why == PRESENT;
}

static enum place place_of(const struct frame *frame, const struct task_row *task,
			   const struct device_row *row)
{
	enum place place = ELSEWHERE;

	if (!leader_looked_at(task) || !*task->use->device)
		return UNKNOWN;
	for (const char *p = task->use->device; *p && place != HERE;) {
		size_t n = strcspn(p, ",+");
		enum place here = place_of_device(frame, p, n, row);
		place = here > place ? here : place;
		p += n;
		if (*p == '+' && place == ELSEWHERE)
			return UNKNOWN; /* more than its row has room for */
		p += *p != '\0';
	}
	return place;
}

/* Kernel threads move what somebody else asked for: they lead only where nobody else does. */
static bool leads(const struct task_row *task, double kib, const struct task_row *top, double most,
		  bool here, bool top_here)
{
	if (top && top->task->kernel != task->task->kernel)
		return top->task->kernel;
	if (top && here != top_here)
		return here;
	return kib > most;
}

const struct task_row *leader_find(const struct rule_input *in, const struct device_row *row,
				   bool reads, double *most)
{
	/* one that moves much more than the device works on another device */
	double fits = in->limits->leader_fits * value_or(reads ? row->rkb : row->wkb, 0);
	const struct task_row *top = NULL;
	bool top_here = false;

	*most = 0;
	if (in->frame->tasks_state != PRESENT)
		return NULL;
	for (size_t i = 0; i < in->nbusy; i++) {
		const struct task_row *task = in->busy[i];
		double kib = value_or(reads ? task->rkb : task->wkb, 0);

		if (task->late || kib <= 0 || kib > fits)
			continue;
		enum place place = place_of(in->frame, task, row);
		if (place == ELSEWHERE || !leads(task, kib, top, *most, place == HERE, top_here))
			continue;
		*most = kib;
		top = task;
		top_here = place == HERE;
	}
	return top;
}

const char *leader_mode(const struct task_row *task)
{
	return leader_looked_at(task) ? task->use->mode : "";
}

bool leader_part(const struct frame *frame, const char *name, size_t n,
		 const struct device_row *row)
{
	return place_of_device(frame, name, n, row) == HERE;
}

double leader_written(const struct rule_input *in, const struct device_row *row)
{
	double kib = 0;

	for (size_t i = 0; i < in->nbusy; i++) {
		const struct task_row *task = in->busy[i];

		if (!task->task->kernel && value_or(task->wkb, 0) > 0 &&
		    place_of(in->frame, task, row) == HERE)
			kib += task->wkb.n;
	}
	return kib;
}

bool leader_is_on(const struct frame *frame, const struct task_row *task,
		  const struct device_row *row)
{
	return place_of(frame, task, row) == HERE;
}

static void name_leader(struct claim *claim, const struct rule_input *in, bool reads)
{
	const struct device_row *row = in->device->row;
	const char *who = reads ? "reader" : "writer", *mode;
	double most, moved = value_or(reads ? row->rkb : row->wkb, 0);
	const struct task_row *top = leader_find(in, row, reads, &most);
	char comm[COMM_MAX];

	if (!top)
		return;
	text_clean(comm, sizeof(comm), top->task->comm);
	if (most >= moved / 2)
		claim_text(claim, " Its %s is likely %s", who, comm);
	else
		claim_text(claim, " Its largest %s may be %s", who, comm);
	claim_text(claim, " (pid %d, %s KiB/s", top->task->pid, N(most));
	mode = leader_mode(top);
	if (*mode)
		claim_text(claim, ", mode %s", mode);
	claim_text(claim, ").");
	claim_evidence(claim, "pid", "%d", top->task->pid);
	if (*mode)
		claim_evidence(claim, "mode", "%s", mode);
}

void leader_name(struct claim *claim, const struct rule_input *in)
{
	const struct device_row *row = in->device->row;

	name_leader(claim, in, value_or(row->rkb, 0) > value_or(row->wkb, 0));
}

void leader_name_writer(struct claim *claim, const struct rule_input *in)
{
	name_leader(claim, in, false);
}

void leader_subject(struct claim *claim, const struct task_row *task)
{
	struct finding *finding = &claim->finding;

	snprintf(finding->subject, sizeof(finding->subject), "pid %d",
		 task->task->tid ? task->task->tid : task->task->pid);
	finding->identity = task->task->start_ticks;
}

void leader_begin(struct claim *claim, const struct task_row *task)
{
	char comm[COMM_MAX];

	leader_subject(claim, task);
	text_clean(comm, sizeof(comm), task->task->comm);
	claim_text(claim, "%s (pid %d)", comm, task->task->pid);
	claim_evidence(claim, "comm", "%s", comm);
	if (leader_looked_at(task) && *task->use->device)
		claim_evidence(claim, "device", "%s", task->use->device);
	if (*leader_mode(task))
		claim_evidence(claim, "mode", "%s", leader_mode(task));
}
