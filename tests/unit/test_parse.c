/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parsers of kernel text, from bytes: whole, cut, empty, huge and spoiled.
 */
#include "bytes.h"

#include "sample/mounts.h"
#include "sample/parse.h"

/* ---- words and numbers ---- */

static bool number_of(const char *text, uint64_t *number)
{
	struct exact given = exact_text(text);
	bool ok = text_u64((struct text){given.p, given.p + given.n}, number);

	free(given.p);
	return ok;
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t number;
	} cases[] = {
	    {"42", true, 42},
	    {"18446744073709551615", true, UINT64_MAX},
	    {"18446744073709551616", true, UINT64_MAX},
	    {"99999999999999999999999999", true, UINT64_MAX},
	    {"-1", true, UINT64_MAX},
	    {"", false, 0},
	    {"-", false, 0},
	    {"+1", false, 0},
	    {"1 ", false, 0},
	    {"1x", false, 0},
	    {"0x10", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t number = 0;

		if (number_of(cases[i].text, &number) != cases[i].ok || number != cases[i].number)
			fail_msg("\"%s\" is %llu", cases[i].text, (unsigned long long)number);
	}
}

static void test_lines_and_words(void **state)
{
	struct exact given = exact_text("a  bc\td\r\n\n \nlast");
	struct text text = {given.p, given.p + given.n}, line, word;

	(void)state;
	assert_true(text_line(&text, &line));
	assert_true(text_word(&line, &word) && text_is(word, "a"));
	assert_true(text_word(&line, &word) && text_is(word, "bc") && !text_is(word, "b"));
	assert_true(text_word(&line, &word) && text_is(word, "d"));
	assert_false(text_word(&line, &word));
	for (int i = 0; i < 2; i++) {
		assert_true(text_line(&text, &line));
		assert_false(text_word(&line, &word));
	}
	assert_true(text_line(&text, &line) && text_is(line, "last"));
	assert_false(text_line(&text, &line));
	free(given.p);
}

/* ---- /proc/diskstats ---- */

static struct device_snapshot devices_of(struct exact given)
{
	struct device_snapshot devices = {0};

	assert_int_equal(diskstats_parse(given.p, given.n, &devices), 0);
	free(given.p);
	return devices;
}

static void test_diskstats_layouts(void **state)
{
	static const struct {
		int fields, layout;
	} cases[] = {{4, 4},   {5, 0},   {10, 0},  {11, 11}, {12, 11}, {14, 11},
		     {15, 15}, {16, 15}, {17, 17}, {18, 17}, {90, 17}, {3, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[512] = "  259       3 nvme0n1p3";
		struct device_snapshot devices;

		for (int field = 1; field <= cases[i].fields; field++)
			sprintf(line + strlen(line), " %d", field);
		devices = devices_of(exact_text(line));
		assert_int_equal(devices.n, cases[i].layout > 0);
		assert_int_equal(devices.skipped_lines, cases[i].layout == 0);
		if (devices.n) {
			struct device_sample *device = devices.device;

			assert_string_equal(device->name, "nvme0n1p3");
			assert_true(device->major == 259 && device->minor == 3 && !device->info);
			assert_int_equal(device->layout, cases[i].layout);
			assert_int_equal(device->counter[RD_IOS], 1);
			assert_int_equal(device->counter[RD_SECTORS], cases[i].layout == 4 ? 2 : 3);
			assert_int_equal(device->counter[WR_IOS], cases[i].layout == 4 ? 3 : 5);
			assert_int_equal(device->counter[WR_SECTORS], cases[i].layout == 4 ? 4 : 7);
			assert_int_equal(device->counter[WEIGHTED_MS],
					 cases[i].layout == 4 ? 0 : 11);
			assert_int_equal(device->counter[DC_MS], cases[i].layout >= 15 ? 15 : 0);
			assert_int_equal(device->counter[FL_MS], cases[i].layout >= 17 ? 17 : 0);
		}
		free(devices.device);
	}
}

static void test_diskstats_bad_lines(void **state)
{
	static const char *const bad[] = {"",
					  "\n\n\n",
					  " ",
					  "8",
					  "8 0",
					  "8 0 sda",
					  "x 0 sda 1 2 3 4",
					  "8 x sda 1 2 3 4",
					  "8 0 sda a 2 3 4",
					  "8 0 sda 1 2 3 x",
					  "8 0 sda 1 2 3",
					  "8 0 1 2 3 4 5 6 7 8 9"};
	struct device_snapshot devices;
	char line[400];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "%s\n8 0 sdb 1 2 3 4", bad[i]);
		devices = devices_of(exact_text(line));
		assert_int_equal(devices.n, 1);
		assert_string_equal(devices.device[0].name, "sdb");
		free(devices.device);
	}
	/* 127 bytes of a name are whole, 128 are none */
	for (int length = 127; length <= 128; length++) {
		sprintf(line, "8 0 %0*d 1 2 3 4", length, 7);
		devices = devices_of(exact_text(line));
		assert_int_equal(devices.n, length == 127);
		if (devices.n)
			assert_int_equal(strlen(devices.device[0].name), 127);
		free(devices.device);
	}
}

