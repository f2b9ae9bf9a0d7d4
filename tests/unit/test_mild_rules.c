/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks bound by seeks, parallel devices that only look busy, devices without times.
 */
#include "world.h"

static const struct device_info FLASH = {.rotational = 0}, SPINDLE = {.rotational = 1};

static void test_small_random(void **state)
{
	static const struct {
		struct numbers is;
		const struct device_info *info;
		int severity;
	} cases[] = {
	    {{180, 10, 1500, 80, 4, 24, 5.2, 99}, &SPINDLE, WARN},
	    {{180, 10, 1500, 80, 3, 16, 5.2, 99}, &SPINDLE, INFO},
	    {{180, 10, 1500, 80, 3, 16, 5.2, 99}, NULL, WARN},
	    {{180, 10, 1500, 80, 3, 16, 5.2, 99}, &FLASH, NO},
	    /* more than a spindle can do; large requests; not busy; one at a time; no seek */
	    {{700, 10, 5600, 80, 8, 12, 1.4, 99}, NULL, NO},
	    {{180, 10, 27000, 900, 4, 24, 5.2, 99}, &SPINDLE, NO},
	    {{90, 10, 750, 80, 2.4, 24, 5.2, 52}, &SPINDLE, NO},
	    {{180, 10, 1500, 80, 1.0, 5.2, 5.2, 99}, &SPINDLE, NO},
	    {{400, 10, 1500, 80, 4, 10, 1.2, 99}, NULL, NO},
	    /* in line: then it is queueing */
	    {{180, 10, 1500, 80, 12, 63, 5.2, 99}, &SPINDLE, NO},
	    /* too few to tell */
	    {{9, 2, 80, 8, 4, 90, 80, 99}, &SPINDLE, NO},
	};
	struct world world;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int severity = severity_of(cases[i].is, cases[i].info, "small-random");

		if (severity != cases[i].severity)
			fail_msg("case %zu: %d", i, severity);
	}
	/* merged requests are no random ones */
	world_start(&world, 1);
	world_add(&world, "sda", cases[0].is);
	world.info[0] = SPINDLE;
	world.row[0].rrqm = value_of(500);
	world_tick(&world);
	assert_null(found(&world, "sda", "small-random"));
	world.row[0].rkb = value_absent(ABSENT_UNSUPPORTED);
	world_tick(&world);
	assert_int_equal(lacking(&world, "small-random"), 1);
	world_end(&world);
}

static void test_busy_not_saturated(void **state)
{
	static const struct {
		struct numbers is;
		const struct device_info *info;
		int severity;
	} cases[] = {
	    {{56000, 0, 221000, 0, 23, 0.41, 0.02, 100}, &FLASH, INFO},
	    {{4400, 0, 70000, 0, 0.43, 0.1, 0.23, 100}, NULL, INFO},
	    {{4400, 0, 70000, 0, 0.43, 0.1, 0.23, 60}, NULL, NO},
	    {{300, 0, 4800, 0, 0.43, 1.4, 3.3, 100}, NULL, NO},
	    /* slow ones are judged by other rules, and a fault is no business */
	    {{2000, 0, 16000, 0, 16, 8, 0.5, 100}, &FLASH, NO},
	    {{4400, 0, 70000, 0, 0.43, 0.1, 0.33, 147}, NULL, NO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int severity = severity_of(cases[i].is, cases[i].info, "busy-not-saturated");

		if (severity != cases[i].severity)
			fail_msg("case %zu: %d", i, severity);
	}
}

static int unaccounted_severity(const char *name, struct numbers is, enum diagnosis_kind kind,
				bool without)
{
	struct world world;
	const struct finding *finding;
	size_t n;
	int severity;

	world_start(&world, 1);
	world_diagnosis(&world, kind, 1);
	world_add(&world, name, is);
	world.row[0].info = NULL;
	if (without)
		world.row[0].await = world.row[0].avgqu_sz = world.row[0].util =
		    world.row[0].svctm = value_absent(ABSENT_UNSUPPORTED);
	world_tick(&world);
	if (kind == DIAGNOSIS_REPORT) {
		assert_int_equal(diagnosis_report(world.diagnosis, &finding, &n), 0);
		world.frame.finding = finding;
		world.frame.nfinding = n;
	}
	severity = severity_found(&world, name, "unaccounted");
	if (severity != NO)
		assert_int_equal(world.frame.nfinding, 1);
	world_end(&world);
	return severity;
}

static void test_unaccounted(void **state)
{
	static const struct numbers rates = {0, 1500, 0, 7000, 0, 0, 0, 0};
	static const struct numbers some = {0, 60, 0, 7000, 0, 0, 0, 0};
	static const struct numbers few = {0, 2, 0, 8, 0, 0, 0, 0};

	(void)state;
	assert_int_equal(unaccounted_severity("md3", rates, DIAGNOSIS_REPORT, false), INFO);
	assert_int_equal(unaccounted_severity("md3", some, DIAGNOSIS_REPORT, false), INFO);
	/* an ordinary disk may be too quick for the figures' last digit */
	assert_int_equal(unaccounted_severity("sda", some, DIAGNOSIS_REPORT, false), NO);
	assert_int_equal(unaccounted_severity("md3", few, DIAGNOSIS_REPORT, false), NO);
	assert_int_equal(unaccounted_severity("md3", FINE, DIAGNOSIS_REPORT, false), NO);
	/* live the driver has none; a report may just not show them */
	assert_int_equal(unaccounted_severity("md3", rates, DIAGNOSIS_LIVE, true), INFO);
	assert_int_equal(unaccounted_severity("md3", rates, DIAGNOSIS_REPORT, true), NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small_random),
	    cmocka_unit_test(test_busy_not_saturated),
	    cmocka_unit_test(test_unaccounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
