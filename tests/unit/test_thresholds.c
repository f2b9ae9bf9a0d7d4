/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of thresholds, and rules whose thresholds somebody set to anything.
 */
#include "world.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>

static void test_table(void **state)
{
	(void)state;
	for (const struct threshold_info *info = threshold_infos(); info->name; info++) {
		assert_true(strlen(info->meaning) > 15);
		assert_true(info->by_default > 0 && threshold_may_be(info->by_default));
		assert_ptr_equal(threshold_find(info->name), info); /* each name once */
		assert_int_equal(strspn(info->name, "abcdefghijklmnopqrstuvwxyz_"),
				 strlen(info->name)); /* as a settings file can have it */
	}
	assert_null(threshold_find(""));
	assert_null(threshold_find("no_such"));
}

static void test_set_and_get(void **state)
{
	static const double never[] = {-1, -DBL_MIN, NAN, INFINITY, -INFINITY};
	struct world world;

	(void)state;
	world_start(&world, 0);
	assert_int_equal(diagnosis_set(world.diagnosis, "limit_unknown_ms", 1000), 0);
	assert_true(diagnosis_get(world.diagnosis, "limit_unknown_ms") == 1000);
	assert_true(isnan(diagnosis_get(world.diagnosis, "no_such")));
	assert_int_equal(diagnosis_set(world.diagnosis, "no_such", 1), -ENOENT);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_int_equal(diagnosis_set(world.diagnosis, "limit_unknown_ms", never[i]),
				 -EINVAL);
	assert_true(diagnosis_get(world.diagnosis, "limit_unknown_ms") == 1000);
	world_end(&world);
}

/* Devices and tasks of every sort. */
static void populate(struct world *world, enum diagnosis_kind kind)
{
	static const struct numbers flood = {60, 9000, 480, 99000, 140, 15, 0.1, 100};
	struct task_row *task;

	world_start(world, 0);
	world_diagnosis(world, kind, 0);
	world_add(world, "sda", SERIAL);
	world_add(world, "sdb", DEEP);
	world_add(world, "sdc", FINE);
	world_add(world, "sdd", NOTHING);
	world_add(world, "sde", flood);
	world_add(world, "sdf", DEEP);
	world_add(world, "sdg", (struct numbers){1e6, 1e6, 1e9, 1e9, 1e6, 1e6, 1e-3, 105});
	world_add(world, "sdh", (struct numbers){100, 100, 800, 800, 0, 0, 0, 0});
	world_stack(world, world_add(world, "md0", DEEP), "sdb");
	world_stack(world, 8, "sdf");
	world_kinds(world, 0, 0, 6.13, 163, 2.5);
	world_kinds(world, 4, 40, 15, 0, 0);
	world->info[0].rotational = world->info[4].rotational = 1;
	world->info[1].queue_depth = 1;
	world->frame.aio.aio_nr = world->frame.aio.aio_max_nr = value_of(65536);
	world->frame.system.iowait = value_of(40);
	world->frame.system.pswpin = world->frame.system.pswpout = value_of(500);
	world->frame.system.dirty_kib = world->frame.system.dirty_limit_kib = value_of(1e6);
	world->frame.system.writeback_kib = value_of(0);
	task = world_task(world, 42, "writer");
	task->wkb = task->wchar = value_of(1304);
	task->syscw = value_of(163);
	task->state = 'D';
	world_file(world, 0, "/data/a", MODE_SYNC, 'w');
}

static void assert_no_number_is_wild(const char *text)
{
	for (const char *p = text; (p = strpbrk(p, "ni")); p++) {
		bool begins = p == text || !isalpha((unsigned char)p[-1]);
		bool wild = strncmp(p, "nan", 3) == 0 || strncmp(p, "inf", 3) == 0;

		if (begins && wild && !isalpha((unsigned char)p[3]))
			fail_msg("%s", text);
	}
}

/* Frames in which the load moves; what is found is told in numbers. */
static void judge_all(struct world *world, bool report)
{
	static const struct numbers moving[] = {{2, 522, 8, 156856, 143.07, 277.58, 1.91, 100.1},
						{2, 522, 8, 156856, 60, 115, 1.91, 100},
						{0, 0, 0, 0, 0, 0, 0, 0},
						{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}};
	const struct finding *finding = NULL;
	size_t n = 0;

	for (unsigned i = 0; i < 12; i++) {
		world_numbers(world, 1, moving[i % 4 == 2 && i < 8 ? 1 : i % 4]);
		world_numbers(world, 5, moving[i % 2]);
		if (i > 6)
			world_stuck(world, 3, 4);
		world_tick(world);
	}
	if (report)
		assert_int_equal(diagnosis_report(world->diagnosis, &finding, &n), 0);
	else
		finding = world->frame.finding, n = world->frame.nfinding;
	for (size_t i = 0; i < n; i++) {
		assert_no_number_is_wild(finding[i].text);
		assert_no_number_is_wild(finding[i].evidence);
	}
}

/* One threshold, or with name NULL all of them, set to this. */
static void judge_with(const char *name, double value, enum diagnosis_kind kind)
{
	struct world world;

	populate(&world, kind);
	for (const struct threshold_info *info = threshold_infos(); info->name; info++)
		if (!name || strcmp(info->name, name) == 0)
			assert_int_equal(diagnosis_set(world.diagnosis, info->name, value), 0);
	judge_all(&world, kind == DIAGNOSIS_REPORT);
	world_end(&world);
}

static void test_anything_can_be_set(void **state)
{
	static const double values[] = {0, DBL_TRUE_MIN, 0.5, 1, 61, 1e19, DBL_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (enum diagnosis_kind kind = DIAGNOSIS_LIVE; kind <= DIAGNOSIS_REPORT; kind++) {
			for (const struct threshold_info *info = threshold_infos(); info->name;
			     info++)
				judge_with(info->name, values[i], kind);
			judge_with(NULL, values[i], kind);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_set_and_get),
	    cmocka_unit_test(test_anything_can_be_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
