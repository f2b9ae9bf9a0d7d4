/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that judge one device, on rows as iostat prints them.
 */
#include "world.h"

static void test_classical_rows(void **state)
{
	static const struct {
		struct numbers is;
		char mark;
		const char *verdict;
	} rows[] = {
	    {{155, 104, 18520, 20668, 3.13, 12.03, 3.67, 95.0}, 'w', "ok"},
	    {{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, ' ', "serial-io"},
	    {{2, 522, 8, 156856, 143.07, 277.58, 1.91, 100.1}, 'W', "queueing"},
	    {{162, 0, 10380, 0, 1.13, 7.04, 2.01, 32.5}, 'w', "ok"},
	    {{2, 186, 8, 2372, 1.13, 5.96, 5.30, 99.6}, ' ', "serial-io"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct world world;

		world_start(&world, 1);
		world_add(&world, "sda", rows[i].is);
		world_tick(&world);
		assert_int_equal(world.row[0].mark, rows[i].mark);
		assert_string_equal(world.row[0].verdict, rows[i].verdict);
		assert_int_equal(world.frame.nfinding, strcmp(rows[i].verdict, "ok") != 0);
		if (world.frame.nfinding)
			assert_true(world.frame.finding[0].severity >= SEVERITY_WARN);
		world_end(&world);
	}
}

static void test_marks(void **state)
{
	static const struct {
		double await, svctm;
		char mark;
	} cases[] = {{2, 1, 'w'},   {1.9, 0.5, ' '}, {4, 2.1, ' '}, {10, 2, 'W'},
		     {9.9, 1, 'w'}, {10, 2.1, 'w'},  {300, 0, ' '}, {300, 299, ' '}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;

		world_start(&world, 0);
		world_add(&world, "sda",
			  (struct numbers){9, 0, 36, 0, 2, cases[i].await, cases[i].svctm, 9});
		world_tick(&world);
		assert_int_equal(world.row[0].mark, cases[i].mark);
		world_end(&world);
	}
}

static void test_serial_words(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", SERIAL);
	world.frame.task = world.task;
	world.frame.ntask = 2;
	world.frame.tasks_state = PRESENT;
	for (int i = 0; i < 2; i++) {
		world.task[i].task = &world.sample[i];
		world.task[i].rkb = world.task[i].wkb = value_of(i == 1 ? 1304 : 3);
		world.sample[i].pid = 4710 + i;
		snprintf(world.sample[i].comm, COMM_MAX, "db\033[w%d", i);
	}
	world_tick(&world);
	finding = found(&world, "sda", "serial-io");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, "163 writes/s of 8 KiB, because each takes 6.13 ms"));
	assert_non_null(strstr(finding->text, "99.7 % busy"));
	assert_non_null(strstr(finding->text, "db?[w1 (pid 4711, 1304 KiB/s)"));
	assert_non_null(strstr(finding->evidence, "await=6.13 svctm=6.12"));
	world_end(&world);
}

/* Of two that write alike, it is the one whose files are on the device. */
static void test_writer_is_where_its_files_are(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", SERIAL);
	world_add(&world, "sdb", DEEP);
	for (int i = 0; i < 2; i++) {
		struct task_row *task = world_task(&world, 4710 + i, i ? "here" : "there");
		task->wkb = value_of(i ? 1300 : 1310);
		world.use[i].why = PRESENT;
		snprintf(world.use[i].device, sizeof(world.use[i].device), "%s", i ? "sda" : "sdb");
	}
	world_tick(&world);
	const struct finding *finding = found(&world, "sda", "serial-io");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, "likely here (pid 4711"));
	world_end(&world);
}

