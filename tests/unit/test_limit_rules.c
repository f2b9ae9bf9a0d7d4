/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits above the medium: rates that stand still, short driver queues, cgroups.
 */
#include "world.h"

static const struct device_info FLASH = {.rotational = 0}, SPINDLE = {.rotational = 1};

static struct numbers at_rate(double iops, double queue)
{
	return (struct numbers){0,           iops, 0, 16 * iops, queue, 1000 * queue / iops,
				1000 / iops, 100};
}

/* Frames of a report with these queues, at this rate each. */
static int cap_severity(const double *rate, const double *queue, int n,
			const struct device_info *info)
{
	struct world world;
	const struct finding *finding;
	size_t nfinding;
	int severity = NO;

	world_start(&world, 0);
	world_diagnosis(&world, DIAGNOSIS_REPORT, 0);
	world_add(&world, "xvdb", NOTHING);
	world.info[0] = *info;
	for (int i = 0; i < n; i++) {
		world_numbers(&world, 0, at_rate(rate[i], queue[i]));
		world_tick(&world);
	}
	assert_int_equal(diagnosis_report(world.diagnosis, &finding, &nfinding), 0);
	for (size_t i = 0; i < nfinding; i++)
		if (strcmp(finding[i].rule, "rate-cap") == 0) {
			severity = (int)finding[i].severity;
			assert_int_equal(nfinding, 1); /* it covers the queueing before it */
			assert_non_null(
			    strstr(finding[i].text, "requests/s: that rate stood still"));
		}
	world_end(&world);
	return severity;
}

static void test_rate_cap_in_report(void **state)
{
	const double still[] = {2001, 2003, 1999}, moving[] = {2001, 2150, 1999};
	const double deeper[] = {20, 90, 100}, same[] = {90, 92, 91}, short_line[] = {2, 5, 90};

	(void)state;
	assert_int_equal(cap_severity(still, deeper, 3, &FLASH), WARN);
	assert_int_equal(cap_severity(still, deeper, 2, &FLASH), NO);
	assert_int_equal(cap_severity(moving, deeper, 3, &FLASH), NO);
	assert_int_equal(cap_severity(still, same, 3, &FLASH), NO);
	assert_int_equal(cap_severity(still, short_line, 3, &FLASH), NO);
}

static void test_rate_cap_of_a_spindle(void **state)
{
	const double still[] = {160, 161, 160}, deeper[] = {20, 90, 100};

	(void)state;
	assert_int_equal(cap_severity(still, deeper, 3, &SPINDLE), NO);
}

