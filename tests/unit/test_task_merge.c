/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of the task programs made a snapshot: who did what, the ended ones too.
 */
#include "bytes.h"

#include "trace/task_merge.h"

enum { ROOM = 64, WROTE = 5 };

#define SECOND 1000000000LL

struct machine {
	struct task_merge *merge;
	struct task_snapshot tasks;
	char record[ROOM * sizeof(struct task_record)];
	size_t bytes;
	struct task_exit exit[ROOM];
	size_t nexit;
	int64_t boot_ns;
};

static void machine_begin(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->merge = task_merge_new(100);
	assert_non_null(m->merge);
	m->boot_ns = 1000 * SECOND;
}

static void machine_end(struct machine *m)
{
	task_merge_free(m->merge);
	free(m->tasks.task);
	free(m->tasks.thread);
}

/* A record of the pass to come; tid 0: the process's first thread. */
static struct task_record *list(struct machine *m, uint32_t pid, uint32_t tid, uint64_t written)
{
	struct task_record *record = (void *)(m->record + m->bytes);

	memset(record, 0, sizeof(*record));
	record->tgid = pid;
	record->tid = tid ? tid : pid;
	record->flags = tid && tid != pid ? 0 : RECORD_LEADER;
	record->start_ns = 10 * SECOND;
	record->state = 1;
	record->io[WROTE] = written;
	record->threads = 1;
	m->bytes += task_record_size(record);
	return record;
}

static struct task_exit *ends(struct machine *m, uint32_t pid, uint32_t tid, uint64_t written)
{
	struct task_exit *exit = &m->exit[m->nexit++];

	*exit = (struct task_exit){.tgid = pid, .tid = tid, .start_ns = 10 * SECOND,
				   .leader_start_ns = 10 * SECOND, .flags = RECORD_GROUP_DEAD};
	exit->io[WROTE] = written;
	snprintf(exit->comm, sizeof(exit->comm), "dd");
	return exit;
}

static void pass(struct machine *m, bool complete)
{
	struct task_pass pass = {.record = m->record, .bytes = m->bytes, .complete = complete,
				 .boot_ns = m->boot_ns, .exit = m->exit, .nexit = m->nexit};

	m->boot_ns += SECOND;
	m->tasks.mono_ns = m->boot_ns;
	assert_int_equal(task_merge_pass(m->merge, &pass, &m->tasks), 0);
	m->bytes = m->nexit = 0;
}

static const struct task_sample *find(const struct machine *m, int32_t pid)
{
	const struct task_sample *found = NULL;

	for (size_t i = 0; i < m->tasks.n; i++) {
		assert_true(i == 0 || m->tasks.task[i - 1].pid <= m->tasks.task[i].pid);
		if (m->tasks.task[i].pid == pid)
			found = &m->tasks.task[i];
	}
	return found;
}

static void has(const struct machine *m, int32_t pid, uint64_t own, uint64_t all)
{
	const struct task_sample *task = find(m, pid);

	assert_non_null(task);
	assert_int_equal(task->own[TASK_WRITE_BYTES], own);
	assert_int_equal(task->counter[TASK_WRITE_BYTES], all);
}

static void test_what_was_there_is_its_own(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 700)->shared_io[WROTE] = 300;
	list(&m, 10, 11, 50)->threads = 2;
	pass(&m, true);
	has(&m, 10, 1050, 1050);
	assert_int_equal(find(&m, 10)->state, 'S');
	machine_end(&m);
}

static void test_idle_tasks_stay_as_they_were(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 700);
	list(&m, 20, 0, 7);
	pass(&m, true);
	list(&m, 20, 0, 9);
	pass(&m, false);
	has(&m, 10, 700, 700);
	has(&m, 20, 9, 9);
	assert_false(task_has_run(find(&m, 10)));
	assert_true(task_has_run(find(&m, 20)));
	list(&m, 20, 0, 9);
	pass(&m, true);
	assert_null(find(&m, 10));
	machine_end(&m);
}

