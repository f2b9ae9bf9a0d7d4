/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that belong together: sets with one slow member, layers that wait for
 * nothing below them, and how layers are found where nobody says what they are.
 */
#include "world.h"

static const struct numbers QUICK = {100, 100, 3200, 3200, 0.6, 3, 2, 40};
static const struct numbers LAGS = {98, 97, 3100, 3150, 12, 62, 5, 98};

/* A set of three, the last of which is this. */
static int legs_severity(struct numbers last, void (*bind)(struct world *))
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", QUICK);
	world_add(&world, "sdb", QUICK);
	world_add(&world, "sdc", last);
	bind(&world);
	world_tick(&world);
	severity = severity_found(&world, "sdc", "uneven-legs");
	if (severity != NO) {
		const struct finding *finding = found(&world, "sdc", "uneven-legs");

		assert_non_null(strstr(finding->text, "a request takes 62 ms with 12 in it"));
		assert_non_null(strstr(finding->evidence, "peers=2 peers_await=3.00"));
		assert_int_equal(world.frame.nfinding, 1);
	}
	assert_null(found(&world, "sda", "uneven-legs"));
	world_end(&world);
	return severity;
}

static void in_pool(struct world *world)
{
	for (int i = 0; i < 3; i++)
		snprintf(world->info[i].pool, DEVICE_NAME_MAX, "btrfs 1234");
}

static void in_array(struct world *world)
{
	int md = world_add(world, "md0", (struct numbers){294, 297, 9400, 9500, 13, 22, 1, 99});
	static char lower[3][DEVICE_NAME_MAX] = {"sda", "sdb", "sdc"};

	world->info[md].class = DEVICE_MD;
	world->info[md].lower = lower;
	world->info[md].nlower = 3;
}

static void in_pair(struct world *world)
{
	int md = world_add(world, "md0", NOTHING);

	world->info[md].class = DEVICE_MD;
	world_stack(world, md, "sda");
	world_stack(world, md, "sdb");
}

static void in_nothing(struct world *world)
{
	(void)world;
}

static void test_uneven_legs(void **state)
{
	struct numbers twice = LAGS;

	(void)state;
	assert_int_equal(legs_severity(LAGS, in_pool), WARN);
	assert_int_equal(legs_severity(LAGS, in_array), WARN);
	assert_int_equal(legs_severity(LAGS, in_nothing), NO);
	/* alike, or no more than twice as slow; or it has thrice the work */
	assert_int_equal(legs_severity(QUICK, in_pool), NO);
	twice.await = 8;
	twice.queue = 1.5;
	assert_int_equal(legs_severity(twice, in_pool), NO);
	assert_int_equal(
	    legs_severity((struct numbers){300, 350, 9000, 9000, 40, 62, 1.5, 98}, in_pool), NO);
	/* three times as slow and still quick */
	assert_int_equal(
	    legs_severity((struct numbers){100, 100, 3200, 3200, 1.9, 9.5, 4, 80}, in_pool), NO);
}

/* A set of two, the second of which is this; they are flash where not said otherwise. */
static int pair_severity(struct numbers first, struct numbers second, int rotational)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", first);
	world_add(&world, "sdb", second);
	world.info[0].rotational = 0;
	world.info[1].rotational = rotational;
	in_pair(&world);
	world_tick(&world);
	severity = severity_found(&world, "sdb", "uneven-legs");
	world_end(&world);
	return severity;
}

