/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that a helper hangs on, and helpers: a helper that never answers.
 */
#include "bytes.h"

#include "sample/usestate.h"

#include <poll.h>
#include <unistd.h>

static void hang(int fd)
{
	(void)fd;
	for (;;)
		pause();
}

struct world {
	struct uses *uses;
	struct frame frame;
	struct task_row row;
	struct task_sample sample;
};

/* One process that does I/O. */
static void begin(struct world *world, char state)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);

	*world = (struct world){0};
	assert_int_equal(uses_open(&world->uses, false), 0);
	world->uses->helper.serve = hang;
	world->uses->helper.deadline_ns = 1000000;
	world->sample = (struct task_sample){.pid = 5, .start_ticks = 7, .state = state};
	world->row = (struct task_row){.task = &world->sample, .rkb = value_of(1), .wkb = value_of(1)};
	world->row.rchar = world->row.wchar = value_of(1);
	world->row.syscr = world->row.syscw = world->row.ckb = none;
	world->row.inh_rkb = world->row.inh_wkb = world->row.io_pct = none;
	world->frame.task = &world->row;
	world->frame.ntask = 1;
}

/* How many helpers were started by the end of the next tick. */
static unsigned tick(struct world *world)
{
	struct uses *uses = world->uses;

	world->sample.mono_ns++;
	world->frame.epoch++;
	uses_ask(uses, &world->frame, 0);
	while (uses_pending(uses)) {
		struct pollfd fd = {.fd = uses_fd(uses), .events = POLLIN};
		(void)poll(&fd, 1, uses_timeout_ms(uses));
		(void)uses_tend(uses);
	}
	/* killed ones are gone, as far as the next tick is concerned */
	for (unsigned i = 0; i < uses->helper.nleft;)
		i += !helper_is_left(&uses->helper, uses->helper.left[i]);
	return uses->helper.starts;
}

static void test_a_process_that_hung_is_left_alone_in_its_state(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 'D');
	assert_int_equal(tick(&world), 1);
	assert_int_equal(tick(&world), 1);
	world.sample.state = 'S';
	assert_int_equal(tick(&world), 2);
	assert_int_equal(tick(&world), 2);
	uses_close(world.uses);
}

static void test_so_it_is_where_somebody_opens_it(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 'D');
	assert_int_equal(tick(&world), 1);
	assert_int_equal(tick(&world), 1);
	for (int i = 0; i < 3; i++) {
		uses_watch(world.uses, 5, 7, true, true);
		assert_int_equal(tick(&world), 1);
		assert_int_equal(tick(&world), 1);
		uses_watch(world.uses, 0, 0, false, false);
		assert_int_equal(tick(&world), 1);
	}
	/* when it is time it is asked about all the same */
	uses_watch(world.uses, 5, 7, true, true);
	assert_int_equal(tick(&world), 1);
	uses_find(world.uses, 5, 7)->retry_ns = 0;
	assert_int_equal(tick(&world), 2);
	assert_int_equal(tick(&world), 2);
	uses_close(world.uses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_process_that_hung_is_left_alone_in_its_state),
	    cmocka_unit_test(test_so_it_is_where_somebody_opens_it),
	};

	return cmocka_run_group_tests_name("hang", tests, NULL, NULL);
}
