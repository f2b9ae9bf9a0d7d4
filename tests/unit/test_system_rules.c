/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about the machine: paging, write-back that holds writers, waiting
 * that no device explains.
 */
#include "world.h"

static void swap_start(struct world *world, double in, double out)
{
	world_start(world, 1);
	world->frame.system.pswpin = value_of(in);
	world->frame.system.pswpout = value_of(out);
}

static void test_swapping(void **state)
{
	static const struct {
		double in, out;
		int severity;
	} cases[] = {{900, 700, WARN}, {120, 40, INFO}, {0, 5000, NO}, {40, 10, NO}, {0, 0, NO}};
	struct world world;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		swap_start(&world, cases[i].in, cases[i].out);
		world_tick(&world);
		assert_int_equal(severity_found(&world, "system", "swapping"), cases[i].severity);
		world_end(&world);
	}
	world_start(&world, 1);
	world_tick(&world);
	assert_int_equal(lacking(&world, "swapping"), 1);
	world_end(&world);
}

/* Where it is known where the swap is, the device tells how much it hurts. */
static int swap_severity(double in, struct numbers is, enum device_class class, bool absorbed)
{
	struct world world;
	int severity;

	swap_start(&world, in, 40);
	world_add(&world, "sdb", is);
	world.info[0].swap = true;
	world.info[0].class = class;
	world_tick(&world);
	severity = severity_found(&world, "system", "swapping");
	if (severity != NO)
		assert_non_null(
		    strstr(found(&world, "system", "swapping")->evidence, "device=sdb"));
	assert_int_equal(world.frame.nfinding, absorbed ? 1 : 2);
	world_end(&world);
	return severity;
}

static void test_swap_device(void **state)
{
	static const struct numbers paging = {120, 40, 480, 160, 9, 56, 6, 99};
	static const struct numbers mixed = {120, 440, 480, 60000, 9, 56, 1.7, 99};

	(void)state;
	assert_int_equal(swap_severity(120, paging, DEVICE_DISK, true), WARN);
	/* most of its load is another one: that is told as well */
	assert_int_equal(swap_severity(120, mixed, DEVICE_DISK, false), WARN);
	assert_int_equal(swap_severity(5000, paging, DEVICE_MEMORY, true), INFO);
}

/* Swap on a volume: findings on the disk below it, and how severe swapping is. */
static size_t swap_below(struct numbers disk)
{
	static const struct numbers paging = {120, 40, 480, 160, 9, 56, 6, 99};
	struct world world;
	size_t n;

	swap_start(&world, 120, 40);
	world_add(&world, "sdb", disk);
	world_add(&world, "dm-1", paging);
	world.info[1].swap = true;
	world.info[1].class = DEVICE_DM;
	world_stack(&world, 1, "sdb");
	world_tick(&world);
	assert_int_equal(severity_found(&world, "system", "swapping"), WARN);
	n = found(&world, "sdb", "queueing") != NULL;
	assert_int_equal(world.frame.nfinding, 1 + n);
	world_end(&world);
	return n;
}

static void test_swap_volume(void **state)
{
	(void)state;
	assert_int_equal(swap_below((struct numbers){120, 40, 480, 160, 9, 56, 6, 99}), 0);
	assert_int_equal(swap_below((struct numbers){140, 50, 700, 260, 10, 56, 6, 99}), 0);
	/* most of the disk's load is another one: that is told as well */
	assert_int_equal(swap_below((struct numbers){120, 440, 480, 60000, 9, 56, 1.7, 99}), 1);
}

static void dirty_start(struct world *world, double dirty_kib, const char *wchan, struct numbers is)
{
	struct task_row *task;

	world_start(world, 1);
	world->frame.system.dirty_kib = value_of(dirty_kib);
	world->frame.system.writeback_kib = value_of(20000);
	world->frame.system.dirty_limit_kib = value_of(400000);
	world_add(world, "sda", is);
	task = world_task(world, 55, "backup");
	task->state = 'D';
	snprintf(world->sample[0].wchan, WCHAN_MAX, "%s", wchan);
}

