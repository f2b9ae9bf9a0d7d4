/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracing measured, made into figures: means, extremes, percentiles, and who has none.
 */
#include "bytes.h"

#include "frame/latency.h"

#include <math.h>

struct machine {
	struct frame frame;
	struct device_row row[3];
	struct device_info info[3];
	struct latency_snapshot before, now;
	struct latency_sample was[1], is[1];
};

static void machine_begin(struct machine *m)
{
	static const char *const names[] = {"sda", "sdb", "dm-0"};

	*m = (struct machine){.frame = {.device = m->row, .ndevice = 3}};
	for (int i = 0; i < 3; i++) {
		m->info[i] = (struct device_info){.bio_based = i == 2};
		m->row[i] = (struct device_row){.name = names[i], .diskseq = 1 + (uint64_t)i,
		                                .info = &m->info[i]};
		latency_absent(&m->row[i], ABSENT_UNTRACED);
	}
	snprintf(m->was[0].name, sizeof(m->was[0].name), "sda");
	m->was[0].disk = 1;
	m->is[0] = m->was[0];
	for (int i = 0; i < LATENCY_CLASSES; i++)
		m->is[0].class[i].wait_min_ns = m->is[0].class[i].serve_min_ns = UINT64_MAX;
	m->before = (struct latency_snapshot){.mono_ns = 1000000000, .sample = m->was, .n = 1};
	m->now = (struct latency_snapshot){.mono_ns = 3000000000, .sample = m->is, .n = 1,
	                                   .bios = ABSENT_UNTRACED};
}

static unsigned bucket_of(uint64_t ns)
{
	unsigned i = 0;

	while (i + 1 < LATENCY_BUCKETS && latency_bucket_ns(i + 1) <= ns)
		i++;
	return i;
}

/* n requests that waited and were served for so long. */
static void serve(struct latency_counters *c, unsigned n, uint64_t wait_ns, uint64_t serve_ns)
{
	c->served += n;
	c->waited += n;
	c->wait_ns += n * wait_ns;
	c->serve_ns += n * serve_ns;
	c->wait_bucket[bucket_of(wait_ns)] += n;
	c->serve_bucket[bucket_of(serve_ns)] += n;
	c->wait_min_ns = wait_ns < c->wait_min_ns ? wait_ns : c->wait_min_ns;
	c->wait_max_ns = wait_ns > c->wait_max_ns ? wait_ns : c->wait_max_ns;
	c->serve_min_ns = serve_ns < c->serve_min_ns ? serve_ns : c->serve_min_ns;
	c->serve_max_ns = serve_ns > c->serve_max_ns ? serve_ns : c->serve_max_ns;
}

static void build(struct machine *m)
{
	assert_int_equal(latency_build(&m->frame, &m->before, &m->now), 0);
}

static void near(struct value value, double n)
{
	assert_true(value_known(value));
	assert_true(fabs(value.n - n) <= 1e-9 + 1e-6 * n);
}

static void test_buckets_rise_by_quarters(void **state)
{
	(void)state;
	assert_int_equal(latency_bucket_ns(0), 0);
	assert_int_equal(latency_bucket_ns(1), 1280);
	assert_int_equal(latency_bucket_ns(4), 2048);
	assert_int_equal(latency_bucket_ns(5), 2560);
	assert_int_equal(latency_bucket_ns(LATENCY_BUCKETS - 1), 1ULL << 33);
	assert_true(latency_bucket_ns(LATENCY_BUCKETS) == UINT64_MAX);
	for (unsigned i = 1; i < LATENCY_BUCKETS; i++)
		assert_true(latency_bucket_ns(i) > latency_bucket_ns(i - 1));
}

static void test_means_are_of_the_interval(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.was[0].class[LATENCY_READ] = (struct latency_counters){.served = 7, .waited = 7,
	                                                         .wait_ns = 1000000, .serve_ns = 9000000};
	m.is[0].class[LATENCY_READ].served = m.is[0].class[LATENCY_READ].waited = 7;
	m.is[0].class[LATENCY_READ].wait_ns = 1000000;
	m.is[0].class[LATENCY_READ].serve_ns = 9000000;
	serve(&m.is[0].class[LATENCY_READ], 300, 4000000, 1000000);
	serve(&m.is[0].class[LATENCY_WRITE], 100, 0, 5000000);
	m.is[0].class[LATENCY_WRITE].requeued = 10;
	build(&m);
	assert_non_null(m.row[0].latency);
	near(m.row[0].avwait, 3);
	near(m.row[0].avserv, 2);
	near(m.row[0].minserv, 1);
	near(m.row[0].maxserv, 5);
	near(m.row[0].minwait, 0);
	near(m.row[0].maxwait, 4);
	near(m.row[0].sqfull, 5);
	near(m.row[0].latency->class[LATENCY_READ].avserv, 1);
	assert_true(m.row[0].latency->class[LATENCY_READ].rate == 150);
	assert_true(m.row[0].latency->class[LATENCY_DISCARD].avserv.why == ABSENT_IDLE);
	free(m.frame.latency);
}

static void test_flushes_are_kept_apart(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	serve(&m.is[0].class[LATENCY_WRITE], 10, 0, 1000000);
	serve(&m.is[0].class[LATENCY_FLUSH], 10, 0, 50000000);
	build(&m);
	near(m.row[0].avserv, 1);
	near(m.row[0].latency->class[LATENCY_FLUSH].avserv, 50);
	free(m.frame.latency);
}

