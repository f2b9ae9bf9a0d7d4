/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two readings to a frame: totals, clocks, forks, and what no task accounts for.
 */
#include "readings.h"

static void test_frame_totals(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda1", DEVICE_PARTITION, "sda", 100);
	pair_add(&pair, "dm-0", DEVICE_DM, "", 100);
	pair_add(&pair, "nvme0c0n1", DEVICE_PATH, "nvme0n1", 100);
	pair_add(&pair, "nvme0c1n1", DEVICE_PATH, "nvme0n1", 50);
	pair_add(&pair, "nvme0n1", DEVICE_DISK, "", 0);
	pair_add(&pair, "sda", DEVICE_DISK, "", 100);
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_int_equal(pair.frame.ndevice, 6);
	assert_value(pair.frame.system.done_rkb, 125);
	assert_value(row_named(&pair.frame, "nvme0n1")->r, 75);
	assert_true(row_named(&pair.frame, "nvme0n1")->folded);
	assert_true(row_named(&pair.frame, "nvme0c0n1")->hidden);
	assert_false(row_named(&pair.frame, "nvme0c0n1")->counts_in_totals);
	/* a disk is followed by its partitions, whatever the order was */
	assert_true(row_named(&pair.frame, "sda1") == row_named(&pair.frame, "sda") + 1);
	frame_release(&pair.frame);
}

static void test_frame_clocks(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda", DEVICE_DISK, "", 20);
	pair.before.epoch = 5000;
	pair.now.epoch = 1400; /* set back an hour */
	pair.now.boot_ns += 3600LL * SECOND;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_value(pair.frame.device[0].r, 10);
	assert_true(pair.frame.suspended && pair.frame.seconds == 2 && pair.frame.epoch == 1400);
	pair.now.boot_ns = pair.now.mono_ns;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_false(pair.frame.suspended);
	pair.now.uptime_s = 10;
	assert_int_equal(frame_build(&pair.frame, NULL, &pair.now), 0);
	assert_true(pair.frame.since_boot && pair.frame.device[0].since_boot);
	assert_value(pair.frame.device[0].r, 2);
	frame_release(&pair.frame);
}

static void test_frame_forks(void **state)
{
	struct pair pair;

	(void)state;
	pair_start(&pair, 2);
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_absent(pair.frame.system.forks, ABSENT_UNSUPPORTED);
	pair.now.system.forks = 130;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_absent(pair.frame.system.forks, ABSENT_NEW);
	pair.before.system.forks = 100;
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_value(pair.frame.system.forks, 15);
	assert_value(value_of(pair.frame.system.forked), 30);
	pair.now.system.stat_ns += SECOND; /* they are counted at another moment than the rest */
	assert_int_equal(frame_build(&pair.frame, &pair.before, &pair.now), 0);
	assert_value(pair.frame.system.forks, 10);
	pair.now.uptime_s = 10;
	assert_int_equal(frame_build(&pair.frame, NULL, &pair.now), 0);
	assert_value(pair.frame.system.forks, 13);
	frame_release(&pair.frame);
}

static void test_frame_unattributed(void **state)
{
	struct task_sample was[] = {sample_at(5, 0, 1)}, is[] = {sample_at(5, 0, 3)};
	struct task_snapshot before = walk(was, 1, NULL, 0, 1), now = walk(is, 1, NULL, 0, 3);
	struct pair pair;
	struct frame *frame = &pair.frame;

	(void)state;
	pair_start(&pair, 2);
	pair_add(&pair, "sda", DEVICE_DISK, "", 40);
	pair_add(&pair, "dm-0", DEVICE_DM, "", 40);
	did(&is[0], TASK_READ_BYTES, 10240);
	assert_int_equal(frame_build(frame, &pair.before, &pair.now), 0);
	assert_absent(frame->system.unattributed_rkb, ABSENT_OFF);
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_int_equal(frame->ntask, 2);
	assert_int_equal(frame->task[0].kind, TASK_UNATTRIBUTED);
	assert_int_equal(frame->task[0].task->pid, 0);
	assert_value(frame->task[0].rkb, 15);
	assert_value(frame->task[0].wkb, 0);
	assert_value(frame->system.unattributed_rkb, 15);
	assert_string_equal(frame->task[0].command, "(unattributed)");
	now.unreadable = 1; /* of one */
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_string_equal(frame->task[0].command, "(unattributed) 1 task unreadable");
	frame->system.others_hidden = true;
	assert_int_equal(frame_build_tasks(frame, &before, &now, false, false), 0);
	assert_string_equal(frame->task[0].command,
			    "(unattributed) other users' tasks hidden, 1 task unreadable");
	assert_int_equal(frame_build_tasks(frame, &before, &now, true, false), 0);
	assert_absent(frame->task[0].rkb, ABSENT_LATE);
	assert_true(frame->task[0].late);
	assert_int_equal(frame_build_tasks(frame, NULL, &now, false, false), 0);
	assert_absent(frame->task[0].rkb, ABSENT_NEW);
	assert_int_equal(frame_build(frame, NULL, &pair.now), 0);
	assert_int_equal(frame->ntask, 0);
	frame_release(frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frame_totals),
	    cmocka_unit_test(test_frame_clocks),
	    cmocka_unit_test(test_frame_unattributed),
	    cmocka_unit_test(test_frame_forks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