static void test_writeback_throttled(void **state)
{
	static const struct {
		double dirty_kib;
		const char *wchan;
		struct numbers is;
		int severity;
	} cases[] = {
	    {350000, "balance_dirty_pages", {0, 40, 0, 4000, 0.3, 7, 3, 12}, WARN},
	    {350000, "folio_wait_bit", {0, 40, 0, 4000, 0.3, 7, 3, 12}, NO},
	    {90000, "balance_dirty_pages", {0, 40, 0, 4000, 0.3, 7, 3, 12}, NO},
	    /* the disk is the limit: that is why it is dirty */
	    {350000, "balance_dirty_pages", {0, 400, 0, 140000, 0.9, 2.2, 2.4, 98}, NO},
	    {350000, "balance_dirty_pages", {0, 400, 0, 140000, 60, 150, 2.4, 70}, NO},
	};
	struct world world;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dirty_start(&world, cases[i].dirty_kib, cases[i].wchan, cases[i].is);
		world_tick(&world);
		if (severity_found(&world, "system", "writeback-throttled") != cases[i].severity)
			fail_msg("case %zu", i);
		world_end(&world);
	}
	dirty_start(&world, 350000, "balance_dirty_pages", FINE);
	world.frame.tasks_state = ABSENT_LATE;
	world_tick(&world);
	assert_int_equal(lacking(&world, "writeback-throttled"), 1);
	world_end(&world);
}

/* Of a disk whose accounting is off nobody can say that it is idle, or below its limit. */
static void test_disks_that_are_not_counted(void **state)
{
	struct world world;

	(void)state;
	dirty_start(&world, 350000, "balance_dirty_pages", FINE);
	world_add(&world, "sdb", NOTHING);
	world.row[1].why = ABSENT_OFF;
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(lacking(&world, "writeback-throttled"), 1);
	world_numbers(&world, 0, NOTHING);
	world_diagnosis(&world, DIAGNOSIS_LIVE, 1);
	world.sample[0].wchan[0] = '\0';
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(lacking(&world, "iowait-elsewhere"), 1);
	world_end(&world);
}

enum { WAITS, SLEEPS, KERNEL, UNSEEN };

static int elsewhere_severity(double iowait, double blocked, int who, struct numbers is,
			      double inflight)
{
	struct world world;
	struct task_row *task;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	world_add(&world, "sdb", NOTHING);
	world.row[0].inflight = value_of(inflight);
	world.row[0].inflight_was = (uint64_t)inflight;
	world.frame.system.iowait = value_of(iowait);
	world.frame.system.blocked = value_of(blocked);
	task = world_task(&world, 66, "reader");
	task->state = who == SLEEPS ? 'S' : 'D';
	world.sample[0].kernel = who == KERNEL;
	snprintf(world.sample[0].wchan, WCHAN_MAX, "request_wait_answer");
	if (who == UNSEEN)
		world.frame.tasks_state = ABSENT_OFF;
	world_tick(&world);
	severity = severity_found(&world, "system", "iowait-elsewhere");
	if (severity == WARN && who == WAITS)
		assert_non_null(
		    strstr(found(&world, "system", "iowait-elsewhere")->text,
			   "reader (pid 66) is in state D and waits in request_wait_answer"));
	world_end(&world);
	return severity;
}

