/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Totals since the start: sums, who has them, ended tasks, threads, what is folded.
 */
#include "bytes.h"

#include "frame/totals.h"

#include <math.h>

struct world {
	struct totals *totals;
	struct frame frame;
	struct choice choice;
	struct task_row *row;
	struct task_sample *sample;
};

static struct world world_new(size_t room)
{
	struct world world = {.totals = totals_new(), .row = calloc(room, sizeof(*world.row)),
			      .sample = calloc(room, sizeof(*world.sample))};

	assert_true(world.totals && world.row && world.sample);
	world.frame.seconds = 1;
	world.frame.task = world.row;
	return world;
}

static void world_free(struct world *world)
{
	totals_free(world->totals);
	free(world->row);
	free(world->sample);
}

/* Begins a frame without tasks and devices. */
static void next(struct world *world)
{
	struct system_row *system = &world->frame.system;

	system->done_rkb = system->done_wkb = system->asked_rkb = system->asked_wkb =
		value_absent(ABSENT_NEW);
	world->frame.number++;
	world->frame.tasks_state = PRESENT;
	world->frame.ntask = 0;
	world->frame.threads = false;
}

static struct task_row *put(struct world *world, int32_t pid, uint64_t start, const char *comm,
			    double rkb, double wkb)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct task_row *row = &world->row[world->frame.ntask];
	struct task_sample *sample = &world->sample[world->frame.ntask++];

	*sample = (struct task_sample){.pid = pid, .start_ticks = start};
	snprintf(sample->comm, sizeof(sample->comm), "%s", comm);
	*row = (struct task_row){.kind = TASK_PROCESS, .task = sample, .seconds = 1, .rkb = value_of(rkb),
				 .wkb = value_of(wkb), .ckb = none, .inh_rkb = none, .inh_wkb = none};
	return row;
}

static void add(struct world *world)
{
	totals_add(world->totals, &world->frame, &world->choice);
}

static const struct total_row *find(struct world *world, enum total_by by, const char *name)
{
	assert_int_equal(totals_attach(world->totals, &world->frame, by), 0);
	for (size_t i = 0; i < world->frame.ntotal; i++)
		if (strcmp(world->frame.total[i].name, name) == 0)
			return &world->frame.total[i];
	return NULL;
}

static void assert_sums(const struct total_row *row, double rkib, double wkib, size_t tasks)
{
	assert_non_null(row);
	assert_true(fabs(row->rkib - rkib) < 1e-6 && fabs(row->wkib - wkib) < 1e-6);
	assert_int_equal(row->tasks, tasks);
}

static void assert_user(const struct total_row *row, const char *user)
{
	assert_non_null(row);
	if (!user)
		assert_null(row->user);
	else
		assert_string_equal(row->user, user);
}

static void test_sums_are_rate_times_seconds(void **state)
{
	struct world world = world_new(8);
	struct task_row *row;

	(void)state;
	for (int i = 0; i < 3; i++) {
		next(&world);
		world.frame.seconds = 2;
		row = put(&world, 7, 100, "dd", 10, 5);
		row->seconds = 2.5; /* its own, not the frame's */
		row->ckb = value_of(1);
		row->inh_rkb = value_of(4);
		row->inh_wkb = value_of(8);
		put(&world, 9, 100, "cat", 0, 0);
		add(&world);
	}
	const struct total_row *dd = find(&world, TOTAL_TASKS, "dd");
	assert_sums(dd, 75, 37.5, 1);
	assert_true(dd->ckib == 7.5 && dd->inh_rkib == 30 && dd->inh_wkib == 60);
	assert_true(dd->seconds == 6 && !dd->ended && dd->pid == 7 && dd->start_ticks == 100);
	assert_true(dd->by == TOTAL_TASKS && dd == &world.frame.total[0]);
	assert_sums(find(&world, TOTAL_TASKS, "cat"), 0, 0, 1);
	world_free(&world);
}

