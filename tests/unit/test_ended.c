/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings that are over: how long they are remembered, and which go on.
 */
#include "world.h"

enum { KEPT = 100 };

/* '#': one request at a time; '.': nothing to do; 'n': a new device under that name. */
static void frames(struct world *world, const char *held)
{
	for (; *held; held++) {
		world_numbers(world, 0, *held == '#' ? SERIAL : NOTHING);
		if (*held == 'n')
			world->row[0].why = ABSENT_NEW;
		world_tick(world);
	}
}

static void start(struct world *world, const char *held)
{
	world_start(world, 0);
	world_add(world, "sda", NOTHING);
	frames(world, held);
}

/* The first frame begins at 1000 and takes a second. */
static void test_ended_has_its_times(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	start(&world, ".####.");
	assert_int_equal(world.frame.nfinding, 1);
	assert_int_equal(world.frame.nended, 0);
	assert_false(world.frame.finding[0].ended);
	frames(&world, "..");
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(world.frame.nended, 1);
	finding = &world.frame.ended[0];
	assert_true(finding->ended);
	assert_string_equal(finding->rule, "serial-io");
	assert_string_equal(finding->subject, "sda");
	assert_true(finding->since_epoch == 1001);
	assert_true(finding->ended_epoch == 1005); /* not when it went from the screen */
	assert_true(finding->lasted_s == 4);
	assert_non_null(strstr(finding->formula, "6.13 x 163 / 1000"));
	assert_string_equal(world.row[0].verdict, "idle");
	world_end(&world);
}

static void test_return_goes_on(void **state)
{
	struct world world;

	(void)state;
	/* shown again eight frames after it went */
	start(&world, "####........");
	assert_int_equal(world.frame.nended, 1);
	frames(&world, "###");
	assert_int_equal(world.frame.nended, 0);
	assert_int_equal(world.frame.nfinding, 1);
	assert_true(world.frame.finding[0].since_epoch == 1000);
	assert_true(world.frame.finding[0].lasted_s == 15);
	frames(&world, "....");
	assert_int_equal(world.frame.nended, 1);
	assert_true(world.frame.ended[0].since_epoch == 1000);
	assert_true(world.frame.ended[0].ended_epoch == 1015);
	assert_true(world.frame.ended[0].lasted_s == 15);
	world_end(&world);
	/* nine frames: another one */
	start(&world, "####.........###");
	assert_int_equal(world.frame.nended, 1);
	assert_int_equal(world.frame.nfinding, 1);
	assert_true(world.frame.finding[0].since_epoch == 1013);
	assert_true(world.frame.finding[0].lasted_s == 3);
	assert_true(world.frame.ended[0].ended_epoch == 1004);
	world_end(&world);
}

/* Another disk under the old name is another subject, however soon it comes. */
static void test_replaced_device_does_not_go_on(void **state)
{
	struct world world;

	(void)state;
	start(&world, "####");
	world.row[0].diskseq = 0;
	world_diagnosis(&world, DIAGNOSIS_LIVE, 0);
	frames(&world, "####n###");
	assert_int_equal(world.frame.nended, 1);
	assert_int_equal(world.frame.nfinding, 1);
	assert_true(world.frame.finding[0].lasted_s == 3);
	/* also where it had gone from the screen before */
	frames(&world, "....n###");
	assert_int_equal(world.frame.nended, 2);
	assert_true(world.frame.finding[0].lasted_s == 3);
	world_end(&world);
}

/* Findings come and go, ten frames apart. */
static void test_oldest_fall_out(void **state)
{
	struct world world;

	(void)state;
	start(&world, "");
	for (int i = 0; i < KEPT + 20; i++) {
		frames(&world, "####.............");
		assert_int_equal(world.frame.nended, i < KEPT ? i + 1 : KEPT);
		assert_true(world.frame.ended[0].since_epoch == 1000 + 17 * i);
		assert_true(world.frame.ended[world.frame.nended - 1].since_epoch ==
			    (i < KEPT ? 1000 : 1000 + 17 * (i + 1 - KEPT)));
	}
	world_end(&world);
}

