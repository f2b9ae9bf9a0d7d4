/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where something fails: a helper that never answers, children that are late, and
 * descriptors that are short.
 */
#include "bytes.h"

#include "sample/child.h"
#include "sample/readtask.h"
#include "sample/usestate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

static enum absent why_after(int maps_error, int files_error)
{
	struct uses *uses;
	struct use use = {0};
	struct use_lane lane = {.of = &use};

	assert_int_equal(uses_open(&uses, false), 0);
	lane.look.maps_error = maps_error;
	lane.look.files_error = files_error;
	look_end(uses, &lane);
	free(use.found);
	uses_close(uses);
	return use.why;
}

static void test_what_may_not_be_looked_at_is_denied(void **state)
{
	(void)state;
	assert_int_equal(why_after(0, 0), PRESENT);
	assert_int_equal(why_after(EPERM, 0), ABSENT_DENIED);
	assert_int_equal(why_after(0, EPERM), ABSENT_DENIED);
	assert_int_equal(why_after(0, EACCES), ABSENT_DENIED);
	assert_int_equal(why_after(0, EMFILE), ABSENT_UNSUPPORTED);
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

/* ---- a task's files ---- */

static void put(const char *folder, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void set_descriptors(rlim_t n)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void test_a_task_stays_where_descriptors_are_short(void **state)
{
	char folder[] = "/tmp/test_hang.XXXXXX", task[64], path[80];
	static const char *const files[] = {"stat", "io"};
	atomic_ulong reads = 0;
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(task, sizeof(task), "%s/5", folder);
	assert_int_equal(mkdir(task, 0700), 0);
	put(task, "stat", "5 (db) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0\n");
	put(task, "io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
			"write_bytes: 6\ncancelled_write_bytes: 7\n");
	struct root root = {.proc_fd = open(folder, O_RDONLY | O_DIRECTORY), .mono_ns = 1};
	struct reader reader = {.root = &root, .reads = &reads};
	struct task_file file = {0}, stranger = {0};
	leaves_init(&file.leaf, 5, 0);
	leaves_init(&stranger.leaf, 5, 0);
	assert_true(task_file_read(&file, &reader));
	assert_int_equal(file.last.io_state, PRESENT);
	root.mono_ns = 2;
	set_descriptors(0);
	bool stays = task_file_read(&file, &reader), known = task_file_read(&stranger, &reader);
	set_descriptors(limit.rlim_cur);
	assert_true(stays && !known); /* of one not read before there is nothing to show */
	assert_int_equal(file.last.io_state, ABSENT_LATE);
	assert_int_equal(file.last.stat_state, ABSENT_LATE);
	assert_true(file.last.start_ticks == 77 && file.last.mono_ns == 2);
	assert_true(task_file_read(&file, &reader));
	assert_int_equal(file.last.io_state, PRESENT);
	assert_int_equal(file.last.state, 'S');
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", task, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_false(task_file_read(&file, &reader));
	close(root.proc_fd);
	assert_int_equal(rmdir(task), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_process_that_hung_is_left_alone_in_its_state),
	    cmocka_unit_test(test_so_it_is_where_somebody_opens_it),
	    cmocka_unit_test(test_what_may_not_be_looked_at_is_denied),
	    cmocka_unit_test(
		test_a_helper_hears_where_the_program_has_no_standard_descriptors),
	    cmocka_unit_test(test_children_that_were_late_are_taken_in),
	    cmocka_unit_test(test_a_task_stays_where_descriptors_are_short),
	};

	return cmocka_run_group_tests_name("hang", tests, NULL, NULL);
}
