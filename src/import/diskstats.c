/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/diskstats, or the /proc/partitions of kernel 2.4: one snapshot gives
 * averages since boot without rates, two of the same machine give an interval. Its
 * length is known only where the text has times.
 */
#include "frame/devices.h"
#include "importer.h"
#include "sample/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An interval so long that no count over it is implausible. */
static const double endless_s = 1e9;

void diskstats_release(struct snapshots *snapshots)
{
	free(snapshots->now.device);
	free(snapshots->before.device);
	free(snapshots->now_fields);
	free(snapshots->before_fields);
	free(snapshots->wrapped);
}

/* ---- one line ---- */

static bool is_count(const struct word *word)
{
	for (size_t i = 0; i < word->n; i++)
		if (word->p[i] < '0' || word->p[i] > '9')
			return false;
	return word->n > 0;
}

static bool is_layout(size_t n)
{
	return n == DISK_BASIC || n == 14 || n == DISK_DISCARDS || n >= DISK_FLUSHES;
}

/*
 * The place of the name: "8 0 sda 1 2 3", and "8 0 8969493 sda 1 2 3" of kernel 2.4's
 * /proc/partitions. 0: there is none.
 */
static size_t name_place(const struct line *line)
{
	if (line->nword < 4 || !is_count(&line->word[0]) || !is_count(&line->word[1]) ||
	    line->word[0].n > 4 || line->word[1].n > 7)
		return 0;
	if (device_name_fits(&line->word[2]))
		return 2;
	return is_count(&line->word[2]) && device_name_fits(&line->word[3]) ? 3 : 0;
}

/* How many counters there are behind the name; a remark may follow. 0: no such line. */
static size_t counters(const struct line *line)
{
	size_t name = name_place(line), at = name + 1;

	if (!name)
		return 0;
	while (at < line->nword && is_count(&line->word[at]))
		at++;
	return at == line->nword || is_layout(at - name - 1) ? at - name - 1 : 0;
}

static const struct device_sample *find(const struct device_snapshot *snapshot, const char *name,
					size_t *at)
{
	for (size_t i = 0; i < snapshot->n; i++) {
		/* devices keep their order from snapshot to snapshot */
		size_t k = (*at + i) % snapshot->n;
		if (strcmp(snapshot->device[k].name, name) == 0) {
			*at = k;
			return &snapshot->device[k];
		}
	}
	return NULL;
}

/* A line of four counters is a partition of old kernels, where its disk is above it. */
static bool is_old_partition(const struct snapshots *s, const struct line *line)
{
	size_t disk = s->now.n;

	while (disk && s->now_fields[disk - 1] == DISK_PARTITION_OLD)
		disk--;
	if (!disk)
		return false;
	const char *name = s->now.device[disk - 1].name;
	size_t n = strlen(name);

	return line->word[2].n > n && memcmp(line->word[2].p, name, n) == 0;
}

/* ---- a pair of snapshots, or one ---- */

static void forget_rates(struct device_row *row)
{
	const struct value absent = value_absent(ABSENT_UNSUPPORTED);

	row->rrqm = row->wrqm = row->drqm = row->r = row->w = row->d = row->f = absent;
	row->rkb = row->wkb = row->dkb = row->util = row->avgqu_sz = absent;
	row->seconds = 0;
}

static void forget_times(struct device_row *row)
{
	const struct value absent = value_absent(ABSENT_UNSUPPORTED);

	row->await = row->r_await = row->w_await = row->d_await = row->f_await = absent;
	row->svctm = row->qwait = row->wait_pct = row->depth = row->util = row->avgqu_sz = absent;
}

/* Containers leave out times, or fill them with zeros. */
static void judge_counters(struct device_row *row, const struct device_sample *now, unsigned fields)
{
	const uint64_t *c = now->counter;
	bool timed = c[RD_MS] || c[WR_MS] || c[IO_MS];

	if (!timed && !c[WEIGHTED_MS] && c[RD_IOS] + c[WR_IOS])
		forget_times(row);
	if (fields == 14 || (timed && !c[WEIGHTED_MS])) {
		row->avgqu_sz = row->depth = value_absent(ABSENT_UNSUPPORTED);
		row->inflight = value_absent(ABSENT_UNSUPPORTED);
	}
}

