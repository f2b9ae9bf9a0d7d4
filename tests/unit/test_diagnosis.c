/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is shown of the claims: stacks, persistence, order, absent figures.
 */
#include "world.h"

static void test_stack_has_one_finding(void **state)
{
	struct world world;
	const struct numbers slow = {40, 0, 160, 0, 0.6, 80, 14, 56};

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", slow);
	world_add(&world, "sda1", slow);
	world_stack(&world, world_add(&world, "md0", slow), "sda1"); /* over the partition */
	world_stack(&world, world_add(&world, "dm-0", slow), "md0");
	world_add(&world, "sdb", SERIAL);
	world.info[1].class = DEVICE_PARTITION;
	snprintf(world.info[1].parent, DEVICE_NAME_MAX, "sda");
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 2);
	assert_non_null(strstr(found(&world, "sda", "slow-device")->text, "carries md0, dm-0."));
	assert_non_null(strstr(found(&world, "sda", "slow-device")->evidence, "carries=md0,dm-0"));
	assert_null(strstr(found(&world, "sdb", "serial-io")->text, "carries"));
	assert_string_equal(world.row[0].verdict, "slow-device");
	for (int i = 1; i < 4; i++)
		assert_string_equal(world.row[i].verdict, "");
	/* where the disk does well the layer has the finding, and a stall is not mere slowness */
	world_numbers(&world, 0, FINE);
	world_diagnosis(&world, DIAGNOSIS_LIVE, 1);
	world_tick(&world);
	assert_non_null(found(&world, "md0", "slow-device"));
	assert_null(found(&world, "dm-0", "slow-device"));
	world_numbers(&world, 0, slow);
	world_stuck(&world, 3, 9);
	world_diagnosis(&world, DIAGNOSIS_LIVE, 1);
	world_tick(&world);
	assert_non_null(found(&world, "dm-0", "stalled"));
	world_end(&world);
}

/* Held and shown, one character a frame: '#' or '.'. */
static void persistence_case(unsigned frames, const char *held, const char *shown)
{
	struct world world;

	world_start(&world, frames);
	world_add(&world, "sda", SERIAL);
	for (size_t i = 0; held[i]; i++) {
		world_numbers(&world, 0, held[i] == '#' ? SERIAL : NOTHING);
		if (held[i] == 'n')
			world.row[0].why = ABSENT_LATE;
		world_tick(&world);
		if ((found(&world, "sda", "serial-io") != NULL) != (shown[i] == '#'))
			fail_msg("%s shows %s, but not in frame %zu", held, shown, i + 1);
	}
	world_end(&world);
}

static void test_persistence(void **state)
{
	(void)state;
	persistence_case(0, "###.....", "..###...");
	persistence_case(0, "##.#....", "...##...");
	persistence_case(0, "#.#.#.#.", "........");
	persistence_case(0, "###.....", "..###...");
	persistence_case(0, "###nnn", "..###.");
	persistence_case(10, "###", "..#");
	persistence_case(1, "#", "#");
	persistence_case(2, "##", ".#");
	persistence_case(2, "#.", "..");
	persistence_case(2, ".#", "..");
}

static void test_shown_findings(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 0);
	world_add(&world, "sda", SERIAL);
	world_add(&world, "sdb", DEEP);
	world_add(&world, "sdc", NOTHING);
	world_add(&world, "sdd", FINE);
	world_add(&world, "sde", NOTHING);
	world.row[4].why = ABSENT_NEW;
	world.frame.since_boot = true;
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(world.row[1].mark, 'W');
	assert_string_equal(world.row[1].verdict, "");
	world.frame.since_boot = false;
	for (int i = 0; i < 6; i++)
		world_tick(&world);
	assert_int_equal(world.frame.nfinding, 2); /* crit before warn */
	assert_string_equal(world.frame.finding[0].subject, "sdb");
	assert_true(world.frame.finding[1].since_epoch == 1001);
	assert_true(world.frame.finding[1].lasted_s == 6);
	assert_string_equal(world.row[2].verdict, "idle");
	assert_string_equal(world.row[3].verdict, "ok");
	assert_string_equal(world.row[4].verdict, "");
	/* another disk under the same name, and one that is gone */
	world.row[0].diskseq = 2;
	world.row[0].why = ABSENT_NEW;
	world.row[1].name = "sdz";
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

static void test_absent_figures_prove_nothing(void **state)
{
	const enum absent why = ABSENT_UNSUPPORTED;
	struct world world;

	(void)state;
	world_start(&world, 1);
	for (int i = 0; i < 3; i++)
		world_add(&world, i == 0 ? "sda" : i == 1 ? "sdb" : "sdc", i ? DEEP : SERIAL);
	world.row[0].info = NULL; /* no sysfs: the kind is unknown, the rest stands */
	world.row[1].await = value_absent(why);
	world.row[2].avgqu_sz = value_absent(why);
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 1);
	assert_non_null(found(&world, "sda", "serial-io"));
	world.row[0].util = value_absent(why);
	world_diagnosis(&world, DIAGNOSIS_LIVE, 1);
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

static void test_rule_table(void **state)
{
	const struct rule_info *info = rule_infos();

	(void)state;
	assert_string_equal(info->name, "stalled");
	for (; info->name; info++)
		assert_true(strlen(info->meaning) > 40 && info->worst <= SEVERITY_CRIT);
	assert_int_equal(info - rule_infos(), 26);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stack_has_one_finding),
	    cmocka_unit_test(test_persistence),
	    cmocka_unit_test(test_shown_findings),
	    cmocka_unit_test(test_absent_figures_prove_nothing),
	    cmocka_unit_test(test_rule_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