/* As -p and -u say; what others did is not unattributed. */
static void test_only_chosen_tasks(void **state)
{
	static const int pids[] = {7, 9};
	const struct choice choices[] = {{.pid = pids, .npid = 2}, {.by_uid = true, .uid = 1000}};

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		struct world world = world_new(8);
		world.choice = choices[i];
		next(&world);
		world.frame.system.done_rkb = world.frame.system.done_wkb = value_of(1000);
		world.frame.system.asked_rkb = world.frame.system.asked_wkb = value_of(15);
		for (int32_t pid = 7; pid <= 10; pid++) {
			put(&world, pid, 100, pid % 2 ? "odd" : "even", 1, 2);
			world.sample[pid - 7].uid_known = true;
			world.sample[pid - 7].uid = pid % 2 ? 1000 : 0;
		}
		world.sample[world.frame.ntask - 1].uid_known = false;
		add(&world);
		assert_sums(find(&world, TOTAL_PROGRAMS, "odd"), 2, 4, 2);
		assert_int_equal(world.frame.ntotal, 1);
		world_free(&world);
	}
}

static void test_absent_adds_nothing(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	struct task_row *row = put(&world, 7, 100, "dd", 0, 6);
	row->rkb = (struct value){.n = 1e9, .why = ABSENT_DENIED};
	put(&world, 0, 0, "(unattributed)", 0, 0)->kind = TASK_UNATTRIBUTED;
	world.row[1].rkb = world.row[1].wkb = value_absent(ABSENT_NEW);
	add(&world);
	const struct total_row *dd = find(&world, TOTAL_TASKS, "dd");
	assert_true(isnan(dd->rkib) && dd->wkib == 6 && isnan(dd->inh_rkib)); /* not measured is not 0 */
	assert_int_equal(dd->why, ABSENT_DENIED);
	assert_null(find(&world, TOTAL_TASKS, "(unattributed)"));
	next(&world);
	put(&world, 7, 100, "dd", 1, 1);
	world.frame.since_boot = true;
	add(&world);
	world.frame.since_boot = false;
	assert_true(find(&world, TOTAL_TASKS, "dd")->wkib == 6);
	next(&world);
	put(&world, 7, 100, "dd", 3, 1);
	put(&world, 8, 100, "dd", 1e9, 1e9);
	world.row[1].rkb = world.row[1].wkb = value_absent(ABSENT_DENIED);
	add(&world);
	assert_sums(find(&world, TOTAL_TASKS, "dd"), 3, 7, 1);
	assert_sums(find(&world, TOTAL_PROGRAMS, "dd"), 3, 7, 2); /* of those that are known */
	world_free(&world);
}

static void test_ended_and_replaced(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	put(&world, 7, 100, "dd", 10, 0);
	put(&world, 8, 100, "cp", 1, 0);
	add(&world);
	next(&world);
	put(&world, 7, 200, "tar", 3, 0); /* the same PID, another process */
	put(&world, 8, 100, "cp", 1, 0);
	add(&world);
	const struct total_row *dd = find(&world, TOTAL_TASKS, "dd");
	assert_sums(dd, 10, 0, 1);
	assert_true(dd->ended);
	assert_false(find(&world, TOTAL_TASKS, "tar")->ended);
	assert_sums(find(&world, TOTAL_TASKS, "cp"), 2, 0, 1);
	assert_true(find(&world, TOTAL_PROGRAMS, "dd")->ended);
	assert_int_equal(world.frame.ntotal, 3);
	world_free(&world);
}

static void test_late_frames_count_once(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	put(&world, 7, 100, "dd", 10, 0);
	add(&world);
	add(&world);
	next(&world);
	put(&world, 8, 100, "old", 99, 0); /* no figures: its rows are an earlier walk's */
	world.frame.tasks_state = ABSENT_LATE;
	add(&world);
	const struct total_row *dd = find(&world, TOTAL_TASKS, "dd");
	assert_sums(dd, 10, 0, 1);
	assert_true(!dd->ended && dd->seconds == 2 && world.frame.ntotal == 1);
	world.frame.tasks_state = PRESENT; /* the walk has come */
	world.frame.ntask = 0;
	put(&world, 7, 100, "dd", 10, 0)->seconds = 2;
	add(&world);
	add(&world);
	dd = find(&world, TOTAL_TASKS, "dd");
	assert_sums(dd, 30, 0, 1);
	assert_true(dd->seconds == 2);
	world_free(&world);
}