/* How requests of this size are judged at this rate, by name and kind, over three intervals. */
static int cap_kind_severity(const char *name, const struct device_info *info, double iops,
			     double kib)
{
	static const double queues[] = {20, 90, 100};
	struct world world;
	const struct finding *finding;
	size_t n;
	int severity = NO;

	world_start(&world, 0);
	world_diagnosis(&world, DIAGNOSIS_REPORT, 0);
	world_add(&world, name, NOTHING);
	if (info)
		world.info[0] = *info;
	else
		world.row[0].info = NULL;
	for (int i = 0; i < 3; i++) {
		struct numbers is = at_rate(iops, queues[i]);

		is.wkb = kib * iops;
		world_numbers(&world, 0, is);
		world_tick(&world);
	}
	assert_int_equal(diagnosis_report(world.diagnosis, &finding, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(finding[i].rule, "rate-cap") == 0)
			severity = (int)finding[i].severity;
	world_end(&world);
	return severity;
}

static void test_rate_cap_needs_no_spindle(void **state)
{
	static const struct device_info virtual = {.rotational = 1, .virtual_medium = true};

	(void)state;
	/* a disk that streams does so at a flat rate, of many requests or few */
	assert_int_equal(cap_kind_severity("sda", &SPINDLE, 640, 256), NO);
	assert_int_equal(cap_kind_severity("sda", NULL, 320, 512), NO);
	assert_int_equal(cap_kind_severity("sda", NULL, 200, 8), NO);
	assert_int_equal(cap_kind_severity("sda", NULL, 3000, 8), WARN);
	/* virtual disks have small limits */
	assert_int_equal(cap_kind_severity("vda", &virtual, 300, 16), WARN);
	assert_int_equal(cap_kind_severity("xvdf", NULL, 300, 16), WARN);
}

/* Live: a load that became heavier once is no proof. '1' is a queue of 20, '2' of 80. */
static bool cap_live(const char *queues)
{
	struct world world;
	bool shown;

	world_start(&world, 0);
	world_add(&world, "xvdb", NOTHING);
	world.info[0] = FLASH;
	for (; *queues; queues++) {
		world_numbers(&world, 0, at_rate(3000, *queues == '1' ? 20 : 80));
		world_tick(&world);
	}
	shown = found(&world, "xvdb", "rate-cap") != NULL;
	assert_int_equal(world.frame.nfinding, 1); /* that or queueing, not both */
	world_end(&world);
	return shown;
}

static void test_rate_cap_live(void **state)
{
	(void)state;
	assert_true(cap_live("11112222222"));
	assert_true(cap_live("12121"));
	assert_false(cap_live("1212"));
	assert_false(cap_live("1222222"));
	assert_false(cap_live("2222222"));
}

/* 3000 a second because that is what is asked for: '1' and '2' are such queues, in a healthy
 * device. */
static void test_no_cap_of_a_steady_load(void **state)
{
	static const double queues[][2] = {{0.6, 2.4}, {4, 5.9}, {7, 14.9}, {8, 60}};
	struct world world;

	(void)state;
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		world_start(&world, 0);
		world_add(&world, "nvme0n1", NOTHING);
		world.info[0] = FLASH;
		for (int k = 0; k < 12; k++) {
			world_numbers(&world, 0, at_rate(3000, queues[i][k / 2 % 2]));
			world_tick(&world);
			if (found(&world, "nvme0n1", "rate-cap"))
				fail_msg("queues %g and %g", queues[i][0], queues[i][1]);
		}
		world_end(&world);
	}
}

/* Four disks on one link: their shares move, their total does not. */
static int link_severity(const double share[3][4])
{
	static const char *const names[] = {"sda", "sdb", "sdc", "sdd"};
	struct world world;
	const struct finding *finding;
	size_t n;
	int severity = NO;

	world_start(&world, 0);
	world_diagnosis(&world, DIAGNOSIS_REPORT, 0);
	for (int i = 0; i < 4; i++)
		world_add(&world, names[i], NOTHING);
	for (int frame = 0; frame < 3; frame++) {
		for (int i = 0; i < 4; i++) {
			double kib = 1000 * share[frame][i];

			world_numbers(&world, i,
				      (struct numbers){kib / 512, 0, kib, 0, 30, 90, 3, 100});
		}
		world_tick(&world);
	}
	assert_int_equal(diagnosis_report(world.diagnosis, &finding, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(finding[i].rule, "rate-cap") == 0) {
			severity = (int)finding[i].severity;
			assert_string_equal(finding[i].group, "rate-cap link");
			assert_int_equal(n, 4); /* one record for each disk */
		}
	world_end(&world);
	return severity;
}

static void test_rate_cap_of_a_link(void **state)
{
	static const double shared[3][4] = {{60, 60, 60, 60}, {80, 40, 70, 50}, {50, 75, 45, 70}};
	static const double each[3][4] = {{60, 60, 60, 60}, {80, 40, 70, 90}, {50, 75, 45, 30}};

	(void)state;
	assert_int_equal(link_severity(shared), WARN);
	assert_int_equal(link_severity(each), NO);
}

static int shallow_severity(struct numbers is, int depth, const struct device_info *info)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	world.info[0] = *info;
	world.info[0].queue_depth = depth;
	world_tick(&world);
	severity = severity_found(&world, "sda", "shallow-queue");
	world_end(&world);
	return severity;
}