/* The words of queueing, where so many a second waited so long for a slot. */
static void queueing_slots(double slotwait, double avslot, bool told)
{
	struct world world;

	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){450, 0, 1800, 0, 64, 142, 2.2, 100});
	world.row[0].avserv = value_of(140);
	world.row[0].avwait = value_of(2);
	world.row[0].slotwait = value_of(slotwait);
	world.row[0].avslot = value_of(avslot);
	world_tick(&world);
	const struct finding *finding = found(&world, "sda", "queueing");
	assert_non_null(finding);
	assert_int_equal(strstr(finding->text, "waited 50 ms for a free slot") != NULL, told);
	assert_int_equal(strstr(finding->evidence, "avslot") != NULL, slotwait > 0);
	world_end(&world);
}

static void test_queueing_tells_of_slots(void **state)
{
	(void)state;
	queueing_slots(400, 50, true);
	queueing_slots(40, 50, false);
	queueing_slots(0, 0, false);
}

static char members[2][DEVICE_NAME_MAX] = {"sdb", "sdc"};
static const struct device_info FLASH = {.rotational = 0}, SPINDLE = {.rotational = 1};
static const struct device_info LOOP = {.rotational = 1, .virtual_medium = true};
static const struct device_info ARRAY = {.rotational = 1, .nlower = 2, .lower = members};
static const struct device_info ZRAM = {.class = DEVICE_MEMORY};

/* With so many in flight at the end of the interval. */
static int severity_against_util(struct numbers is, struct value inflight)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	world.row[0].inflight = inflight;
	world_tick(&world);
	severity = severity_found(&world, "sda", "serial-io");
	world_end(&world);
	return severity;
}

static void test_serial_against_util(void **state)
{
	/* a %util of 8 against a queue and a concurrency of one: %util is wrong */
	static const struct numbers one = {82.6, 0, 330, 0, 0.96, 12.09, 1.02, 8.43};
	static const struct numbers near = {82.6, 0, 330, 0, 0.85, 10.5, 1.02, 8.43};

	(void)state;
	assert_int_equal(severity_against_util(one, value_of(1)), WARN);
	assert_int_equal(severity_against_util(one, value_absent(ABSENT_UNSUPPORTED)), WARN);
	/* or a dozen at a time come, with pauses */
	assert_int_equal(severity_against_util(one, value_of(0)), NO);
	assert_int_equal(severity_against_util(one, value_of(12)), NO);
	/* those only come near one */
	assert_int_equal(severity_against_util(near, value_of(1)), NO);
}

