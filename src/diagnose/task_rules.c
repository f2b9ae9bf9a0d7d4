/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about how a task does its I/O. Their subject is the task.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

static const char *first_device(const struct task_row *task)
{
	return task->use && task->use->why == PRESENT && task->use->device[0] ? task->use->device
									      : NULL;
}

static bool looked_at(const struct task_row *task)
{
	return task->use && task->use->why == PRESENT;
}

static void task_begin(struct claim *claim, const struct task_row *task)
{
	char comm[COMM_MAX];

	leader_subject(claim, task);
	text_clean(comm, sizeof(comm), task->task->comm);
	claim_text(claim, "%s (pid %d)", comm, task->task->pid);
	claim_evidence(claim, "comm", "%s", comm);
	if (first_device(task))
		claim_evidence(claim, "device", "%s", first_device(task));
	if (*leader_mode(task))
		claim_evidence(claim, "mode", "%s", leader_mode(task));
}

/* ---- inode-contention ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* A file system's write entry; on older kernels the lock itself shows. */
static bool write_entry(const char *wchan)
{
	return ends_with(wchan, "_write_iter") || strncmp(wchan, "xfs_ilock", 9) == 0 ||
	       strncmp(wchan, "rwsem_", 6) == 0;
}

/* Threads of this row that wait for a lock now, or did on average. */
static double lock_waiters(const struct task_row *task)
{
	if (task->lock_looks)
		return (double)task->lock_seen / task->lock_looks;
	if (!write_entry(task->task->wchan))
		return 0;
	return fmax(task->state == 'D', value_or(task->blocked_threads, 0));
}

static const struct file_use *written_file(const struct task_use *use, uint64_t file)
{
	for (size_t i = 0; i < use->nfile; i++)
		if (use->file[i].file &&
		    (use->file[i].access == 'w' || use->file[i].access == 'u') &&
		    (!file || use->file[i].file == file))
			return &use->file[i];
	return NULL;
}

struct waiters {
	double n;
	size_t rows;
	bool first;                    /* this row is the first of its program: it speaks for all */
	bool unknown;                  /* the files of some were not looked at */
	const struct file_use *shared; /* open for writing in all of them */
};

static void waiters_share(struct waiters *waiters, const struct task_row *task,
			  const struct task_row *one)
{
	if (!looked_at(task) || !task->use->file) {
		waiters->unknown = true;
	} else if (waiters->rows == 1) {
		waiters->shared = written_file(task->use, 0);
	} else if (waiters->shared && task->task->pid != one->task->pid) {
		/* the first file of one that the other has as well */
		const struct task_use *use = one->use;
		const struct file_use *both = NULL;

		for (size_t i = 0; !both && i < use->nfile; i++)
			if (use->file[i].file && written_file(task->use, use->file[i].file))
				both = &use->file[i];
		waiters->shared = both;
	}
}

/* Threads, or processes, of one program that wait for a lock. */
static struct waiters waiters_find(const struct rule_input *in)
{
	struct waiters waiters = {.first = true};
	const struct task_row *one = NULL;

	for (size_t i = 0; i < in->frame->ntask; i++) {
		const struct task_row *task = &in->frame->task[i];
		double n;

		if (task->kind == TASK_UNATTRIBUTED || !task->task ||
		    strcmp(task->task->comm, in->task->task->comm) != 0)
			continue;
		n = lock_waiters(task);
		if (n <= 0)
			continue;
		if (!one)
			waiters.first = task == in->task;
		one = one ? one : task;
		waiters.n += n;
		waiters.rows++;
		waiters_share(&waiters, task, one);
	}
	return waiters;
}

enum rule_answer task_rule_inode_contention(const struct rule_input *in, struct claim *claim)
{
	const struct task_row *task = in->task;
	struct waiters waiters;
	char path[96];

	if (task->task->kernel || lock_waiters(task) <= 0)
		return RULE_SILENT;
	waiters = waiters_find(in);
	if (!waiters.first || waiters.n < in->limits->inode_waiters)
		return RULE_SILENT;
	if (waiters.unknown)
		return rule_lacks(claim, "the files that the waiting tasks have open");
	if (!waiters.shared)
		return RULE_SILENT;
	text_clean(path, sizeof(path), waiters.shared->path ? waiters.shared->path : "one file");
	claim->finding.severity = SEVERITY_WARN;
	claim->weight = waiters.n;
	task_begin(claim, task);
	claim_text(claim,
		   ": %s of its threads or processes wait at a time for the lock of %s to write to "
		   "it. They queue on the file's inode, not on the disk.",
		   N(waiters.n), path);
	claim_advice(claim,
		     "Use direct I/O on a file system that writes one file in parallel (XFS), "
		     "spread the writes over more files, or preallocate the file; see it with "
		     "ps -L -o tid,stat,wchan:32 -p %d.",
		     task->task->pid);
	claim_formula(claim, "waiters = %s at a time, at least %s", F(waiters.n),
		      F(in->limits->inode_waiters));
	claim_formula(claim, "one file is open for writing in all %zu of their rows", waiters.rows);
	claim_evidence(claim, "waiters", "%.1f", waiters.n);
	claim_evidence(claim, "wchan", "%s", task->task->wchan[0] ? task->task->wchan : "-");
	claim_evidence(claim, "file", "%s", path);
	return RULE_CLAIMS;
}

