/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: differences over wraps and resets, and ratios.
 */
#include "readings.h"

#include "frame/counter.h"

static void test_counter_delta(void **state)
{
	const uint64_t top = (uint64_t)1 << 32;
	const struct {
		uint64_t was, now;
		bool ok;
		uint64_t delta;
	} cases[] = {
	    {0, 0, true, 0},
	    {5, 7, true, 2},
	    {500, 499, false, 0},
	    {UINT64_MAX, 3, false, 0},
	    {0, UINT64_MAX, true, UINT64_MAX},
	    {top - 10, 10, true, 20}, /* a 32-bit wrap */
	    {top - 1, 0, true, 1},
	    {top, 0, false, 0},
	    {top / 2, 10, false, 0}, /* too far from the end */
	    {top - 10, top / 2, false, 0},
	    {top - 10, top + 10, true, 20}, /* 64 bits go on */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t delta = 77;

		assert_int_equal(counter_delta(cases[i].was, cases[i].now, &delta), cases[i].ok);
		assert_int_equal(delta, cases[i].delta);
	}
}

static void test_counter_delta_ms(void **state)
{
	const uint64_t top = (uint64_t)1 << 32;
	const struct {
		uint64_t was, now;
		bool ok;
		uint64_t delta;
	} cases[] = {
	    {0, 5, true, 5},
	    {4294967200, 104, true, 200},
	    {4294967290, 210, true, 216},
	    {top / 2, 0, true, top / 2}, /* a deep queue: half the range in one interval */
	    {top / 2 - 1, 0, false, 0},
	    {1000, 999, false, 0},
	    {top + 5, 4, false, 0},
	    {UINT64_MAX, 0, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t delta = 77;

		assert_int_equal(counter_delta_ms(cases[i].was, cases[i].now, &delta), cases[i].ok);
		assert_int_equal(delta, cases[i].delta);
	}
	assert_value(ratio(1, 4), 0.25);
	assert_absent(ratio(1, 0), ABSENT_IDLE);
	assert_absent(ratio(0, 0), ABSENT_IDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counter_delta),
	    cmocka_unit_test(test_counter_delta_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