static const struct {
	struct numbers is;
	const struct device_info *info;
	const char *rule;
	int severity;
} LATENCY[] = {
    /* an absurd %util takes no part */
    {{0, 163, 0, 1304, 0.80, 4.3, 9, 147}, NULL, "serial-io", NO},
    {{0, 950, 0, 7600, 1.00, 1.05, 1.05, 99.7}, NULL, "serial-io", WARN},
    {{0, 1050, 0, 8400, 1.00, 0.95, 0.95, 99.7}, NULL, "serial-io", INFO},
    {{0, 120, 0, 960, 0.72, 6.2, 4.7, 57}, NULL, "serial-io", NO},
    /* 100 % busy at 0.14 ms is no alarm */
    {{7100, 0, 28400, 0, 1.0, 0.14, 0.14, 100}, &FLASH, "serial-io", INFO},
    {{7100, 0, 28400, 0, 1.0, 0.14, 0.14, 100}, &FLASH, "queueing", NO},
    {{0, 120, 0, 960, 0.75, 6.2, 6.0, 72}, NULL, "serial-io", INFO}, /* pauses */
    {{0, 120, 0, 960, 1.2, 10, 6.0, 72}, NULL, "serial-io", NO},     /* overlap */
    {{0, 300, 0, 1304, 3.0, 10, 3.3, 99}, NULL, "serial-io", NO},    /* three */
    {{0, 12, 0, 96, 1.0, 83, 83, 99.7}, NULL, "serial-io", NO},      /* too few */
    {{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, &ZRAM, "serial-io", NO},

    {{150, 0, 600, 0, 12, 80, 6.6, 99}, &SPINDLE, "queueing", WARN},
    {{2, 522, 8, 156856, 143, 278, 1.9, 100}, &FLASH, "queueing", CRIT},
    /* many in flight and a small await: a parallel device doing well */
    {{56791, 0, 221848, 0, 23.3, 0.41, 0.02, 100}, &FLASH, "queueing", NO},
    /* 15 ms is long for flash, and fine for a spindle */
    {{450, 0, 1800, 0, 7, 15, 2.2, 99}, &FLASH, "queueing", WARN},
    {{450, 0, 1800, 0, 7, 15, 2.2, 99}, &SPINDLE, "queueing", NO},
    /* no spindle makes 600 requests a second */
    {{600, 0, 2400, 0, 9, 15, 1.6, 99}, &SPINDLE, "queueing", WARN},
    /* eleven requests over two members are no line */
    {{150, 0, 600, 0, 11, 80, 6.6, 99}, &SPINDLE, "queueing", WARN},
    {{150, 0, 600, 0, 11, 80, 6.6, 99}, &ARRAY, "queueing", NO},
    /* most of await is service */
    {{100, 0, 400, 0, 8, 80, 20, 99}, &SPINDLE, "queueing", NO},
    /* a burst of writes alone; with readers waiting; all the time */
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 40}, NULL, "write-burst", INFO},
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 40}, NULL, "queueing", NO},
    {{5, 47, 20, 15180, 7.74, 323, 6.47, 40}, NULL, "write-burst", NO},
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 99}, NULL, "write-burst", NO},
    /* a %util that cannot be does not make it saturation */
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 147}, NULL, "write-burst", INFO},
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 147}, NULL, "queueing", NO},
    {{5, 47, 20, 15180, 7.74, 323, 6.47, 40}, NULL, "queueing", CRIT},
    {{0, 47, 0, 15180, 7.74, 323, 6.47, 99}, NULL, "queueing", CRIT},

    /* one read in fifty is no reader, one in thirty is */
    {{1, 49, 4, 15180, 7.74, 150, 6, 40}, NULL, "write-burst", INFO},
    {{2, 58, 8, 15180, 7.74, 150, 6, 40}, NULL, "queueing", CRIT},
    /* a queue that rate x await and %util deny was there for a moment */
    {{1, 28, 4, 290, 22.3, 78, 5, 14}, NULL, "queueing", NO},
    {{1, 28, 4, 290, 22.3, 78, 5, 94}, NULL, "queueing", WARN},

    {{20, 0, 80, 0, 0.50, 25, 25, 50}, &LOOP, "slow-device", WARN},
    {{20, 0, 80, 0, 0.50, 25, 25, 50}, &SPINDLE, "slow-device", WARN},
    /* virtual media are not rotating disks, whatever they say */
    {{30, 0, 120, 0, 0.45, 15, 15, 45}, &LOOP, "slow-device", WARN},
    {{30, 0, 120, 0, 0.45, 15, 15, 45}, &SPINDLE, "slow-device", NO},
    /* five requests prove nothing unless they take ten times the limit */
    {{5, 0, 20, 0, 0.2, 42, 42, 21}, NULL, "slow-device", NO},
    {{5, 0, 20, 0, 0.5, 102, 100, 50}, NULL, "slow-device", WARN},
    {{4, 0, 20, 0, 0.4, 102, 100, 40}, NULL, "slow-device", NO},
    {{25, 0, 100, 0, 0.75, 30, 24, 60}, NULL, "slow-device", NO}, /* some wait */
    {{25, 0, 100, 0, 0.25, 9.5, 9.5, 24}, NULL, "slow-device", NO},
    {{25, 0, 100, 0, 0.15, 5.5, 5.5, 14}, &FLASH, "slow-device", WARN},
    {{25, 0, 100, 0, 0.12, 4.5, 4.5, 11}, &FLASH, "slow-device", NO},
    /* writes that came together waited for each other */
    {{0, 25, 0, 400, 0.5, 22, 4, 10}, NULL, "write-burst", INFO},
    {{0, 25, 0, 400, 0.5, 22, 4, 10}, NULL, "slow-device", NO},
    {{0, 25, 0, 400, 0.5, 22, 8, 20}, NULL, "slow-device", WARN},
    {{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, &FLASH, "slow-device", NO},
};

