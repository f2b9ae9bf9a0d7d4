/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last frames and the peaks of devices: what counts, who is who, what is forgotten.
 */
#include "bytes.h"

#include "frame/history.h"

#include <math.h>

enum { DEVICES_MAX = 4 };

struct machine {
	struct histories *histories;
	struct frame frame;
	struct device_row row[DEVICES_MAX];
};

static struct machine machine_new(size_t n)
{
	static const char *const names[] = {"sda", "sdb", "sdc", "sdd"};
	struct machine machine = {.histories = histories_new()};

	assert_non_null(machine.histories);
	machine.frame.ndevice = n;
	for (size_t i = 0; i < n; i++)
		machine.row[i] = (struct device_row){.name = names[i], .diskseq = i + 1, .used = true};
	return machine;
}

static void set(struct device_row *row, double await, double queue, double util)
{
	row->why = PRESENT;
	row->await = value_of(await);
	row->avgqu_sz = value_of(queue);
	row->util = value_of(util);
}

static void add(struct machine *machine)
{
	machine->frame.device = machine->row;
	machine->frame.number++;
	histories_add(machine->histories, &machine->frame);
}

static void assert_peaks(const struct device_row *row, double await, double queue, double util)
{
	assert_true(value_known(row->peak_await) && row->peak_await.n == await);
	assert_true(value_known(row->peak_avgqu_sz) && row->peak_avgqu_sz.n == queue);
	assert_true(value_known(row->peak_util) && row->peak_util.n == util);
}

static void assert_no_peaks(const struct device_row *row)
{
	assert_false(value_known(row->peak_await) || value_known(row->peak_avgqu_sz) ||
		     value_known(row->peak_util));
}

/* The k-th newest await; 0 is the newest. */
static float newest(const struct device_row *row, size_t k)
{
	const struct device_history *history = row->history;

	assert_non_null(history);
	assert_true(k < history->n);
	return history->await_ms[(history->at + 2 * HISTORY_FRAMES - 1 - k) % HISTORY_FRAMES];
}

static void test_peaks_and_frames(void **state)
{
	struct machine machine = machine_new(2);

	(void)state;
	set(&machine.row[0], 5, 1, 50);
	set(&machine.row[1], 1, 9, 10);
	add(&machine);
	set(&machine.row[0], 3, 2, 40);
	set(&machine.row[1], 2, 8, 11);
	add(&machine);
	assert_peaks(&machine.row[0], 5, 2, 50);
	assert_peaks(&machine.row[1], 2, 9, 11);
	assert_int_equal(machine.row[0].history->n, 2);
	assert_true(newest(&machine.row[0], 0) == 3 && newest(&machine.row[0], 1) == 5);
	assert_true(newest(&machine.row[1], 0) == 2 && newest(&machine.row[1], 1) == 1);
	assert_true(machine.row[1].history->avgqu_sz[1] == 8 && machine.row[1].history->util[0] == 10);
	histories_free(machine.histories);
}

static void test_absent_is_no_peak_and_a_gap(void **state)
{
	struct machine machine = machine_new(1);
	struct device_row *row = machine.row;

	(void)state;
	row->why = ABSENT_NEW; /* its figures are whatever they are: the row has none */
	row->await = row->avgqu_sz = row->util = value_of(1e9);
	add(&machine);
	assert_no_peaks(row);
	assert_true(isnan(newest(row, 0)));
	set(row, 4, 1, 60);
	add(&machine);
	row->await = value_absent(ABSENT_IDLE);
	row->avgqu_sz = row->util = value_of(0);
	add(&machine);
	assert_peaks(row, 4, 1, 60);
	assert_true(isnan(newest(row, 0)) && newest(row, 1) == 4);
	assert_true(row->history->util[2] == 0); /* measured */
	histories_free(machine.histories);
}

static void test_why_there_is_no_peak(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	set(&machine.row[0], 0, 0, 0);
	machine.row[0].await = value_absent(ABSENT_IDLE);
	add(&machine);
	assert_int_equal(machine.row[0].peak_await.why, ABSENT_IDLE);
	assert_true(value_known(machine.row[0].peak_util) && machine.row[0].peak_util.n == 0);
	histories_free(machine.histories);
}

static void test_since_boot_is_not_added(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	set(&machine.row[0], 99, 99, 99);
	machine.row[0].peak_await = value_of(7);
	machine.frame.since_boot = true;
	add(&machine);
	assert_no_peaks(&machine.row[0]);
	assert_null(machine.row[0].history);
	machine.frame.since_boot = false;
	set(&machine.row[0], 1, 1, 1);
	add(&machine);
	assert_int_equal(machine.row[0].history->n, 1);
	assert_peaks(&machine.row[0], 1, 1, 1);
	histories_free(machine.histories);
}

static void test_only_so_many_frames(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	for (int i = 0; i < 2 * HISTORY_FRAMES + 17; i++) {
		set(&machine.row[0], i, 0, 0);
		add(&machine);
		size_t n = (size_t)i + 1 < HISTORY_FRAMES ? (size_t)i + 1 : HISTORY_FRAMES;
		assert_int_equal(machine.row[0].history->n, n);
		for (size_t k = 0; k < n; k += 97)
			assert_true(newest(&machine.row[0], k) == (float)(i - (int)k));
	}
	histories_free(machine.histories);
}