static void test_threads_are_their_process(void **state)
{
	struct world world = world_new(8);
	static const int32_t tids[] = {42, 50, 51};
	static const char *const names[] = {"mysqld", "ib_io_rd", "ib_io_wr"};

	(void)state;
	next(&world);
	put(&world, 41, 5, "sh", 1, 1);
	put(&world, 42, 100, "mysqld", 10, 0);
	add(&world);
	next(&world);
	world.frame.threads = true;
	put(&world, 41, 5, "sh", 1, 1);
	for (int i = 2; i >= 0; i--) { /* also where the main thread is not the first */
		struct task_row *row = put(&world, 42, 100 + (uint64_t)tids[i] - 42, names[i], 1, 2);
		row->kind = TASK_THREAD;
		world.sample[world.frame.ntask - 1].tid = tids[i];
	}
	add(&world);
	assert_sums(find(&world, TOTAL_TASKS, "mysqld"), 13, 6, 1);
	assert_sums(find(&world, TOTAL_PROGRAMS, "mysqld"), 13, 6, 1);
	assert_sums(find(&world, TOTAL_TASKS, "sh"), 2, 2, 1);
	assert_int_equal(world.frame.ntotal, 2);
	assert_false(find(&world, TOTAL_TASKS, "mysqld")->ended);
	world_free(&world);
}

static void test_programs(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	put(&world, 1, 1, "dd", 1, 2)->user = "root";
	put(&world, 2, 1, "dd", 10, 20)->user = "oracle";
	put(&world, 3, 1, "cp", 0, 1)->user = "oracle";
	put(&world, 4, 1, "cp", 0, 2)->user = "oracle";
	put(&world, 5, 1, "ls", 0, 0);
	add(&world);
	next(&world);
	put(&world, 3, 1, "cp", 0, 1);
	add(&world);
	const struct total_row *dd = find(&world, TOTAL_PROGRAMS, "dd");
	assert_sums(dd, 11, 22, 2);
	assert_user(dd, NULL); /* several */
	assert_true(dd->ended && dd->pid == 0 && dd == &world.frame.total[0] && dd->by == TOTAL_PROGRAMS);
	const struct total_row *cp = find(&world, TOTAL_PROGRAMS, "cp");
	assert_sums(cp, 0, 4, 2);
	assert_user(cp, "oracle");
	assert_false(cp->ended); /* one of them lives */
	assert_user(find(&world, TOTAL_PROGRAMS, "ls"), NULL);
	world_free(&world);
}

static void test_users(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	put(&world, 1, 1, "a", 1, 0);
	put(&world, 2, 1, "b", 2, 0);
	world.sample[1].uid_known = true;
	world.sample[1].uid = 1000;
	put(&world, 3, 1, "c", 4, 0)->user = "root";
	add(&world);
	assert_sums(find(&world, TOTAL_USERS, "?"), 1, 0, 1);
	assert_user(find(&world, TOTAL_USERS, "?"), NULL);
	assert_sums(find(&world, TOTAL_USERS, "1000"), 2, 0, 1);
	assert_sums(find(&world, TOTAL_USERS, "root"), 4, 0, 1);
	assert_user(find(&world, TOTAL_USERS, "root"), "root");
	next(&world); /* who they are is known now: all they did is theirs */
	put(&world, 1, 1, "a", 1, 0)->user = "root";
	put(&world, 2, 1, "b", 2, 0)->user = "ann";
	put(&world, 3, 1, "c", 4, 0); /* not answered in this frame: what was known stays */
	add(&world);
	assert_sums(find(&world, TOTAL_USERS, "root"), 10, 0, 2);
	assert_sums(find(&world, TOTAL_USERS, "ann"), 4, 0, 1);
	assert_null(find(&world, TOTAL_USERS, "?"));
	assert_null(find(&world, TOTAL_USERS, "1000"));
	assert_user(find(&world, TOTAL_TASKS, "c"), "root");
	world_free(&world);
}

static struct task_row *put_user(struct world *world, int32_t pid, uint32_t uid, const char *user)
{
	struct task_row *row = put(world, pid, 1, "dd", 1, 0);

	row->user = user;
	row->uid = uid;
	return row;
}

