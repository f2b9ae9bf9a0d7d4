/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of asynchronous I/O as they are read: in order, each process once. */
#include "bytes.h"

#include "trace/aio_samples.h"

static void each_process_is_there_once(void **state)
{
	struct aio_activity_sample sample[] = {
		{.pid = 9, .start_ticks = 50, .submitted = 7, .completed = 6},
		{.pid = 4, .start_ticks = 20, .uring_submitted = 1},
		{.pid = 9, .start_ticks = 40, .submitted = 3},
		/* the walk began again */
		{.pid = 9, .start_ticks = 50, .submitted = 8, .completed = 7},
		{.pid = 4, .start_ticks = 20, .uring_submitted = 1},
	};
	struct aio_activity activity = {.sample = sample, .n = 5, .cap = 5};

	(void)state;
	aio_samples_settle(&activity);
	assert_int_equal(activity.n, 3);
	assert_int_equal(sample[0].pid, 4);
	assert_int_equal(sample[0].uring_submitted, 1);
	assert_int_equal(sample[1].start_ticks, 40);
	assert_int_equal(sample[2].start_ticks, 50);
	assert_int_equal(sample[2].submitted, 8);
	assert_int_equal(sample[2].completed, 7);
}

static void none_is_none(void **state)
{
	struct aio_activity activity = {.n = 0};

	(void)state;
	aio_samples_settle(&activity);
	assert_int_equal(activity.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_is_there_once),
		cmocka_unit_test(none_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
