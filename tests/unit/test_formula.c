/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formula of each rule: what it compared, with the figures and thresholds.
 */
#include "world.h"

static const struct numbers WAITS = {0, 200, 0, 3200, 24, 120, 5, 100};
static const struct numbers LITTLE = {0, 200, 0, 3200, 0.1, 0.5, 0.5, 10};

/* One frame of one device. */
static void device(struct world *world, struct numbers is, int rotational)
{
	world_start(world, 1);
	world_add(world, "sda", is);
	world->info[0].rotational = rotational;
}

/* ---- of devices ---- */

static void stalled(struct world *world)
{
	device(world, NOTHING, 0);
	world_stuck(world, 0, 4);
	world_tick(world);
}

static void throttled(struct world *world)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct task_row *task;

	device(world, (struct numbers){256, 0, 1000, 0, 0.03, 0.1, 0.1, 3}, 0);
	task = world_task(world, 77, "dd");
	task->state = 'D';
	task->rkb = value_of(1000);
	world->use[0].limits_read = true;
	world->use[0].nlimit = 1;
	world->use[0].limit[0] = (struct io_limit){
	    .rkb = value_of(1024), .wkb = none, .riops = none, .wiops = none, .cgroup = "/jobs"};
	world_tick(world);
}

static void starved(struct world *world)
{
	device(world, NOTHING, 0);
	world_diagnosis(world, DIAGNOSIS_LIVE, 0);
	for (int i = 0; i < 7; i++) {
		bool calm = i < 4;

		world_numbers(world, 0,
			      calm
				  ? (struct numbers){6000, 300, 50000, 4000, 2.1, 0.32, 0.14, 90}
				  : (struct numbers){100, 26000, 900, 318000, 140, 5.4, 0.04, 100});
		world_kinds(world, 0, calm ? 0.2 : 28, calm ? 2.6 : 5.3, 0, 0);
		world_tick(world);
	}
}

static void gap(struct world *world)
{
	world_start(world, 1);
	world_add(world, "sdb", LITTLE);
	world_add(world, "sda", WAITS);
	world->info[1].class = DEVICE_DM;
	world_stack(world, 1, "sdb");
	world_tick(world);
}

static void legs(struct world *world)
{
	static const struct numbers quick = {100, 100, 3200, 3200, 0.6, 3, 2, 40};

	device(world, (struct numbers){98, 97, 3100, 3150, 12, 62, 5, 98}, -1);
	world_add(world, "sdb", quick);
	world_add(world, "sdc", quick);
	for (int i = 0; i < 3; i++)
		snprintf(world->info[i].pool, DEVICE_NAME_MAX, "btrfs 1234");
	world_tick(world);
}

static void capped(struct world *world)
{
	device(world, NOTHING, 0);
	world_diagnosis(world, DIAGNOSIS_LIVE, 0);
	for (int i = 0; i < 8; i++) {
		double queue = i % 2 ? 80 : 20;

		world_numbers(world, 0,
			      (struct numbers){0, 2000, 0, 32000, queue, queue / 2, 0.5, 100});
		world_tick(world);
	}
}

static void flushes(struct world *world)
{
	device(world, (struct numbers){0, 80, 0, 640, 1.0, 6.1, 6.1, 99}, -1);
	world_kinds(world, 0, 0, 6.1, 80, 6.2);
	world_tick(world);
}

static void flushes_likely(struct world *world)
{
	device(world, (struct numbers){0, 60, 0, 480, 1.9, 16, 16, 96}, -1);
	world_tick(world);
}

static void shallow(struct world *world)
{
	device(world, (struct numbers){0, 400, 0, 3200, 12, 30, 2.5, 100}, 0);
	world->info[0].queue_depth = 2;
	world_tick(world);
}

static void serial(struct world *world)
{
	device(world, SERIAL, -1);
	world_tick(world);
}

static void serial_against_util(struct world *world)
{
	device(world, (struct numbers){82.6, 0, 330, 0, 0.96, 12.09, 1.02, 8.43}, -1);
	world->row[0].inflight = value_of(1);
	world_tick(world);
}

static void burst(struct world *world)
{
	device(world, (struct numbers){0, 47, 0, 15180, 7.74, 323, 6.47, 40}, -1);
	world_tick(world);
}