static void test_iowait_elsewhere(void **state)
{
	static const struct numbers little = {3, 2, 12, 8, 0.01, 0.4, 0.4, 0.2};
	struct world world;

	(void)state;
	assert_int_equal(elsewhere_severity(48, 1, WAITS, little, 0), WARN);
	assert_int_equal(elsewhere_severity(1.6, 1, WAITS, little, 0), WARN); /* of 64 CPUs */
	assert_int_equal(elsewhere_severity(48, 1, UNSEEN, little, 0), WARN);
	/* an idle io_uring waiter is counted as iowait, and nobody waits */
	assert_int_equal(elsewhere_severity(99, 1, SLEEPS, little, 0), INFO);
	assert_int_equal(elsewhere_severity(99, 1, KERNEL, little, 0), INFO);
	assert_int_equal(elsewhere_severity(1.6, 0, WAITS, little, 0), NO);
	assert_int_equal(elsewhere_severity(1.6, 1, SLEEPS, little, 0), INFO);
	assert_int_equal(elsewhere_severity(1.6, 1, UNSEEN, little, 0), NO);
	/* a disk works, or hangs */
	assert_int_equal(elsewhere_severity(48, 1, WAITS, FINE, 0), NO);
	assert_int_equal(elsewhere_severity(48, 1, WAITS, NOTHING, 3), NO);
	assert_int_equal(elsewhere_severity(48, 1, WAITS, (struct numbers){.util = 100}, 0), NO);
	assert_int_equal(
	    elsewhere_severity(48, 1, WAITS, (struct numbers){0, 900, 0, 3600, 0, 0, 0, 0}, 0), NO);
	/* without a single device nothing can be said of them */
	world_start(&world, 1);
	world.frame.system.iowait = value_of(80);
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(lacking(&world, "iowait-elsewhere"), 1);
	world_end(&world);
}

/* 30 reads a second of each of six disks, and iowait; what the task in that state does. */
static int elsewhere_light(double iowait, char state, double rkb, struct value rchar)
{
	static const struct numbers light = {30, 0, 120, 0, 0.07, 2.3, 2.2, 6.6};
	struct world world;
	struct task_row *task;
	int severity;

	world_start(&world, 1);
	for (int i = 0; i < 6; i++)
		world_add(&world, (const char *[]){"a", "b", "c", "d", "e", "f"}[i], light);
	world.frame.system.iowait = value_of(iowait);
	world.frame.system.blocked = value_of(1);
	task = world_task(&world, 66, "reader");
	task->state = state;
	task->rkb = rkb < 0 ? value_absent(ABSENT_DENIED) : value_of(rkb);
	task->rchar = task->syscr = rchar;
	world_tick(&world);
	severity = severity_found(&world, "system", "iowait-elsewhere");
	world_end(&world);
	return severity;
}

static void test_light_load(void **state)
{
	static const struct value none = {.n = 0, .why = PRESENT};
	static const struct value some = {.n = 120, .why = PRESENT};

	(void)state;
	/* a reader of a quick disk, caught in D, waits for it, whatever its share of iowait */
	assert_int_equal(elsewhere_light(1.6, 'D', 120, some), NO);
	assert_int_equal(elsewhere_light(22, 'D', 120, some), NO);
	assert_int_equal(elsewhere_light(1.6, 'D', 0, some), NO);
	assert_int_equal(elsewhere_light(1.6, 'S', 120, some), NO);
	/* more CPUs wait than requests are in the disks: somebody else may wait elsewhere */
	assert_int_equal(elsewhere_light(49, 'D', 120, some), INFO);
	/* what is in flight is asked of the disk and not yet read from it */
	assert_int_equal(elsewhere_light(1.6, 'D', 1200, some), NO);
	/* it did nothing; it reads more than all disks do; nobody may know what it does */
	assert_int_equal(elsewhere_light(1.6, 'D', 0, none), WARN);
	assert_int_equal(elsewhere_light(49, 'D', 4000, some), WARN);
	assert_int_equal(elsewhere_light(1.6, 'D', 4000, some), WARN);
	assert_int_equal(elsewhere_light(49, 'D', -1, value_absent(ABSENT_DENIED)), WARN);
	assert_int_equal(elsewhere_light(1.6, 'D', -1, value_absent(ABSENT_DENIED)), NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_swapping),
	    cmocka_unit_test(test_swap_device),
	    cmocka_unit_test(test_swap_volume),
	    cmocka_unit_test(test_writeback_throttled),
	    cmocka_unit_test(test_disks_that_are_not_counted),
	    cmocka_unit_test(test_iowait_elsewhere),
	    cmocka_unit_test(test_light_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
