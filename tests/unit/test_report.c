/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A saved report judged as a whole: intervals, sections, averages since boot.
 */
#include "world.h"

static void report_start(struct world *world, const char *name, struct numbers is)
{
	world_start(world, 0);
	world_diagnosis(world, DIAGNOSIS_REPORT, 0);
	world_add(world, name, is);
	world->row[0].info = NULL;
	world->frame.aio.aio_nr = world->frame.aio.aio_max_nr = value_absent(ABSENT_UNSUPPORTED);
}

static void report_frame(struct world *world, struct numbers is)
{
	world_numbers(world, 0, is);
	world->row[0].inflight = value_absent(ABSENT_UNSUPPORTED);
	world->frame.since_boot = false;
	world_tick(world);
	assert_int_equal(world->frame.nfinding, 0); /* they come at the end */
}

static void boot_frame(struct world *world, struct numbers is)
{
	unsigned long number = world->frame.number;

	world_numbers(world, 0, is);
	world->frame.since_boot = true;
	world->frame.number = 0;
	assert_int_equal(diagnose(world->diagnosis, &world->frame), 0);
	world->frame.number = number;
}

static void report_end(struct world *world)
{
	const struct finding *finding;
	size_t n;

	assert_int_equal(diagnosis_report(world->diagnosis, &finding, &n), 0);
	world->frame.finding = finding;
	world->frame.nfinding = n;
	world_formulas(finding, n);
}

static const struct numbers DEEPER = {2, 522, 8, 156856, 150, 287, 1.91, 100};
static const struct numbers SLOW = {40, 0, 160, 0, 0.5, 80, 12, 50};

static void test_intervals(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	report_start(&world, "sda", NOTHING);
	for (int i = 0; i < 9; i++)
		report_frame(&world, i == 2 || i == 3 || i == 7 ? DEEP : i == 4 ? DEEPER : FINE);
	report_end(&world);
	assert_int_equal(world.frame.nfinding, 1);
	finding = found(&world, "sda", "queueing");
	assert_string_equal(finding->intervals, "3-5,8");
	assert_int_equal(finding->held, 4);
	assert_int_equal(finding->frame, 5); /* the strongest */
	assert_non_null(strstr(finding->text, "150 requests"));
	assert_true(finding->since_epoch == 1002 && finding->lasted_s == 4);
	world_end(&world);
}

/* Many intervals fit in no list: it ends in dots. */
static void test_long_list_of_intervals(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	report_start(&world, "sda", NOTHING);
	for (int i = 0; i < 600; i++)
		report_frame(&world, i % 2 ? DEEP : FINE);
	report_end(&world);
	finding = found(&world, "sda", "queueing");
	assert_int_equal(finding->held, 300);
	assert_int_equal(strncmp(finding->intervals, "2,4,6,8,", 8), 0);
	assert_string_equal(finding->intervals + strlen(finding->intervals) - 4, ",...");
	world_end(&world);
}

/* One character an interval: queueing, slow, or fine; the severity of the rule at the end. */
static int once_severity(const char *frames, const char *rule)
{
	struct world world;
	int severity;

	report_start(&world, "sda", NOTHING);
	for (; *frames; frames++)
		if (*frames == '/')
			diagnosis_break(world.diagnosis);
		else
			report_frame(&world, *frames == 'q'   ? DEEP
					     : *frames == 's' ? SLOW
					     : *frames == '1' ? SERIAL
							      : FINE);
	report_end(&world);
	severity = severity_found(&world, "sda", rule);
	world_end(&world);
	return severity;
}

static void test_held_once(void **state)
{
	(void)state;
	assert_int_equal(once_severity("q", "queueing"), CRIT);
	assert_int_equal(once_severity(".q.", "queueing"), INFO);
	assert_int_equal(once_severity("q..q", "queueing"), CRIT);
	assert_int_equal(once_severity("s.", "slow-device"), INFO);
	assert_int_equal(once_severity("ss.", "slow-device"), WARN);
	/* serial work is no matter of latency */
	assert_int_equal(once_severity("..1", "serial-io"), WARN);
	/* sections are judged each for itself */
	assert_int_equal(once_severity("./q/..", "queueing"), CRIT);
	assert_int_equal(once_severity(".q/.q", "queueing"), INFO);
}

