/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of processes, set on a frame's rows: the machine's sums over AIO. */
#include "bytes.h"

#include "iotriage/uses.h"

/* The machine, where every process is asked about. */
struct world {
	struct uses *uses;
	struct frame frame;
};

static struct world world_new(void)
{
	struct world world = {.frame = {.epoch = 1, .tasks_state = PRESENT}};

	assert_int_equal(uses_open(&world.uses, false), 0);
	world.frame.aio.aio_nr = value_of(128);
	uses_ask(world.uses, &world.frame, USES_ALL_AIO);
	return world;
}

static void attach(struct world *world)
{
	uses_attach(world->uses, &world->frame);
}

static void assert_sums(const struct world *world, enum absent contexts, enum absent others)
{
	const struct aio_row *aio = &world->frame.aio;

	assert_int_equal(aio->contexts.why, contexts);
	assert_int_equal(aio->rings.why, others);
	assert_int_equal(aio->sq.why, others);
	assert_int_equal(aio->cq.why, others);
}

static void test_no_sum_without_tasks(void **state)
{
	struct world world = world_new();

	(void)state;
	world.frame.tasks_state = ABSENT_LATE;
	attach(&world);
	assert_sums(&world, ABSENT_LATE, ABSENT_LATE);
	world.frame.tasks_state = ABSENT_OFF;
	attach(&world);
	assert_sums(&world, ABSENT_OFF, ABSENT_OFF);
	/* what came first were no tasks: that was no round */
	struct task_sample sample = {.pid = 7, .start_ticks = 100, .state = 'S'};
	struct task_row row = {.kind = TASK_PROCESS, .task = &sample};
	world.frame.task = &row;
	world.frame.ntask = 1;
	world.frame.tasks_state = PRESENT;
	attach(&world);
	assert_sums(&world, ABSENT_NEW, ABSENT_NEW);
	uses_close(world.uses);
}

static void test_nothing_found_among_hidden_tasks_is_not_0(void **state)
{
	struct world world = world_new();

	(void)state;
	attach(&world);
	assert_sums(&world, PRESENT, PRESENT);
	world.frame.system.others_hidden = true;
	attach(&world);
	assert_sums(&world, ABSENT_DENIED, ABSENT_DENIED);
	world.frame.aio.aio_nr = value_of(0); /* no context anywhere */
	attach(&world);
	assert_sums(&world, PRESENT, ABSENT_DENIED);
	world.frame.aio.aio_nr = value_absent(ABSENT_DENIED);
	attach(&world);
	assert_sums(&world, ABSENT_DENIED, ABSENT_DENIED);
	uses_close(world.uses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_sum_without_tasks),
	    cmocka_unit_test(test_nothing_found_among_hidden_tasks_is_not_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