static void test_diskstats_huge(void **state)
{
	enum { LINES = 20000 };
	char *text = malloc(LINES * 64);
	struct device_snapshot devices;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < LINES; i++)
		n += (size_t)sprintf(text + n, "8 %d sd%d 1 2 3 4 5 6 7 8 9 10 11\n", i, i);
	devices = devices_of(exact_bytes(text, n));
	assert_int_equal(devices.n, LINES);
	assert_string_equal(devices.device[LINES - 1].name, "sd19999");
	free(devices.device);
	free(text);
	for (const char *c = "9 a\n-"; *c; c++) {
		devices = devices_of(exact_run(*c, 1 << 20));
		assert_int_equal(devices.n, 0);
		free(devices.device);
	}
}

/* ---- /proc/PID/io and stat ---- */

#define IO_TEXT                                                                                    \
	"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"                  \
	"cancelled_write_bytes: 7\n"

static bool io_of(const char *text, uint64_t counter[TASK_COUNTERS])
{
	struct exact given = exact_text(text);
	bool ok = task_io_parse(given.p, given.n, counter);

	free(given.p);
	return ok;
}

static void test_task_io(void **state)
{
	uint64_t counter[TASK_COUNTERS];

	(void)state;
	assert_true(io_of(IO_TEXT, counter));
	for (unsigned i = 0; i < TASK_COUNTERS; i++)
		assert_int_equal(counter[i], i + 1);
	/* in any order, with lines nobody knows, and a number at the very end */
	assert_true(
	    io_of("new: x\ncancelled_write_bytes: 7\nwrite_bytes: 6\nread_bytes: 5\nsyscw: 4\n"
		  "syscr: 3\nwchar: 2\nrchars: 9\nrchar: 18446744073709551615",
		  counter));
	assert_true(counter[TASK_RCHAR] == UINT64_MAX && counter[TASK_CANCELLED_BYTES] == 7);
	for (size_t n = 0; n < strlen(IO_TEXT) - 2; n++) {
		char cut[] = IO_TEXT;

		cut[n] = '\0';
		assert_false(io_of(cut, counter));
	}
	assert_false(io_of("rchar: x\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
			   "cancelled_write_bytes: 7\n",
			   counter));
}

static bool stat_of(const char *text, size_t n, struct task_sample *task)
{
	struct exact given = exact_bytes(text, n);
	bool ok;

	memset(task, 0, sizeof(*task));
	ok = task_stat_parse(given.p, given.n, task);
	free(given.p);
	return ok;
}

/* Field n is n, but for those that are given. */
static size_t stat_line(char *to, const char *comm, int fields)
{
	size_t n = (size_t)sprintf(to, "7 (%s) D", comm);

	for (int field = 4; field <= fields; field++)
		n += (size_t)sprintf(to + n, " %d", field);
	return n;
}

