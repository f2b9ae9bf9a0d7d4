/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows are asked about for their names, and when again; the helper is the real one. */
#include "bytes.h"

#include "iotriage/names.h"
#include "sample/namebook.h"
#include "sample/parse.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The program's clocks are so far ahead of the kernel's. */
static int ahead_s;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int error = (int)syscall(SYS_clock_gettime, clock, now);

	now->tv_sec += ahead_s;
	return error;
}

/* This very process, on show, and one that is no more: its number is another's. */
struct world {
	struct names *names;
	struct frame frame;
	struct task_row row[2];
	struct task_sample sample[2];
};

static struct task_sample own_sample(void)
{
	char text[2048];
	struct task_sample sample = {0};
	int fd = open("/proc/self/stat", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	assert_true(n > 0 && task_stat_parse(text, (size_t)n, &sample));
	close(fd);
	sample.pid = getpid();
	return sample;
}

static void begin(struct world *world)
{
	*world = (struct world){0};
	assert_int_equal(names_open(&world->names, true), 0);
	for (int i = 0; i < 2; i++) {
		world->sample[i] = own_sample();
		world->row[i].task = &world->sample[i];
	}
	world->sample[1].pid = 1;
	world->row[0].on_show = true;
	world->frame.task = world->row;
	world->frame.ntask = 2;
}

/* How many questions were asked in a tick; all are answered by its end. */
static unsigned tick(struct world *world, bool all)
{
	unsigned asked = 0;

	names_attach(world->names, &world->frame);
	names_ask(world->names, &world->frame, all);
	while (names_pending(world->names)) {
		struct pollfd fd = {.fd = names_fd(world->names), .events = POLLIN};
		(void)poll(&fd, 1, names_timeout_ms(world->names));
		asked += names_tend(world->names);
		names_ask(world->names, &world->frame, all);
	}
	names_attach(world->names, &world->frame);
	return asked;
}

static void test_rows_on_show_are_asked_about_once(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	assert_true(tick(&world, false) > 0);
	assert_int_equal(world.row[0].names, TASK_NAMES_KNOWN);
	assert_non_null(strstr(world.row[0].command, "test_names"));
	assert_int_equal(world.row[1].names, TASK_NAMES_WANTED);
	assert_int_equal(tick(&world, false), 0);
	/* one that comes on show later, or where all are wanted, has its turn then */
	assert_true(tick(&world, true) > 0);
	assert_int_equal(world.row[1].names, TASK_NAMES_KNOWN);
	assert_null(world.row[1].command);
	assert_int_equal(tick(&world, true), 0);
	names_close(world.names);
}

static void test_another_program_is_asked_about_again(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	(void)tick(&world, false);
	world.sample[0].comm[0] ^= 1;
	names_attach(world.names, &world.frame);
	assert_int_equal(world.row[0].names, TASK_NAMES_WANTED);
	assert_true(tick(&world, false) > 0);
	assert_int_equal(world.row[0].names, TASK_NAMES_KNOWN);
	/* rows that were taken away since are no harm */
	names_attach(world.names, &world.frame);
	world.frame.ntask = 0;
	names_ask(world.names, &world.frame, true);
	assert_false(names_pending(world.names));
	names_close(world.names);
}

/* Tracing shows one that has ended beside the next that has its number. */
static void test_two_of_a_number_have_their_own_names(void **state)
{
	struct world world;

	(void)state;
	for (int ended = 0; ended < 2; ended++) {
		begin(&world);
		world.sample[1] = world.sample[0];
		world.sample[ended].state = 'X';
		world.sample[ended].start_ticks--;
		(void)tick(&world, true);
		assert_int_equal(world.row[ended].names, TASK_NAMES_KNOWN);
		assert_null(world.row[ended].command);
		assert_non_null(world.row[!ended].command);
		names_close(world.names);
	}
}

static bool asks(struct world *world)
{
	names_attach(world->names, &world->frame);
	names_ask(world->names, &world->frame, false);
	return names_pending(world->names);
}

static void wait_answers(struct world *world)
{
	while (names_pending(world->names)) {
		struct pollfd fd = {.fd = names_fd(world->names), .events = POLLIN};
		(void)poll(&fd, 1, names_timeout_ms(world->names));
		(void)names_tend(world->names);
	}
}

/* Our only child. */
static void stop_helper(void)
{
	FILE *file = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	if (!file)
		skip();
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	fclose(file);
}

static void test_what_hung_is_asked_again_in_another_state(void **state)
{
	struct world world;
	bool asked = false;

	(void)state;
	begin(&world);
	world.sample[0].ran_ns = INT64_MAX;
	(void)tick(&world, false);
	ahead_s += 11;
	stop_helper();
	assert_true(asks(&world));
	wait_answers(&world);
	ahead_s += 11;
	assert_false(asks(&world));
	assert_int_equal(world.row[0].names, TASK_NAMES_KNOWN);
	world.sample[0].state = 'D';
	for (int i = 0; i < 200 && !asked; i++) { /* the helper that hung has to be gone, too */
		usleep(10000);
		asked = asks(&world);
	}
	assert_true(asked);
	wait_answers(&world);
	ahead_s += 11;
	assert_true(asks(&world));
	wait_answers(&world);
	names_close(world.names);
}

/* ---- the book ---- */

static void test_what_has_ended_is_forgotten_when_it_is_much(void **state)
{
	struct namebook book = {.frame = 1};
	const struct task_sample lives = {.pid = 7, .start_ticks = 1};

	(void)state;
	for (int i = 0; i < 600; i++) {
		/* half of them share a bucket with another */
		const struct task_sample sample = {.pid = 7 + i / 2 * NAME_BUCKETS,
						   .start_ticks = 1 + i % 2};
		namebook_add(&book, &sample)->state = NAME_KNOWN;
	}
	book.frame = 2;
	namebook_sweep(&book, 300);
	assert_int_equal(book.ntask, 600);
	namebook_task(&book, &lives)->seen = 2;
	namebook_sweep(&book, 1);
	assert_int_equal(book.ntask, 1);
	assert_non_null(namebook_task(&book, &lives));
	namebook_release(&book);
}

static void test_a_user_is_a_number_first(void **state)
{
	struct namebook book = {0};

	(void)state;
	assert_null(namebook_user(&book, 0));
	assert_non_null(namebook_add_user(&book, 0));
	assert_non_null(namebook_add_user(&book, 4294967294));
	assert_string_equal(namebook_user(&book, 0)->name, "0");
	assert_string_equal(namebook_user(&book, 4294967294)->name, "4294967294");
	namebook_release(&book);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_on_show_are_asked_about_once),
	    cmocka_unit_test(test_another_program_is_asked_about_again),
	    cmocka_unit_test(test_two_of_a_number_have_their_own_names),
	    cmocka_unit_test(test_what_hung_is_asked_again_in_another_state),
	    cmocka_unit_test(test_what_has_ended_is_forgotten_when_it_is_much),
	    cmocka_unit_test(test_a_user_is_a_number_first),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
