/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about how a task does its I/O. Their subject is the task.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* ---- direct-no-readahead ---- */

/* The direct file whose position moves as far as the process reads. */
static const struct file_use *sequential_file(const struct rule_input *in)
{
	const struct task_use *use = in->task->use;

	for (size_t i = 0; i < use->nfile; i++) {
		const struct file_use *file = &use->file[i];

		if (file->mode & MODE_DIRECT && (file->access == 'r' || file->access == 'u') &&
		    value_known(file->pos_share) &&
		    fabs(file->pos_share.n - 1) <= in->limits->direct_sequential)
			return file;
	}
	return NULL;
}

static void direct_formula(struct claim *claim, const struct task_row *task,
			   const struct file_use *file, const struct thresholds *limits)
{
	claim_formula(claim, "size of a read = (rkB/s) / (reads/s) = %s / %s = %s KiB, at most %s",
		      F(task->rkb.n), F(task->syscr.n), F(task->rkb.n / task->syscr.n),
		      F(limits->direct_kib));
	claim_formula(claim, "reads/s is at least %s", F(limits->direct_calls));
	claim_formula(claim, "the position moves %.2f of what is read, within %s of 1",
		      file->pos_share.n, F(limits->direct_sequential));
}

enum rule_answer task_rule_direct_no_readahead(const struct rule_input *in, struct claim *claim)
{
	const struct task_row *task = in->task;
	const struct file_use *file;
	char path[96];
	double kib;

	if (value_or(task->rkb, 0) <= 0 || value_or(task->syscr, 0) < in->limits->direct_calls)
		return RULE_SILENT;
	kib = task->rkb.n / task->syscr.n;
	if (kib > in->limits->direct_kib)
		return RULE_SILENT;
	if (!leader_looked_at(task))
		return rule_lacks(claim, "how the task has its files open");
	if (!strchr(task->use->mode, 'D') || strpbrk(task->use->mode, "AU"))
		return RULE_SILENT;
	if (!task->use->file)
		return rule_lacks(claim, "the positions of its files");
	file = sequential_file(in);
	if (!file)
		return RULE_SILENT;
	text_clean(path, sizeof(path), file->path ? file->path : "a file");
	claim->weight = task->rkb.n;
	leader_begin(claim, task);
	claim_text(
	    claim,
	    " reads %s in order with O_DIRECT, %s KiB at a time, %s reads/s one after the "
	    "other: %s KiB/s. Direct I/O has no readahead, so each read waits for the device.",
	    path, N(kib), N(task->syscr.n), N(task->rkb.n));
	claim_advice(claim, "Read in larger pieces (1 MiB), several at once (AIO, io_uring), or "
			    "without O_DIRECT, so that the kernel reads ahead.");
	direct_formula(claim, task, file, in->limits);
	claim_evidence_value(claim, "rkB/s", task->rkb);
	claim_evidence_value(claim, "reads/s", task->syscr);
	claim_evidence(claim, "read_KiB", "%.1f", kib);
	claim_evidence_value(claim, "position_kB/s", file->pos_kb);
	return RULE_CLAIMS;
}

/* ---- double-caching ---- */

/* Programs with a cache of their own, their data files, and the setting that avoids two. */
static const struct {
	const char *comm, *file, *setting;
} CACHING[] = {
    {"mysqld", ".ibd", "innodb_flush_method=O_DIRECT"},
    {"mariadbd", ".ibd",
     "innodb_flush_method=O_DIRECT, from MariaDB 11 on innodb_data_file_buffering=OFF"},
    {"oracle", ".dbf", "filesystemio_options=SETALL"},
    {"ora_", ".dbf", "filesystemio_options=SETALL"},
    {"db2sysc", ".LRG", "NO FILE SYSTEM CACHING of the table space"},
};

static const char *caching_setting(const struct task_row *task, const struct file_use **found)
{
	for (size_t k = 0; k < sizeof(CACHING) / sizeof(CACHING[0]); k++) {
		if (strncmp(task->task->comm, CACHING[k].comm, strlen(CACHING[k].comm)) != 0)
			continue;
		for (size_t i = 0; i < task->use->nfile; i++) {
			const struct file_use *file = &task->use->file[i];

			if (file->path && !(file->mode & MODE_DIRECT) &&
			    ends_with(file->path, CACHING[k].file)) {
				*found = file;
				return CACHING[k].setting;
			}
		}
	}
	return NULL;
}