/* A burst that comes no more ended with the last one, before others that went earlier. */
static void test_order_is_that_of_the_ends(void **state)
{
	static const struct numbers burst = {0, 47, 0, 15180, 7.74, 323, 6.47, 40};
	struct world world;

	(void)state;
	world_start(&world, 0);
	world_add(&world, "sda", NOTHING);
	world_add(&world, "sdb", NOTHING);
	for (int i = 0; i < 30; i++) {
		world_numbers(&world, 0, i == 0 || i == 6 ? burst : NOTHING);
		world_numbers(&world, 1, i >= 8 && i < 12 ? SERIAL : NOTHING);
		world_tick(&world);
	}
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(world.frame.nended, 2);
	assert_string_equal(world.frame.ended[0].subject, "sdb");
	assert_string_equal(world.frame.ended[1].rule, "write-burst");
	assert_true(world.frame.ended[1].since_epoch == 1000);
	assert_true(world.frame.ended[1].ended_epoch == 1007);
	assert_true(world.frame.ended[1].lasted_s == 7);
	world_end(&world);
}

/* The general finding ends where a narrower one is shown of the same device. */
static void test_overruled_finding_ended(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 0);
	world_add(&world, "sda", NOTHING);
	world.info[0].rotational = 0;
	for (int i = 0; i < 8; i++) {
		double queue = i % 2 ? 80 : 20;

		world_numbers(&world, 0,
			      (struct numbers){0, 2000, 0, 32000, queue, queue / 2, 0.5, 100});
		world_tick(&world);
		assert_int_equal(world.frame.nfinding, i < 2 ? 0 : 1);
	}
	assert_string_equal(world.frame.finding[0].rule, "rate-cap");
	assert_int_equal(world.frame.nended, 1);
	assert_string_equal(world.frame.ended[0].rule, "queueing");
	assert_true(world.frame.ended[0].since_epoch == 1000);
	assert_true(world.frame.ended[0].ended_epoch == 1004);
	assert_true(world.frame.ended[0].lasted_s == 4);
	world_end(&world);
}

/* A pause: what holds on both sides of it goes on, what was not shown yet begins anew. */
static void test_gap(void **state)
{
	struct world world;

	(void)state;
	start(&world, "####");
	diagnosis_gap(world.diagnosis, 60);
	world.frame.epoch += 60;
	frames(&world, "#");
	assert_true(world.frame.finding[0].since_epoch == 1000);
	assert_true(world.frame.finding[0].lasted_s == 65);
	frames(&world, "...");
	assert_true(world.frame.ended[0].ended_epoch == 1065);
	assert_true(world.frame.ended[0].lasted_s == 65);
	world_end(&world);
	/* it held to the pause only: there it ended */
	start(&world, "####");
	diagnosis_gap(world.diagnosis, 60);
	world.frame.epoch += 60;
	frames(&world, "...");
	assert_int_equal(world.frame.nended, 1);
	assert_true(world.frame.ended[0].ended_epoch == 1004);
	assert_true(world.frame.ended[0].lasted_s == 4);
	world_end(&world);
	/* two frames before and one after are not three of four */
	start(&world, "##");
	diagnosis_gap(world.diagnosis, 60);
	frames(&world, "#");
	assert_int_equal(world.frame.nfinding, 0);
	frames(&world, "##");
	assert_true(world.frame.finding[0].lasted_s == 3);
	world_end(&world);
}

static void test_report_has_no_history(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 0);
	world_diagnosis(&world, DIAGNOSIS_REPORT, 0);
	world_add(&world, "sda", NOTHING);
	frames(&world, "####......");
	assert_int_equal(world.frame.nended, 0);
	assert_null(world.frame.ended);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ended_has_its_times),
	    cmocka_unit_test(test_return_goes_on),
	    cmocka_unit_test(test_replaced_device_does_not_go_on),
	    cmocka_unit_test(test_oldest_fall_out),
	    cmocka_unit_test(test_order_is_that_of_the_ends),
	    cmocka_unit_test(test_overruled_finding_ended),
	    cmocka_unit_test(test_gap),
	    cmocka_unit_test(test_report_has_no_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