static void test_shallow_queue(void **state)
{
	/* 400 requests/s one at a time are served in 2.5 ms each and wait 27 */
	static const struct numbers line = {0, 400, 0, 3200, 12, 30, 2.5, 100};

	(void)state;
	assert_int_equal(shallow_severity(line, 1, &FLASH), WARN);
	assert_int_equal(shallow_severity(line, 2, &FLASH), WARN);
	/* with 32 slots nothing is known to wait in the host; a disk of one arm needs no more */
	assert_int_equal(shallow_severity(line, 32, &FLASH), NO);
	assert_int_equal(shallow_severity(line, 1, &SPINDLE), NO);
	/* large requests to a USB disk wait for its bandwidth; write-back that comes in bursts */
	assert_int_equal(
	    shallow_severity((struct numbers){0, 250, 0, 30000, 30, 120, 4, 100}, 1, &FLASH), NO);
	assert_int_equal(
	    shallow_severity((struct numbers){0, 400, 0, 3200, 12, 30, 1, 40}, 1, &FLASH), NO);
	assert_int_equal(
	    shallow_severity((struct numbers){400, 0, 3200, 0, 12, 30, 1, 40}, 1, &FLASH), WARN);
	/* the device itself is slow: 20 ms a request */
	assert_int_equal(
	    shallow_severity((struct numbers){0, 50, 0, 400, 12, 240, 20, 100}, 1, &FLASH), NO);
	assert_int_equal(
	    shallow_severity((struct numbers){0, 400, 0, 3200, 1, 2.5, 2.5, 100}, 1, &FLASH), NO);
}

static int measured_severity(double serve, double wait, double sqfull, const char *rule)
{
	struct world world;
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	int severity;

	world_start(&world, 1);
	world_add(&world, "hdisk7", (struct numbers){30, 130, 240, 1100, 0, 0, 0, 99});
	world.row[0].info = NULL;
	world.row[0].avgqu_sz = world.row[0].await = world.row[0].svctm = none;
	world.row[0].avserv = value_of(serve);
	world.row[0].avwait = value_of(wait);
	world.row[0].sqfull = value_of(sqfull);
	world_tick(&world);
	severity = severity_found(&world, "hdisk7", rule);
	world_end(&world);
	return severity;
}

/* Traced live: what waits before a deep queue, or for bandwidth, is not held back by the driver. */
static int traced_severity(int depth, double kib, double sqfull)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){0, 250, 0, 250 * kib, 30, 120, 4, 100});
	world.info[0] = FLASH;
	world.info[0].queue_depth = depth;
	world.row[0].avserv = value_of(4);
	world.row[0].avwait = value_of(116);
	world.row[0].sqfull = value_of(sqfull);
	world_tick(&world);
	severity = severity_found(&world, "sda", "shallow-queue");
	world_end(&world);
	return severity;
}

static void test_shallow_queue_traced(void **state)
{
	(void)state;
	assert_int_equal(traced_severity(1, 8, 0), WARN);
	assert_int_equal(traced_severity(1, 120, 0), NO);
	assert_int_equal(traced_severity(32, 8, 0), NO);
	assert_int_equal(traced_severity(32, 8, 90), WARN);
}

/* Traced: four slots of 2.5 ms, with so many a second waiting so long for one of them. */
static void slots_world(struct world *world, int slots, double slotwait, double avslot)
{
	world_start(world, 1);
	world_add(world, "sda", (struct numbers){1600, 0, 6400, 0, 4, 2.5, 0.6, 100});
	world->info[0] = FLASH;
	world->info[0].nr_requests = slots;
	world->row[0].avserv = value_of(2.5);
	world->row[0].avwait = value_of(0.01);
	world->row[0].sqfull = value_of(0);
	world->row[0].slotwait = value_of(slotwait);
	world->row[0].avslot = avslot > 0 ? value_of(avslot) : value_absent(ABSENT_IDLE);
	world_tick(world);
}

static int slots_severity(int slots, double slotwait, double avslot)
{
	struct world world;
	int severity;

	slots_world(&world, slots, slotwait, avslot);
	severity = severity_found(&world, "sda", "shallow-queue");
	world_end(&world);
	return severity;
}

