/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters and rates: from two samples to a device row, a task row, a frame.
 */
#include "bytes.h"

#include "frame/build.h"
#include "frame/counter.h"
#include "frame/devices.h"

#include <math.h>

enum { SECOND = 1000000000 };

static void is_value(struct value v, double expected, const char *what)
{
	if (v.why != PRESENT)
		fail_msg("%s is absent (%d)", what, v.why);
	if (fabs(v.n - expected) > 1e-9 * fmax(1, fabs(expected)))
		fail_msg("%s is %.12g, not %.12g", what, v.n, expected);
}

#define assert_value(v, expected) is_value(v, expected, #v)
#define assert_absent(v, reason) assert_int_equal((v).why, reason)

/* ---- counters ---- */

static void test_counter_delta(void **state)
{
	const uint64_t top = (uint64_t)1 << 32;
	const struct {
		uint64_t was, now;
		bool ok;
		uint64_t delta;
	} cases[] = {
	    {0, 0, true, 0},
	    {5, 7, true, 2},
	    {500, 499, false, 0},
	    {UINT64_MAX, 3, false, 0},
	    {0, UINT64_MAX, true, UINT64_MAX},
	    {top - 10, 10, true, 20}, /* a 32-bit wrap */
	    {top - 1, 0, true, 1},
	    {top, 0, false, 0},
	    {top / 2, 10, false, 0}, /* too far from the end */
	    {top - 10, top / 2, false, 0},
	    {top - 10, top + 10, true, 20}, /* 64 bits go on */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t delta = 77;

		assert_int_equal(counter_delta(cases[i].was, cases[i].now, &delta), cases[i].ok);
		assert_int_equal(delta, cases[i].delta);
	}
}

