/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is looked at for AIO contexts and files, and when again: by a clock of the test's own. */
#include "bytes.h"

#include "sample/usestate.h"

#include <sys/mman.h>
#include <sys/socket.h>

enum { TASKS = 3, ASKED_MAX = 16 };

/* What a helper was asked, in order; it answers at once that there is nothing. */
struct asked {
	size_t n;
	struct {
		int32_t pid;
		uint32_t wants, stage;
	} of[ASKED_MAX];
};

static struct asked *asked;

static void answer_all(int fd)
{
	static struct look_question question;
	static struct look_answer answer;

	while (recv(fd, &question, sizeof(question), 0) > 0) {
		if (asked->n < ASKED_MAX) {
			asked->of[asked->n].pid = question.pid;
			asked->of[asked->n].wants = question.wants;
			asked->of[asked->n].stage = question.stage;
			asked->n++;
		}
		answer = (struct look_answer){
		    .pid = question.pid, .lane = question.lane, .stage = LOOK_DONE};
		(void)send(fd, &answer, offsetof(struct look_answer, records), 0);
	}
}

/* Three idle processes: 10, 20 and 30. */
struct world {
	struct uses *uses;
	struct frame frame;
	struct task_row row[TASKS];
	struct task_sample sample[TASKS];
	int64_t walk;
};

static void begin(struct world *world)
{
	*world = (struct world){.frame = {.epoch = 100, .tasks_state = PRESENT}};
	assert_int_equal(uses_open(&world->uses, true), 0);
	world->uses->helper.serve = answer_all;
	world->frame.aio.aio_nr = value_of(128);
	for (int i = 0; i < TASKS; i++) {
		world->sample[i] = (struct task_sample){
		    .pid = 10 + 10 * i, .start_ticks = 7, .state = 'S', .ran_ns = 1};
		world->row[i] = (struct task_row){.task = &world->sample[i], .on_show = true};
		world->row[i].rchar = world->row[i].wchar = value_of(0);
		world->row[i].rkb = world->row[i].wkb = value_of(0);
	}
	world->frame.task = world->row;
	world->frame.ntask = TASKS;
}

/* So many seconds later: how many were asked about. */
static size_t tick(struct world *world, double seconds, unsigned wants)
{
	world->frame.epoch += seconds;
	world->walk += (int64_t)(seconds * 1e9);
	for (int i = 0; i < TASKS; i++)
		world->sample[i].mono_ns = world->walk;
	asked->n = 0;
	uses_attach(world->uses, &world->frame);
	uses_ask(world->uses, &world->frame, wants);
	uses_attach(world->uses, &world->frame);
	return asked->n;
}

static void run(struct world *world, int i)
{
	world->sample[i].ran_ns = world->walk + 1;
}

static void test_the_round_comes_again_to_those_that_ran(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 3);
	assert_int_equal(asked->of[0].stage, LOOK_MAPS);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 0);
	run(&world, 1);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 0); /* not yet */
	assert_int_equal(tick(&world, 60, USES_ALL_AIO), 1);
	assert_int_equal(asked->of[0].pid, 20);
	assert_int_equal(tick(&world, 600, USES_ALL_AIO), 0);
	run(&world, 0);
	run(&world, 2);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 2);
	/* nobody wants to know */
	run(&world, 1);
	assert_int_equal(tick(&world, 600, 0), 0);
	uses_close(world.uses);
}

static void test_mappings_are_not_read_where_nobody_has_a_context(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	world.frame.aio.aio_nr = value_of(0);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 3);
	assert_int_equal(asked->of[0].stage, LOOK_FILES);
	assert_true(value_known(world.row[0].use->contexts));
	assert_true(world.row[0].use->contexts.n == 0);
	/* of one that does I/O the mapped files are wanted, too */
	world.row[1].rkb = value_of(5);
	assert_int_equal(tick(&world, 10, USES_ALL_AIO), 1);
	assert_int_equal(asked->of[0].stage, LOOK_MAPS);
	/* unknown is not 0 */
	world.frame.aio.aio_nr = value_absent(ABSENT_DENIED);
	world.row[1].rkb = value_of(0);
	run(&world, 0);
	assert_int_equal(tick(&world, 60, USES_ALL_AIO), 1);
	assert_int_equal(asked->of[0].stage, LOOK_MAPS);
	uses_close(world.uses);
}

static void test_a_look_that_takes_long_is_made_later(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	uses_own(world.uses, 30);
	for (int i = 0; i < TASKS; i++)
		world.row[i].rchar = value_of(1);
	assert_int_equal(tick(&world, 1, 0), 3);
	assert_int_equal(tick(&world, 1, 0), 2); /* the second, which sees positions move */
	uses_find(world.uses, 10, 7)->cost_ns = 100 * 1000000LL;
	assert_int_equal(tick(&world, 5, 0), 1);
	assert_int_equal(asked->of[0].pid, 20);
	assert_int_equal(tick(&world, 5, 0), 1);
	assert_int_equal(tick(&world, 10, 0), 2); /* 200 times as long as it took */
	assert_int_equal(tick(&world, 38, 0), 2);
	assert_int_equal(tick(&world, 5, 0), 3); /* this program's own turn */
	uses_close(world.uses);
}

static void test_what_is_wanted_later_is_asked_for_in_the_same_walk(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	world.row[2].rkb = value_of(1);
	assert_int_equal(tick(&world, 1, 0), 1);
	assert_int_equal(asked->of[0].pid, 30);
	asked->n = 0;
	uses_ask(world.uses, &world.frame, USES_ALL_AIO);
	assert_int_equal(asked->n, 2);
	assert_true(uses_is_new(world.uses));
	uses_attach(world.uses, &world.frame);
	assert_false(uses_is_new(world.uses));
	uses_ask(world.uses, &world.frame, USES_ALL_AIO);
	assert_int_equal(asked->n, 2);
	assert_false(uses_is_new(world.uses));
	uses_close(world.uses);
}

static void test_what_has_gone_is_forgotten(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 3);
	assert_int_equal(world.uses->nuse, 3);
	world.frame.ntask = 2;
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 0);
	assert_int_equal(world.uses->nuse, 2);
	assert_null(uses_find(world.uses, 30, 7));
	world.frame.ntask = 3;
	assert_int_equal(tick(&world, 1, USES_ALL_AIO), 1);
	uses_close(world.uses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_the_round_comes_again_to_those_that_ran),
	    cmocka_unit_test(test_mappings_are_not_read_where_nobody_has_a_context),
	    cmocka_unit_test(test_a_look_that_takes_long_is_made_later),
	    cmocka_unit_test(test_what_is_wanted_later_is_asked_for_in_the_same_walk),
	    cmocka_unit_test(test_what_has_gone_is_forgotten),
	};

	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (asked == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