static bool caching_program(const struct task_row *task)
{
	for (size_t k = 0; k < sizeof(CACHING) / sizeof(CACHING[0]); k++)
		if (strncmp(task->task->comm, CACHING[k].comm, strlen(CACHING[k].comm)) == 0)
			return true;
	return false;
}

enum rule_answer task_rule_double_caching(const struct rule_input *in, struct claim *claim)
{
	const struct task_row *task = in->task;
	double moved = value_or(task->rkb, 0) + value_or(task->wkb, 0);
	const struct file_use *file;
	const char *setting;
	char path[96];

	if (moved < in->limits->caching_kib || !caching_program(task))
		return RULE_SILENT;
	if (!leader_looked_at(task))
		return rule_lacks(claim, "how the task has its files open");
	if (!strchr(task->use->mode, 'B'))
		return RULE_SILENT;
	if (!task->use->file)
		return rule_lacks(claim, "its files one by one");
	setting = caching_setting(task, &file);
	if (!setting)
		return RULE_SILENT;
	text_clean(path, sizeof(path), file->path);
	claim->weight = moved;
	leader_begin(claim, task);
	claim_text(
	    claim,
	    " has a cache of its own and yet does buffered I/O on its data files (%s): up to "
	    "%s KiB/s go through the page cache as well, so the same data fill memory twice.",
	    path, N(moved));
	claim_advice(claim, "Let it do direct I/O (%s) and give the memory to its own cache.",
		     setting);
	claim_formula(claim, "rkB/s + wkB/s = %s + %s = %s, at least %s", F(value_or(task->rkb, 0)),
		      F(value_or(task->wkb, 0)), F(moved), F(in->limits->caching_kib));
	claim_evidence_value(claim, "rkB/s", task->rkb);
	claim_evidence_value(claim, "wkB/s", task->wkb);
	claim_evidence(claim, "file", "%s", path);
	return RULE_CLAIMS;
}

/* ---- sync-writer ---- */

/* Threads that write what somebody's fsync asked for. */
static bool journal_thread(const struct task_row *task)
{
	const char *comm = task->task->comm;

	comm += comm[0] == '[';
	return strncmp(comm, "jbd2/", 5) == 0 || strncmp(comm, "txg_sync", 8) == 0;
}

void rule_input_writers(struct rule_input *in)
{
	in->journal = NULL;
	in->written_kib = 0;
	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];

		if (!task->task || task->kind == TASK_UNATTRIBUTED ||
		    (value_or(task->wkb, 0) <= 0 && !value_known(task->io_pct)))
			continue;
		if (!journal_thread(task)) {
			in->written_kib += task->task->kernel ? 0 : value_or(task->wkb, 0);
			continue;
		}
		if (value_or(task->io_pct, 0) >= in->limits->sync_wait &&
		    (!in->journal || task->io_pct.n > in->journal->io_pct.n))
			in->journal = task;
	}
}

/* A journal on this device was at work: jbd2 says in its name where it is. */
static bool journal_works(const struct rule_input *in, const struct device_row *row)
{
	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];
		const char *name, *end;

		if (!task->task || !task->task->kernel || !task_has_run(task->task) ||
		    strncmp(task->task->comm, "jbd2/", 5) != 0)
			continue;
		name = task->task->comm + 5;
		end = strrchr(name, '-');
		if (end && leader_part(in->frame, name, (size_t)(end - name), row))
			return true;
	}
	return false;
}

/* Most of what is written there is the task's, or is the journal's because of it. */
static bool sync_drives(const struct rule_input *in, const struct device_row *row)
{
	double kib = in->task->wkb.n, device = value_or(row->wkb, 0);

	return kib >= in->limits->sync_share * device ||
	       (kib >= in->limits->sync_journal * device &&
		kib >= in->limits->sync_share * leader_written(in, row) && journal_works(in, row));
}