static void test_counter_delta_ms(void **state)
{
	const uint64_t top = (uint64_t)1 << 32;
	const struct {
		uint64_t was, now;
		bool ok;
		uint64_t delta;
	} cases[] = {
	    {0, 5, true, 5},
	    {4294967200, 104, true, 200},
	    {4294967290, 210, true, 216},
	    {top / 2, 0, true, top / 2}, /* a deep queue: half the range in one interval */
	    {top / 2 - 1, 0, false, 0},
	    {1000, 999, false, 0},
	    {top + 5, 4, false, 0},
	    {UINT64_MAX, 0, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t delta = 77;

		assert_int_equal(counter_delta_ms(cases[i].was, cases[i].now, &delta), cases[i].ok);
		assert_int_equal(delta, cases[i].delta);
	}
	assert_value(ratio(1, 4), 0.25);
	assert_absent(ratio(1, 0), ABSENT_IDLE);
	assert_absent(ratio(0, 0), ABSENT_IDLE);
}

/* ---- a device ---- */

static struct device_sample sample_of(const char *name, enum disk_layout layout)
{
	struct device_sample sample = {.layout = layout};

	snprintf(sample.name, sizeof(sample.name), "%s", name);
	return sample;
}

static void test_device_row(void **state)
{
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
	struct device_row row;

	(void)state;
	for (int c = 0; c < DISK_COUNTERS; c++)
		before.counter[c] = 1000, now.counter[c] = 1000 + 10 * (uint64_t)(c + 1);
	device_row_build(&row, &before, &now, 2);
	assert_int_equal(row.why, PRESENT);
	assert_true(row.ios == 10 + 50 + 120);
	assert_value(row.r, 5);
	assert_value(row.rrqm, 10);
	assert_value(row.rkb, 7.5);
	assert_value(row.r_await, 4);
	assert_value(row.w, 25);
	assert_value(row.wkb, 17.5);
	assert_value(row.d, 60);
	assert_value(row.dkb, 35);
	assert_value(row.f, 80);
	assert_value(row.f_await, 170.0 / 160);
	assert_value(row.await, (40 + 80 + 150) / 180.0);
	assert_value(row.avgrq_sz, (30 + 70 + 140) / 180.0);
	assert_value(row.areq_sz, row.avgrq_sz.n / 2);
	assert_value(row.avgqu_sz, 0.055);
	assert_value(row.util, 5);
	assert_value(row.svctm, 100 / 180.0);
	assert_value(row.qwait, row.await.n - row.svctm.n);
	assert_value(row.wait_pct, 100 * row.qwait.n / row.await.n);
	assert_value(row.depth, 1.1);
	assert_value(row.inflight, 1090);
	assert_int_equal(row.inflight_was, 1000);
}

static void test_device_row_denominators(void **state)
{
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
	struct device_row row;

	(void)state;
	now.counter[RD_IOS] = 10;
	now.counter[RD_MS] = 200;
	for (double t = 0.01; t < 1e5; t *= 10) {
		device_row_build(&row, &before, &now, t);
		assert_value(row.r_await, 20);
		assert_value(row.await, 20);
		assert_value(row.r, 10 / t);
		assert_absent(row.w_await, ABSENT_IDLE);
	}
	/* a request longer than the interval; no request at all; no time at all */
	now.counter[RD_IOS] = 1;
	device_row_build(&row, &before, &now, 0.01);
	assert_value(row.r_await, 200);
	device_row_build(&row, &before, &before, 1);
	assert_value(row.r, 0);
	assert_absent(row.await, ABSENT_IDLE);
	assert_absent(row.svctm, ABSENT_IDLE);
	device_row_build(&row, &before, &now, 0);
	assert_absent(row.r, ABSENT_NEW);
	device_row_build(&row, NULL, &now, 1);
	assert_int_equal(row.why, ABSENT_NEW);
}

/* Each figure of a row that is present is a number one can print. */
static void assert_sane(const struct device_row *row)
{
	const struct value *figure = &row->rrqm;

	for (; figure <= &row->inflight; figure++)
		if (figure->why == PRESENT)
			assert_true(isfinite(figure->n) && figure->n >= 0);
}

static void test_device_row_absence(void **state)
{
	struct device_info off = {.iostats = 0},
			   partition = {.iostats = 1, .class = DEVICE_PARTITION};
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now;
	struct device_row row;

	(void)state;
	for (int c = 0; c < DISK_COUNTERS; c++)
		before.counter[c] = 500;
	for (int c = 0; c < DISK_COUNTERS; c++) {
		bool time = c == RD_MS || c == WR_MS || c == DC_MS || c == FL_MS || c == IO_MS ||
			    c == WEIGHTED_MS;

		now = before;
		now.counter[RD_IOS] += c == RD_IOS ? 0 : 10;
		now.counter[c]--;
		device_row_build(&row, &before, &now, 1);
		assert_int_equal(row.why, time || c == IN_FLIGHT ? PRESENT : ABSENT_RESET);
		assert_sane(&row);
	}
	now = before;
	now.diskseq = 1;
	device_row_build(&row, &before, &now, 1);
	assert_int_equal(row.why, ABSENT_RESET);
	now = before;
	now.info = &off;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.r, ABSENT_OFF);
	/* a layer says so on older kernels and counts nevertheless */
	off.class = DEVICE_DM;
	now.counter[IN_FLIGHT] = 0;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.r, ABSENT_OFF);
	now.counter[IN_FLIGHT] = 4; /* or hangs */
	device_row_build(&row, &before, &now, 1);
	assert_true(row.r.n == 0);
	now.counter[RD_IOS] += 10;
	device_row_build(&row, &before, &now, 1);
	assert_true(row.r.n == 10);
	now.info = &partition;
	now.counter[FL_IOS] += 5;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.f, ABSENT_UNSUPPORTED);
	now.counter[RD_SECTORS] += (uint64_t)3 << 31; /* 1.5 TiB in a second */
	device_row_build(&row, &before, &now, 1);
	assert_int_equal(row.why, ABSENT_IMPLAUSIBLE);
	now.counter[IN_FLIGHT] = UINT64_MAX;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.inflight, ABSENT_IMPLAUSIBLE);
}