static void test_latency_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(LATENCY) / sizeof(LATENCY[0]); i++) {
		int severity = severity_of(LATENCY[i].is, LATENCY[i].info, LATENCY[i].rule);

		if (severity != LATENCY[i].severity)
			fail_msg("case %zu: %s %d, not %d", i, LATENCY[i].rule, severity,
				 LATENCY[i].severity);
	}
}

static void test_stalled_while_util_is_zero(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	world_start(&world, 0);
	world_stuck(&world, world_add(&world, "sda", NOTHING), 4);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(world.frame.nfinding, 0);
		world_tick(&world);
	}
	finding = found(&world, "sda", "stalled");
	assert_non_null(finding);
	assert_int_equal(finding->severity, SEVERITY_CRIT);
	assert_non_null(strstr(finding->text, "4 requests in it, no completion for 3 s"));
	assert_string_equal(world.row[0].verdict, "stalled");
	assert_true(finding->since_epoch == 1000 && finding->lasted_s == 3);
	/* as many in flight, but 1000 completions */
	world_numbers(&world, 0, (struct numbers){1000, 0, 4000, 0, 0.9, 0.9, 0.5, 50});
	world.row[0].inflight = value_of(world.row[0].inflight_was = 4);
	for (int i = 0; i < 4; i++)
		world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_string_equal(world.row[0].verdict, "ok");
	world_end(&world);
}

static void test_stalled_keeps_time(void **state)
{
	static const struct {
		double seconds;
		int ticks, severity;
	} cases[] = {{0.5, 2, NO}, {0.5, 3, INFO},   {0.5, 5, INFO}, {0.5, 6, CRIT},
		     {1, 2, NO},   {0.999, 3, CRIT}, {10, 1, CRIT}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;
		const struct finding *finding;

		world_start(&world, 0);
		world.frame.seconds = cases[i].seconds;
		world_stuck(&world, world_add(&world, "sda", NOTHING), 1);
		for (int tick = 0; tick < cases[i].ticks; tick++)
			world_tick(&world);
		finding = found(&world, "sda", "stalled");
		assert_int_equal(finding ? (int)finding->severity : NO, cases[i].severity);
		world_end(&world);
	}
}

/* A report has no in-flight figure, and says it in other ways. */
static void test_stalled_signatures(void **state)
{
	static const struct {
		struct numbers is;
		double inflight; /* -1: unknown */
		bool cut;        /* w/s is not in the report */
		int severity;
	} cases[] = {
	    {{.util = 100}, -1, false, WARN},  /* queue grows at completion only */
	    {{.queue = 217}, -1, false, WARN}, /* constant */
	    {{.queue = 4285.03, .util = 100}, -1, false, WARN},
	    {{.queue = 0.4, .util = 40}, -1, false, NO},
	    {{.util = 100}, 0, false, NO},
	    {{.util = 100}, 2, false, WARN},
	    {{.util = 20}, 2, false, NO}, /* just arrived */
	    {{.util = 100}, -1, true, NO},
	    {{.wkb = 500, .util = 100}, -1, false, NO}, /* something comes out */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;
		const struct finding *finding;

		world_start(&world, 1);
		world_add(&world, "sda", cases[i].is);
		world.row[0].inflight = cases[i].inflight < 0 ? value_absent(ABSENT_UNSUPPORTED)
							      : value_of(cases[i].inflight);
		if (cases[i].cut)
			world.row[0].w = world.row[0].await = value_absent(ABSENT_UNSUPPORTED);
		world_tick(&world);
		finding = found(&world, "sda", "stalled");
		assert_int_equal(finding ? (int)finding->severity : NO, cases[i].severity);
		world_end(&world);
	}
}

