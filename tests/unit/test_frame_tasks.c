/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two walks to rows of processes: what is their own, inherited, or new.
 */
#include "readings.h"

static void test_frame_tasks(void **state)
{
	struct task_sample was[] = {{.pid = 5, .start_ticks = 1, .mono_ns = SECOND, .threads = 1},
				    {.pid = 7, .start_ticks = 100, .mono_ns = SECOND, .threads = 1},
				    {.pid = 8, .start_ticks = 1, .mono_ns = SECOND, .threads = 1},
				    {.pid = 9, .start_ticks = 1, .mono_ns = SECOND, .threads = 1}};
	struct task_sample is[] = {
	    {.pid = 7, .start_ticks = 900, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 8, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 9, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1},
	    {.pid = 11, .start_ticks = 1, .mono_ns = 3LL * SECOND, .threads = 1}};
	struct task_snapshot before = {.task = was, .n = 4},
			     now = {.task = is, .n = 4, .unreadable = 1};
	struct frame frame = {.system.delayacct = 1};

	(void)state;
	did(&is[0], TASK_READ_BYTES, 4096);
	did(&is[1], TASK_READ_BYTES, 4096);
	did(&is[1], TASK_RCHAR, 8192);
	did(&is[1], TASK_SYSCR, 4);
	is[2].io_state = ABSENT_DENIED;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_int_equal(frame.ntask, 4);
	assert_absent(frame.task[0].rkb, ABSENT_NEW); /* the PID is used again */
	assert_value(frame.task[1].rkb, 2);
	assert_value(frame.task[1].bytes_call, 2048);
	assert_value(frame.task[1].cache_pct, 50);
	assert_absent(frame.task[2].rkb, ABSENT_DENIED);
	assert_absent(frame.task[3].rkb, ABSENT_NEW);
	assert_value(frame.system.asked_rkb, 2);
	assert_value(frame.system.tasks, 4);
	assert_value(frame.system.unreadable, 1);
	assert_int_equal(frame_build_tasks(&frame, &before, &now, WALK_KEPT, false), 0);
	assert_true(frame.task[1].late);
	assert_value(frame.task[1].rkb, 2);
	assert_int_equal(frame.tasks_state, ABSENT_LATE);
	assert_false(value_known(frame.system.asked_rkb));
	assert_int_equal(frame_build_tasks(&frame, &before, &now, WALK_LATE, false), 0);
	for (size_t i = 0; i < frame.ntask; i++)
		assert_absent(frame.task[i].rkb, ABSENT_LATE);
	assert_int_equal(frame_build_tasks(&frame, NULL, &now, false, false), 0);
	assert_absent(frame.task[1].rkb, ABSENT_NEW);
	frame_release(&frame);
}

static void test_frame_inherited(void **state)
{
	/* a shell; its child and grandchild, gone; another's child, gone; a child that stays */
	struct task_sample was[] = {sample_at(5, 0, 1), sample_at(6, 0, 1), sample_at(7, 0, 1),
				    sample_at(8, 0, 1), sample_at(9, 0, 1)};
	struct task_sample is[] = {sample_at(5, 0, 3), sample_at(6, 0, 3), sample_at(9, 0, 3)};
	struct task_snapshot before = walk(was, 5, NULL, 0, 1), now = walk(is, 3, NULL, 0, 3);
	struct frame frame = {.system.delayacct = -1};

	(void)state;
	was[1].ppid = is[1].ppid = 5;
	was[2].ppid = 5;
	was[3].ppid = 7;
	was[4].ppid = is[2].ppid = 7;
	for (size_t i = 1; i < 5; i++)
		did(&was[i], TASK_WRITE_BYTES, 1024);
	did(&is[0], TASK_READ_BYTES, 2048);
	is[0].counter[TASK_WRITE_BYTES] = 8192;
	did(&is[1], TASK_WRITE_BYTES, 1024);
	did(&is[2], TASK_WRITE_BYTES, 1024);
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].rkb, 1);
	assert_value(frame.task[0].wkb, 0);
	assert_value(frame.task[0].inh_rkb, 0);
	assert_value(frame.task[0].inh_wkb, 3); /* 8 less one of each that is gone */
	assert_value(frame.task[1].inh_wkb, 0);
	assert_value(frame.system.asked_wkb, 3);
	/* never below 0, and not from a child nobody may read */
	was[2].counter[TASK_WRITE_BYTES] = 1 << 20;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 0);
	was[2].io_state = ABSENT_DENIED;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 3.5);
	/* parents in a circle, as used PIDs might make them, end the search */
	was[2].ppid = 8;
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].inh_wkb, 4);
	frame_release(&frame);
}

static void test_frame_born(void **state)
{
	struct task_sample was[] = {sample_at(5, 0, 1)};
	struct task_sample is[] = {sample_at(5, 0, 3), sample_at(6, 0, 3), sample_at(7, 0, 3)};
	struct task_snapshot before = walk(was, 1, NULL, 0, 1), now = walk(is, 3, NULL, 0, 3);
	struct frame frame = {.system.delayacct = -1};

	(void)state;
	is[0].start_ticks = 150; /* another process, and it is from this interval */
	is[1].start_ticks = 99;  /* it was there, but not to be read */
	is[2].start_ticks = 100;
	for (size_t i = 0; i < 3; i++) {
		did(&is[i], TASK_WRITE_BYTES, 4096);
		is[i].blkio_ticks = 20;
	}
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_value(frame.task[0].wkb, 2);
	assert_value(frame.task[0].io_pct, 10);
	assert_absent(frame.task[1].wkb, ABSENT_NEW);
	assert_absent(frame.task[1].io_pct, ABSENT_NEW);
	assert_value(frame.task[2].wkb, 2);
	before.begun_ticks = 0; /* unknown */
	assert_int_equal(frame_build_tasks(&frame, &before, &now, false, false), 0);
	assert_absent(frame.task[2].wkb, ABSENT_NEW);
	frame_release(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frame_tasks),
	    cmocka_unit_test(test_frame_inherited),
	    cmocka_unit_test(test_frame_born),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