static void test_device_row_any_counters(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
		struct device_row row;

		for (int c = 0; c < DISK_COUNTERS; c++) {
			before.counter[c] = (uint64_t)die(&seed) << die(&seed) % 33;
			now.counter[c] =
			    before.counter[c] + ((uint64_t)die(&seed) >> die(&seed) % 33);
			if (die(&seed) % 16 == 0)
				now.counter[c] = (uint64_t)die(&seed) << 32 | die(&seed);
		}
		device_row_build(&row, &before, &now, 0.001 * (1 + die(&seed) % 5000));
		assert_sane(&row);
	}
}

/* ---- frames ---- */

struct pair {
	struct snapshot before, now;
	struct device_sample was[8], is[8];
	struct device_info info[8];
	struct frame frame;
};

static void pair_start(struct pair *pair, double seconds)
{
	memset(pair, 0, sizeof(*pair));
	pair->before.devices = (struct device_snapshot){.mono_ns = SECOND, .device = pair->was};
	pair->now.devices = (struct device_snapshot){.mono_ns = (int64_t)((1 + seconds) * SECOND),
						     .device = pair->is};
	pair->before.system.mono_ns = pair->before.mono_ns = pair->before.boot_ns = SECOND;
	pair->now.system.mono_ns = pair->now.mono_ns = pair->now.boot_ns =
	    pair->now.devices.mono_ns;
}

/* A disk that read this much. */
static void pair_add(struct pair *pair, const char *name, enum device_class class,
		     const char *parent, uint64_t reads)
{
	size_t n = pair->now.devices.n;

	pair->info[n].class = class;
	pair->info[n].iostats = 1;
	snprintf(pair->info[n].parent, DEVICE_NAME_MAX, "%s", parent);
	pair->is[n] = sample_of(name, DISK_FLUSHES);
	pair->is[n].info = &pair->info[n];
	pair->was[n] = pair->is[n];
	pair->is[n].counter[RD_IOS] = reads;
	pair->is[n].counter[RD_SECTORS] = 2 * reads;
	pair->before.devices.n = ++pair->now.devices.n;
}