static void test_a_name_that_came_after_the_end(void **state)
{
	struct world world = world_new(TOTALS_ENDED_MAX + 2);

	(void)state;
	next(&world);
	put_user(&world, 1, 1000, "1000");
	put_user(&world, 2, 1000, NULL);
	world.sample[1].uid_known = true;
	world.sample[1].uid = 1000;
	put_user(&world, 3, 1001, "1001");
	add(&world);
	assert_sums(find(&world, TOTAL_USERS, "1000"), 2, 0, 2);
	next(&world);
	put_user(&world, 4, 1000, "ann");
	put_user(&world, 5, 0, "root");
	add(&world);
	assert_sums(find(&world, TOTAL_USERS, "ann"), 3, 0, 3);
	assert_null(find(&world, TOTAL_USERS, "1000"));
	assert_sums(find(&world, TOTAL_USERS, "1001"), 1, 0, 1);
	/* also of what was folded under the number before */
	next(&world);
	for (int i = 0; i <= TOTALS_ENDED_MAX; i++)
		put_user(&world, 10 + i, 1001, "1001");
	add(&world);
	next(&world);
	add(&world);
	assert_non_null(find(&world, TOTAL_TASKS, "(others)"));
	next(&world);
	put_user(&world, 6, 1001, "bob");
	add(&world);
	assert_null(find(&world, TOTAL_USERS, "1001"));
	assert_sums(find(&world, TOTAL_USERS, "bob"), TOTALS_ENDED_MAX + 3, 0, TOTALS_ENDED_MAX + 3);
	world_free(&world);
}

static void written(struct world *world, double asked_wkb, double done_wkb)
{
	struct system_row *system = &world->frame.system;

	next(world);
	system->asked_rkb = system->done_rkb = value_of(0);
	system->asked_wkb = value_of(asked_wkb);
	system->done_wkb = value_of(done_wkb);
	put(world, 1, 1, "dd", 0, asked_wkb);
	add(world);
}

static void test_unattributed_is_of_the_whole_run(void **state)
{
	struct world world = world_new(8);

	(void)state;
	written(&world, 100, 0); /* into memory */
	assert_sums(find(&world, TOTAL_TASKS, "(unattributed)"), 0, 0, 0);
	written(&world, 0, 100); /* the device does it later */
	assert_sums(find(&world, TOTAL_TASKS, "(unattributed)"), 0, 0, 0);
	written(&world, 0, 50); /* nobody asked for that */
	assert_sums(find(&world, TOTAL_TASKS, "(unattributed)"), 0, 50, 0);
	written(&world, 20, 0);
	assert_sums(find(&world, TOTAL_TASKS, "(unattributed)"), 0, 30, 0);
	/* where one of both is not known neither counts */
	next(&world);
	world.frame.system.done_wkb = value_of(1000);
	put(&world, 1, 1, "dd", 0, 0);
	add(&world);
	assert_sums(find(&world, TOTAL_TASKS, "(unattributed)"), 0, 30, 0);
	world_free(&world);
}

static void test_unattributed_is_in_every_grouping(void **state)
{
	struct world world = world_new(8);

	(void)state;
	for (int i = 0; i < 2; i++) {
		next(&world);
		struct task_row *row = put(&world, 0, 0, "(unattributed)", 5, 7);
		row->kind = TASK_UNATTRIBUTED;
		row->inh_rkb = value_absent(ABSENT_UNSUPPORTED);
		world.frame.system.done_rkb = value_of(6);
		world.frame.system.done_wkb = value_of(7);
		world.frame.system.asked_rkb = value_of(1);
		world.frame.system.asked_wkb = value_of(0);
		put(&world, 1, 1, "a", 1, 0);
		add(&world);
	}
	for (int by = TOTAL_TASKS; by <= TOTAL_USERS; by++) {
		const struct total_row *row = find(&world, (enum total_by)by, "(unattributed)");
		assert_sums(row, 10, 14, 0);
		assert_user(row, NULL);
		assert_true(!row->ended && row->pid == 0 && world.frame.ntotal == 2);
		assert_true(isnan(row->inh_wkib) && row->why == ABSENT_UNSUPPORTED);
	}
	world_free(&world);
}