static void test_task_stat(void **state)
{
	static const char *const comms[] = {"cat",     ":-) 1 2 3", "(((",    ")))",  "",     " ",
					    ") R 1 (", "a\nb",      "a) D 4", "\xff", "\033["};
	struct task_sample task;
	char line[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(comms[0]); i++) {
		assert_true(stat_of(line, stat_line(line, comms[i], 52), &task));
		assert_string_equal(task.comm, comms[i]);
		assert_int_equal(task.state, 'D');
		assert_true(task.threads == 20 && task.start_ticks == 22 && task.blkio_ticks == 42);
		assert_true(task.ppid == 4 && task.majflt == 12 && task.reaped == 11 + 13 + 16 + 17);
	}
	/* old kernels have no delay; before the start there is no identity */
	assert_true(stat_of(line, stat_line(line, "x", 41), &task));
	assert_true(task.start_ticks == 22 && task.blkio_ticks == 0);
	assert_true(stat_of(line, stat_line(line, "x", 22), &task));
	assert_false(stat_of(line, stat_line(line, "x", 21), &task));
	assert_false(stat_of(line, stat_line(line, "x", 3), &task));
	assert_false(stat_of("7 (x)", 5, &task));
	assert_false(stat_of("7 (x", 4, &task));
	assert_false(stat_of("7 x) S 1", 8, &task));
	assert_false(stat_of(")(", 2, &task));
	assert_false(stat_of("", 0, &task));
	/* a name longer than any is cut, and shifts no field */
	memset(line, 'n', 300);
	line[300] = '\0';
	char longer[2048];
	assert_true(stat_of(longer, stat_line(longer, line, 52), &task));
	assert_int_equal(strlen(task.comm), COMM_MAX - 1);
	assert_int_equal(task.start_ticks, 22);
}

/* ---- the machine ---- */

static void test_machine(void **state)
{
	struct system_snapshot system = {.psi_state = ABSENT_UNSUPPORTED,
					 .vm_state = ABSENT_UNSUPPORTED};
	struct aio_snapshot aio = {.kiocb = {.state = SLAB_UNAVAILABLE}};
	struct exact text = exact_text("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 9 9\nprocesses 81\nprocs_blocked 3");

	(void)state;
	stat_parse(text.p, text.n, &system);
	free(text.p);
	assert_true(system.cpu_total_ticks == 36 && system.cpu_iowait_ticks == 5);
	assert_true(system.procs_blocked.n == 3 && system.forks == 81);
	text = exact_text("pgpgin 1\npgpgout 2\npswpin 3\npswpout 18446744073709551615");
	vmstat_parse(text.p, text.n, &system);
	free(text.p);
	assert_true(system.vm_state == PRESENT && system.pgpgin_kib == 1 &&
		    system.pgpgout_kib == 2);
	assert_true(system.pswpin_pages == 3 && system.pswpout_pages == UINT64_MAX);
	text = exact_text("Dirty:   12 kB\nWritebackTmp: 9 kB\nWriteback:  34");
	meminfo_parse(text.p, text.n, &system);
	free(text.p);
	assert_true(system.dirty_kib.n == 12 && system.writeback_kib.n == 34);
	text = exact_text("full avg10=1.25 avg60=7 total=99");
	pressure_parse(text.p, text.n, &system);
	free(text.p);
	assert_true(system.psi_state == PRESENT && system.psi_has_full && !system.psi_has_some);
	assert_true(system.psi_full_avg10 == 1.25 && system.psi_full_us == 99);
	text = exact_text(
	    "kioctx 35 84 576\nkiocb_x 9 9\nio_kiocb 1\naio_kiocb 0 18446744073709551615");
	slabinfo_parse(text.p, text.n, &aio);
	free(text.p);
	assert_true(aio.kioctx.state == SLAB_COUNTED && aio.kioctx.active == 35 &&
		    aio.kioctx.total == 84);
	assert_true(aio.kiocb.active == 0 && aio.kiocb.total == UINT64_MAX);
	assert_true(aio.io_kiocb.active == 0 && aio.io_kiocb.total == 0);
}

