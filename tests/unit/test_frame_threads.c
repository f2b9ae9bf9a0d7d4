/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two walks to a process with threads: its worst one, and rows of each.
 */
#include "readings.h"

/* Process 5 with two threads. */
struct threaded {
	struct task_sample was[1], is[1], thread_was[2], thread_is[2];
	struct task_snapshot before, now;
	struct frame frame;
};

static void threaded_start(struct threaded *t)
{
	frame_release(&t->frame);
	*t = (struct threaded){.was = {sample_at(5, 0, 1)},
			       .is = {sample_at(5, 0, 3)},
			       .thread_was = {sample_at(5, 5, 1), sample_at(5, 7, 1)},
			       .thread_is = {sample_at(5, 5, 3), sample_at(5, 7, 3)},
			       .frame = {.system.delayacct = 1}};
	t->was[0].threads = t->is[0].threads = 2;
	t->before = walk(t->was, 1, t->thread_was, 2, 1);
	t->now = walk(t->is, 1, t->thread_is, 2, 3);
}

static const struct task_row *threaded_row(struct threaded *t)
{
	assert_int_equal(frame_build_tasks(&t->frame, &t->before, &t->now, false, false), 0);
	assert_int_equal(t->frame.ntask, 1);
	return &t->frame.task[0];
}

static void test_frame_worst_thread(void **state)
{
	struct threaded t = {0};

	(void)state;
	threaded_start(&t);
	t.thread_is[0].blkio_ticks = t.is[0].blkio_ticks = 20;
	t.thread_is[1].blkio_ticks = 60;
	assert_value(threaded_row(&t)->io_pct, 30);
	assert_value(threaded_row(&t)->blocked_threads, 0);
	assert_int_equal(threaded_row(&t)->state, 'S');
	/* a wait that goes on is longer than any that is over */
	t.thread_was[0].state = t.thread_is[0].state = 'D';
	t.thread_is[0].blkio_ticks = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_LATE);
	assert_value(threaded_row(&t)->blocked_threads, 1);
	assert_int_equal(threaded_row(&t)->state, 'D');
	/* one that has ended is in no state that matters, the busiest of the others is */
	threaded_start(&t);
	t.is[0].state = t.thread_is[0].state = 'Z';
	assert_int_equal(threaded_row(&t)->state, 'S');
	t.thread_is[1].state = 'R';
	assert_int_equal(threaded_row(&t)->state, 'R');
	t.now.nthread = 0;
	assert_int_equal(threaded_row(&t)->state, 'Z');
	/* one that is older than the switch is unknown; the other may be worse */
	threaded_start(&t);
	t.frame.system.delayacct_since_ticks = 50;
	t.thread_is[1].blkio_ticks = 60;
	assert_value(threaded_row(&t)->io_pct, 30);
	t.thread_is[1].start_ticks = t.thread_was[1].start_ticks = 60;
	t.thread_is[1].blkio_ticks = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_OLDER);
	/* threads that were not read before, or are not now */
	threaded_start(&t);
	t.before.nthread = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_NEW);
	t.now.nthread = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_UNREAD);
	assert_absent(threaded_row(&t)->blocked_threads, ABSENT_UNREAD);
	did(&t.is[0], TASK_RCHAR, 1);
	assert_absent(threaded_row(&t)->io_pct, ABSENT_UNSUPPORTED);
	t.frame.system.delayacct = 0;
	assert_absent(threaded_row(&t)->io_pct, ABSENT_OFF);
	frame_release(&t.frame);
}

static void assert_threads(struct threaded *t, double main_own, double main_inherited, double other)
{
	assert_int_equal(frame_build_tasks(&t->frame, &t->before, &t->now, false, true), 0);
	assert_int_equal(t->frame.ntask, t->now.nthread);
	assert_int_equal(t->frame.task[0].kind, TASK_THREAD);
	assert_value(t->frame.task[0].wkb, main_own);
	assert_value(t->frame.task[0].inh_wkb, main_inherited);
	if (t->now.nthread > 1)
		assert_value(t->frame.task[1].wkb, other);
	assert_value(t->frame.system.asked_wkb, main_own + main_inherited + other);
}

static void test_frame_thread_rows(void **state)
{
	struct threaded t = {0};

	(void)state;
	threaded_start(&t);
	did(&t.thread_is[0], TASK_WRITE_BYTES, 2048);
	did(&t.thread_is[1], TASK_WRITE_BYTES, 6144);
	did(&t.is[0], TASK_WRITE_BYTES, 8192);
	assert_threads(&t, 1, 0, 3);
	/* children it waited for go to the main thread */
	t.is[0].counter[TASK_WRITE_BYTES] += 4096;
	assert_threads(&t, 1, 2, 3);
	/* so does what a thread did that ended, but that is no child's */
	t.thread_was[1].tid = 6;
	t.thread_is[1].start_ticks = 200;
	did(&t.is[0], TASK_WRITE_BYTES, 10240);
	did(&t.is[0], TASK_CANCELLED_BYTES, 4096);
	assert_threads(&t, 6, 2, 3);
	assert_value(t.frame.task[0].ckb, 2);
	/* the other thread is new, and there was but one */
	threaded_start(&t);
	t.was[0].threads = 1;
	t.before.nthread = 0;
	t.thread_is[1].start_ticks = 200;
	did(&t.was[0], TASK_WRITE_BYTES, 1 << 20);
	did(&t.is[0], TASK_WRITE_BYTES, (1 << 20) + 8192);
	did(&t.thread_is[0], TASK_WRITE_BYTES, 1 << 19);
	did(&t.thread_is[1], TASK_WRITE_BYTES, 6144);
	assert_threads(&t, 1, 0, 3);
	/* a process without threads read is one row, as a whole */
	t.now.nthread = 0;
	assert_int_equal(frame_build_tasks(&t.frame, &t.before, &t.now, false, true), 0);
	assert_int_equal(t.frame.ntask, 1);
	assert_int_equal(t.frame.task[0].kind, TASK_PROCESS);
	assert_value(t.frame.task[0].wkb, 4);
	assert_true(t.frame.threads);
	frame_release(&t.frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frame_worst_thread),
	    cmocka_unit_test(test_frame_thread_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
