/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc tells of a process goes to its row in a snapshot made by tracing.
 */
#include "bytes.h"

#include "sample/taskfill.h"

enum { ROWS = 4 };

static struct task_sample row(int pid, int tid, uint64_t start, char state)
{
	return (struct task_sample){.pid = pid, .tid = tid, .start_ticks = start, .state = state};
}

static struct task_file waiting(int pid, uint64_t start, const char *wchan)
{
	struct task_file file = {.known = true, .last = row(pid, 0, start, 'D')};

	leaves_init(&file.leaf, pid, 0);
	snprintf(file.last.wchan, sizeof(file.last.wchan), "%s", wchan);
	return file;
}

/* An ended process has a row too, and its number is in use again. */
static void test_of_one_number_the_one_that_began_then(void **state)
{
	struct task_sample rows[ROWS];
	struct task_snapshot fill = {.traced = true, .task = rows, .n = ROWS};
	struct lock_watch locks;

	(void)state;
	lock_watch_open(&locks, false);
	for (uint64_t start = 50; start <= 70; start += 10) {
		struct task_file file = waiting(20, start, "folio_wait_bit");
		rows[0] = row(10, 0, 50, 'S');
		rows[1] = row(20, 0, 70, 'D');
		rows[2] = row(20, 0, 60, 'X');
		rows[3] = row(30, 0, 50, 'S');
		fill_waits(&fill, &file, &locks);
		for (int i = 0; i < ROWS; i++)
			assert_string_equal(rows[i].wchan, rows[i].pid == 20 && rows[i].start_ticks == start
							       ? "folio_wait_bit" : "");
	}
	lock_watch_release(&locks);
}

static void test_a_thread_that_is_another_has_nothing_of_it(void **state)
{
	struct task_sample rows[] = {row(20, 0, 50, 'D')};
	struct task_sample threads[] = {row(20, 20, 50, 'D'), row(20, 21, 90, 'D'), row(20, 22, 50, 'S')};
	struct task_snapshot fill = {.traced = true, .task = rows, .n = 1, .thread = threads, .nthread = 3};
	struct task_file file = waiting(20, 50, "folio_wait_bit");
	struct thread_file thread[3] = {{.known = true}};
	struct lock_watch locks;

	(void)state;
	lock_watch_open(&locks, false);
	file.threads = (struct threads){.thread = thread, .n = 3, .current = true};
	for (int i = 0; i < 3; i++) {
		thread[i].last = row(20, 20 + i, 50, 'D');
		snprintf(thread[i].last.wchan, sizeof(thread[i].last.wchan), "io_schedule");
	}
	fill_waits(&fill, &file, &locks);
	assert_string_equal(rows[0].wchan, "folio_wait_bit");
	assert_string_equal(threads[0].wchan, "io_schedule");
	assert_string_equal(threads[1].wchan, "");
	assert_string_equal(threads[2].wchan, "");
	lock_watch_release(&locks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_one_number_the_one_that_began_then),
		cmocka_unit_test(test_a_thread_that_is_another_has_nothing_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
