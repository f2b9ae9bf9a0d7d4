/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One process: /proc/PID/{io,stat,status} and its own part of the counters. */
#include "readtask.h"
#include "parse.h"

#include <stdio.h>
#include <string.h>

enum { STATUS_TEXT = 4096 };

/* For how many readings an idle process's threads are still read. */
enum { QUIET_READINGS = 10 };

/*
 * So many threads cost no more to be seen not to run than the process itself to be
 * read; then it is known of it, too, that it did not run.
 */
enum { FEW_THREADS = 8 };

void task_file_close(struct task_file *file)
{
	leaves_close_all(&file->leaf);
	threads_release(&file->threads);
	file->settled = file->share_known = false;
}

unsigned task_file_kept(const struct task_file *file)
{
	return leaves_kept(&file->leaf) + threads_kept(&file->threads);
}

static void read_uid(const struct root *root, struct task_file *file)
{
	char buf[STATUS_TEXT];
	ssize_t n = leaf_read_once(&file->leaf, root, "status", buf, sizeof(buf));
	const char *line = n > 0 ? strstr(buf, "\nUid:") : NULL;
	unsigned real, effective;

	if (line && sscanf(line + 5, "%u %u", &real, &effective) == 2) {
		file->last.uid = effective;
		file->last.uid_known = true;
	}
}

void task_file_introduce(struct task_file *file, const struct root *root, bool uid)
{
	char comm[COMM_MAX];
	ssize_t n = leaf_read_once(&file->leaf, root, "comm", comm, sizeof(comm));

	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	if (n > 0)
		memcpy(file->last.comm, comm, sizeof(comm));
	if (uid)
		read_uid(root, file);
}

/* ---- nothing has changed ---- */

/* It has one thread, which did not run. *known: whether ran was read. */
static bool single_idle(struct task_file *file, struct reader *reader, struct task_ran *ran,
			bool *known)
{
	*known = leaf_ran(&file->leaf, reader, ran);
	return *known && file->settled && task_ran_same(ran, &file->ran);
}

bool task_file_may_idle(const struct task_file *file, struct idle_look *look)
{
	*look = (struct idle_look){file->leaf.pid, file->leaf.fd[LEAF_SCHED], file->ran};
	return file->known && !file->again && file->settled && look->sched_fd >= 0;
}

static bool is_quiet(const struct task_file *file, const struct reader *reader)
{
	return file->quiet >= QUIET_READINGS && !reader->all_threads;
}

/* Its threads are looked at also while it is quiet. */
static bool has_few(const struct task_file *file, const struct reader *reader)
{
	return file->threads.n <= FEW_THREADS && reader->room >= reader->plenty;
}

static void rest_when_quiet(struct task_file *file, const struct reader *reader)
{
	if (is_quiet(file, reader) && !has_few(file, reader) && file->threads.current)
		threads_rest(&file->threads);
}

void task_file_stay(struct task_file *file, const struct reader *reader)
{
	file->writes = false;
	file->last.mono_ns = root_now_ns(reader->root);
	threads_touch(&file->threads, file->last.mono_ns);
	if (file->last.state == 'D' || threads_waiting(&file->threads))
		file->quiet = 0;
	else if (file->quiet < QUIET_READINGS)
		file->quiet++;
	if (file->quiet >= QUIET_READINGS || reader->room < reader->plenty) {
		leaves_close(&file->leaf, LEAF_IO);
		leaves_close(&file->leaf, LEAF_STAT);
	}
	file->hides_threads = is_quiet(file, reader);
}

/* What it did before this looks shows in what is read after it, the rest at the next reading. */
static bool unchanged(struct task_file *file, struct reader *reader, bool keep,
		      struct task_ran *ran, bool *ran_known)
{
	bool idle;

	*ran_known = false;
	if (!file->known) {
		*ran_known = keep && leaf_ran(&file->leaf, reader, ran);
		return false;
	}
	if (file->last.threads > 1) {
		rest_when_quiet(file, reader);
		idle = file->threads.current && threads_look(&file->threads, reader);
	} else {
		idle = (keep || file->leaf.fd[LEAF_SCHED] >= 0) &&
		       single_idle(file, reader, ran, ran_known);
	}
	return idle && !file->again;
}