static void queueing(struct world *world)
{
	device(world, DEEP, -1);
	world_tick(world);
}

/* As AIX reports: service and queue times, neither a queue nor await. */
static void queueing_measured(struct world *world)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct device_row *row = &world->row[0];

	device(world, (struct numbers){30, 130, 240, 1100, 0, 0, 0, 99}, -1);
	row->avgqu_sz = row->await = row->svctm = none;
	row->avserv = value_of(30);
	row->avwait = value_of(60);
	world_tick(world);
}

/* A queue that %util alone bears out. */
static void queueing_busy(struct world *world)
{
	device(world, (struct numbers){20, 20, 160, 160, 9, 50, 9, 99}, -1);
	world_tick(world);
}

static void seeks(struct world *world)
{
	device(world, (struct numbers){180, 10, 1500, 80, 4, 24, 5.2, 99}, 1);
	world_tick(world);
}

static void slow(struct world *world)
{
	device(world, (struct numbers){20, 0, 80, 0, 0.50, 25, 25, 50}, 1);
	world_tick(world);
}

static void busy(struct world *world)
{
	device(world, (struct numbers){56000, 0, 221000, 0, 23, 0.41, 0.02, 100}, 0);
	world_tick(world);
}

static void fault(struct world *world)
{
	device(world, (struct numbers){150, 0, 600, 0, 2, 4, 6.6, 147}, -1);
	world_tick(world);
}

static void fault_of_bytes(struct world *world)
{
	device(world, (struct numbers){0, 0, 0, 340288, 760, 0, 0, 10}, -1);
	world_tick(world);
}

static void unaccounted(struct world *world)
{
	device(world, (struct numbers){0, 1500, 0, 7000, 0, 0, 0, 0}, -1);
	world_tick(world);
}

/* ---- of tasks ---- */

static void contention(struct world *world)
{
	world_start(world, 1);
	for (int i = 0; i < 3; i++) {
		world_task(world, 500 + i, "fio")->state = 'D';
		snprintf(world->sample[i].wchan, WCHAN_MAX, "ext4_file_write_iter");
		world_file(world, i, "/data/one", 0, 'w');
	}
	world_tick(world);
}

static void sync_writer(struct world *world)
{
	device(world, SERIAL, -1);
	world_task(world, 500, "walwriter")->wkb = value_of(1300);
	snprintf(world->use[0].mode, sizeof(world->use[0].mode), "S");
	world_tick(world);
}

static void sync_journal(struct world *world)
{
	world_start(world, 1);
	world_task(world, 500, "etcd")->wkb = value_of(2000);
	world_task(world, 501, "other")->wkb = value_of(400);
	world_task(world, 502, "jbd2/sda1-8")->io_pct = value_of(39);
	world_tick(world);
}

static void direct(struct world *world)
{
	struct task_row *task;

	world_start(world, 1);
	task = world_task(world, 500, "dd");
	task->rkb = value_of(4000);
	task->syscr = value_of(1000);
	snprintf(world->use[0].mode, sizeof(world->use[0].mode), "D");
	world_file(world, 0, "/dev/sdb", MODE_DIRECT, 'r')->pos_share = value_of(0.975);
	world_tick(world);
}

static void caching(struct world *world)
{
	struct task_row *task;

	world_start(world, 1);
	task = world_task(world, 500, "mysqld");
	task->rkb = value_of(5000);
	task->wkb = value_of(20);
	snprintf(world->use[0].mode, sizeof(world->use[0].mode), "B");
	world_file(world, 0, "/var/db/t.ibd", 0, 'u');
	world_tick(world);
}

/* ---- of the machine ---- */

static void slots(struct world *world)
{
	world_start(world, 1);
	world->frame.aio.aio_nr = value_of(65000);
	world->frame.aio.aio_max_nr = value_of(65536);
	world_tick(world);
}

static void slots_refused(struct world *world)
{
	world_start(world, 1);
	world->frame.aio.aio_max_nr = value_of(65536);
	world->frame.aio.eagain = true;
	world->frame.aio.eagain_slots = 99999;
	world_tick(world);
}