static void add_row(struct import *import, const struct device_sample *before,
		    const struct device_sample *now, unsigned fields, double seconds)
{
	struct block *block = &import->block;
	size_t at = block_add(import, now->name, strlen(now->name), block->first_line);

	if (at == SIZE_MAX)
		return;
	struct device_row *row = &block->frame.device[at];
	device_row_build(row, before, now, seconds > 0 ? seconds : endless_s);
	row->seconds = seconds;
	if (seconds <= 0)
		forget_rates(row);
	judge_counters(row, now, fields);
	row->peak_await = row->peak_avgqu_sz = row->peak_util = value_absent(ABSENT_UNSUPPORTED);
}

static bool went_back(const struct device_sample *before, const struct device_sample *now)
{
	static const enum disk_counter counts[] = {RD_IOS, RD_SECTORS, WR_IOS, WR_SECTORS};

	for (size_t i = 0; i < 4; i++)
		if (now->counter[counts[i]] < before->counter[counts[i]])
			return true;
	return false;
}

/* How many devices of the last snapshot can be compared with the one before. */
static size_t comparable(const struct snapshots *s, unsigned long segment)
{
	size_t n = 0, at = 0;

	if (!s->have_before || s->segment != segment)
		return 0;
	for (size_t i = 0; i < s->now.n; i++) {
		const struct device_sample *before = find(&s->before, s->now.device[i].name, &at);
		n += before && s->before_fields[at] == s->now_fields[i] &&
		     !went_back(before, &s->now.device[i]);
	}
	return n;
}

static void emit_difference(struct import *import)
{
	struct snapshots *s = &import->snapshots;
	double seconds = stamp_difference(&s->before_stamp, &s->now_stamp);
	size_t at = 0;

	if (block_begin(import, IMPORT_DISKSTATS, s->before_line, BOOT_NEVER))
		return;
	import->block.made = true;
	import->block.seconds = seconds > 0 ? seconds : 0;
	import->block.stamp = s->now_stamp;
	for (size_t i = 0; i < s->now.n; i++) {
		const struct device_sample *before = find(&s->before, s->now.device[i].name, &at);
		if (before && s->before_fields[at] == s->now_fields[i] &&
		    !went_back(before, &s->now.device[i]))
			add_row(import, before, &s->now.device[i], s->now_fields[i],
				import->block.seconds);
	}
	import->block.last_line = s->last_line;
}

/* Averages since boot: all that one snapshot tells. */
static void emit_before(struct import *import)
{
	struct snapshots *s = &import->snapshots;

	if (block_begin(import, IMPORT_DISKSTATS, s->before_line, BOOT_CERTAIN))
		return;
	import->block.made = true;
	for (size_t i = 0; i < s->before.n; i++) {
		struct device_sample zero = {.layout = s->before.device[i].layout};
		add_row(import, &zero, &s->before.device[i], s->before_fields[i], 0);
	}
}

static void turn(struct snapshots *s, unsigned long segment, bool used)
{
	struct device_snapshot snapshot = s->before;
	unsigned *fields = s->before_fields;
	size_t cap = s->before_cap;

	s->before = s->now;
	s->before_fields = s->now_fields;
	s->before_cap = s->now_cap;
	s->before_stamp = s->now_stamp;
	s->before_line = s->now_line;
	s->now = snapshot;
	s->now_fields = fields;
	s->now_cap = cap;
	s->now.n = 0;
	s->have_before = true;
	s->before_used = used;
	s->segment = segment;
}

/* The snapshot that was read is whole. */
static void close_snapshot(struct import *import)
{
	struct snapshots *s = &import->snapshots;
	bool used = false;

	if (s->now.n == 0)
		return;
	if (comparable(s, import->context.segment)) {
		emit_difference(import);
		used = true;
	} else if (s->have_before && !s->before_used) {
		emit_before(import);
	}
	turn(s, import->context.segment, used);
}

/* ---- lines ---- */