/* ---- what is its own ---- */

/* What changed between two readings, as far as it matters to whose it is. */
struct change {
	bool first;   /* no reading before, or not of its counters */
	bool several; /* it has several threads */
	bool moved;   /* a counter did */
	bool reaped;  /* it waited for a child */
	bool threads; /* other ones than at the reading before */
};

/*
 * A child it waits for after stat and before io is in io and not in that stat;
 * a second look, where something moved, tells.
 */
static bool has_reaped(struct task_file *file, struct reader *reader,
		       const struct task_sample *sample)
{
	char text[STAT_TEXT];
	struct task_sample again;

	if (sample->reaped != file->last.reaped)
		return true;
	ssize_t n = leaf_read(&file->leaf, reader, LEAF_STAT, false, text, sizeof(text));
	return n > 0 && task_stat_parse(text, (size_t)n, &again) && again.reaped != sample->reaped;
}

static struct change compare(struct task_file *file, struct reader *reader,
			     const struct task_sample *sample)
{
	const struct task_sample *last = &file->last;
	struct change change = {.several = sample->threads > 1};

	change.first = !file->known || last->io_state != PRESENT;
	change.threads = change.first || sample->threads != last->threads;
	if (change.first) {
		change.reaped = sample->reaped > 0;
		return change;
	}
	change.moved = memcmp(sample->counter, last->counter, sizeof(sample->counter)) != 0;
	/* children that did nothing leave nothing to tell apart */
	change.reaped = change.moved && has_reaped(file, reader, sample);
	return change;
}

/* A single thread's counters: the process's without the share. */
static bool read_main_thread(struct task_file *file, struct reader *reader,
			     uint64_t live[TASK_COUNTERS])
{
	struct leaves leaf;
	char text[IO_TEXT];

	leaves_init(&leaf, file->leaf.pid, file->leaf.pid);
	ssize_t n = leaf_read_once(&leaf, reader->root, "io", text, sizeof(text));
	return n > 0 && task_io_parse(text, (size_t)n, live);
}

/*
 * Reads the threads where they are wanted or the share is. true: live is what
 * the living ones did, ended what those did, as far as it is known, that ended
 * since the reading before.
 */
