/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two samples to a row of a device: formulas, denominators, absence.
 */
#include "readings.h"

#include "frame/devices.h"

static void test_device_row(void **state)
{
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
	struct device_row row;

	(void)state;
	for (int c = 0; c < DISK_COUNTERS; c++)
		before.counter[c] = 1000, now.counter[c] = 1000 + 10 * (uint64_t)(c + 1);
	device_row_build(&row, &before, &now, 2);
	assert_int_equal(row.why, PRESENT);
	assert_true(row.ios == 10 + 50 + 120);
	assert_value(row.r, 5);
	assert_value(row.rrqm, 10);
	assert_value(row.rkb, 7.5);
	assert_value(row.r_await, 4);
	assert_value(row.w, 25);
	assert_value(row.wkb, 17.5);
	assert_value(row.d, 60);
	assert_value(row.dkb, 35);
	assert_value(row.f, 80);
	assert_value(row.f_await, 170.0 / 160);
	assert_value(row.await, (40 + 80 + 150) / 180.0);
	assert_value(row.avgrq_sz, (30 + 70 + 140) / 180.0);
	assert_value(row.areq_sz, row.avgrq_sz.n / 2);
	assert_value(row.avgqu_sz, 0.055);
	assert_value(row.util, 5);
	assert_value(row.svctm, 100 / 180.0);
	assert_value(row.qwait, row.await.n - row.svctm.n);
	assert_value(row.wait_pct, 100 * row.qwait.n / row.await.n);
	assert_value(row.depth, 1.1);
	assert_value(row.inflight, 1090);
	assert_int_equal(row.inflight_was, 1000);
}

static void test_device_row_denominators(void **state)
{
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
	struct device_row row;

	(void)state;
	now.counter[RD_IOS] = 10;
	now.counter[RD_MS] = 200;
	for (double t = 0.01; t < 1e5; t *= 10) {
		device_row_build(&row, &before, &now, t);
		assert_value(row.r_await, 20);
		assert_value(row.await, 20);
		assert_value(row.r, 10 / t);
		assert_absent(row.w_await, ABSENT_IDLE);
	}
	/* a request longer than the interval; no request at all; no time at all */
	now.counter[RD_IOS] = 1;
	device_row_build(&row, &before, &now, 0.01);
	assert_value(row.r_await, 200);
	device_row_build(&row, &before, &before, 1);
	assert_value(row.r, 0);
	assert_absent(row.await, ABSENT_IDLE);
	assert_absent(row.svctm, ABSENT_IDLE);
	device_row_build(&row, &before, &now, 0);
	assert_absent(row.r, ABSENT_NEW);
	device_row_build(&row, NULL, &now, 1);
	assert_int_equal(row.why, ABSENT_NEW);
}

/* Each figure of a row that is present is a number one can print. */
static void assert_sane(const struct device_row *row)
{
	const struct value *figure = &row->rrqm;

	for (; figure <= &row->inflight; figure++)
		if (figure->why == PRESENT)
			assert_true(isfinite(figure->n) && figure->n >= 0);
}

static void test_device_row_absence(void **state)
{
	struct device_info off = {.iostats = 0},
			   partition = {.iostats = 1, .class = DEVICE_PARTITION};
	struct device_sample before = sample_of("sda", DISK_FLUSHES), now;
	struct device_row row;

	(void)state;
	for (int c = 0; c < DISK_COUNTERS; c++)
		before.counter[c] = 500;
	for (int c = 0; c < DISK_COUNTERS; c++) {
		bool time = c == RD_MS || c == WR_MS || c == DC_MS || c == FL_MS || c == IO_MS ||
			    c == WEIGHTED_MS;

		now = before;
		now.counter[RD_IOS] += c == RD_IOS ? 0 : 10;
		now.counter[c]--;
		device_row_build(&row, &before, &now, 1);
		assert_int_equal(row.why, time || c == IN_FLIGHT ? PRESENT : ABSENT_RESET);
		assert_sane(&row);
	}
	now = before;
	now.diskseq = 1;
	device_row_build(&row, &before, &now, 1);
	assert_int_equal(row.why, ABSENT_RESET);
	now = before;
	now.info = &off;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.r, ABSENT_OFF);
	/* zram keeps accounts of its own, whatever its queue says */
	off.class = DEVICE_MEMORY;
	now.counter[RD_IOS] += 10;
	device_row_build(&row, &before, &now, 1);
	assert_true(value_known(row.r) && row.r.n == 10);
	off.class = DEVICE_DISK;
	now.counter[RD_IOS] -= 10;
	/* a layer says so on older kernels and counts nevertheless */
	off.class = DEVICE_DM;
	now.counter[IN_FLIGHT] = 0;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.r, ABSENT_OFF);
	now.counter[IN_FLIGHT] = 4; /* or hangs */
	device_row_build(&row, &before, &now, 1);
	assert_true(row.r.n == 0);
	now.counter[RD_IOS] += 10;
	device_row_build(&row, &before, &now, 1);
	assert_true(row.r.n == 10);
	now.info = &partition;
	now.counter[FL_IOS] += 5;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.f, ABSENT_UNSUPPORTED);
	now.counter[RD_SECTORS] += (uint64_t)3 << 31; /* 1.5 TiB in a second */
	device_row_build(&row, &before, &now, 1);
	assert_int_equal(row.why, ABSENT_IMPLAUSIBLE);
	now.counter[IN_FLIGHT] = UINT64_MAX;
	device_row_build(&row, &before, &now, 1);
	assert_absent(row.inflight, ABSENT_IMPLAUSIBLE);
}

static void test_device_row_any_counters(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct device_sample before = sample_of("sda", DISK_FLUSHES), now = before;
		struct device_row row;

		for (int c = 0; c < DISK_COUNTERS; c++) {
			before.counter[c] = (uint64_t)die(&seed) << die(&seed) % 33;
			now.counter[c] =
			    before.counter[c] + ((uint64_t)die(&seed) >> die(&seed) % 33);
			if (die(&seed) % 16 == 0)
				now.counter[c] = (uint64_t)die(&seed) << 32 | die(&seed);
		}
		device_row_build(&row, &before, &now, 0.001 * (1 + die(&seed) % 5000));
		assert_sane(&row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_device_row),
	    cmocka_unit_test(test_device_row_denominators),
	    cmocka_unit_test(test_device_row_absence),
	    cmocka_unit_test(test_device_row_any_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
