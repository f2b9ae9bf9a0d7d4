/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about the machine: paging, write-back that holds writers, waiting
 * that no device explains, and a report that is an average.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

/* ---- swapping ---- */

enum { PAGE_KIB = 4 }; /* the size of a page on nearly every machine; only for shares */

/* The busiest swap device, NULL where none is known. */
static const struct device_view *swap_device(const struct rule_input *in)
{
	const struct device_view *busiest = NULL;

	for (size_t i = 0; i < in->frame->ndevice; i++) {
		const struct device_view *view = &in->view[i];

		if (!view->row->info || !view->row->info->swap || view->row->why != PRESENT)
			continue;
		if (!busiest ||
		    value_or(view->row->avgqu_sz, 0) > value_or(busiest->row->avgqu_sz, 0))
			busiest = view;
	}
	return busiest;
}

static bool swap_in_memory(const struct device_view *view)
{
	return view && view->row->info->class == DEVICE_MEMORY;
}

static void swap_words(struct claim *claim, const struct device_view *device, double in_pages,
		       double out_pages)
{
	claim_text(claim,
		   "The machine is paging: %s pages/s are swapped in and %s out, so programs wait "
		   "for their own memory",
		   N(in_pages), N(out_pages));
	if (swap_in_memory(device))
		claim_text(claim, "; the swap is on %s, compressed memory, which is quick",
			   device->row->name);
	else if (device)
		claim_text(claim, "; the swap device %s has %s requests queued at %s ms each",
			   device->row->name, N(value_or(device->row->avgqu_sz, 0)),
			   N(value_or(device->row->await, 0)));
	claim_text(claim, ". The disk is the symptom, memory is short.");
	claim_advice(claim,
		     "Find what takes the memory (ps -eo rss,comm --sort -rss, and memory.max "
		     "of its cgroup with memory.swap.current), give it less or the machine "
		     "more.");
}

static void swap_formula(struct claim *claim, const struct device_view *device, double in_pages,
			 double out_pages, const struct thresholds *limits)
{
	claim_formula(claim, "swapped in = %s pages/s, at least %s", F(in_pages),
		      F(limits->swap_in));
	claim_formula(claim, "in + out = %s + %s = %s pages/s, at least %s", F(in_pages),
		      F(out_pages), F(in_pages + out_pages), F(limits->swap_both));
	if (swap_in_memory(device))
		claim_formula(claim, "swap in memory is no warning");
	else if (device)
		claim_formula(claim, "avgqu-sz of %s = %.2f, a warning from %s on",
			      device->row->name, value_or(device->row->avgqu_sz, 0),
			      F(limits->slow_concurrency));
	else
		claim_formula(claim, "a warning from %s pages/s swapped in on",
			      F(limits->swap_heavy));
}

enum rule_answer system_rule_swapping(const struct rule_input *in, struct claim *claim)
{
	const struct system_row *system = &in->frame->system;
	const struct thresholds *limits = in->limits;
	const struct device_view *device = swap_device(in);
	double moved;
	bool hurts;

	if (!value_known(system->pswpin) || !value_known(system->pswpout))
		return rule_lacks(claim, "pages swapped in and out (si, so)");
	moved = system->pswpin.n + system->pswpout.n;
	if (system->pswpin.n < limits->swap_in || moved < limits->swap_both)
		return RULE_SILENT;
	hurts = device ? value_or(device->row->avgqu_sz, 0) >= limits->slow_concurrency
		       : system->pswpin.n >= limits->swap_heavy;
	if (hurts && !swap_in_memory(device))
		claim->finding.severity = SEVERITY_WARN;
	claim->weight = moved;
	swap_words(claim, device, system->pswpin.n, system->pswpout.n);
	swap_formula(claim, device, system->pswpin.n, system->pswpout.n, limits);
	claim_evidence_value(claim, "pswpin/s", system->pswpin);
	claim_evidence_value(claim, "pswpout/s", system->pswpout);
	if (!device)
		return RULE_CLAIMS;
	claim_evidence(claim, "device", "%s", device->row->name);
	claim_evidence_value(claim, "avgqu-sz", device->row->avgqu_sz);
	claim_evidence_value(claim, "await", device->row->await);
	if (moved * PAGE_KIB >=
	    limits->swap_share * (value_or(device->row->rkb, 0) + value_or(device->row->wkb, 0)))
		claim->absorbs = device - in->view;
	return RULE_CLAIMS;
}

/* ---- writeback-throttled ---- */

/* A task held in balance_dirty_pages; NULL: none. */
static const struct task_row *throttled_writer(const struct rule_input *in, size_t *n)
{
	const struct task_row *first = NULL;

	*n = 0;
	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];

		if (!task->task || strncmp(task->task->wchan, "balance_dirty", 13) != 0)
			continue;
		++*n;
		if (!first || value_or(task->wchar, 0) > value_or(first->wchar, 0))
			first = task;
	}
	return first;
}