static double sum_of(struct world *world, enum total_by by, size_t *tasks, size_t *ended)
{
	double sum = 0, before = INFINITY;

	*tasks = *ended = 0;
	assert_int_equal(totals_attach(world->totals, &world->frame, by), 0);
	for (size_t i = 0; i < world->frame.ntotal; i++) {
		const struct total_row *row = &world->frame.total[i];
		sum += row->rkib + row->wkib;
		*tasks += row->tasks;
		*ended += row->ended;
		assert_true(row->rkib + row->wkib <= before);
		before = row->rkib + row->wkib;
	}
	return sum;
}

/* A machine that forks without end: memory is bounded and no byte is lost. */
static void test_many_ended_tasks_are_folded(void **state)
{
	enum { FRAMES = 60, EACH = 1000 };
	struct world world = world_new(EACH + 1);
	double all = 0;
	size_t tasks, ended;

	(void)state;
	for (int f = 0; f < FRAMES; f++) {
		next(&world);
		put(&world, 1, 1, "init", 1, 0)->user = "root";
		all += 1;
		for (int i = 0; i < EACH; i++) {
			char comm[32];
			int n = f * EACH + i;
			snprintf(comm, sizeof(comm), "p%d", n % 20000);
			put(&world, 2 + n % 30000, (uint64_t)n + 1, comm, n % 7, n % 3)->user = n % 2 ? "a" : "b";
			all += n % 7 + n % 3;
		}
		add(&world);
	}
	assert_true(fabs(sum_of(&world, TOTAL_TASKS, &tasks, &ended) - all) < 1e-3);
	assert_int_equal(tasks, FRAMES * EACH + 1);
	assert_true(ended <= TOTALS_ENDED_MAX + 1);
	const struct total_row *others = find(&world, TOTAL_TASKS, "(others)");
	assert_true(others && others->ended && others->tasks > FRAMES * EACH / 2 && !others->user);
	assert_true(fabs(sum_of(&world, TOTAL_PROGRAMS, &tasks, &ended) - all) < 1e-3);
	assert_int_equal(tasks, FRAMES * EACH + 1);
	assert_true(world.frame.ntotal <= 2 * TOTALS_ENDED_MAX + EACH + 2);
	assert_non_null(find(&world, TOTAL_PROGRAMS, "(others)"));
	assert_true(fabs(sum_of(&world, TOTAL_USERS, &tasks, &ended) - all) < 1e-3);
	assert_int_equal(world.frame.ntotal, 3);
	assert_int_equal(find(&world, TOTAL_USERS, "a")->tasks + find(&world, TOTAL_USERS, "b")->tasks, FRAMES * EACH);
	/* the largest kept their rows */
	size_t large = 0;
	assert_int_equal(totals_attach(world.totals, &world.frame, TOTAL_TASKS), 0);
	for (size_t i = 0; i < world.frame.ntotal; i++)
		large += world.frame.total[i].pid && world.frame.total[i].rkib + world.frame.total[i].wkib == 8;
	assert_true(large >= FRAMES * EACH / 21);
	world_free(&world);
}

static void test_others_by_name_is_no_fold(void **state)
{
	struct world world = world_new(8);

	(void)state;
	next(&world);
	put(&world, 1, 1, "(others)", 1, 0)->user = "root";
	put(&world, 2, 1, "(unattributed)", 2, 0)->user = "root";
	add(&world);
	assert_user(find(&world, TOTAL_PROGRAMS, "(others)"), "root");
	assert_sums(find(&world, TOTAL_PROGRAMS, "(unattributed)"), 2, 0, 1);
	world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sums_are_rate_times_seconds),
		cmocka_unit_test(test_only_chosen_tasks),
		cmocka_unit_test(test_absent_adds_nothing),
	    cmocka_unit_test(test_ended_and_replaced),
	    cmocka_unit_test(test_late_frames_count_once),
	    cmocka_unit_test(test_threads_are_their_process),
	    cmocka_unit_test(test_programs),
	    cmocka_unit_test(test_users),
	    cmocka_unit_test(test_a_name_that_came_after_the_end),
	    cmocka_unit_test(test_unattributed_is_of_the_whole_run),
	    cmocka_unit_test(test_unattributed_is_in_every_grouping),
	    cmocka_unit_test(test_many_ended_tasks_are_folded),
	    cmocka_unit_test(test_others_by_name_is_no_fold),
	};

	totals_free(NULL);
	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