static void test_one_that_lived_between_two_passes_has_a_row(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	pass(&m, true);
	ends(&m, 30, 30, 8192)->ppid = 10;
	m.exit[0].start_ns = m.exit[0].leader_start_ns = 1001 * SECOND;
	m.exit[0].parent_start_ns = 10 * SECOND;
	list(&m, 10, 0, 0)->shared_io[WROTE] = 8192;
	pass(&m, false);
	has(&m, 30, 8192, 8192);
	assert_int_equal(find(&m, 30)->state, 'X');
	assert_string_equal(find(&m, 30)->comm, "dd");
	/* its parent got it from the kernel, and that is no news */
	has(&m, 10, 0, 0);
	pass(&m, false);
	assert_null(find(&m, 30));
	has(&m, 10, 0, 0);
	machine_end(&m);
}

static void test_children_that_were_not_seen_are_inherited(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 100);
	pass(&m, true);
	list(&m, 10, 0, 100)->shared_io[WROTE] = 5000;
	pass(&m, false);
	has(&m, 10, 100, 5100);
	list(&m, 10, 0, 100)->shared_io[WROTE] = 5000;
	pass(&m, false);
	has(&m, 10, 100, 5100);
	machine_end(&m);
}

static void test_what_an_ended_one_did_before_counts_on(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	list(&m, 40, 0, 1000);
	pass(&m, true);
	ends(&m, 40, 40, 1500);
	pass(&m, false);
	has(&m, 40, 1500, 1500);
	machine_end(&m);
}

static void test_a_quiet_end_makes_no_row(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 40, 0, 1000);
	pass(&m, true);
	ends(&m, 40, 40, 1000);
	pass(&m, false);
	assert_null(find(&m, 40));
	machine_end(&m);
}

/* It ends after the pass found it and before its exits were taken. */
static void test_an_end_right_after_the_pass_counts_in_the_next(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 40, 0, 1000);
	pass(&m, true);
	list(&m, 40, 0, 2000);
	ends(&m, 40, 40, 2500);
	pass(&m, false);
	has(&m, 40, 2000, 2000);
	assert_int_not_equal(find(&m, 40)->state, 'X');
	pass(&m, false);
	has(&m, 40, 2500, 2500);
	assert_int_equal(find(&m, 40)->state, 'X');
	pass(&m, false);
	assert_null(find(&m, 40));
	machine_end(&m);
}

static void test_a_zombie_is_a_row_until_it_is_reaped(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 40, 0, 1000);
	pass(&m, true);
	for (int i = 0; i < 3; i++) {
		list(&m, 40, 0, 1600)->exit_state = 0x20;
		if (i == 0)
			ends(&m, 40, 40, 1600);
		pass(&m, false);
		has(&m, 40, 1600, 1600);
		assert_int_equal(find(&m, 40)->state, 'Z');
	}
	pass(&m, false);
	assert_null(find(&m, 40));
	machine_end(&m);
}

static void test_ended_threads_are_their_processes_own(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0)->threads = 2;
	list(&m, 10, 11, 100);
	pass(&m, true);
	assert_int_equal(m.tasks.nthread, 0);
	ends(&m, 10, 11, 400)->flags = 0;
	list(&m, 10, 0, 0)->shared_io[WROTE] = 400;
	pass(&m, false);
	has(&m, 10, 400, 400);
	machine_end(&m);
}

static void test_threads_of_active_processes_are_listed(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	list(&m, 10, 15, 0);
	list(&m, 20, 0, 0);
	list(&m, 20, 21, 0);
	pass(&m, true);
	list(&m, 20, 21, 4096);
	pass(&m, false);
	assert_int_equal(m.tasks.nthread, 2);
	assert_int_equal(m.tasks.thread[0].tid, 20);
	assert_int_equal(m.tasks.thread[1].tid, 21);
	assert_int_equal(m.tasks.thread[1].own[TASK_WRITE_BYTES], 4096);
	m.tasks.all_threads = true;
	pass(&m, false);
	assert_int_equal(m.tasks.nthread, 4);
	assert_int_equal(m.tasks.thread[1].tid, 15);
	machine_end(&m);
}

