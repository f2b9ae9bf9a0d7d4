/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that a helper hangs on, and helpers: a helper that never answers.
 */
#include "bytes.h"

#include "sample/child.h"
#include "sample/usestate.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

/* Gives back each byte. */
static void echo(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, 0) == 1 && send(fd, &byte, 1, 0) == 1)
		;
}

/* Its end of the socket may be one of the standard descriptors. */
static void test_a_helper_hears_where_the_program_has_no_standard_descriptors(void **state)
{
	struct helper helper;
	struct pollfd fd = {.events = POLLIN};
	int saved[3];
	char byte = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		saved[i] = dup(i);
	for (int i = 0; i < 3; i++)
		close(i);
	helper_init(&helper, "iotriage-test", echo);
	bool asked = helper_ask(&helper, "x", 1);
	fd.fd = helper.fd;
	int ready = asked ? poll(&fd, 1, 10000) : 0;
	ssize_t n = ready > 0 ? helper_answer(&helper, &byte, 1) : 0;
	helper_close(&helper);
	for (int i = 0; i < 3; i++) {
		(void)dup2(saved[i], i);
		close(saved[i]);
	}
	assert_true(asked && ready == 1 && n == 1 && byte == 'x');
}

static int answer(void *context)
{
	return *(int *)context;
}

/* Until it is let go, through memory that is shared. */
static int wait_for(void *context)
{
	const volatile bool *go = context;

	while (!*go)
		usleep(1000);
	return 0;
}

static void test_children_that_were_late_are_taken_in(void **state)
{
	bool *go = mmap(NULL, sizeof(*go), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int given = -ENOSPC;
	siginfo_t info = {0};

	(void)state;
	assert_true(go != MAP_FAILED);
	while (waitpid(-1, NULL, 0) > 0)
		; /* those of other tests */
	assert_int_equal(child_run(answer, &given, 10000, CHILD_LEAVE), -ENOSPC);
	assert_int_equal(child_run(wait_for, go, 1, CHILD_LEAVE), -ETIMEDOUT);
	*(volatile bool *)go = true;
	/* it has ended, and is a zombie */
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(child_run(answer, &given, 10000, CHILD_KILL), -ENOSPC);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	munmap(go, sizeof(*go));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_process_that_hung_is_left_alone_in_its_state),
	    cmocka_unit_test(test_so_it_is_where_somebody_opens_it),
	    cmocka_unit_test(
		test_a_helper_hears_where_the_program_has_no_standard_descriptors),
	    cmocka_unit_test(test_children_that_were_late_are_taken_in),
	};

	return cmocka_run_group_tests_name("hang", tests, NULL, NULL);
}