static void aio_unused(struct world *world)
{
	serial(world);
	world_diagnosis(world, DIAGNOSIS_LIVE, 1);
	world->frame.aio.aio_nr = value_of(512);
	world->frame.aio.kiocb =
	    (struct slab_value){.active = value_of(0), .total = value_of(0), .state = SLAB_COUNTED};
	world->frame.aio.io_kiocb = world->frame.aio.kiocb;
	world_tick(world);
}

static void swapping(struct world *world)
{
	world_start(world, 1);
	world->frame.system.pswpin = value_of(900);
	world->frame.system.pswpout = value_of(700.5);
	world_tick(world);
}

static void dirty(struct world *world)
{
	device(world, FINE, -1);
	world->frame.system.dirty_kib = value_of(350000);
	world->frame.system.writeback_kib = value_of(20000);
	world->frame.system.dirty_limit_kib = value_of(400000);
	world_task(world, 55, "backup")->state = 'D';
	snprintf(world->sample[0].wchan, WCHAN_MAX, "balance_dirty_pages");
	world_tick(world);
}

static void elsewhere(struct world *world)
{
	device(world, NOTHING, -1);
	world->frame.system.iowait = value_of(48);
	world_task(world, 66, "reader")->state = 'D';
	world_tick(world);
}

static void since_boot(struct world *world)
{
	const struct finding *finding;
	size_t n;

	device(world, FINE, -1);
	world_diagnosis(world, DIAGNOSIS_REPORT, 0);
	world->frame.since_boot = true;
	world_tick(world);
	assert_int_equal(diagnosis_report(world->diagnosis, &finding, &n), 0);
	world->frame.finding = finding;
	world->frame.nfinding = n;
}