static void test_legs_that_do_other_work(void **state)
{
	static const struct numbers mirror = {60, 200, 960, 6400, 0.2, 0.8, 0.5, 20};
	static const struct numbers lags = {50, 200, 800, 6400, 7, 28, 3.8, 95};

	(void)state;
	assert_int_equal(pair_severity(mirror, lags, 0), WARN);
	/* a disk beside flash is slower by its make: write-mostly, or the store below a cache */
	assert_int_equal(pair_severity(mirror, lags, 1), NO);
	/* one that is rebuilt is written to, the other read */
	assert_int_equal(pair_severity((struct numbers){700, 0, 89600, 0, 0.4, 0.6, 0.5, 35},
				       (struct numbers){0, 700, 0, 89600, 9, 13, 1.4, 98}, 0),
			 NO);
	/* reads go to one of a mirror, writes to both */
	assert_int_equal(pair_severity((struct numbers){180, 200, 2880, 6400, 0.2, 0.5, 0.5, 20},
				       (struct numbers){0, 200, 0, 6400, 6, 30, 4, 90}, 0),
			 NO);
	/* a part of the volume with much larger requests */
	assert_int_equal(
	    pair_severity(mirror, (struct numbers){50, 200, 12800, 51200, 7, 28, 3.8, 95}, 0), NO);
	/* a deep queue that is quick nevertheless */
	assert_int_equal(pair_severity((struct numbers){5000, 0, 80000, 0, 2, 0.4, 0.02, 90},
				       (struct numbers){5000, 0, 80000, 0, 8, 1.6, 0.02, 99}, 0),
			 INFO);
}

static void without_info(struct world *world)
{
	for (size_t i = 0; i < world->frame.ndevice; i++) {
		world->row[i].info = NULL;
		world->row[i].inflight = value_absent(ABSENT_UNSUPPORTED);
	}
}

static void test_uneven_legs_by_rates(void **state)
{
	struct world world;

	(void)state;
	/* in a report equal rates make a set */
	assert_int_equal(legs_severity(LAGS, without_info), WARN);
	assert_int_equal(
	    legs_severity((struct numbers){80, 97, 3100, 3150, 12, 62, 5, 98}, without_info), NO);
	/* nothing is known of a single device */
	world_start(&world, 1);
	world_add(&world, "sda", LAGS);
	without_info(&world);
	world_tick(&world);
	assert_int_equal(lacking(&world, "uneven-legs"), 1);
	world_end(&world);
}

static int gap_severity(struct numbers upper, struct numbers lower, bool known)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", lower);
	world_add(&world, "dm-0", upper);
	world.info[1].class = DEVICE_DM;
	if (known)
		world_stack(&world, 1, "sda");
	world_kinds(&world, 0, lower.await, lower.await, 0, 0);
	world_tick(&world);
	severity = severity_found(&world, "dm-0", "stack-gap");
	assert_int_equal(lacking(&world, "stack-gap"), !known);
	world_end(&world);
	return severity;
}

static void test_stack_gap(void **state)
{
	static const struct numbers waits = {0, 200, 0, 3200, 24, 120, 5, 100};
	static const struct numbers idle = {0, 200, 0, 3200, 0.1, 0.5, 0.5, 10};
	static const struct numbers full = {0, 200, 0, 3200, 24, 119, 5, 100};
	static const struct numbers half = {0, 200, 0, 3200, 10, 50, 4, 80};

	(void)state;
	assert_int_equal(gap_severity(waits, idle, true), WARN);
	assert_int_equal(gap_severity(waits, full, true), NO);
	assert_int_equal(gap_severity(waits, half, true), NO);
	assert_int_equal(gap_severity(idle, idle, true), NO);
	assert_int_equal(gap_severity(waits, idle, false), NO);
}

static const struct numbers GAP_WAITS = {0, 40, 0, 640, 4.8, 120, 25, 100};
static const struct numbers GAP_READS = {40, 0, 640, 0, 4.8, 120, 25, 100};
static const struct numbers GAP_BELOW = {0, 40, 0, 640, 0.1, 0.5, 0.5, 4};