static bool disk_at_limit(const struct rule_input *in)
{
	for (size_t i = 0; i < in->frame->ndevice; i++) {
		const struct device_view *view = &in->view[i];

		if (view->silent || view->row->why != PRESENT)
			continue;
		if (view->stalled_s > 0 ||
		    value_or(view->row->avgqu_sz, 0) >= in->limits->queueing_depth ||
		    (!view->util_tainted && value_or(view->row->util, 0) >= in->limits->burst_util))
			return true;
	}
	return false;
}

static void dirty_formula(struct claim *claim, const struct system_row *system,
			  const struct thresholds *limits, size_t tasks)
{
	double dirty = system->dirty_kib.n, writeback = system->writeback_kib.n;
	double most = system->dirty_limit_kib.n;

	claim_formula(claim, "Dirty + Writeback = %s + %s = %s KiB, at least %s x %s = %s",
		      F(dirty), F(writeback), F(dirty + writeback), F(limits->dirty_near), F(most),
		      F(limits->dirty_near * most));
	claim_formula(claim, "tasks in balance_dirty_pages = %zu, at least 1", tasks);
	claim_formula(claim, "no disk has Q from %s on, or %%util from %s on",
		      F(limits->queueing_depth), F(limits->burst_util));
}

enum rule_answer system_rule_writeback_throttled(const struct rule_input *in, struct claim *claim)
{
	const struct system_row *system = &in->frame->system;
	const struct task_row *writer;
	char comm[COMM_MAX];
	double dirty;
	size_t n;

	if (!value_known(system->dirty_kib) || !value_known(system->writeback_kib) ||
	    !value_known(system->dirty_limit_kib))
		return rule_lacks(claim, "Dirty, Writeback and the dirty limit");
	if (in->frame->tasks_state != PRESENT || in->report)
		return rule_lacks(claim, "what tasks in D wait in (wchan)");
	writer = throttled_writer(in, &n);
	dirty = system->dirty_kib.n + system->writeback_kib.n;
	if (!writer || dirty < in->limits->dirty_near * system->dirty_limit_kib.n ||
	    disk_at_limit(in))
		return RULE_SILENT;
	text_clean(comm, sizeof(comm), writer->task->comm);
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = (double)n;
	claim_text(claim,
		   "Writers are held back by the kernel, not by a disk: %s KiB are dirty or being "
		   "written, %.0f %% of the %s KiB allowed, and %zu task%s wait in "
		   "balance_dirty_pages, %s (pid %d) first, while no disk is at its limit.",
		   N(dirty), 100 * dirty / system->dirty_limit_kib.n, N(system->dirty_limit_kib.n),
		   n, n == 1 ? "" : "s", comm, writer->task->pid);
	claim_advice(claim, "Raise vm.dirty_bytes above vm.dirty_background_bytes by more, so that "
			    "write-back begins before writers are stopped, or have the writer call "
			    "fsync or sync_file_range now and then.");
	dirty_formula(claim, system, in->limits, n);
	claim_evidence_value(claim, "dirty_kib", system->dirty_kib);
	claim_evidence_value(claim, "writeback_kib", system->writeback_kib);
	claim_evidence_value(claim, "dirty_limit_kib", system->dirty_limit_kib);
	claim_evidence(claim, "tasks", "%zu", n);
	claim_evidence(claim, "pid", "%d", writer->task->pid);
	return RULE_CLAIMS;
}

/* ---- iowait-elsewhere ---- */

/* A program, not a kernel thread, in D; n counts them. */
static const struct task_row *elsewhere_waiter(const struct rule_input *in, size_t *n)
{
	const struct task_row *first = NULL;

	*n = 0;
	for (size_t i = 0; in->frame->tasks_state == PRESENT && i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];

		if (!task->task || task->task->kernel || task->kind == TASK_UNATTRIBUTED ||
		    (task->state != 'D' && value_or(task->blocked_threads, 0) <= 0))
			continue;
		++*n;
		first = first ? first : task;
	}
	return first;
}

static bool elsewhere_devices_idle(const struct rule_input *in)
{
	for (size_t i = 0; i < in->frame->ndevice; i++) {
		const struct device_view *view = &in->view[i];

		if (view->silent || view->row->why == ABSENT_NEW || view->row->why == ABSENT_OFF)
			continue;
		if (!view_idle(view, in->limits))
			return false;
	}
	return true;
}

/* What is said elsewhere needs no second finding. */
static bool elsewhere_told(const struct rule_input *in)
{
	for (size_t i = 0; i < in->nclaim; i++)
		if (in->claim[i].finding.severity >= SEVERITY_WARN &&
		    strcmp(in->claim[i].finding.rule, "aio-exhausted") != 0)
			return true;
	return false;
}

