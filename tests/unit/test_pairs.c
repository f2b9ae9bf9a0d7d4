/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose block requests were: rates, means and shares of pairs, and what tasks and devices show.
 */
#include "readings.h"

#include "frame/pairs.h"
#include "iotriage/column.h"

enum { SDA = 11, SDB = 12 };

struct machine {
	struct frame frame;
	struct snapshot before, now;
	struct device_row device[2];
	struct latency_row latency[2];
	struct pair_sample was[4], is[4];
	struct task_sample sample[3];
	struct task_row task[3];
};

/* Two disks and the processes 5, 7 and 9; two seconds between the readings. */
static void machine_begin(struct machine *m)
{
	static const char *const names[] = {"sda", "sdb"};

	*m = (struct machine){.frame = {.device = m->device, .ndevice = 2, .device_cap = 2,
					.task = m->task, .ntask = 3}};
	m->before.pairs = (struct pair_snapshot){.mono_ns = SECOND, .sample = m->was, .cap = 4};
	m->now.pairs = (struct pair_snapshot){.mono_ns = 3LL * SECOND, .sample = m->is, .cap = 4};
	for (int i = 0; i < 2; i++) {
		m->latency[i].disk = (uint64_t)(SDA + i);
		m->device[i] = (struct device_row){.name = names[i], .latency = &m->latency[i]};
	}
	for (int i = 0; i < 3; i++) {
		m->sample[i] = (struct task_sample){.pid = 5 + 2 * i};
		snprintf(m->sample[i].comm, sizeof(m->sample[i].comm), "task%d", i);
		m->task[i] = (struct task_row){.task = &m->sample[i]};
	}
}

static void machine_end(struct machine *m)
{
	pairs_release(&m->frame);
}

static void build(struct machine *m)
{
	assert_int_equal(pairs_build(&m->frame, &m->before, &m->now), 0);
	pairs_attach(&m->frame);
}

/* n requests of 4 KiB so far that waited and were served for so many ms each. */
static struct request_amounts amounts(uint64_t n, uint64_t wait_ms, uint64_t serve_ms)
{
	return (struct request_amounts){.requests = n, .bytes = 4096 * n, .waited = n,
					.wait_ns = n * wait_ms * 1000000, .serve_ns = n * serve_ms * 1000000};
}

static struct pair_sample *pair(struct pair_snapshot *pairs, uint64_t disk, int32_t pid)
{
	struct pair_sample *sample = &pairs->sample[pairs->n++];

	*sample = (struct pair_sample){.disk = disk, .pid = pid, .born = 1};
	return sample;
}

static void test_rates_are_of_the_interval(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	pair(&m.before.pairs, SDA, 7)->class[LATENCY_READ] = amounts(100, 9, 9);
	struct pair_sample *now = pair(&m.now.pairs, SDA, 7);
	now->class[LATENCY_READ] = amounts(100, 9, 9);
	now->class[LATENCY_READ].requests += 30;
	now->class[LATENCY_READ].bytes += 30 * 8192;
	now->class[LATENCY_READ].waited += 30;
	now->class[LATENCY_READ].wait_ns += 30 * 1000000;
	now->class[LATENCY_READ].serve_ns += 30 * 5000000;
	now->class[LATENCY_WRITE] = amounts(10, 5, 1);
	build(&m);
	assert_int_equal(m.frame.npair, 1);
	const struct pair_row *row = m.frame.pair_order[0];
	assert_value(row->rate, 20);
	assert_value(row->r, 15);
	assert_value(row->w, 5);
	assert_value(row->rkb, 120);
	assert_value(row->wkb, 20);
	assert_value(row->kb, 140);
	assert_value(row->avwait, 2);
	assert_value(row->avserv, 4);
	assert_value(row->share, 100);
	assert_string_equal(row->comm, "task1");
	assert_ptr_equal(m.device[0].top, row);
	assert_value(m.device[0].top_share, 100);
	assert_null(m.device[1].top);
	assert_absent(m.device[1].top_share, ABSENT_IDLE);
	machine_end(&m);
}

static void test_a_task_has_what_it_did_on_all_devices(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	pair(&m.now.pairs, SDB, 7)->class[LATENCY_WRITE] = amounts(30, 1, 1);
	pair(&m.now.pairs, SDA, 7)->class[LATENCY_READ] = amounts(10, 2, 8);
	pair(&m.now.pairs, SDA, 3)->class[LATENCY_READ] = amounts(10, 0, 1); /* has no row */
	build(&m);
	assert_value(m.task[1].req, 20);
	assert_value(m.task[1].req_await, 4);
	assert_string_equal(m.task[1].top->device->name, "sdb");
	assert_value(m.task[0].req, 0);
	assert_absent(m.task[0].req_await, ABSENT_IDLE);
	assert_null(m.task[0].top);
	pairs_attach(&m.frame); /* tasks that came late: once more, and the same */
	assert_value(m.task[1].req, 20);
	m.task[1].kind = TASK_THREAD;
	pairs_attach(&m.frame);
	assert_absent(m.task[1].req, ABSENT_UNSUPPORTED);
	machine_end(&m);
}