static void test_since_boot(void **state)
{
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	boot_frame(&world, DEEP);
	report_end(&world);
	assert_int_equal(world.frame.nfinding, 1);
	assert_int_equal(severity_found(&world, "system", "since-boot-only"), INFO);
	assert_string_equal(found(&world, "system", "since-boot-only")->intervals, "");
	world_end(&world);
	/* intervals behind it: it has no say */
	report_start(&world, "sda", NOTHING);
	boot_frame(&world, DEEP);
	report_frame(&world, FINE);
	report_end(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
	/* figures that cannot be are told, and are no warning */
	report_start(&world, "sda", NOTHING);
	boot_frame(&world, (struct numbers){.wkb = 340288, .queue = 760, .util = 102});
	report_end(&world);
	assert_int_equal(severity_found(&world, "sda", "counter-fault"), INFO);
	world_end(&world);
}

static void test_aio_since_boot(void **state)
{
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	world.frame.aio.aio_nr = value_of(65536);
	world.frame.aio.aio_max_nr = value_of(65536);
	boot_frame(&world, FINE);
	report_end(&world);
	assert_int_equal(severity_found(&world, "system", "aio-exhausted"), CRIT);
	world_end(&world);
	/* an io_setup that failed needs no aio-nr */
	report_start(&world, "sda", NOTHING);
	world.frame.aio.aio_nr = value_absent(ABSENT_UNSUPPORTED);
	world.frame.aio.aio_max_nr = value_of(65536);
	world.frame.aio.eagain = true;
	world.frame.aio.eagain_slots = 70000;
	boot_frame(&world, FINE);
	report_end(&world);
	assert_int_equal(severity_found(&world, "system", "aio-exhausted"), CRIT);
	assert_non_null(
	    strstr(found(&world, "system", "aio-exhausted")->text, "70000 slots failed"));
	world_end(&world);
	/* nor the number, nor the limit */
	report_start(&world, "sda", NOTHING);
	world.frame.aio.aio_nr = world.frame.aio.aio_max_nr = value_absent(ABSENT_UNSUPPORTED);
	world.frame.aio.eagain = true;
	boot_frame(&world, FINE);
	report_end(&world);
	assert_int_equal(severity_found(&world, "system", "aio-exhausted"), CRIT);
	world_end(&world);
}

static void test_taint_is_for_the_whole_report(void **state)
{
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	for (int i = 0; i < 3; i++)
		report_frame(&world, DEEP);
	report_frame(&world, (struct numbers){.wkb = 340288, .queue = 760, .util = 102});
	report_end(&world);
	assert_int_equal(world.frame.nfinding, 1);
	assert_int_equal(severity_found(&world, "sda", "counter-fault"), WARN);
	world_end(&world);
}

/* '#' stuck, '.' working. */
static int stall_severity(const char *frames, double seconds)
{
	static const struct numbers stuck = {.queue = 217, .util = 100};
	struct world world;
	int severity;

	report_start(&world, "sda", NOTHING);
	world.frame.seconds = seconds;
	for (; *frames; frames++)
		report_frame(&world, *frames == '#' ? stuck : FINE);
	report_end(&world);
	severity = severity_found(&world, "sda", "stalled");
	/* a pause is said to be one, a stall is not */
	assert_int_equal(severity == INFO,
			 strstr(found(&world, "sda", "stalled")->text, "was a pause") != NULL);
	world_end(&world);
	return severity;
}

static void test_stalls(void **state)
{
	(void)state;
	assert_int_equal(stall_severity("#", 0), WARN); /* T unknown: one second */
	assert_int_equal(stall_severity("..#", 1), WARN);
	assert_int_equal(stall_severity("..#.", 1), INFO); /* throttling */
	assert_int_equal(stall_severity(".##..", 1), INFO);
	assert_int_equal(stall_severity(".###.", 1), CRIT);
	assert_int_equal(stall_severity(".#.", 10), CRIT);
}

/* Of a short interval each alone counts, not four of them. */
static void test_window_is_one_interval(void **state)
{
	static const struct numbers few = {12, 0, 48, 0, 0.5, 40, 12, 14};
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	for (int i = 0; i < 4; i++)
		report_frame(&world, few);
	report_end(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

/* A device that a report leaves out for an interval is remembered. */
static void test_device_left_out(void **state)
{
	static const struct numbers calm = {600, 30, 4800, 400, 0.3, 0.4, 0.3, 20};
	static const struct numbers flood = {60, 9000, 480, 99000, 140, 15, 0.1, 100};
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	world_add(&world, "sdb", FINE);
	world.row[1].info = NULL;
	for (int i = 0; i < 3; i++) {
		world_numbers(&world, 0, calm);
		world_kinds(&world, 0, 0.4, 0.4, 0, 0);
		world_tick(&world);
	}
	world.frame.device = &world.row[1]; /* sdb alone */
	world.frame.ndevice = 1;
	world_tick(&world);
	world.frame.device = world.row;
	world.frame.ndevice = 2;
	world_numbers(&world, 0, flood);
	world_kinds(&world, 0, 40, 15, 0, 0);
	world_tick(&world);
	report_end(&world);
	assert_int_equal(severity_found(&world, "sda", "read-starved"), WARN);
	world_end(&world);
}

static void test_a_threshold_that_is_set(void **state)
{
	struct world world;

	(void)state;
	report_start(&world, "sda", NOTHING);
	assert_int_equal(diagnosis_set(world.diagnosis, "limit_unknown_ms", 1000), 0);
	assert_int_equal(diagnosis_set(world.diagnosis, "limit_other_ms", 1000), 0);
	report_frame(&world, DEEP);
	report_end(&world);
	assert_null(found(&world, "sda", "queueing"));
	world_end(&world);
}

static void test_what_could_not_be_judged(void **state)
{
	struct world world;
	const struct rule_check *check;
	size_t swapping = 0;

	(void)state;
	report_start(&world, "sda", NOTHING);
	report_frame(&world, FINE);
	world.row[0].avgqu_sz = world.row[0].await = value_absent(ABSENT_UNSUPPORTED);
	world_tick(&world);
	assert_int_equal(lacking(&world, "queueing"), 1);
	while (strcmp(rule_infos()[swapping].name, "swapping") != 0)
		swapping++;
	check = diagnosis_check(world.diagnosis, swapping);
	assert_int_equal(check->looked, 2);
	assert_int_equal(check->lacking, 2);
	assert_string_equal(check->subject, "system");
	assert_non_null(strstr(check->lacks, "swapped"));
	/* an idle device lacks nothing */
	report_frame(&world, NOTHING);
	assert_int_equal(lacking(&world, "queueing"), 1);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_intervals),
	    cmocka_unit_test(test_long_list_of_intervals),
	    cmocka_unit_test(test_held_once),
	    cmocka_unit_test(test_since_boot),
	    cmocka_unit_test(test_aio_since_boot),
	    cmocka_unit_test(test_taint_is_for_the_whole_report),
	    cmocka_unit_test(test_stalls),
	    cmocka_unit_test(test_window_is_one_interval),
	    cmocka_unit_test(test_device_left_out),
	    cmocka_unit_test(test_a_threshold_that_is_set),
	    cmocka_unit_test(test_what_could_not_be_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