static const struct {
	const char *rule, *subject;
	void (*make)(struct world *world);
	const char *formula;
} CASES[] = {
    {"stalled", "sda", stalled,
     "completed = 0 with 4 in flight at the beginning and 4 at the end; "
     "stalled for 1 s, critical from 3 s on"},
    {"aio-exhausted", "system", slots,
     "100 x aio-nr / aio-max-nr = 100 x 65000 / 65536 = 99.2 %, a warning from 95 on, "
     "critical from 100 on"},
    {"aio-exhausted", "system", slots_refused,
     "io_setup(99999) = EAGAIN is critical; aio-max-nr = 65536"},
    {"swapping", "system", swapping,
     "swapped in = 900 pages/s, at least 32; in + out = 900 + 700.5 = 1600.5 pages/s, at least "
     "100; a warning from 200 pages/s swapped in on"},
    {"throttled", "sda", throttled,
     "(KiB/s of reads) / limit = 1000 / 1024 = 0.98, at least 0.7; queue = 0.03, below 0.7"},
    {"read-starved", "sda", starved,
     "writes in flight = w/s x w_await / 1000 = 26000 x 5.3 / 1000 = 137.8, at least 16; "
     "r_await = 28 ms, at least 5 x 0.2 = 1 and above 5; "
     "r/s = 100, at most 1.5 x 6000 = 9000; "
     "reads since then = 300, at least 20, or 5 where r_await is 50 ms"},
    {"stack-gap", "sda", gap,
     "await = 120 ms, above 10; await is at least 5 x the slowest below = 5 x 0.5 = 2.5; "
     "Q = avgqu-sz = 24.00, at least 1; below: Q under 0.7 and %util under 50"},
    {"uneven-legs", "sda", legs,
     "await = 62 ms, at least 3 x the peers' median = 3 x 3 = 9; await is above 10; "
     "requests and KiB/s differ by no more than 2 times, shares of reads by no more than 0.25"},
    {"rate-cap", "sda", capped,
     "iops = 2000, the same within 1.5 % over 8 frames, at least 5; "
     "avgqu-sz from 20 to 80 = 4.00 times, at least 1.5 times; "
     "it was low in 4 frames and high in 4, at least 2 each; "
     "avgqu-sz is always at least 6, and 5 ms x iops / 1000; await = 40 ms, above 5"},
    {"flush-bound", "sda", flushes,
     "flushes in flight = f/s x f_await / 1000 = 80 x 6.2 / 1000 = 0.50, at least 0.35; "
     "these are at least 0.1 x 1.00 = 0.10 of all in flight; "
     "f/s = 80, at least 5; a warning from f_await 1 ms on"},
    {"flush-bound", "sda", flushes_likely,
     "L = await x iops / 1000 = 16 x 60 / 1000 = 0.96; "
     "avgqu-sz / L = 1.90 / 0.96 = 1.98, within 1.6 to 2.4; avgqu-sz is below 6; "
     "%util = 96, at least 50; w/s = 60, more than r/s = 0"},
    {"shallow-queue", "sda", shallow,
     "queue_depth = 2, at most 8; avgqu-sz = 12, at least 2 x 2 + 1 = 5; "
     "size of a request = 8 KiB, at most 64; "
     "serve = busy x queue_depth / iops = 1000 ms x 2 / 400 = 5 ms, at most 8; "
     "wait = await - serve = 30 - 5 = 25 ms; wait is at least 3 x 5 = 15 and above 5"},
    {"serial-io", "sda", serial,
     "L = await x iops / 1000 = 6.13 x 163 / 1000 = 1.00, within 0.7 to 1.3; "
     "Q = avgqu-sz = 1.00, within 0.7 to 1.3; "
     "U = %util / 100 = 1.00, at least 0.6 and Q / 1.3 = 0.77; "
     "a warning from %util 90 and await 1 ms on"},
    {"serial-io", "sda", serial_against_util,
     "L = await x iops / 1000 = 12.09 x 82.6 / 1000 = 1.00, within 0.9 to 1.1; "
     "Q = avgqu-sz = 0.96, within 0.9 to 1.1; "
     "Q is at least 2 x U = 2 x 0.08 = 0.17, so U is wrong; in flight = 1; "
     "a warning from %util 90 and await 1 ms on"},
    {"write-burst", "sda", burst,
     "await = 323 ms, above 10; r/s = 0, at most 0.02 of all 47/s; %util = 40, below 80; "
     "await is at least 3 x svctm = 3 x 6.47 = 19.41 ms"},
    {"queueing", "sda", queueing,
     "Q = avgqu-sz = 143.07, at least 6; L = await x iops / 1000 = 145.45 is as many; "
     "await = 277.58 ms, above 5; "
     "await is at least 5 x svctm = 5 x 1.91 = 9.55 ms; critical from await 10 x 5 = 50 ms on"},
    {"queueing", "sda", queueing_measured,
     "Q = L = await x iops / 1000 = 14.40, at least 6; await = 90 ms, above 10; "
     "critical from await 10 x 10 = 100 ms on"},
    {"queueing", "sda", queueing_busy,
     "Q = avgqu-sz = 9.00, at least 6; "
     "L = await x iops / 1000 = 2.00 is less, but %util = 99, at least 80; "
     "await = 50 ms, above 10; await is at least 5 x svctm = 5 x 9 = 45 ms; "
     "critical from await 10 x 10 = 100 ms on"},
    {"small-random", "sda", seeks,
     "size of a request = 8.32 KiB, at most 64; merged / iops = 0 / 190 = 0.00, at most 0.5; "
     "L = await x iops / 1000 = 4.56, above 1.3; %util = 99, at least 90; "
     "svctm = 5.2 ms, at least 2; await = 24 ms, at least 0.5 x 20 = 10, a warning above 20"},
    {"slow-device", "sda", slow,
     "await = 25 ms, above 20; Q = avgqu-sz = 0.50; "
     "L = await x iops / 1000 = 25 x 20 / 1000 = 0.50; the smaller of Q and L is below 0.7; "
     "requests = 20, at least 20"},
    {"busy-not-saturated", "sda", busy,
     "%util = 100, at least 95; iops = 56000, at least 500; "
     "await = 0.41 ms, at most 0.5 x 5 = 2.5"},
    {"counter-fault", "sda", fault,
     "%util = 147, above 105; (147 / 100 - 1) x T = 470 ms, at least 15"},
    {"counter-fault", "sda", fault_of_bytes,
     "(rkB/s + wkB/s) x T = 340288 KiB with 0 requests completed, at least 4096"},
    {"unaccounted", "sda", unaccounted,
     "iops = 1500, at least 100; await, avgqu-sz and %util are 0"},
    {"inode-contention", "pid 500", contention,
     "waiters for the lock of one file = 3 at a time, at least 2"},
    {"sync-writer", "pid 500", sync_writer,
     "its share of the wkB/s of sda = 1300 / 1304 = 1.00, at least 0.5"},
    {"sync-writer", "pid 500", sync_journal,
     "its share of the wkB/s of all programs = 2000 / 2400 = 0.83, at least 0.5; "
     "IO% of the journal = 39, at least 20"},
    {"direct-no-readahead", "pid 500", direct,
     "size of a read = (rkB/s) / (reads/s) = 4000 / 1000 = 4 KiB, at most 64; "
     "reads/s is at least 20; the position moves 0.97 of what is read, within 0.2 of 1"},
    {"double-caching", "pid 500", caching, "rkB/s + wkB/s = 5000 + 20 = 5020, at least 1024"},
    {"writeback-throttled", "system", dirty,
     "Dirty + Writeback = 350000 + 20000 = 370000 KiB, at least 0.7 x 400000 = 280000; "
     "tasks in balance_dirty_pages = 1, at least 1; "
     "no disk has Q from 6 on, or %util from 80 on"},
    {"iowait-elsewhere", "system", elsewhere,
     "iowait = 48 %, at least 20; iowait / 100 is above avgqu-sz of all disks = 0.00; "
     "a task in D does nothing, or reads at least 1.5 x 0 + 1024 KiB/s; "
     "each of 1 devices: avgqu-sz and L below 0.1, %util below 20"},
    {"aio-unused", "system", aio_unused,
     "contexts: aio-nr = 512; requests in flight: kiocb = 0; either is 0 while sda is serial-io"},
    {"since-boot-only", "system", since_boot, "intervals = 0, the present needs at least 1"},
};