static void test_counter_fault(void **state)
{
	struct world world;

	(void)state;
	/* jitter is no fault; an accounting artefact is, and hides nothing else */
	assert_int_equal(
	    severity_of((struct numbers){9, 0, 36, 0, 0.1, 9, 9, 101.6}, NULL, "counter-fault"),
	    NO);
	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){150, 0, 600, 0, 12, 80, 9.8, 147});
	world_tick(&world);
	assert_non_null(strstr(found(&world, "sda", "counter-fault")->text, "%util of 147"));
	assert_non_null(found(&world, "sda", "queueing"));
	assert_string_equal(world.row[0].verdict, "queueing");
	world_end(&world);
	/* a queue of 32 bits of hundredths: nothing is stuck */
	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){.queue = 42949642.96, .util = 100});
	world_tick(&world);
	assert_non_null(strstr(found(&world, "sda", "counter-fault")->text, "avgqu-sz"));
	assert_null(found(&world, "sda", "stalled"));
	world_end(&world);
	/* at a quarter of a second 105 % is one clock tick */
	world_start(&world, 1);
	world.frame.seconds = 0.25;
	world_add(&world, "sda", (struct numbers){9, 0, 36, 0, 0.1, 9, 9, 105.5});
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
	/* bytes without requests: no other rule, also in the next frames */
	world_start(&world, 0);
	world_add(&world, "sda", (struct numbers){.wkb = 340288, .queue = 760, .util = 102});
	for (int i = 0; i < 3; i++)
		world_tick(&world);
	assert_non_null(found(&world, "sda", "counter-fault"));
	world_stuck(&world, 0, 31860);
	world_tick(&world);
	assert_null(found(&world, "sda", "stalled"));
	world_end(&world);
}

static void test_counter_fault_taints(void **state)
{
	struct world world;

	(void)state;
	for (int i = 0; i < 3; i++) {
		world_start(&world, 1);
		world_add(&world, "sda", DEEP);
		world.row[0].rkb = i == 0   ? value_absent(ABSENT_IMPLAUSIBLE)
				   : i == 1 ? value_of(-1)
					    : value_of(9223372036854775808.0);
		world_tick(&world);
		assert_int_equal(world.frame.nfinding, 1);
		assert_non_null(strstr(found(&world, "sda", "counter-fault")->text, "rkB/s"));
		world_end(&world);
	}
}

/* Where a report's device is found in sysfs, and what AIX has instead. */
static void stalled_advice(const char *name, bool aix, const char *says)
{
	struct world world;

	world_start(&world, 1);
	world_add(&world, name, (struct numbers){.queue = 4, .util = 100});
	world.row[0].info = NULL;
	world.row[0].inflight = value_absent(ABSENT_UNSUPPORTED);
	world.frame.aix = aix;
	world_tick(&world);
	if (!strstr(found(&world, name, "stalled")->advice, says))
		fail_msg("%s: %s", name, found(&world, name, "stalled")->advice);
	world_end(&world);
}

static void test_advice_names_what_there_is(void **state)
{
	(void)state;
	stalled_advice("sda", false, "cat /sys/class/block/sda/inflight");
	stalled_advice("dev253-3", false, "cat /sys/dev/block/253:3/inflight");
	stalled_advice("dev253-3x", false, "cat /sys/class/block/dev253-3x/inflight");
	stalled_advice("cciss/c0d0", false, "cat /sys/class/block/cciss!c0d0/inflight");
	stalled_advice("hdisk4", true, "lspath -l hdisk4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_classical_rows),
	    cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_serial_words),
	    cmocka_unit_test(test_serial_against_util),
	    cmocka_unit_test(test_queueing_tells_of_slots),
	    cmocka_unit_test(test_writer_is_where_its_files_are),
	    cmocka_unit_test(test_latency_rules),
	    cmocka_unit_test(test_stalled_while_util_is_zero),
	    cmocka_unit_test(test_stalled_keeps_time),
	    cmocka_unit_test(test_stalled_signatures),
	    cmocka_unit_test(test_counter_fault),
	    cmocka_unit_test(test_counter_fault_taints),
	    cmocka_unit_test(test_advice_names_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