/* A device that works one write at a time, or at the pace of flushes, and is this task's. */
static const struct claim *sync_device(const struct rule_input *in)
{
	double most;

	for (size_t i = 0; i < in->nclaim; i++) {
		const struct claim *claim = &in->claim[i];
		const struct device_row *row;

		if (claim->device == CLAIM_NO_DEVICE || claim->explained ||
		    (strcmp(claim->finding.rule, "serial-io") != 0 &&
		     strcmp(claim->finding.rule, "flush-bound") != 0))
			continue;
		row = &in->frame->device[claim->device];
		if (value_or(row->w, 0) > value_or(row->r, 0) && sync_drives(in, row) &&
		    leader_find(in, row, false, &most) == in->task)
			return claim;
	}
	return NULL;
}

static void sync_words(struct claim *claim, const struct rule_input *in, const struct claim *device,
		       const struct task_row *journal)
{
	const struct task_row *task = in->task;
	bool flagged = strchr(leader_mode(task), 'S') != NULL;
	char comm[COMM_MAX];

	leader_begin(claim, task);
	claim_text(claim, " writes %s KiB/s%s", N(task->wkb.n),
		   flagged || device ? " synchronously" : "");
	if (flagged)
		claim_text(claim, " (files opened O_SYNC or O_DSYNC)");
	if (device)
		claim_text(claim, " and sets the pace of %s (%s)", device->finding.subject,
			   device->finding.rule);
	claim_text(claim, ".");
	if (journal) {
		text_clean(comm, sizeof(comm), journal->task->comm);
		claim_text(
		    claim,
		    " The journal thread %s waits %s %% of the time for what programs ask of "
		    "it by fsync: it is the symptom, and this the largest writer behind it.",
		    comm, N(journal->io_pct.n));
		claim_evidence(claim, "journal", "%s", comm);
		claim_evidence_value(claim, "journal_io_pct", journal->io_pct);
	}
	claim_advice(
	    claim,
	    "Count its fsyncs by file (iotriage profile -p %d), and let it commit "
	    "in groups, less often, or to a device that flushes faster.",
	    task->task->pid);
	claim_evidence_value(claim, "wkB/s", task->wkb);
	if (device)
		claim_evidence(claim, "paces", "%s", device->finding.subject);
}

/* One of several: what the task writes of a whole. */
static void share_formula(struct claim *claim, const char *whole, double part, double of,
			  double least)
{
	if (of > 0)
		claim_formula(claim, "its share of the wkB/s of %s = %s / %s = %.2f, at least %s",
			      whole, F(part), F(of), part / of, F(least));
	else
		claim_formula(claim, "its wkB/s = %s, those of %s are not known", F(part), whole);
}

static void sync_formula(const struct rule_input *in, struct claim *claim,
			 const struct claim *device, bool largest)
{
	const struct thresholds *limits = in->limits;
	double kib = in->task->wkb.n;

	if (device) {
		const struct device_row *row = &in->frame->device[device->device];
		double of = value_or(row->wkb, 0);
		bool most = kib >= limits->sync_share * of;

		share_formula(claim, device->finding.subject, kib, of,
			      most ? limits->sync_share : limits->sync_journal);
		if (!most)
			share_formula(claim, "programs there", kib, leader_written(in, row),
				      limits->sync_share);
	}
	if (in->journal && largest)
		share_formula(claim, "all programs", kib, in->written_kib, limits->sync_share);
	if (in->journal)
		claim_formula(claim, "IO%% of the journal = %s, at least %s",
			      F(in->journal->io_pct.n), F(limits->sync_wait));
}

enum rule_answer task_rule_sync_writer(const struct rule_input *in, struct claim *claim)
{
	const struct task_row *task = in->task, *journal = in->journal;
	const struct claim *device;
	bool flagged, largest;

	if (value_or(task->wkb, 0) <= 0 || task->task->kernel || journal_thread(task))
		return RULE_SILENT;
	device = sync_device(in);
	largest = task->wkb.n >= in->limits->sync_share * in->written_kib;
	if (!device && (!journal || !largest))
		return RULE_SILENT;
	if (!journal && !leader_looked_at(task))
		return rule_lacks(claim, "how the task has its files open");
	flagged = strchr(leader_mode(task), 'S') != NULL;
	if (!journal && !flagged && strcmp(device->finding.rule, "flush-bound") != 0)
		return RULE_SILENT;
	claim->weight = task->wkb.n;
	sync_words(claim, in, device, journal);
	sync_formula(in, claim, device, largest);
	return RULE_CLAIMS;
}