enum { NCASES = sizeof(CASES) / sizeof(CASES[0]) };

static void test_formula_of_each_rule(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < NCASES; i++) {
		struct world world;
		const struct finding *finding;

		CASES[i].make(&world);
		finding = found(&world, CASES[i].subject, CASES[i].rule);
		if (!finding || strcmp(finding->formula, CASES[i].formula) != 0) {
			print_error("%s: %s\nexpected: %s\n", CASES[i].rule,
				    finding ? finding->formula : "no finding", CASES[i].formula);
			failed++;
		}
		world_end(&world);
	}
	assert_int_equal(failed, 0);
}

static void test_every_rule_has_one(void **state)
{
	(void)state;
	for (const struct rule_info *info = rule_infos(); info->name; info++) {
		size_t i = 0;

		while (i < NCASES && strcmp(CASES[i].rule, info->name) != 0)
			i++;
		if (i == NCASES)
			fail_msg("no formula of %s is looked at", info->name);
	}
}

static void test_meaning_and_threshold_in_force(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	serial(&world);
	finding = found(&world, "sda", "serial-io");
	assert_non_null(strstr(finding->meaning, "One request outstanding at a time"));
	world_diagnosis(&world, DIAGNOSIS_LIVE, 1);
	assert_int_equal(diagnosis_set(world.diagnosis, "serial_high", 1.55), 0);
	world_tick(&world);
	finding = found(&world, "sda", "serial-io");
	assert_non_null(strstr(finding->formula, "1000 = 1.00, within 0.7 to 1.55; Q"));
	world_end(&world);
}

/* Figures as long as they get: whole clauses, and an end. */
static void test_formula_is_bounded(void **state)
{
	static const struct numbers most = {9.9e8,        9.8e8,        1.0,        9.9e8,
					    9.87654321e5, 9.87654321e8, 1.23456e-7, 104.99};
	struct world world;
	const struct finding *finding;

	(void)state;
	device(&world, most, -1);
	world_tick(&world);
	finding = found(&world, "sda", "queueing");
	assert_non_null(finding);
	assert_true(strlen(finding->formula) < FORMULA_MAX - 1);
	assert_non_null(strstr(finding->formula, "Q = avgqu-sz = 987654.32, at least 6; "));
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formula_of_each_rule),
	    cmocka_unit_test(test_every_rule_has_one),
	    cmocka_unit_test(test_meaning_and_threshold_in_force),
	    cmocka_unit_test(test_formula_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