static const struct device_row *row_named(const struct frame *frame, const char *name)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		if (strcmp(frame->device[i].name, name) == 0)
			return &frame->device[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void test_frame_totals(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda1", DEVICE_PARTITION, "sda", 100);
	pair_add(&pair, "dm-0", DEVICE_DM, "", 100);
	pair_add(&pair, "nvme0c0n1", DEVICE_PATH, "nvme0n1", 100);
	pair_add(&pair, "nvme0c1n1", DEVICE_PATH, "nvme0n1", 50);
	pair_add(&pair, "nvme0n1", DEVICE_DISK, "", 0);
	pair_add(&pair, "sda", DEVICE_DISK, "", 100);
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_int_equal(pair.frame.ndevice, 6);
	assert_value(pair.frame.system.done_rkb, 125);
	assert_value(row_named(&pair.frame, "nvme0n1")->r, 75);
	assert_true(row_named(&pair.frame, "nvme0n1")->folded);
	assert_true(row_named(&pair.frame, "nvme0c0n1")->hidden);
	assert_false(row_named(&pair.frame, "nvme0c0n1")->counts_in_totals);
	/* a disk is followed by its partitions, whatever the order was */
	assert_true(row_named(&pair.frame, "sda1") == row_named(&pair.frame, "sda") + 1);
	frame_release(&pair.frame);
}

static void test_frame_clocks(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda", DEVICE_DISK, "", 20);
	pair.before.epoch = 5000;
	pair.now.epoch = 1400; /* set back an hour */
	pair.now.boot_ns += 3600LL * SECOND;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_value(pair.frame.device[0].r, 10);
	assert_true(pair.frame.suspended && pair.frame.seconds == 2 && pair.frame.epoch == 1400);
	pair.now.boot_ns = pair.now.mono_ns;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_false(pair.frame.suspended);
	pair.now.uptime_s = 10;
	assert_int_equal(frame_build(&pair.frame, NULL, &pair.now), 0);
	assert_true(pair.frame.since_boot && pair.frame.device[0].since_boot);
	assert_value(pair.frame.device[0].r, 2);
	frame_release(&pair.frame);
}

/* ---- tasks ---- */

/* It did so much itself. */
static void did(struct task_sample *task, enum task_counter counter, uint64_t n)
{
	task->counter[counter] += n;
	task->own[counter] += n;
}

static void test_frame_tasks(void **state)
{
	struct task_sample was[] = {{.pid = 5, .start_ticks = 1, .mono_ns = SECOND, .threads = 1},
				    {.pid = 7, .start_ticks = 100, .mono_ns = SECOND, .threads = 1},
				    {.pid = 8, .start_ticks = 1, .mono_ns = SECOND, .threads = 1},
				    {.pid = 9, .start_ticks = 1, .mono_ns = SECOND, .threads = 1}};
	struct task_sample is[] = {
	    {.pid = 7, .start_ticks = 900, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 8, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 9, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 11, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1}};
	struct task_snapshot before = {.task = was, .n = 4},
			     now = {.task = is, .n = 4, .unreadable = 1};
	struct frame frame = {.system.delayacct = 1};

	(void)state;
	did(&is[0], TASK_READ_BYTES, 4096);
	did(&is[1], TASK_READ_BYTES, 4096);
	did(&is[1], TASK_RCHAR, 8192);
	did(&is[1], TASK_SYSCR, 4);
	is[2].io_state = ABSENT_DENIED;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_int_equal(frame.ntask, 4);
	assert_absent(frame.task[0].rkb, ABSENT_NEW); /* the PID is used again */
	assert_value(frame.task[1].rkb, 2);
	assert_value(frame.task[1].bytes_call, 2048);
	assert_value(frame.task[1].cache_pct, 50);
	assert_absent(frame.task[2].rkb, ABSENT_DENIED);
	assert_absent(frame.task[3].rkb, ABSENT_NEW);
	assert_value(frame.system.asked_rkb, 2);
	assert_value(frame.system.tasks, 4);
	assert_value(frame.system.unreadable, 1);
	assert_int_equal(frame_build_tasks(&frame, &before, &now, WALK_KEPT, false), 0);
	assert_true(frame.task[1].late);
	assert_value(frame.task[1].rkb, 2);
	assert_int_equal(frame.tasks_state, ABSENT_LATE);
	assert_false(value_known(frame.system.asked_rkb));
	assert_int_equal(frame_build_tasks(&frame, &before, &now, WALK_LATE, false), 0);
	for (size_t i = 0; i < frame.ntask; i++)
		assert_absent(frame.task[i].rkb, ABSENT_LATE);
	assert_int_equal(frame_build_tasks(&frame, NULL, &now, false, false), 0);
	assert_absent(frame.task[1].rkb, ABSENT_NEW);
	frame_release(&frame);
}

/* A walk that began at second `begun`, or rather that many hundred ticks after boot. */
static struct task_snapshot walk(struct task_sample *task, size_t n, struct task_sample *thread,
				 size_t nthread, int begun)
{
	return (struct task_snapshot){.task = task,
				      .n = n,
				      .thread = thread,
				      .nthread = nthread,
				      .begun_ns = (int64_t)begun * SECOND,
				      .begun_ticks = (uint64_t)begun * 100};
}

static struct task_sample sample_at(int32_t pid, int32_t tid, int second)
{
	return (struct task_sample){.pid = pid,
				    .tid = tid,
				    .ppid = 1,
				    .start_ticks = 1,
				    .threads = 1,
				    .state = 'S',
				    .mono_ns = (int64_t)second * SECOND};
}

static void test_frame_inherited(void **state)
{
	/* a shell; its child and grandchild, gone; another's child, gone; a child that stays */
	struct task_sample was[] = {sample_at(5, 0, 1), sample_at(6, 0, 1), sample_at(7, 0, 1),
				    sample_at(8, 0, 1), sample_at(9, 0, 1)};
	struct task_sample is[] = {sample_at(5, 0, 3), sample_at(6, 0, 3), sample_at(9, 0, 3)};
	struct task_snapshot before = walk(was, 5, NULL, 0, 1), now = walk(is, 3, NULL, 0, 3);
	struct frame frame = {.system.delayacct = -1};

	(void)state;
	was[1].ppid = is[1].ppid = 5;
	was[2].ppid = 5;
	was[3].ppid = 7;
	was[4].ppid = is[2].ppid = 7;
	for (size_t i = 1; i < 5; i++)
		did(&was[i], TASK_WRITE_BYTES, 1024);
	did(&is[0], TASK_READ_BYTES, 2048);
	is[0].counter[TASK_WRITE_BYTES] = 8192;
	did(&is[1], TASK_WRITE_BYTES, 1024);
	did(&is[2], TASK_WRITE_BYTES, 1024);
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].rkb, 1);
	assert_value(frame.task[0].wkb, 0);
	assert_value(frame.task[0].inh_rkb, 0);
	assert_value(frame.task[0].inh_wkb, 3); /* 8 less one of each that is gone */
	assert_value(frame.task[1].inh_wkb, 0);
	assert_value(frame.system.asked_wkb, 3);
	/* never below 0, and not from a child nobody may read */
	was[2].counter[TASK_WRITE_BYTES] = 1 << 20;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 0);
	was[2].io_state = ABSENT_DENIED;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 3.5);
	/* parents in a circle, as used PIDs might make them, end the search */
	was[2].ppid = 8;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 4);
	frame_release(&frame);
}