static void test_the_busiest_come_first_and_no_processes_last(void **state)
{
	struct machine m;
	char buf[64];

	(void)state;
	machine_begin(&m);
	pair(&m.now.pairs, SDA, PAIR_WRITE_BACK)->class[LATENCY_WRITE] = amounts(50, 0, 1);
	pair(&m.now.pairs, SDA, 5)->class[LATENCY_READ] = amounts(10, 0, 1);
	pair(&m.now.pairs, SDA, 9)->class[LATENCY_DISCARD] = amounts(30, 0, 1);
	m.latency[0].class[LATENCY_READ].others = amounts(10, 0, 1);
	build(&m);
	assert_int_equal(m.frame.npair, 4);
	const int32_t order[] = {9, 5, PAIR_WRITE_BACK, PAIR_OTHERS};
	const double share[] = {30, 10, 50, 10};
	for (int i = 0; i < 4; i++) {
		assert_int_equal(m.frame.pair_order[i]->pid, order[i]);
		assert_value(m.frame.pair_order[i]->share, share[i]);
	}
	const struct column *top = column_find(&device_table, "top_task");
	assert_string_equal(top->text(&m.device[0], buf, sizeof(buf)), "(write-back)");
	m.now.pairs.n = 0;
	pair(&m.now.pairs, SDA, 5)->class[LATENCY_READ] = amounts(20, 0, 1);
	build(&m);
	assert_string_equal(top->text(&m.device[0], buf, sizeof(buf)), "5 task0");
	assert_value(column_find(&device_table, "top%")->number(&m.device[0]), 100.0 * 2 / 3);
	machine_end(&m);
}

/* One that has ended, and the next that has its number: whose they were is not told. */
static void test_two_of_a_number_have_none_of_its_requests(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	m.sample[1].pid = 5;
	m.sample[1].start_ticks = 1;
	pair(&m.now.pairs, SDA, 5)->class[LATENCY_READ] = amounts(10, 0, 1);
	pair(&m.now.pairs, SDB, 5)->class[LATENCY_READ] = amounts(10, 0, 1);
	build(&m);
	for (int i = 0; i < 2; i++) {
		assert_absent(m.task[i].req, ABSENT_RESET);
		assert_absent(m.task[i].req_await, ABSENT_RESET);
		assert_null(m.task[i].top);
		assert_null(m.frame.pair_order[i]->comm);
	}
	assert_value(m.task[2].req, 0);
	m.task[0].kind = TASK_THREAD; /* the next one's threads are shown */
	pairs_attach(&m.frame);
	assert_absent(m.task[0].req, ABSENT_UNSUPPORTED);
	assert_absent(m.task[1].req, ABSENT_RESET);
	m.task[1].kind = TASK_THREAD; /* two threads of one process */
	pairs_attach(&m.frame);
	assert_absent(m.task[1].req, ABSENT_UNSUPPORTED);
	assert_string_equal(m.frame.pair_order[0]->comm, "task0");
	m.frame.npair = 0;
	m.task[0].kind = m.task[1].kind = TASK_PROCESS;
	pairs_attach(&m.frame);
	assert_value(m.task[0].req, 0);
	machine_end(&m);
}

/* The kernel's entry went, being quiet, and another came. */
/* Where tasks are not read, or it has none, the tracer's own name of it stands. */
static void test_one_without_a_row_has_the_name_of_the_pair(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	for (int pid = 5; pid <= 6; pid++) {
		struct pair_sample *now = pair(&m.now.pairs, SDA, pid);
		now->class[LATENCY_READ] = amounts((uint64_t)pid, 0, 1);
		snprintf(now->comm, sizeof(now->comm), "traced");
	}
	build(&m);
	assert_int_equal(m.frame.npair, 2);
	assert_int_equal(m.frame.pair_order[0]->pid, 6);
	assert_string_equal(m.frame.pair_order[0]->comm, "traced");
	assert_string_equal(m.frame.pair_order[1]->comm, "task0");
	machine_end(&m);
}

static void test_one_that_is_counted_anew_begins_with_nothing(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	pair(&m.before.pairs, SDA, 5)->class[LATENCY_READ] = amounts(5, 0, 1);
	struct pair_sample *now = pair(&m.now.pairs, SDA, 5);
	now->class[LATENCY_READ] = amounts(40, 0, 1);
	now->born = 20;
	build(&m);
	assert_value(m.task[0].req, 20);
	machine_end(&m);
}

static void test_quiet_pairs_have_no_rows(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	pair(&m.before.pairs, SDA, 5)->class[LATENCY_READ] = amounts(5, 0, 1);
	pair(&m.now.pairs, SDA, 5)->class[LATENCY_READ] = amounts(5, 0, 1);
	pair(&m.now.pairs, 99, 7)->class[LATENCY_READ] = amounts(5, 0, 1); /* a disk that went */
	build(&m);
	assert_int_equal(m.frame.npair, 0);
	assert_null(m.device[0].top);
	machine_end(&m);
}

static void test_what_is_not_known_says_why(void **state)
{
	struct machine m;

	(void)state;
	machine_begin(&m);
	pair(&m.now.pairs, SDA, 5)->class[LATENCY_READ] = amounts(5, 0, 1);
	m.before.pairs.state = ABSENT_UNTRACED;
	build(&m);
	assert_absent(m.task[0].req, ABSENT_NEW);
	m.now.pairs.state = ABSENT_UNTRACED;
	build(&m);
	assert_absent(m.task[0].req, ABSENT_UNTRACED);
	assert_absent(m.task[0].req_await, ABSENT_UNTRACED);
	assert_absent(m.device[0].top_share, ABSENT_UNTRACED);
	assert_int_equal(pairs_build(&m.frame, NULL, &m.now), 0);
	assert_int_equal(m.frame.npair, 0);
	machine_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates_are_of_the_interval),
		cmocka_unit_test(test_a_task_has_what_it_did_on_all_devices),
		cmocka_unit_test(test_the_busiest_come_first_and_no_processes_last),
		cmocka_unit_test(test_two_of_a_number_have_none_of_its_requests),
		cmocka_unit_test(test_one_without_a_row_has_the_name_of_the_pair),
		cmocka_unit_test(test_one_that_is_counted_anew_begins_with_nothing),
		cmocka_unit_test(test_quiet_pairs_have_no_rows),
		cmocka_unit_test(test_what_is_not_known_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