static bool read_threads(struct task_file *file, struct reader *reader,
			 const struct task_sample *sample, const struct change *change,
			 uint64_t live[TASK_COUNTERS], uint64_t ended[TASK_COUNTERS])
{
	bool wanted = change->several &&
		      (!file->known || !is_quiet(file, reader) || has_few(file, reader));
	bool split =
	    sample->io_state == PRESENT &&
	    (change->reaped || (change->threads && (change->several || file->threads.n > 0)));

	memset(ended, 0, TASK_COUNTERS * sizeof(*ended));
	if (!wanted)
		threads_rest(&file->threads);
	if (change->several)
		return (wanted || split) && threads_read(&file->threads, reader, sample, ended) &&
		       threads_live(&file->threads, live);
	if (file->threads.n > 0)
		threads_end(&file->threads, ended);
	return split && read_main_thread(file, reader, live);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * What a thread did in its last interval, and that ended in it, counts as
 * inherited where children were reaped in the same one: nobody tells them apart.
 * Where the share is not known it is taken for 0, and where the threads cannot
 * be read all is the process's own.
 */
static void split_counter(const struct task_file *file, struct task_sample *sample, int c,
			  const struct change *change, const uint64_t *live, uint64_t ended)
{
	uint64_t now = sample->counter[c], was = file->last.counter[c];

	if (change->first) {
		sample->own[c] = change->reaped && live && live[c] < now ? live[c] : now;
	} else if (now < was) {
		sample->own[c] = now;
	} else {
		uint64_t grown = now - was;
		if (change->reaped && live) {
			uint64_t before = less(was, file->share_known ? file->share[c] : 0);
			uint64_t did = less(live[c] + ended, before);
			grown = did < grown ? did : grown;
		}
		sample->own[c] = file->last.own[c] + grown;
	}
}

static void account(struct task_file *file, struct task_sample *sample, const struct change *change,
		    const uint64_t *live, const uint64_t *ended)
{
	bool same = !change->reaped && !change->threads && file->share_known;

	for (int c = 0; c < TASK_COUNTERS; c++) {
		split_counter(file, sample, c, change, live, ended[c]);
		same = same && ended[c] == 0;
	}
	if (same)
		return;
	file->share_known = live != NULL;
	for (int c = 0; live && c < TASK_COUNTERS; c++)
		file->share[c] = less(sample->counter[c], live[c]);
}

/* ---- a reading ---- */

/* Of a multi-threaded process the main thread's, or where that is elsewhere another's. */
static void note_wait(struct task_file *file, const struct reader *reader,
		      struct task_sample *sample)
{
	const struct task_sample *waiting = NULL;

	if (file->threads.current)
		waiting = threads_waiting(&file->threads);
	if (waiting)
		memcpy(sample->wchan, waiting->wchan, sizeof(sample->wchan));
	else if (sample->state == 'D')
		leaf_wchan(&file->leaf, reader->root, sample->wchan);
	if (waiting || sample->state == 'D')
		file->quiet = 0;
}

/* Another process has its PID. */
static void forget(struct task_file *file)
{
	threads_release(&file->threads);
	file->known = file->settled = file->share_known = file->last.uid_known = false;
}

/* It lives as far as is known; its figures come again with the next reading. */
static void set_late(struct task_file *file, const struct reader *reader)
{
	leaves_set_late(&file->last, reader->root);
	threads_rest(&file->threads);
	file->writes = false;
	file->again = true;
}

static bool read_once(struct task_file *file, struct reader *reader, bool keep)
{
	struct task_sample sample;
	uint64_t live[TASK_COUNTERS], ended[TASK_COUNTERS];

	enum leaf_reading reading = leaves_read(&file->leaf, reader, keep, &sample);
	if (reading == LEAF_SHORT && file->known) {
		set_late(file, reader);
		return true;
	}
	if (reading != LEAF_READ)
		return false;
	if (file->last.start_ticks != sample.start_ticks)
		forget(file);
	if (reader->uids) /* it may have changed: setuid(2) */
		read_uid(reader->root, file);
	sample.uid = file->last.uid;
	sample.uid_known = file->last.uid_known;
	struct change change = compare(file, reader, &sample);
	if (change.moved || sample.state == 'D')
		file->quiet = 0;
	else if (file->quiet < QUIET_READINGS)
		file->quiet = file->known ? file->quiet + 1 : QUIET_READINGS;
	bool live_known = read_threads(file, reader, &sample, &change, live, ended);
	if (sample.io_state == PRESENT)
		account(file, &sample, &change, live_known ? live : NULL, ended);
	note_wait(file, reader, &sample);
	file->writes = file->known && task_wrote(&file->last, &sample);
	file->last = sample;
	file->hides_threads = file->known && is_quiet(file, reader);
	file->known = true;
	file->again = false;
	return true;
}

bool task_file_read(struct task_file *file, struct reader *reader)
{
	enum { FILES = LEAVES };
	bool kept = leaves_kept(&file->leaf) > 0, keep = reader->room >= FILES, ran_known;
	struct task_ran ran;

	if (unchanged(file, reader, keep, &ran, &ran_known)) {
		task_file_stay(file, reader);
		return true;
	}
	/* one that is read for the first time may never run again */
	keep = keep && file->known;
	if (!read_once(file, reader, keep)) {
		task_file_close(file);
		/* the process is gone; another may have its PID */
		return kept && read_once(file, reader, keep);
	}
	if (file->last.threads > 1) /* each of them has its own */
		leaves_close(&file->leaf, LEAF_SCHED);
	file->settled = ran_known && file->last.threads == 1 && file->last.state != 'R';
	if (ran_known)
		file->ran = ran;
	return true;
}