static void parse_all(struct exact given)
{
	struct device_snapshot devices = {0};
	struct system_snapshot system = {0};
	struct aio_snapshot aio = {0};
	struct task_sample task = {0};
	uint64_t counter[TASK_COUNTERS];
	unsigned major, minor;

	(void)diskstats_parse(given.p, given.n, &devices);
	(void)task_io_parse(given.p, given.n, counter);
	if (given.n)
		(void)task_stat_parse(given.p, given.n, &task);
	stat_parse(given.p, given.n, &system);
	vmstat_parse(given.p, given.n, &system);
	meminfo_parse(given.p, given.n, &system);
	pressure_parse(given.p, given.n, &system);
	slabinfo_parse(given.p, given.n, &aio);
	(void)mounts_find(given.p, given.n, "/var/lib/x", &major, &minor);
	assert_true(memchr(task.comm, '\0', sizeof(task.comm)) != NULL);
	free(devices.device);
	free(given.p);
}

static const char *const samples[] = {
    "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n   8       1 sda1 1 2 3 4\n",
    IO_TEXT,
    "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n",
    "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\nprocs_blocked 3\n",
    "nr_dirty_threshold 9\npgpgin 1\npgpgout 2\npswpin 3\npswpout 4\n",
    "Dirty:   12 kB\nWriteback:  0 kB\n",
    "some avg10=1.25 avg60=0.50 avg300=0.10 total=123\nfull avg10=0.75 avg60=0.2 total=12\n",
    "slabinfo - version: 2.1\nkioctx 35 84 576 28 4 : tunables 0 0 0\naio_kiocb 0 0 1\n",
    "36 35 98:0 / / rw - ext4 /dev/sda rw\n37 36 8:1 /a /var\\040lib rw - xfs /dev/sdb rw\n",
};

/* Every text is given to every parser, cut at every byte, then spoiled. */
static void test_nothing_is_read_beyond_the_end(void **state)
{
	uint32_t seed = 12345;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t n = 0; n <= strlen(samples[i]); n++)
			parse_all(exact_bytes(samples[i], n));
		for (int round = 0; round < 2000; round++)
			parse_all(exact_spoiled(samples[i], &seed));
	}
	for (const char *c = "9 -=:.()\n\\/"; *c; c++)
		parse_all(exact_run(*c, 1 << 20));
	parse_all(exact_run('\0', 1 << 20));
}

static void test_mounts(void **state)
{
	static const char text[] =
	    "1 0 8:1 / / rw - ext4 a rw\n2 1 8:2 / /var rw - ext4 b rw\n"
	    "3 1 8:3 / /var/lib\\040x rw - ext4 c rw\nx\n4 1 8:9 / /varnish rw - e d rw\n"
	    "5 1 8:4 / /var rw - ext4 over rw\n";
	static const struct {
		const char *path;
		unsigned minor;
	} cases[] = {{"/etc/x", 1},       {"/var/x", 4},      {"/var", 4},
		     {"/var/lib x/y", 3}, {"/var/lib xy", 4}, {"/varnishes", 1}};
	unsigned major = 0, minor = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(mounts_find(text, strlen(text), cases[i].path, &major, &minor), 0);
		assert_true(major == 8 && minor == cases[i].minor);
	}
	assert_true(mounts_find("2 1 8:2 / /var rw\n", 18, "/etc", &major, &minor) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_lines_and_words),
	    cmocka_unit_test(test_diskstats_layouts),
	    cmocka_unit_test(test_diskstats_bad_lines),
	    cmocka_unit_test(test_diskstats_huge),
	    cmocka_unit_test(test_task_io),
	    cmocka_unit_test(test_task_stat),
	    cmocka_unit_test(test_machine),
	    cmocka_unit_test(test_nothing_is_read_beyond_the_end),
	    cmocka_unit_test(test_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