static void test_shallow_queue_of_slots(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	assert_int_equal(slots_severity(4, 1000, 28), WARN);
	assert_int_equal(slots_severity(4, 0, 0), NO);
	/* few wait: three times longer than they are served is not reached, or hardly any is there */
	assert_int_equal(slots_severity(4, 1000, 10), NO);
	assert_int_equal(slots_severity(4, 100, 28), NO);
	/* whoever fills a queue of many has sent too much */
	assert_int_equal(slots_severity(64, 1000, 28), NO);
	slots_world(&world, 4, 1000, 28);
	finding = found(&world, "sda", "shallow-queue");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, "they wait 17.5 ms"));
	assert_non_null(strstr(finding->text, "4 slots (nr_requests) and 32 are there"));
	assert_non_null(strstr(finding->text, "1000/s wait 28 ms for a free slot"));
	assert_non_null(strstr(finding->advice, "queue/nr_requests"));
	assert_null(strstr(finding->advice, "device/queue_depth"));
	world_end(&world);
}

/* Of a bio-based disk there is one time, with all below it: nothing is judged by it. */
static void test_bios_judge_nothing(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 1);
	world_add(&world, "dm-0", (struct numbers){160, 0, 640, 0, 32, 192, 6.2, 100});
	world.row[0].avserv = value_of(192);
	world.row[0].avwait = world.row[0].slotwait = world.row[0].avslot = value_absent(ABSENT_BIO);
	world_tick(&world);
	assert_string_equal(world.row[0].mark_by, "svctm");
	assert_int_equal(world.row[0].mark, 'W');
	const struct finding *finding = found(&world, "dm-0", "queueing");
	assert_non_null(finding);
	assert_null(strstr(finding->text, "measured"));
	assert_null(strstr(finding->evidence, "avserv"));
	assert_int_equal(severity_found(&world, "dm-0", "slow-device"), NO);
	world_end(&world);
}

/* What to do has AIX's commands in a report from AIX, and Linux's else. */
static void shallow_advice(bool aix, const char *says, const char * not )
{
	struct world world;
	const char *advice;

	world_start(&world, 1);
	world_add(&world, "hdisk7", (struct numbers){30, 130, 240, 1100, 12, 60, 6, 99});
	world.row[0].info = NULL;
	world.row[0].avserv = value_of(1.4);
	world.row[0].avwait = value_of(60);
	world.row[0].sqfull = value_of(20);
	world.frame.aix = aix;
	world_tick(&world);
	advice = found(&world, "hdisk7", "shallow-queue")->advice;
	assert_non_null(strstr(advice, says));
	assert_null(strstr(advice, not ));
	world_end(&world);
}

static void test_shallow_queue_advice(void **state)
{
	(void)state;
	shallow_advice(true, "chdev -l hdisk7 -a queue_depth=N", "/sys");
	shallow_advice(false, "/sys/class/block/hdisk7/device/queue_depth", "chdev");
}

static void test_shallow_queue_measured(void **state)
{
	(void)state;
	assert_int_equal(measured_severity(1.4, 60, 20, "shallow-queue"), WARN);
	assert_int_equal(measured_severity(1.4, 60, 0, "shallow-queue"), NO);
	assert_int_equal(measured_severity(1.4, 2, 20, "shallow-queue"), NO);
	assert_int_equal(measured_severity(45, 60, 20, "shallow-queue"), NO);
	/* nothing waits, and it is slow */
	assert_int_equal(measured_severity(2, 0, 0, "slow-device"), NO);
	assert_int_equal(measured_severity(30, 0, 0, "shallow-queue"), NO);
}

/* What waited in the host is not held against the device. */
static int slow_severity(double serve, double wait)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){0, 20, 0, 80, 0.5, 25, 25, 50});
	world.info[0] = FLASH;
	world.row[0].avserv = value_of(serve);
	world.row[0].avwait = value_of(wait);
	world_tick(&world);
	severity = severity_found(&world, "sda", "slow-device");
	if (severity != NO)
		assert_non_null(strstr(found(&world, "sda", "slow-device")->text, "Measured: "));
	world_end(&world);
	return severity;
}

static void test_slow_device_measured(void **state)
{
	(void)state;
	assert_int_equal(slow_severity(24, 1), WARN);
	assert_int_equal(slow_severity(1, 24), NO);
}