/* A thread that waits does not run, so passes that are not complete do not have it. */
static void test_threads_of_one_that_waits_on_are_listed(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	list(&m, 10, 11, 0)->state = 2;
	pass(&m, true);
	for (int i = 0; i < 2; i++) {
		pass(&m, false);
		assert_int_equal(m.tasks.nthread, 2);
		assert_int_equal(m.tasks.thread[1].state, 'D');
		assert_true(find(&m, 10)->worked);
		assert_false(task_has_run(find(&m, 10)));
	}
	list(&m, 10, 11, 0);
	pass(&m, false);
	assert_int_equal(m.tasks.nthread, 0);
	machine_end(&m);
}

static void test_threads_are_counted_while_the_first_one_sleeps(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	pass(&m, true);
	assert_int_equal(find(&m, 10)->threads, 1);
	list(&m, 10, 11, 0)->start_ns = 1001 * SECOND;
	pass(&m, false);
	assert_int_equal(find(&m, 10)->threads, 2);
	machine_end(&m);
}

static void test_one_that_is_old_and_new_here_makes_no_spike(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	pass(&m, true);
	pass(&m, false);
	list(&m, 50, 0, 1000000);
	pass(&m, false);
	has(&m, 50, 1000000, 1000000);
	list(&m, 50, 0, 1000001);
	pass(&m, false);
	has(&m, 50, 1000001, 1000001);
	machine_end(&m);
}

static void test_counters_that_go_back_add_nothing(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 5000);
	pass(&m, true);
	list(&m, 10, 0, 70);
	pass(&m, false);
	has(&m, 10, 5000, 5000);
	list(&m, 10, 0, 80);
	pass(&m, false);
	has(&m, 10, 5010, 5010);
	machine_end(&m);
}

static void test_a_number_in_use_again_is_another(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 5000);
	pass(&m, true);
	ends(&m, 10, 10, 6000);
	list(&m, 10, 0, 30)->start_ns = 1001 * SECOND;
	pass(&m, false);
	assert_int_equal(m.tasks.n, 2);
	pass(&m, false);
	assert_int_equal(m.tasks.n, 1);
	has(&m, 10, 30, 30);
	machine_end(&m);
}

/* By execve a thread takes over number and start of its process's first one, which has ended. */
static void test_an_exec_of_a_thread_counts_nothing_twice(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 20)->task = 1;
	list(&m, 10, 11, 30)->task = 2;
	pass(&m, true);
	has(&m, 10, 50, 50);
	struct task_record *first = list(&m, 10, 0, 35);
	first->task = 2;
	first->shared_io[WROTE] = 22; /* the kernel's account of the one that ended */
	struct task_exit *exit = ends(&m, 10, 10, 22);
	exit->task = 1;
	exit->flags = 0;
	pass(&m, false);
	has(&m, 10, 57, 57);
	assert_int_equal(find(&m, 10)->state, 'S');
	pass(&m, false); /* it sleeps */
	has(&m, 10, 57, 57);
	assert_int_equal(find(&m, 10)->state, 'S');
	ends(&m, 10, 10, 40)->task = 2;
	pass(&m, false);
	has(&m, 10, 62, 62);
	assert_int_equal(find(&m, 10)->state, 'X');
	machine_end(&m);
}

/* Closing files may take long. */
static void test_one_that_waits_while_it_exits_stays(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 20);
	pass(&m, true);
	list(&m, 10, 0, 25)->state = 2;
	ends(&m, 10, 10, 25);
	pass(&m, false);
	for (int i = 0; i < 3; i++) {
		list(&m, 10, 0, 25)->state = 2;
		pass(&m, false);
		has(&m, 10, 25, 25);
		assert_int_equal(find(&m, 10)->state, 'D');
	}
	pass(&m, false);
	assert_null(find(&m, 10));
	machine_end(&m);
}

