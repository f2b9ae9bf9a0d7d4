/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes that starve readers, bursts of write-back, flushes that set the pace.
 */
#include "world.h"

static const struct device_info FLASH = {.rotational = 0};
static const struct numbers READING = {6000, 300, 50000, 4000, 2.1, 0.32, 0.14, 90};
static const struct numbers FLOOD = {100, 26000, 900, 318000, 140, 5.4, 0.04, 100};

static void starved_frame(struct world *world, struct numbers is, double r_await, double w_await)
{
	world_numbers(world, 0, is);
	world_kinds(world, 0, r_await, w_await, 0, 0);
	world_tick(world);
}

static void starved_start(struct world *world)
{
	world_start(world, 0);
	world_add(world, "sda", READING);
	world->info[0] = FLASH;
	for (int i = 0; i < 4; i++)
		starved_frame(world, READING, 0.2, 2.6);
}

static void test_read_starved(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	starved_start(&world);
	assert_null(found(&world, "sda", "read-starved"));
	for (int i = 0; i < 3; i++)
		starved_frame(&world, FLOOD, 28, 5.3);
	finding = found(&world, "sda", "read-starved");
	assert_non_null(finding);
	assert_int_equal(finding->severity, WARN);
	assert_non_null(strstr(finding->text, "a read takes 28 ms instead of 0.20 ms"));
	assert_non_null(strstr(finding->text, "100/s complete instead of 6000"));
	assert_non_null(strstr(finding->evidence, "r_await_before=0.20"));
	assert_int_equal(world.frame.nfinding, 1); /* and no queueing beside it */
	/* not a read comes out any more: it holds on */
	starved_frame(&world, (struct numbers){0, 26000, 0, 318000, 140, 5.4, 0.04, 100}, 0, 5.4);
	assert_non_null(found(&world, "sda", "read-starved"));
	for (int i = 0; i < 5; i++)
		starved_frame(&world, READING, 0.2, 2.6);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

static void test_not_read_starved(void **state)
{
	static const struct {
		struct numbers is;
		double r_await, w_await;
	} cases[] = {
	    /* readers fare as before, fare a little worse, or are not slow for the kind */
	    {{100, 26000, 900, 318000, 140, 5.4, 0.04, 100}, 0.3, 5.4},
	    {{100, 26000, 900, 318000, 140, 5.4, 0.04, 100}, 4.9, 5.4},
	    /* it is the reads that queue */
	    {{9000, 300, 72000, 4000, 140, 15, 0.1, 100}, 16, 3},
	    /* far more readers than before, and writers beside them */
	    {{16000, 26000, 128000, 318000, 590, 14, 0.04, 100}, 28, 5.3},
	    /* two reads prove nothing */
	    {{2, 26000, 8, 318000, 140, 5.4, 0.04, 100}, 28, 5.3},
	};
	struct world world;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starved_start(&world);
		for (int k = 0; k < (i == 3 ? 2 : 3); k++)
			starved_frame(&world, cases[i].is, cases[i].r_await, cases[i].w_await);
		if (found(&world, "sda", "read-starved"))
			fail_msg("case %zu", i);
		world_end(&world);
	}
	/* nothing to compare with */
	world_start(&world, 1);
	world_add(&world, "sda", FLOOD);
	starved_frame(&world, FLOOD, 28, 5.3);
	assert_null(found(&world, "sda", "read-starved"));
	assert_int_equal(lacking(&world, "read-starved"), 1);
	world_end(&world);
}

/* '#' a burst, '.' none, 'q' a device in line: when the burst is shown. */
static void burst_case(const char *held, const char *shown)
{
	static const struct numbers burst = {0, 47, 0, 15180, 7.74, 323, 6.47, 40};
	struct world world;

	world_start(&world, 0);
	world_add(&world, "sda", NOTHING);
	for (size_t i = 0; held[i]; i++) {
		world_numbers(&world, 0, held[i] == '#' ? burst : held[i] == 'q' ? FLOOD : NOTHING);
		world_tick(&world);
		if ((found(&world, "sda", "write-burst") != NULL) != (shown[i] == '#'))
			fail_msg("%s shows %s, but not in frame %zu", held, shown, i + 1);
	}
	world_end(&world);
}