/* A layer over a disk that flushes so often, so long each; below 0: nobody counts that. */
static int gap_flush_severity(struct numbers upper, double queue, double f, double f_await)
{
	struct numbers below = GAP_BELOW;
	const struct finding *finding;
	struct world world;
	int severity;

	below.queue = queue;
	world_start(&world, 1);
	world_add(&world, "sda", below);
	world_add(&world, "dm-0", upper);
	world.info[1].class = DEVICE_DM;
	snprintf(world.info[1].title, DEVICE_NAME_MAX, "vg-data");
	world_stack(&world, 1, "sda");
	if (f >= 0)
		world_kinds(&world, 0, 0.5, 0.5, f, f_await);
	world_tick(&world);
	finding = found(&world, "dm-0", "stack-gap");
	severity = severity_found(&world, "dm-0", "stack-gap");
	if (finding) {
		assert_non_null(strstr(finding->text, "while sda below it is nearly idle"));
		assert_non_null(strstr(finding->advice, "dmsetup table vg-data and"));
	}
	world_end(&world);
	return severity;
}

/* What a flush takes below is waited for above, and no time lost in the layer. */
static void test_gap_of_flushes(void **state)
{
	(void)state;
	assert_int_equal(gap_flush_severity(GAP_WAITS, 0.1, 0, 0), WARN);
	assert_int_equal(gap_flush_severity(GAP_WAITS, 0.1, 20, 0.3), WARN);
	assert_int_equal(gap_flush_severity(GAP_WAITS, 0.6, 20, 28), NO);
	assert_int_equal(gap_flush_severity(GAP_WAITS, 0.1, -1, 0), INFO);
	assert_int_equal(gap_flush_severity(GAP_READS, 0.1, -1, 0), WARN);
}

/* dm-0 over md0, which keeps no times, over two disks. */
static int gap_deep_severity(double disk_queue)
{
	static const struct numbers untimed = {0, 40, 0, 640, 0, 0, 0, 0};
	struct numbers disk = GAP_BELOW;
	struct world world;
	int severity;

	disk.queue = disk_queue;
	world_start(&world, 1);
	world_add(&world, "sda", disk);
	world_add(&world, "sdb", GAP_BELOW);
	world_add(&world, "md0", untimed);
	world_add(&world, "dm-0", GAP_WAITS);
	for (int i = 0; i < 3; i++)
		world_kinds(&world, i, 0.5, 0.5, 0, 0);
	world.info[2].class = DEVICE_MD;
	world.info[3].class = DEVICE_DM;
	world_stack(&world, 2, "sda");
	world_stack(&world, 2, "sdb");
	world_stack(&world, 3, "md0");
	world_tick(&world);
	severity = severity_found(&world, "dm-0", "stack-gap");
	world_end(&world);
	return severity;
}

static void test_gap_over_a_layer_without_times(void **state)
{
	struct world world;

	(void)state;
	assert_int_equal(gap_deep_severity(0.1), WARN);
	assert_int_equal(gap_deep_severity(3.5), NO);
	/* of two devices below one is not there to be looked at */
	world_start(&world, 1);
	world_add(&world, "sda", GAP_BELOW);
	world_add(&world, "dm-0", GAP_WAITS);
	world_stack(&world, 1, "sda");
	world_stack(&world, 1, "sdq");
	world_tick(&world);
	assert_null(found(&world, "dm-0", "stack-gap"));
	assert_int_equal(lacking(&world, "stack-gap"), 1);
	world_end(&world);
}

/* A report: what "slow" says is said once, of the lowest device. */
static void one_finding(const char *names[], const struct numbers *rows, int n, const char *subject,
			const char *carries)
{
	struct world world;
	size_t warned = 0;

	world_start(&world, 1);
	for (int i = 0; i < n; i++)
		world_add(&world, names[i], rows[i]);
	without_info(&world);
	world_tick(&world);
	for (size_t i = 0; i < world.frame.nfinding; i++) {
		const struct finding *finding = &world.frame.finding[i];

		if (finding->severity == SEVERITY_INFO)
			continue;
		assert_string_equal(finding->subject, subject);
		if (carries && !strstr(finding->evidence, carries))
			fail_msg("%s: %s", subject, finding->evidence);
		warned++;
	}
	assert_int_equal(warned, 1);
	world_end(&world);
}