/* Without a queue in the report, rate x time is the queue. */
static void test_queue_of_measured_times(void **state)
{
	(void)state;
	assert_int_equal(measured_severity(40, 20, 0, "queueing"), WARN);
	assert_int_equal(measured_severity(60, 60, 0, "queueing"), CRIT);
	assert_int_equal(measured_severity(1.4, 60, 20, "queueing"), NO);
	assert_int_equal(measured_severity(20, 10, 0, "queueing"), NO);
	assert_int_equal(measured_severity(6, 0, 0, "serial-io"), WARN);
	assert_int_equal(measured_severity(4, 0, 0, "serial-io"), NO);
	assert_int_equal(measured_severity(12, 0, 0, "serial-io"), NO);
}

static void throttled_start(struct world *world, double rkb, double limit)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct task_row *task;

	world_start(world, 1);
	world_add(world, "sda", (struct numbers){256, 0, rkb, 0, 0.03, 0.1, 0.1, 3});
	world->row[0].major = 8;
	task = world_task(world, 77, "dd");
	task->state = 'D';
	task->rkb = value_of(rkb);
	world->use[0].limits_read = true;
	world->use[0].nlimit = 1;
	world->use[0].limit[0] = (struct io_limit){.major = 8,
						   .rkb = value_of(limit),
						   .wkb = none,
						   .riops = none,
						   .wiops = none,
						   .cgroup = "/jobs/slow"};
}

static void test_throttled(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	throttled_start(&world, 1000, 1024);
	world.frame.system.iowait = value_of(50);
	world.frame.system.blocked = value_of(1);
	world_tick(&world);
	finding = found(&world, "sda", "throttled");
	assert_non_null(finding);
	assert_int_equal(finding->severity, WARN);
	assert_non_null(strstr(finding->text, "dd (pid 77) waits"));
	assert_non_null(strstr(finding->text, "limited to 1024 KiB/s of reads"));
	assert_int_equal(world.frame.nfinding, 1); /* nor is it elsewhere */
	world_end(&world);
}

static int throttled_severity(double rkb, double limit, int spoil)
{
	struct world world;
	int severity;

	throttled_start(&world, rkb, limit);
	if (spoil == 1)
		world.task[0].state = 'S';
	if (spoil == 2)
		world.use[0].limit[0].minor = 16; /* another disk's limit */
	if (spoil == 3)
		world.row[0].avgqu_sz = value_of(30);
	if (spoil == 4)
		world.use[0].limits_read = false;
	world_tick(&world);
	severity = severity_found(&world, "sda", "throttled");
	assert_int_equal(lacking(&world, "throttled"), spoil == 4);
	world_end(&world);
	return severity;
}

static void test_not_throttled(void **state)
{
	(void)state;
	assert_int_equal(throttled_severity(1000, 1024, 0), WARN);
	assert_int_equal(throttled_severity(1000, 100000, 0), NO);
	assert_int_equal(throttled_severity(1000, 100, 0), NO); /* so it cannot be in force */
	for (int spoil = 1; spoil <= 4; spoil++)
		assert_int_equal(throttled_severity(1000, 1024, spoil), NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rate_cap_in_report),
	    cmocka_unit_test(test_rate_cap_of_a_spindle),
	    cmocka_unit_test(test_rate_cap_needs_no_spindle),
	    cmocka_unit_test(test_rate_cap_live),
	    cmocka_unit_test(test_no_cap_of_a_steady_load),
	    cmocka_unit_test(test_rate_cap_of_a_link),
	    cmocka_unit_test(test_shallow_queue),
	    cmocka_unit_test(test_shallow_queue_measured),
	    cmocka_unit_test(test_shallow_queue_traced),
	    cmocka_unit_test(test_shallow_queue_of_slots),
	    cmocka_unit_test(test_bios_judge_nothing),
	    cmocka_unit_test(test_shallow_queue_advice),
	    cmocka_unit_test(test_slow_device_measured),
	    cmocka_unit_test(test_queue_of_measured_times),
	    cmocka_unit_test(test_throttled),
	    cmocka_unit_test(test_not_throttled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
