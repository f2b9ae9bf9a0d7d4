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
		claim_text(claim, "; the swap device %s has %s requests in it at %s ms each",
			   device->row->name, N(value_or(device->row->avgqu_sz, 0)),
			   N(value_or(device->row->await, 0)));
	claim_text(claim, ". The disk is the symptom, memory is short.");
	claim_advice(claim,
		     "Find what takes the memory (ps -eo pid,rss,comm --sort=-rss; of a cgroup "
		     "memory.max and memory.swap.current), and give it less or the machine "
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
	if (moved * PAGE_KIB >= limits->swap_share * view_kib(device))
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

/* What cannot be said of every disk; NULL: nothing. */
static const char *disks_lack(const struct rule_input *in)
{
	for (size_t i = 0; i < in->frame->ndevice; i++)
		if (view_unmeasured(&in->view[i]))
			return "the figures of every disk (queue/iostats is 0)";
	return NULL;
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

static void writeback_words(struct claim *claim, const struct system_row *system,
			    const struct task_row *writer, size_t n)
{
	double dirty = system->dirty_kib.n + system->writeback_kib.n;
	char comm[COMM_MAX];

	text_clean(comm, sizeof(comm), writer->task->comm);
	claim_text(
	    claim,
	    "The kernel holds writers back although no disk is at its limit: %s KiB are "
	    "dirty or being written, %.0f %% of the %s KiB allowed, and %s (pid %d) waits in "
	    "balance_dirty_pages",
	    N(dirty), 100 * dirty / system->dirty_limit_kib.n, N(system->dirty_limit_kib.n), comm,
	    writer->task->pid);
	if (n > 1)
		claim_text(claim, " with %zu more", n - 1);
	claim_text(claim, ".");
	claim_advice(claim,
		     "Let write-back begin earlier: lower vm.dirty_background_bytes (or "
		     "raise vm.dirty_bytes), or have the writer call sync_file_range or "
		     "fsync now and then. If it writes to NFS or FUSE, its server is what is "
		     "slow (nfsiostat).");
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
	if (disks_lack(in))
		return rule_lacks(claim, disks_lack(in));
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = (double)n;
	writeback_words(claim, system, writer, n);
	dirty_formula(claim, system, in->limits, n);
	claim_evidence_value(claim, "dirty_kib", system->dirty_kib);
	claim_evidence_value(claim, "writeback_kib", system->writeback_kib);
	claim_evidence_value(claim, "dirty_limit_kib", system->dirty_limit_kib);
	claim_evidence(claim, "tasks", "%zu", n);
	claim_evidence(claim, "pid", "%d", writer->task->pid);
	return RULE_CLAIMS;
}

/* ---- iowait-elsewhere ---- */

/* Programs, not kernel threads, in D; the one to name, and whether it surely waits elsewhere. */
struct waiters {
	size_t n;
	const struct task_row *first;
	bool proven;
};

static bool elsewhere_waits(const struct task_row *task)
{
	return task->task && !task->task->kernel && task->kind != TASK_UNATTRIBUTED &&
	       (task->state == 'D' || value_or(task->blocked_threads, 0) > 0);
}

/* It has waited all the time, as far as can be known: it did nothing. */
static bool elsewhere_still(const struct task_row *task)
{
	const struct value did[] = {task->rkb,   task->wkb,   task->rchar,
				    task->wchar, task->syscr, task->syscw};

	for (size_t i = 0; i < sizeof(did) / sizeof(did[0]); i++)
		if (!value_known(did[i]) || did[i].n > 0)
			return false;
	return true;
}

static bool elsewhere_unreadable(struct value value)
{
	return value.why == ABSENT_DENIED || value.why == ABSENT_BLOCKED ||
	       value.why == ABSENT_UNSUPPORTED;
}

/* What is in all devices and read from them; layers count as well. */
struct disks {
	double requests, rkb;
};

static struct disks elsewhere_disks(const struct rule_input *in)
{
	struct disks disks = {0};

	for (size_t i = 0; i < in->frame->ndevice; i++) {
		if (in->view[i].silent)
			continue;
		disks.requests += value_or(in->view[i].row->avgqu_sz, 0);
		disks.rkb += value_or(in->view[i].row->rkb, 0);
	}
	return disks;
}

/*
 * A task that waits for a quick disk now and then is caught in D as well. What
 * waits elsewhere has come to a halt, or reads more than all disks do; where it
 * cannot be known what it does, only iowait can tell.
 */
static bool elsewhere_proven(const struct rule_input *in, const struct task_row *task,
			     const struct disks *disks, bool high)
{
	if (elsewhere_unreadable(task->rkb))
		return high;
	return elsewhere_still(task) ||
	       value_or(task->rkb, 0) >=
		   in->limits->leader_fits * disks->rkb + in->limits->elsewhere_kib;
}

static struct waiters elsewhere_waiters(const struct rule_input *in, const struct disks *disks,
					bool high)
{
	struct waiters waiters = {0};

	for (size_t i = 0; in->frame->tasks_state == PRESENT && i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];
		bool proven;

		if (!elsewhere_waits(task))
			continue;
		waiters.n++;
		proven = !waiters.proven && elsewhere_proven(in, task, disks, high);
		if (proven || !waiters.first)
			waiters.first = task;
		waiters.proven |= proven;
	}
	return waiters;
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
			    const struct waiters *waiters)
{
	const struct system_row *system = &in->frame->system;
	const struct task_row *waiter = waiters->first;
	char comm[COMM_MAX];

	claim_text(claim, "Tasks wait for I/O");
	if (value_or(system->iowait, 0) >= in->limits->elsewhere_iowait)
		claim_text(claim, " (iowait %s %%)", N(system->iowait.n));
	claim_text(claim, ", but every disk is idle: it is not the disks.");
	if (waiter) {
		text_clean(comm, sizeof(comm), waiter->task->comm);
		if (waiters->n > 1)
			claim_text(claim, " %zu tasks are in state D, such as %s (pid %d)",
				   waiters->n, comm, waiter->task->pid);
		else
			claim_text(claim, " %s (pid %d) is in state D", comm, waiter->task->pid);
		if (waiter->task->wchan[0]) {
			text_clean(comm, sizeof(comm), waiter->task->wchan);
			claim_text(claim, "%s waits in %s", waiters->n > 1 ? ", which" : " and",
				   comm);
		}
		claim_text(claim, ".");
		claim_advice(
		    claim,
		    "See what it waits for (cat /proc/%d/stack, as root): a network or FUSE "
		    "file system (findmnt, nfsiostat), a lock or a driver.",
		    waiter->task->pid);
		return;
	}
	if (in->frame->tasks_state == PRESENT && !in->report)
		claim_text(claim,
			   " No task is in state D: waiting in io_uring counts as iowait, also "
			   "where it is for no disk.");
	claim_advice(claim,
		     "Look for tasks in state D (ps -eo pid,stat,wchan:32,comm), for network "
		     "or FUSE file systems (findmnt, nfsiostat), and for idle io_uring "
		     "waiters.");
}

static void elsewhere_formula(const struct rule_input *in, struct claim *claim,
			      const struct waiters *waiters, const struct disks *disks, bool high)
{
	const struct thresholds *limits = in->limits;

	if (high)
		claim_formula(claim,
			      "iowait = %s %%, at least %s; iowait / 100 is above avgqu-sz of all "
			      "disks = %.2f",
			      F(in->frame->system.iowait.n), F(limits->elsewhere_iowait),
			      disks->requests);
	else
		claim_formula(claim, "blocked = %s, at least 1",
			      F(value_or(in->frame->system.blocked, (double)waiters->n)));
	if (waiters->proven)
		claim_formula(claim,
			      "a task in D does nothing, or reads at least %s x %s + %s KiB/s",
			      F(limits->leader_fits), F(disks->rkb), F(limits->elsewhere_kib));
	claim_formula(claim, "each of %zu devices: avgqu-sz and L below %s, %%util below %s",
		      in->frame->ndevice, F(limits->idle_queue), F(limits->idle_util));
}

enum rule_answer system_rule_iowait_elsewhere(const struct rule_input *in, struct claim *claim)
{
	const struct system_row *system = &in->frame->system;
	bool live = in->frame->tasks_state == PRESENT && !in->report, high, stuck;
	struct waiters waiters;
	struct disks disks;

	if (!value_known(system->iowait) && !value_known(system->blocked))
		return rule_lacks(claim, "iowait, or blocked processes");
	if (in->frame->devices_state != PRESENT || !in->frame->ndevice)
		return rule_lacks(claim, "the devices");
	disks = elsewhere_disks(in);
	/* more CPUs wait for I/O than requests are in the disks */
	high = value_or(system->iowait, 0) >= in->limits->elsewhere_iowait &&
	       disks.requests < system->iowait.n / 100;
	waiters = elsewhere_waiters(in, &disks, high);
	/* of disks that are quick a task is counted as blocked now and then, too */
	stuck = live && value_or(system->blocked, waiters.n > 0) > 0 &&
		(waiters.proven || (waiters.n == 0 && disks.requests < in->limits->idle_queue));
	if ((!high && !stuck) || !elsewhere_devices_idle(in) || elsewhere_told(in))
		return RULE_SILENT;
	if (disks_lack(in))
		return rule_lacks(claim, disks_lack(in));
	/* live, a wait that no task in D explains is one in io_uring: nobody is held up */
	claim->finding.severity = waiters.proven || !live ? SEVERITY_WARN : SEVERITY_INFO;
	claim->weight = value_or(system->iowait, 0);
	elsewhere_words(claim, in, &waiters);
	elsewhere_formula(in, claim, &waiters, &disks, high);
	claim_evidence_value(claim, "iowait", system->iowait);
	claim_evidence_value(claim, "blocked", system->blocked);
	if (live)
		claim_evidence(claim, "tasks_in_D", "%zu", waiters.n);
	if (waiters.first)
		claim_evidence(claim, "pid", "%d", waiters.first->task->pid);
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