static void test_another_device_under_the_name(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	set(&machine.row[0], 9, 9, 9);
	add(&machine);
	machine.row[0].diskseq = 77;
	set(&machine.row[0], 1, 1, 1);
	add(&machine);
	assert_peaks(&machine.row[0], 1, 1, 1);
	assert_int_equal(machine.row[0].history->n, 1);
	/* without a diskseq, counters that went back say so */
	machine.row[0].diskseq = 0;
	set(&machine.row[0], 8, 8, 8);
	add(&machine);
	machine.row[0].why = ABSENT_RESET;
	add(&machine);
	assert_no_peaks(&machine.row[0]);
	assert_int_equal(machine.row[0].history->n, 1);
	histories_free(machine.histories);
}

static void test_gone_and_back(void **state)
{
	struct machine machine = machine_new(2);

	(void)state;
	set(&machine.row[0], 1, 1, 1);
	set(&machine.row[1], 5, 5, 5);
	add(&machine);
	machine.frame.ndevice = 1;
	for (int i = 0; i < 3; i++)
		add(&machine);
	machine.frame.ndevice = 2;
	add(&machine);
	/* the frames without it are gaps */
	assert_int_equal(machine.row[1].history->n, 5);
	for (size_t k = 1; k <= 3; k++)
		assert_true(isnan(newest(&machine.row[1], k)));
	assert_true(newest(&machine.row[1], 0) == 5 && newest(&machine.row[1], 4) == 5);
	/* gone for longer than frames are kept: forgotten */
	machine.frame.ndevice = 1;
	for (int i = 0; i < HISTORY_FRAMES + 1; i++)
		add(&machine);
	set(&machine.row[1], 2, 2, 2);
	machine.frame.ndevice = 2;
	add(&machine);
	assert_int_equal(machine.row[1].history->n, 1);
	assert_peaks(&machine.row[1], 2, 2, 2);
	assert_peaks(&machine.row[0], 1, 1, 1);
	assert_int_equal(machine.row[0].history->n, HISTORY_FRAMES);
	histories_free(machine.histories);
}

static void test_reset_of_peaks(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	set(&machine.row[0], 9, 9, 9);
	add(&machine);
	histories_reset_peaks(machine.histories, &machine.frame);
	assert_no_peaks(&machine.row[0]);
	assert_int_equal(machine.row[0].history->n, 1); /* the frames stay */
	set(&machine.row[0], 2, 3, 4);
	add(&machine);
	assert_peaks(&machine.row[0], 2, 3, 4);
	histories_free(machine.histories);
}

static void test_unused_devices_keep_nothing(void **state)
{
	struct machine machine = machine_new(1);

	(void)state;
	set(&machine.row[0], 0, 0, 0);
	machine.row[0].used = false;
	add(&machine);
	assert_null(machine.row[0].history);
	machine.row[0].used = true;
	add(&machine);
	assert_int_equal(machine.row[0].history->n, 1);
	histories_free(machine.histories);
}

/* Many devices that come, go and are replaced, against what a plain list says. */
static void test_many_devices(void **state)
{
	enum { MANY = 500, FRAMES = 700 };
	struct histories *histories = histories_new();
	struct device_row *row = calloc(MANY, sizeof(*row));
	char (*name)[DEVICE_NAME_MAX] = calloc(MANY, sizeof(*name));
	double *peak = calloc(MANY, sizeof(*peak));
	uint64_t *diskseq = calloc(MANY, sizeof(*diskseq));
	uint32_t seed = 4711;

	(void)state;
	assert_true(histories && row && name && peak && diskseq);
	for (int i = 0; i < MANY; i++)
		snprintf(name[i], sizeof(name[i]), "disk%d", i);
	for (int f = 0; f < FRAMES; f++) {
		struct frame frame = {.device = row, .number = (unsigned long)f + 1};
		int of[MANY];
		for (int i = 0; i < MANY; i++) {
			if (die(&seed) % 50 == 0) {
				diskseq[i]++;
				peak[i] = -1;
			}
			if (die(&seed) % 10 == 0)
				continue;
			double await = die(&seed) % 1000;
			row[frame.ndevice] = (struct device_row){.name = name[i], .diskseq = diskseq[i], .used = true};
			set(&row[frame.ndevice], await, 0, 0);
			peak[i] = await > peak[i] ? await : peak[i];
			of[frame.ndevice++] = i;
		}
		histories_add(histories, &frame);
		for (size_t i = 0; i < frame.ndevice; i++)
			assert_true(row[i].peak_await.n == peak[of[i]] && newest(&row[i], 0) == (float)row[i].await.n);
	}
	histories_free(histories);
	free(row);
	free(name);
	free(peak);
	free(diskseq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_peaks_and_frames),
	    cmocka_unit_test(test_absent_is_no_peak_and_a_gap),
	    cmocka_unit_test(test_why_there_is_no_peak),
	    cmocka_unit_test(test_since_boot_is_not_added),
	    cmocka_unit_test(test_only_so_many_frames),
	    cmocka_unit_test(test_another_device_under_the_name),
	    cmocka_unit_test(test_gone_and_back),
	    cmocka_unit_test(test_reset_of_peaks),
	    cmocka_unit_test(test_unused_devices_keep_nothing),
	    cmocka_unit_test(test_many_devices),
	};

	histories_free(NULL);
	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