static void test_write_burst_recurs(void **state)
{
	(void)state;
	/* from the second on, until two more should have come; a gap of one frame is none */
	burst_case("#.....#.................", "......################..");
	burst_case("#.......................", "........................");
	burst_case("#.#.....................", "........................");
	burst_case("###.........", "..###.......");
	/* the beginning and the end of another load are no bursts */
	burst_case("#qqqq#....#qqqq#....", "....................");
	burst_case("#...#...qqqq....", "....####........");
}

static int flush_severity(struct numbers is, double f, double f_await,
			  const struct device_info *info)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	if (info)
		world.info[0] = *info;
	world_kinds(&world, 0, is.await, is.await, f, f_await);
	if (f < 0)
		world.row[0].f = world.row[0].f_await = value_absent(ABSENT_UNSUPPORTED);
	world_tick(&world);
	severity = severity_found(&world, "sda", "flush-bound");
	if (severity != NO)
		assert_int_equal(world.frame.nfinding, 1);
	world_end(&world);
	return severity;
}

static void test_flush_bound(void **state)
{
	/* a write and a flush in turn */
	static const struct numbers turns = {0, 80, 0, 640, 1.0, 6.1, 6.1, 99};
	/* an empty flush counted as a write too: never more than one outstanding */
	static const struct numbers twice = {0, 199, 0, 400, 1.8, 5, 5, 99};
	static const struct numbers mixed = {24, 42, 5632, 504, 5.88, 73, 9.6, 64};

	(void)state;
	assert_int_equal(flush_severity(turns, 80, 6.2, NULL), WARN);
	assert_int_equal(flush_severity(twice, 100, 8, NULL), WARN);
	assert_int_equal(flush_severity(mixed, 12, 89, NULL), WARN);
	/* many, and cheap */
	assert_int_equal(flush_severity((struct numbers){0, 3000, 0, 12000, 1.0, 0.1, 0.1, 60},
					3000, 0.2, &FLASH),
			 INFO);
	/* readers in the tens beside them: it is not the flushes that set the pace */
	assert_int_equal(flush_severity((struct numbers){110000, 1900, 440000, 7600, 28, 0.25, 0.01, 100},
					1900, 0.2, NULL),
			 NO);
	/* flushes are there, and do not matter; or are few */
	assert_int_equal(flush_severity(turns, 10, 6.2, NULL), NO);
	assert_int_equal(flush_severity(turns, 0, 0, NULL), NO);
	assert_int_equal(flush_severity(turns, 1, 500, NULL), NO);
}

/* A report without flush columns has their time in its queue. */
static void test_flush_likely(void **state)
{
	struct world world;

	(void)state;
	assert_int_equal(
	    flush_severity((struct numbers){13, 174, 1484, 14608, 1.62, 4.4, 4.4, 83}, -1, 0, NULL),
	    INFO);
	assert_int_equal(
	    flush_severity((struct numbers){0, 60, 0, 480, 1.9, 16, 16, 96}, -1, 0, NULL), WARN);
	/* rate x await explains the queue, a deep one drains, or reads lead */
	assert_int_equal(
	    flush_severity((struct numbers){0, 60, 0, 480, 1.1, 16, 16, 96}, -1, 0, NULL), NO);
	assert_int_equal(
	    flush_severity((struct numbers){0, 500, 0, 4000, 138, 150, 2, 100}, -1, 0, NULL), NO);
	assert_int_equal(
	    flush_severity((struct numbers){60, 0, 480, 0, 1.9, 16, 16, 96}, -1, 0, NULL), NO);
	world_start(&world, 1);
	world_add(&world, "sda", SERIAL);
	world.row[0].avgqu_sz = value_absent(ABSENT_UNSUPPORTED);
	world_tick(&world);
	assert_int_equal(lacking(&world, "flush-bound"), 1);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_starved),       cmocka_unit_test(test_not_read_starved),
	    cmocka_unit_test(test_write_burst_recurs), cmocka_unit_test(test_flush_bound),
	    cmocka_unit_test(test_flush_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