static void test_layers_by_rates(void **state)
{
	static const struct numbers slow = {40, 0, 1600, 0, 0.6, 80, 14, 56};
	static const struct numbers half = {20, 0, 800, 0, 0.3, 3, 3, 6};
	static const struct numbers sum = {60, 0, 2410, 0, 0.9, 54, 14, 60};

	(void)state;
	/* the same stream three times, and a partition of the disk */
	one_finding((const char *[]){"sda", "sda1", "md0", "dm-0"},
		    (struct numbers[]){slow, slow, slow, slow}, 4, "sda", "carries=md0,dm-0");
	one_finding((const char *[]){"dm-0", "nvme0n1", "nvme0n1p2"},
		    (struct numbers[]){slow, slow, slow}, 3, "nvme0n1", "carries=dm-0");
	one_finding((const char *[]){"dev8-0", "dev253-1"}, (struct numbers[]){slow, slow}, 2,
		    "dev8-0", "carries=dev253-1");
	/* an array that is the sum of its members */
	one_finding((const char *[]){"sda", "sdb", "md0"}, (struct numbers[]){slow, half, sum}, 3,
		    "sda", "carries=md0");
	/* volumes that are together what the disk does */
	one_finding((const char *[]){"sda", "dm-0", "dm-1"},
		    (struct numbers[]){
			{60, 0, 2400, 0, 0.6, 80, 14, 56}, slow, {20, 0, 800, 0, 0.3, 80, 14, 28}},
		    3, "sda", "carries=dm-0,dm-1");
	/* what is stuck above something stuck */
	one_finding((const char *[]){"sda", "dm-0", "dm-1", "sdb"},
		    (struct numbers[]){{.queue = 217, .util = 100},
				       {.queue = 220, .util = 100},
				       {.queue = 4, .util = 100},
				       NOTHING},
		    4, "sda", "carries=dm-0,dm-1");
}

/* Another device that does something else explains nothing. */
static void test_layers_that_are_none(void **state)
{
	static const struct numbers slow = {40, 0, 1600, 0, 0.6, 80, 14, 56};
	static const struct numbers fine = {40, 0, 3000, 0, 0.1, 3, 3, 12};

	(void)state;
	one_finding((const char *[]){"sda", "dm-0"}, (struct numbers[]){fine, slow}, 2, "dm-0",
		    NULL);
	one_finding((const char *[]){"sdb1", "sda"}, (struct numbers[]){slow, fine}, 2, "sdb1",
		    NULL);
}

/* Members with one cause may be told in one sentence. */
static void test_groups(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", LAGS);
	world_add(&world, "sdb", LAGS);
	world_add(&world, "sdc", LAGS);
	world_add(&world, "sdd", LAGS);
	for (int i = 0; i < 3; i++)
		snprintf(world.info[i].pool, DEVICE_NAME_MAX, "btrfs 1234");
	world_tick(&world);
	for (int i = 0; i < 3; i++)
		assert_string_equal(found(&world, world.row[i].name, "queueing")->group,
				    "queueing btrfs 1234");
	assert_string_equal(found(&world, "sdd", "queueing")->group, "");
	world_end(&world);
	world_start(&world, 1);
	for (int i = 0; i < 3; i++)
		world_stuck(&world,
			    world_add(&world,
				      i == 0   ? "sda"
				      : i == 1 ? "sdb"
					       : "sdc",
				      NOTHING),
			    4);
	world_tick(&world);
	assert_string_equal(found(&world, "sda", "stalled")->group, "stalled");
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_uneven_legs),
	    cmocka_unit_test(test_uneven_legs_by_rates),
	    cmocka_unit_test(test_legs_that_do_other_work),
	    cmocka_unit_test(test_stack_gap),
	    cmocka_unit_test(test_gap_of_flushes),
	    cmocka_unit_test(test_gap_over_a_layer_without_times),
	    cmocka_unit_test(test_layers_by_rates),
	    cmocka_unit_test(test_layers_that_are_none),
	    cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