static int reserve(struct snapshots *s)
{
	size_t cap = s->now_cap ? 2 * s->now_cap : 32;

	if (s->now.n < s->now_cap)
		return 0;
	struct device_sample *device = reallocarray(s->now.device, cap, sizeof(*device));
	if (!device)
		return -ENOMEM;
	s->now.device = device;
	unsigned *fields = reallocarray(s->now_fields, cap, sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	s->now_fields = fields;
	s->now_cap = cap;
	return 0;
}

/* The line as /proc/diskstats has it, into to. Its length; 0: it is too long. */
static size_t as_diskstats(char *to, size_t size, const struct line *line, size_t fields)
{
	const struct word *word = line->word, *name = &word[name_place(line)];
	const struct word *last = name + fields;
	int n = snprintf(to, size, "%.*s %.*s %.*s", (int)word[0].n, word[0].p, (int)word[1].n,
			 word[1].p, (int)(last->p + last->n - name->p), name->p);

	return (size_t)n < size ? (size_t)n : 0;
}

static void take_line(struct import *import, const struct line *whole, size_t fields)
{
	enum { LONGEST = 1024 };
	struct snapshots *s = &import->snapshots;
	struct device_snapshot one = {0};
	unsigned long line = whole->number;
	char text[LONGEST];
	size_t at = 0;

	import->error =
	    diskstats_parse(text, as_diskstats(text, sizeof(text), whole, fields), &one);
	if (!import->error && one.n == 1) {
		if (s->now.n && find(&s->now, one.device[0].name, &at))
			close_snapshot(import);
		if (s->now.n == 0) {
			s->now_line = line;
			s->now_stamp = import->context.stamp;
			import->context.stamp.known = false;
		}
		if (s->now.n < SNAPSHOT_DEVICES_MAX)
			import->error = reserve(s);
		if (!import->error && s->now.n < SNAPSHOT_DEVICES_MAX) {
			s->now_fields[s->now.n] = (unsigned)fields;
			s->now.device[s->now.n++] = one.device[0];
		}
		s->last_line = line;
		import_met(import, IMPORT_DISKSTATS, line);
	}
	free(one.device);
}

/* Keeps the beginning of a line that mail broke. */
static void keep(struct import *import, const struct line *line)
{
	struct snapshots *s = &import->snapshots;

	if (!s->wrapped)
		s->wrapped = malloc(LINE_BYTES_MAX);
	if (!s->wrapped) {
		import->error = -ENOMEM;
		return;
	}
	memcpy(s->wrapped, line->p, line->n);
	s->nwrapped = line->n;
	s->wrapped_line = line->number;
}

/* The rest of it. */
static bool complete(struct import *import, const struct line *line)
{
	struct snapshots *s = &import->snapshots;
	struct line whole = {.p = s->wrapped, .number = s->wrapped_line};
	struct number_style style = import->style;

	if (!s->nwrapped || line->numbers != line->nword ||
	    s->nwrapped + 1 + line->n > LINE_BYTES_MAX)
		return false;
	s->wrapped[s->nwrapped] = ' ';
	memcpy(s->wrapped + s->nwrapped + 1, line->p, line->n);
	whole.n = s->nwrapped + 1 + line->n;
	s->nwrapped = 0;
	line_words(&whole, &style);
	size_t n = counters(&whole);
	if (is_layout(n))
		take_line(import, &whole, n);
	else if (n && n < DISK_BASIC) /* and broken again */
		s->nwrapped = whole.n;
	return is_layout(n) || s->nwrapped;
}

bool diskstats_line(struct import *import, const struct line *line)
{
	struct snapshots *s = &import->snapshots;
	size_t n;

	if ((line->numbers < 2 && !s->nwrapped) || !is_count(&line->word[0]))
		return false;
	if (complete(import, line))
		return true;
	s->nwrapped = 0;
	n = counters(line);
	if (n == 0)
		return false;
	if (n == DISK_PARTITION_OLD ? is_old_partition(s, line) : is_layout(n)) {
		take_line(import, line, n);
		return true;
	}
	if (n < DISK_FLUSHES)
		keep(import, line);
	return n < DISK_FLUSHES;
}

/* Something else stands here: what was read so far is whole. */
void diskstats_pause(struct import *import)
{
	close_snapshot(import);
	import->snapshots.nwrapped = 0;
}

void diskstats_end(struct import *import)
{
	struct snapshots *s = &import->snapshots;

	close_snapshot(import);
	if (s->have_before && !s->before_used)
		emit_before(import);
}