static void test_frame_born(void **state)
{
	struct task_sample was[] = {sample_at(5, 0, 1)};
	struct task_sample is[] = {sample_at(5, 0, 3), sample_at(6, 0, 3), sample_at(7, 0, 3)};
	struct task_snapshot before = walk(was, 1, NULL, 0, 1), now = walk(is, 3, NULL, 0, 3);
	struct frame frame = {.system.delayacct = -1};

	(void)state;
	is[0].start_ticks = 150; /* another process, and it is from this interval */
	is[1].start_ticks = 99;  /* it was there, but not to be read */
	is[2].start_ticks = 100;
	for (size_t i = 0; i < 3; i++) {
		did(&is[i], TASK_WRITE_BYTES, 4096);
		is[i].blkio_ticks = 20;
	}
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].wkb, 2);
	assert_value(frame.task[0].io_pct, 10);
	assert_absent(frame.task[1].wkb, ABSENT_NEW);
	assert_absent(frame.task[1].io_pct, ABSENT_NEW);
	assert_value(frame.task[2].wkb, 2);
	before.begun_ticks = 0; /* unknown */
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_absent(frame.task[2].wkb, ABSENT_NEW);
	frame_release(&frame);
}

/* Process 5 with two threads. */
struct threaded {
	struct task_sample was[1], is[1], thread_was[2], thread_is[2];
	struct task_snapshot before, now;
	struct frame frame;
};

static void threaded_start(struct threaded *t)
{
	frame_release(&t->frame);
	*t = (struct threaded){.was = {sample_at(5, 0, 1)},
			       .is = {sample_at(5, 0, 3)},
			       .thread_was = {sample_at(5, 5, 1), sample_at(5, 7, 1)},
			       .thread_is = {sample_at(5, 5, 3), sample_at(5, 7, 3)},
			       .frame = {.system.delayacct = 1}};
	t->was[0].threads = t->is[0].threads = 2;
	t->before = walk(t->was, 1, t->thread_was, 2, 1);
	t->now = walk(t->is, 1, t->thread_is, 2, 3);
}

static const struct task_row *threaded_row(struct threaded *t)
{
	assert_int_equal(frame_build_tasks(&t->frame, &t->before, &t->now, false, false), 0);
	assert_int_equal(t->frame.ntask, 1);
	return &t->frame.task[0];
}