static void elsewhere_words(struct claim *claim, const struct rule_input *in,
			    const struct task_row *waiter, size_t n)
{
	const struct system_row *system = &in->frame->system;
	char comm[COMM_MAX];

	claim_text(claim, "Tasks wait for I/O");
	if (value_or(system->iowait, 0) >= in->limits->elsewhere_iowait)
		claim_text(claim, " (iowait %s %%)", N(system->iowait.n));
	claim_text(claim, ", but every disk is idle: it is not the disks.");
	if (waiter) {
		text_clean(comm, sizeof(comm), waiter->task->comm);
		claim_text(claim, " %zu task%s in state D, %s (pid %d) first", n,
			   n == 1 ? " is" : "s are", comm, waiter->task->pid);
		if (waiter->task->wchan[0]) {
			text_clean(comm, sizeof(comm), waiter->task->wchan);
			claim_text(claim, ", which waits in %s", comm);
		}
		claim_text(claim, ".");
		claim_advice(
		    claim,
		    "See what it waits for: cat /proc/%d/stack and /proc/%d/wchan; a network "
		    "or FUSE file system (findmnt, nfsiostat), a lock or a driver.",
		    waiter->task->pid, waiter->task->pid);
		return;
	}
	if (in->frame->tasks_state == PRESENT && !in->report)
		claim_text(claim,
			   " No task is in state D: waiting in io_uring counts as iowait, also "
			   "where nothing is outstanding.");
	claim_advice(claim, "Look for tasks in state D (ps -eo pid,stat,wchan:32,comm), network or "
			    "FUSE file systems (findmnt, nfsiostat), and idle io_uring waiters.");
}

static void elsewhere_formula(const struct rule_input *in, struct claim *claim, bool high, size_t n)
{
	const struct thresholds *limits = in->limits;

	if (high)
		claim_formula(claim, "iowait = %s %%, at least %s", F(in->frame->system.iowait.n),
			      F(limits->elsewhere_iowait));
	else
		claim_formula(claim, "blocked = %s, at least 1",
			      F(value_or(in->frame->system.blocked, (double)n)));
	claim_formula(claim, "each of %zu devices: avgqu-sz and L below %s, %%util below %s",
		      in->frame->ndevice, F(limits->idle_queue), F(limits->idle_util));
}

enum rule_answer system_rule_iowait_elsewhere(const struct rule_input *in, struct claim *claim)
{
	const struct system_row *system = &in->frame->system;
	bool tasks = in->frame->tasks_state == PRESENT, high, stuck;
	const struct task_row *waiter;
	size_t n;

	if (!value_known(system->iowait) && !value_known(system->blocked))
		return rule_lacks(claim, "iowait, or blocked processes");
	if (in->frame->devices_state != PRESENT || !in->frame->ndevice)
		return rule_lacks(claim, "the devices");
	waiter = elsewhere_waiter(in, &n);
	high = value_or(system->iowait, 0) >= in->limits->elsewhere_iowait;
	stuck = tasks && !in->report && value_or(system->blocked, n > 0) > 0;
	if ((!high && !stuck) || !elsewhere_devices_idle(in) || elsewhere_told(in))
		return RULE_SILENT;
	/* live, a wait that no task in D explains is one in io_uring: nobody is held up */
	claim->finding.severity = waiter || !tasks || in->report ? SEVERITY_WARN : SEVERITY_INFO;
	claim->weight = value_or(system->iowait, 0);
	elsewhere_words(claim, in, waiter, n);
	elsewhere_formula(in, claim, high, n);
	claim_evidence_value(claim, "iowait", system->iowait);
	claim_evidence_value(claim, "blocked", system->blocked);
	if (tasks && !in->report)
		claim_evidence(claim, "tasks_in_D", "%zu", n);
	if (waiter)
		claim_evidence(claim, "pid", "%d", waiter->task->pid);
	return RULE_CLAIMS;
}

/* ---- since-boot-only ---- */

enum rule_answer system_rule_since_boot_only(const struct rule_input *in, struct claim *claim)
{
	if (!in->frame->since_boot || !in->frame->ndevice)
		return RULE_SILENT;
	claim_text(
	    claim,
	    "The report is one average since boot of %zu device%s: it says nothing about the "
	    "present, and a problem of minutes does not show in it.",
	    in->frame->ndevice, in->frame->ndevice == 1 ? "" : "s");
	claim_advice(claim, "Ask for intervals while it is slow: iostat -x 1 5 (the first block is "
			    "again the average), or iotriage -b 1 5.");
	claim_formula(claim, "intervals = 0, the present needs at least 1");
	claim_evidence(claim, "devices", "%zu", in->frame->ndevice);
	claim_evidence(claim, "intervals", "0");
	return RULE_CLAIMS;
}