/* It began and ended after the pass had been by, and its parent began then too. */
static void test_a_child_whose_parent_is_not_known_yet_is_no_news_to_it(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	pass(&m, true);
	struct task_exit *child = ends(&m, 31, 31, 8192);
	child->start_ns = child->leader_start_ns = 1002 * SECOND;
	child->ppid = 30;
	child->parent_start_ns = 1001 * SECOND;
	pass(&m, false);
	has(&m, 31, 8192, 8192);
	assert_null(find(&m, 30));
	struct task_record *parent = list(&m, 30, 0, 100);
	parent->start_ns = 1001 * SECOND;
	parent->shared_io[WROTE] = 8192;
	pass(&m, false);
	has(&m, 30, 100, 100);
	assert_null(find(&m, 31));
	machine_end(&m);
}

static void test_a_thread_that_ended_before_its_process_was_known_is_its_own(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	list(&m, 10, 0, 0);
	pass(&m, true);
	struct task_exit *thread = ends(&m, 30, 31, 4096);
	thread->start_ns = 1002 * SECOND;
	thread->leader_start_ns = 1001 * SECOND;
	thread->flags = 0;
	pass(&m, false);
	assert_null(find(&m, 30));
	struct task_record *first = list(&m, 30, 0, 100);
	first->start_ns = 1001 * SECOND;
	first->shared_io[WROTE] = 4096;
	pass(&m, false);
	has(&m, 30, 4196, 4196);
	machine_end(&m);
}

/* Numbers start again from the lowest ones, and passes need not be in their order. */
static void test_threads_are_listed_in_order_however_they_came(void **state)
{
	static const uint32_t came[] = {15, 12, 99, 11, 13};
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.tasks.all_threads = true;
	for (size_t i = 0; i < 5; i++)
		list(&m, 10, came[i], came[i]);
	list(&m, 10, 0, 0);
	pass(&m, true);
	ends(&m, 10, 12, 12)->flags = 0;
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			assert_int_equal(m.tasks.nthread, 6);
		for (size_t j = 1; j < m.tasks.nthread; j++)
			assert_true(m.tasks.thread[j - 1].tid < m.tasks.thread[j].tid);
		pass(&m, false);
		assert_int_equal(m.tasks.nthread, 5);
	}
	machine_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_there_is_its_own),
		cmocka_unit_test(test_idle_tasks_stay_as_they_were),
		cmocka_unit_test(test_one_that_lived_between_two_passes_has_a_row),
		cmocka_unit_test(test_children_that_were_not_seen_are_inherited),
		cmocka_unit_test(test_what_an_ended_one_did_before_counts_on),
		cmocka_unit_test(test_a_quiet_end_makes_no_row),
		cmocka_unit_test(test_an_end_right_after_the_pass_counts_in_the_next),
		cmocka_unit_test(test_a_zombie_is_a_row_until_it_is_reaped),
		cmocka_unit_test(test_ended_threads_are_their_processes_own),
		cmocka_unit_test(test_threads_of_active_processes_are_listed),
		cmocka_unit_test(test_threads_of_one_that_waits_on_are_listed),
		cmocka_unit_test(test_threads_are_counted_while_the_first_one_sleeps),
		cmocka_unit_test(test_one_that_is_old_and_new_here_makes_no_spike),
		cmocka_unit_test(test_counters_that_go_back_add_nothing),
		cmocka_unit_test(test_a_number_in_use_again_is_another),
		cmocka_unit_test(test_an_exec_of_a_thread_counts_nothing_twice),
		cmocka_unit_test(test_one_that_waits_while_it_exits_stays),
		cmocka_unit_test(test_a_child_whose_parent_is_not_known_yet_is_no_news_to_it),
		cmocka_unit_test(test_a_thread_that_ended_before_its_process_was_known_is_its_own),
		cmocka_unit_test(test_threads_are_listed_in_order_however_they_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