static void test_frame_worst_thread(void **state)
{
	struct threaded t = {0};

	(void)state;
	threaded_start(&t);
	t.thread_is[0].blkio_ticks = t.is[0].blkio_ticks = 20;
	t.thread_is[1].blkio_ticks = 60;
	assert_value(threaded_row(&t)->io_pct, 30);
	assert_value(threaded_row(&t)->blocked_threads, 0);
	assert_int_equal(threaded_row(&t)->state, 'S');
	/* a wait that goes on is longer than any that is over */
	t.thread_was[0].state = t.thread_is[0].state = 'D';
	t.thread_is[0].blkio_ticks = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_LATE);
	assert_value(threaded_row(&t)->blocked_threads, 1);
	assert_int_equal(threaded_row(&t)->state, 'D');
	/* one that has ended is in no state that matters, the busiest of the others is */
	threaded_start(&t);
	t.is[0].state = t.thread_is[0].state = 'Z';
	assert_int_equal(threaded_row(&t)->state, 'S');
	t.thread_is[1].state = 'R';
	assert_int_equal(threaded_row(&t)->state, 'R');
	t.now.nthread = 0;
	assert_int_equal(threaded_row(&t)->state, 'Z');
	/* one that is older than the switch is unknown; the other may be worse */
	threaded_start(&t);
	t.frame.system.delayacct_since_ticks = 50;
	t.thread_is[1].blkio_ticks = 60;
	assert_value(threaded_row(&t)->io_pct, 30);
	t.thread_is[1].start_ticks = t.thread_was[1].start_ticks = 60;
	t.thread_is[1].blkio_ticks = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_OLDER);
	/* threads that were not read before, or are not now */
	threaded_start(&t);
	t.before.nthread = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_NEW);
	t.now.nthread = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_UNREAD);
	assert_absent(threaded_row(&t)->blocked_threads, ABSENT_UNREAD);
	did(&t.is[0], TASK_RCHAR, 1);
	assert_absent(threaded_row(&t)->io_pct, ABSENT_UNSUPPORTED);
	t.frame.system.delayacct = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_OFF);
	frame_release(&t.frame);
}

static void assert_threads(struct threaded *t, double main_own, double main_inherited, double other)
{
	assert_int_equal(frame_build_tasks(&t->frame, &t->before, &t->now, false, true), 0);
	assert_int_equal(t->frame.ntask, t->now.nthread);
	assert_int_equal(t->frame.task[0].kind, TASK_THREAD);
	assert_value(t->frame.task[0].wkb, main_own);
	assert_value(t->frame.task[0].inh_wkb, main_inherited);
	if (t->now.nthread > 1)
		assert_value(t->frame.task[1].wkb, other);
	assert_value(t->frame.system.asked_wkb, main_own + main_inherited + other);
}

static void test_frame_thread_rows(void **state)
{
	struct threaded t = {0};

	(void)state;
	threaded_start(&t);
	did(&t.thread_is[0], TASK_WRITE_BYTES, 2048);
	did(&t.thread_is[1], TASK_WRITE_BYTES, 6144);
	did(&t.is[0], TASK_WRITE_BYTES, 8192);
	assert_threads(&t, 1, 0, 3);
	/* children it waited for go to the main thread */
	t.is[0].counter[TASK_WRITE_BYTES] += 4096;
	assert_threads(&t, 1, 2, 3);
	/* so does what a thread did that ended, but that is no child's */
	t.thread_was[1].tid = 6;
	t.thread_is[1].start_ticks = 200;
	did(&t.is[0], TASK_WRITE_BYTES, 10240);
	did(&t.is[0], TASK_CANCELLED_BYTES, 4096);
	assert_threads(&t, 6, 2, 3);
	assert_value(t.frame.task[0].ckb, 2);
	/* the other thread is new, and there was but one */
	threaded_start(&t);
	t.was[0].threads = 1;
	t.before.nthread = 0;
	t.thread_is[1].start_ticks = 200;
	did(&t.was[0], TASK_WRITE_BYTES, 1 << 20);
	did(&t.is[0], TASK_WRITE_BYTES, (1 << 20) + 8192);
	did(&t.thread_is[0], TASK_WRITE_BYTES, 1 << 19);
	did(&t.thread_is[1], TASK_WRITE_BYTES, 6144);
	assert_threads(&t, 1, 0, 3);
	/* a process without threads read is one row, as a whole */
	t.now.nthread = 0;
	assert_int_equal(frame_build_tasks(&t.frame, &t.before, &t.now, false, true), 0);
	assert_int_equal(t.frame.ntask, 1);
	assert_int_equal(t.frame.task[0].kind, TASK_PROCESS);
	assert_value(t.frame.task[0].wkb, 4);
	assert_true(t.frame.threads);
	frame_release(&t.frame);
}