static void test_percentiles_end_their_bucket_and_not_beyond_the_longest(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	serve(&m.is[0].class[LATENCY_READ], 96, 0, 1000000);
	serve(&m.is[0].class[LATENCY_READ], 4, 0, 100000000);
	build(&m);
	near(m.row[0].p50serv, (double)latency_bucket_ns(bucket_of(1000000) + 1) / 1e6);
	near(m.row[0].p95serv, m.row[0].p50serv.n);
	near(m.row[0].p99serv, 100);
	assert_true(m.row[0].p50serv.n <= 1.25);
	free(m.frame.latency);
}

static void test_who_has_none_says_why(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	build(&m);
	assert_true(m.row[0].avserv.why == ABSENT_IDLE);
	near(m.row[0].sqfull, 0);
	assert_true(m.row[1].avserv.why == ABSENT_IDLE && !m.row[1].latency);
	assert_true(m.row[2].avserv.why == ABSENT_BIO && !m.row[2].latency);
	free(m.frame.latency);
}

static void test_bios_have_one_time(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.now.bios = PRESENT;
	build(&m);
	assert_true(m.row[2].avserv.why == ABSENT_IDLE && m.row[2].p99serv.why == ABSENT_IDLE);
	assert_true(m.row[2].avwait.why == ABSENT_BIO && m.row[2].slotwait.why == ABSENT_BIO);
	assert_true(m.row[1].slotwait.why == ABSENT_IDLE);
	snprintf(m.is[0].name, sizeof(m.is[0].name), "dm-0");
	m.was[0].disk = m.is[0].disk = 3;
	m.is[0].bios = true;
	m.is[0].class[LATENCY_READ].served = 4;
	m.is[0].class[LATENCY_READ].serve_ns = 12000000;
	m.is[0].slot_waits = 9;
	build(&m);
	near(m.row[2].avserv, 3);
	assert_true(m.row[2].avwait.why == ABSENT_BIO && m.row[2].sqfull.why == ABSENT_BIO);
	assert_true(m.row[2].p99wait.why == ABSENT_BIO && m.row[2].slotwait.why == ABSENT_BIO);
	assert_true(m.row[2].latency->bios && m.row[2].latency->all.rate == 2);
	free(m.frame.latency);
}

static void test_waits_for_a_slot_are_of_the_interval(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.now.bios = PRESENT;
	m.was[0].slot_waits = m.is[0].slot_waits = 5;
	m.was[0].slot_wait_ns = m.is[0].slot_wait_ns = 90000000;
	build(&m);
	near(m.row[0].slotwait, 0);
	assert_true(m.row[0].avslot.why == ABSENT_IDLE);
	m.is[0].slot_waits += 20;
	m.is[0].slot_wait_ns += 50000000;
	build(&m);
	near(m.row[0].slotwait, 10);
	near(m.row[0].avslot, 2.5);
	m.now.bios = ABSENT_UNTRACED;
	build(&m);
	assert_true(m.row[0].slotwait.why == ABSENT_UNTRACED && m.row[0].avslot.why == ABSENT_UNTRACED);
	assert_true(m.row[1].slotwait.why == ABSENT_UNTRACED && m.row[2].slotwait.why == ABSENT_BIO);
	free(m.frame.latency);
}

/* Counters of a class that was idle for long are let go; what comes then begins at 0. */
static void test_counters_that_begin_anew(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	serve(&m.was[0].class[LATENCY_READ], 100, 1000, 500000);
	serve(&m.was[0].class[LATENCY_WRITE], 100, 1000, 500000);
	m.was[0].slot_waits = 100;
	m.was[0].slot_wait_ns = 100000000;
	serve(&m.is[0].class[LATENCY_WRITE], 4, 1000, 2000000);
	m.is[0].slot_waits = 2;
	m.is[0].slot_wait_ns = 6000000;
	m.now.bios = PRESENT;
	build(&m);
	near(m.row[0].avserv, 2);
	assert_int_equal(m.row[0].latency->class[LATENCY_READ].served, 0);
	assert_int_equal(m.row[0].latency->all.served, 4);
	near(m.row[0].slotwait, 1);
	near(m.row[0].avslot, 3);
	free(m.frame.latency);
}

static void test_untraced_stays_untraced(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.now.state = ABSENT_OFF;
	build(&m);
	assert_true(m.row[0].avserv.why == ABSENT_UNTRACED && !m.row[0].latency);
	free(m.frame.latency);
}

static void test_a_disk_of_the_same_name_is_another(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	serve(&m.is[0].class[LATENCY_READ], 96, 0, 1000000);
	m.row[0].diskseq = 99;
	build(&m);
	assert_null(m.row[0].latency);
	free(m.frame.latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_rise_by_quarters),
		cmocka_unit_test(test_means_are_of_the_interval),
		cmocka_unit_test(test_flushes_are_kept_apart),
		cmocka_unit_test(test_percentiles_end_their_bucket_and_not_beyond_the_longest),
		cmocka_unit_test(test_who_has_none_says_why),
		cmocka_unit_test(test_bios_have_one_time),
		cmocka_unit_test(test_waits_for_a_slot_are_of_the_interval),
		cmocka_unit_test(test_counters_that_begin_anew),
		cmocka_unit_test(test_untraced_stays_untraced),
		cmocka_unit_test(test_a_disk_of_the_same_name_is_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