/* ---- direct-no-readahead ---- */

/* The direct file whose position moves as far as the task reads. */
static const struct file_use *sequential_file(const struct rule_input *in)
{
	const struct task_use *use = in->task->use;
	double kib = in->task->rkb.n, share = in->limits->direct_sequential;

	for (size_t i = 0; i < use->nfile; i++) {
		const struct file_use *file = &use->file[i];

		if (file->mode & MODE_DIRECT && (file->access == 'r' || file->access == 'u') &&
		    value_known(file->pos_kb) && fabs(file->pos_kb.n - kib) <= share * kib)
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
	claim_formula(claim, "the position moves %s kB/s, within %s %% of rkB/s", F(file->pos_kb.n),
		      F(100 * limits->direct_sequential));
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
	if (!looked_at(task))
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
	task_begin(claim, task);
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
    {"mariadbd", ".ibd", "innodb_flush_method=O_DIRECT"},
    {"oracle", ".dbf", "filesystemio_options=SETALL"},
    {"ora_", ".dbf", "filesystemio_options=SETALL"},
    {"db2sysc", ".LRG", "NO FILE SYSTEM CACHING of the table space"},
    {"sqlservr", ".mdf", "trace flags 3979 and 1800 (forced unit access and direct I/O)"},
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
	if (!looked_at(task))
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
	task_begin(claim, task);
	claim_text(claim,
		   " has a cache of its own and yet does buffered I/O on its data files (%s): %s "
		   "KiB/s go through the page cache too, which costs memory twice and copies "
		   "everything once more.",
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

		if (!task->task || task->kind == TASK_UNATTRIBUTED)
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
		if (value_or(row->w, 0) > value_or(row->r, 0) &&
		    in->task->wkb.n >= in->limits->sync_share * value_or(row->wkb, 0) &&
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

	task_begin(claim, task);
	claim_text(claim, " writes %s KiB/s synchronously", N(task->wkb.n));
	if (flagged)
		claim_text(claim, " (files opened O_SYNC or O_DSYNC)");
	if (device)
		claim_text(claim, " and sets the pace of %s (%s)", device->finding.subject,
			   device->finding.rule);
	claim_text(claim, ".");
	if (journal) {
		text_clean(comm, sizeof(comm), journal->task->comm);
		claim_text(claim,
			   " %s waits %s %% of the time only because programs ask for fsync: it is "
			   "the symptom, this is the largest writer behind it.",
			   comm, N(journal->io_pct.n));
		claim_evidence(claim, "journal", "%s", comm);
		claim_evidence_value(claim, "journal_io_pct", journal->io_pct);
	}
	claim_advice(
	    claim,
	    "Count its fsyncs (strace -fc -e trace=fsync,fdatasync -p %d) and let it commit "
	    "in groups, less often, or to a device that flushes faster.",
	    task->task->pid);
	claim_evidence_value(claim, "wkB/s", task->wkb);
	if (device)
		claim_evidence(claim, "paces", "%s", device->finding.subject);
}

static void sync_formula(const struct rule_input *in, struct claim *claim,
			 const struct claim *device, bool largest)
{
	const struct thresholds *limits = in->limits;
	double wkb = in->task->wkb.n, all = in->written_kib;
	double of = device ? value_or(in->frame->device[device->device].wkb, 0) : 0;

	if (device && of > 0)
		claim_formula(claim, "its share of the wkB/s of %s = %s / %s = %.2f, at least %s",
			      device->finding.subject, F(wkb), F(of), wkb / of,
			      F(limits->sync_share));
	else if (device)
		claim_formula(claim, "its wkB/s = %s, those of %s are not known", F(wkb),
			      device->finding.subject);
	if (in->journal && largest)
		claim_formula(claim,
			      "its share of the wkB/s of all programs = %s / %s = %.2f, at least "
			      "%s",
			      F(wkb), F(all), wkb / all, F(limits->sync_share));
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
	if (!journal && !looked_at(task))
		return rule_lacks(claim, "how the task has its files open");
	flagged = strchr(leader_mode(task), 'S') != NULL;
	if (!journal && !flagged && strcmp(device->finding.rule, "flush-bound") != 0)
		return RULE_SILENT;
	claim->weight = task->wkb.n;
	sync_words(claim, in, device, journal);
	sync_formula(in, claim, device, largest);
	return RULE_CLAIMS;
}