static void test_frame_unattributed(void **state)
{
	struct task_sample was[] = {sample_at(5, 0, 1)}, is[] = {sample_at(5, 0, 3)};
	struct task_snapshot before = walk(was, 1, NULL, 0, 1), now = walk(is, 1, NULL, 0, 3);
	struct pair pair;
	struct frame *frame = &pair.frame;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda", DEVICE_DISK, "", 40);
	pair_add(&pair, "dm-0", DEVICE_DM, "", 40);
	did(&is[0], TASK_READ_BYTES, 10240);
	assert_int_equal(frame_build(frame, &pair.before, &pair.now), 0);
	assert_absent(frame->system.unattributed_rkb, ABSENT_OFF);
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_int_equal(frame->ntask, 2);
	assert_int_equal(frame->task[0].kind, TASK_UNATTRIBUTED);
	assert_int_equal(frame->task[0].task->pid, 0);
	assert_value(frame->task[0].rkb, 15);
	assert_value(frame->task[0].wkb, 0);
	assert_value(frame->system.unattributed_rkb, 15);
	assert_string_equal(frame->task[0].command, "(unattributed)");
	now.unreadable = 1; /* of one */
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_string_equal(frame->task[0].command, "(unattributed) 1 task unreadable");
	frame->system.others_hidden = true;
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_string_equal(frame->task[0].command,
			    "(unattributed) other users' tasks hidden, 1 task unreadable");
	assert_int_equal(frame_build_tasks(frame, &before, &now, true, false), 0);
	assert_absent(frame->task[0].rkb, ABSENT_LATE);
	assert_true(frame->task[0].late);
	assert_int_equal(frame_build_tasks(frame, NULL, &now, false, false), 0);
	assert_absent(frame->task[0].rkb, ABSENT_NEW);
	assert_int_equal(frame_build(frame, NULL, &pair.now), 0);
	assert_int_equal(frame->ntask, 0);
	frame_release(frame);
}

static void test_frame_forks(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_absent(pair.frame.system.forks, ABSENT_UNSUPPORTED);
	pair.now.system.forks = 130;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_absent(pair.frame.system.forks, ABSENT_NEW);
	pair.before.system.forks = 100;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_value(pair.frame.system.forks, 15);
	pair.now.uptime_s = 10;
	assert_int_equal(frame_build(&pair.frame, NULL, &pair.now), 0);
	assert_value(pair.frame.system.forks, 13);
	frame_release(&pair.frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counter_delta),
	    cmocka_unit_test(test_counter_delta_ms),
	    cmocka_unit_test(test_device_row),
	    cmocka_unit_test(test_device_row_denominators),
	    cmocka_unit_test(test_device_row_absence),
	    cmocka_unit_test(test_device_row_any_counters),
	    cmocka_unit_test(test_frame_totals),
	    cmocka_unit_test(test_frame_clocks),
	    cmocka_unit_test(test_frame_tasks),
	    cmocka_unit_test(test_frame_inherited),
	    cmocka_unit_test(test_frame_born),
	    cmocka_unit_test(test_frame_worst_thread),
	    cmocka_unit_test(test_frame_thread_rows),
	    cmocka_unit_test(test_frame_unattributed),
	    cmocka_unit_test(test_frame_forks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
