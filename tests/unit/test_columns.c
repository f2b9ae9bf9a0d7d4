/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of columns, numbers as text, and how rows are compared and chosen.
 */
#include "bytes.h"

#include "iotriage/choice.h"
#include "iotriage/sort.h"

#include <float.h>
#include <math.h>

/* ---- numbers as text ---- */

static double any_number(uint32_t *seed)
{
	double n = (double)die(seed) / (1 + die(seed) % 1000);

	return ldexp(die(seed) % 8 ? n : -n, (int)(die(seed) % 60) - 40);
}

static void test_number_plain(void **state)
{
	static const double some[] = {0,
				      -0.0,
				      1,
				      999.95,
				      1023.9,
				      0.05,
				      1.115,
				      0.125,
				      2.5,
				      99.7,
				      1e-30,
				      4294967296,
				      9007199254740992.0,
				      6.13,
				      277.58,
				      -1.5,
				      -0.004};
	uint32_t seed = 99;

	(void)state;
	for (int i = 0; i < 400000; i++) {
		double n = i < (int)(sizeof(some) / sizeof(some[0])) ? some[i] : any_number(&seed);
		unsigned precision = (unsigned)i % 10;
		char got[NUMBER_MAX], expected[400];
		double scaled = fabs(n) * pow(10, precision), rest = scaled - floor(scaled);

		if (scaled >= 9e18)
			continue;
		size_t length = number_plain(got, n, precision);
		assert_int_equal(length, strlen(got));
		snprintf(expected, sizeof(expected), "%.*f", (int)precision, n);
		if (strtod(expected, NULL) == 0 &&
		    expected[0] == '-') /* "-0.00" is no number people know */
			memmove(expected, expected + 1, strlen(expected));
		/* between two neighbours, and beyond what a double can tell, either will do */
		if (fabs(rest - 0.5) < 1e-6 || scaled > 1e15)
			assert_true(fabs(strtod(got, NULL) - n) <=
				    0.51 / pow(10, precision) + fabs(n) * 1e-15);
		else if (strcmp(got, expected) != 0)
			fail_msg("%.17g to %u: \"%s\", not \"%s\"", n, precision, got, expected);
	}
}

static void test_number_plain_extremes(void **state)
{
	static const double numbers[] = {DBL_MAX, -DBL_MAX, 1e20, 9.3e18, 18446744073709551615.0,
					 DBL_MIN};
	char buf[NUMBER_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (unsigned precision = 0; precision < 300; precision += 7) {
			size_t length = number_plain(buf, numbers[i], precision);
			assert_int_equal(length, strlen(buf));
			assert_true(strlen(buf) > 0 &&
				    fabs(strtod(buf, NULL) / numbers[i] - 1) < (i < 5 ? 1e-6 : 2));
		}
	assert_int_equal(number_plain(buf, NAN, 2), 0);
	assert_string_equal(buf, "");
	assert_int_equal(number_plain(buf, INFINITY, 2), 0);
	assert_int_equal(number_plain(buf, -INFINITY, 2), 0);
}

/* Never wider than the column, never empty, and the number that it stands for. */
static void test_number_fit(void **state)
{
	static const double numbers[] = {
	    0,      1,    9.95,     99.95,     999.95,     999.5,
	    1023.9, 1e5,  999999.5, 1e15,      4294967296, 9007199254740992.0,
	    1.8e19, 1e30, 1e300,    DBL_MAX,   -1,         -999.95,
	    -1e300, NAN,  INFINITY, -INFINITY, 0.004};
	static const struct {
		double n;
		unsigned width, precision;
		const char *text;
	} cases[] = {{156856, 7, 1, "156856"}, {156856, 5, 1, "157K"}, {277.58, 6, 2, "277.58"},
		     {277.58, 5, 2, "277.6"},  {1304, 7, 1, "1304.0"}, {99.7, 5, 1, "99.7"},
		     {100.1, 5, 1, "100.1"},   {999.95, 4, 1, "1000"}, {999.95, 3, 1, "1K"},
		     {1234567, 5, 0, "1235K"}, {0, 1, 2, "0"}};
	char buf[NUMBER_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (unsigned width = 1; width < 60; width++)
			for (unsigned precision = 0; precision < 12; precision++) {
				size_t n = number_fit(buf, value_of(numbers[i]), width, precision);

				assert_int_equal(n, strlen(buf));
				assert_true(n >= 1 && n <= width);
			}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number_fit(buf, value_of(cases[i].n), cases[i].width, cases[i].precision);
		assert_string_equal(buf, cases[i].text);
	}
	for (int why = PRESENT + 1; why < ABSENT_REASONS; why++) {
		number_fit(buf, value_absent((enum absent)why), 8, 2);
		assert_string_equal(buf, "-");
		assert_true(strlen(absent_name((enum absent)why)) > 0 &&
			    strlen(absent_help((enum absent)why)) > 10);
	}
	assert_int_equal(number_fit(buf, value_of(1), 0, 0), 0);
	for (double kib = 0.001; kib < 1e300; kib *= 1.7)
		assert_in_range(size_fit(buf, value_of(kib)), 1, 5);
}

/* ---- comparing ---- */

static void assert_order(int ab, int ba, int bc, int ac)
{
	assert_true((ab > 0) == (ba < 0) && (ab == 0) == (ba == 0));
	if (ab <= 0 && bc <= 0)
		assert_true(ac <= 0);
	if (ab == 0 && bc == 0)
		assert_true(ac == 0);
}

static void test_compare_natural(void **state)
{
	static const char *const ascending[] = {
	    "",        "dm-2", "dm-10", "md127", "nvme0n1", "nvme0n1p2", "nvme0n1p10",
	    "nvme1n1", "sda",  "sda1",  "sda2",  "sda10",   "sdb"};
	uint32_t seed = 5;

	(void)state;
	for (size_t i = 1; i < sizeof(ascending) / sizeof(ascending[0]); i++)
		assert_true(compare_natural(ascending[i - 1], ascending[i]) < 0 &&
			    compare_natural(ascending[i], ascending[i - 1]) > 0);
	for (int round = 0; round < 200000; round++) {
		char word[3][8] = {{0}};

		for (int i = 0; i < 3; i++)
			for (int j = (int)(die(&seed) % 7); j > 0; j--)
				word[i][j - 1] = "01920ab-\xff"[die(&seed) % 9];
		assert_order(compare_natural(word[0], word[1]), compare_natural(word[1], word[0]),
			     compare_natural(word[1], word[2]), compare_natural(word[0], word[2]));
	}
}

static struct device_row random_row(uint32_t *seed, double special)
{
	struct device_row row = {.name = "sda"};

	switch (die(seed) % 5) {
	case 0:
		row.await = value_absent((enum absent)(1 + die(seed) % (ABSENT_REASONS - 1)));
		break;
	case 1:
		row.await = value_of(special);
		break;
	default:
		row.await = value_of(die(seed) % 4);
	}
	return row;
}

static void order_with(double special)
{
	const struct column *await = column_find(&device_table, "await");
	uint32_t seed = 77;

	for (int round = 0; round < 50000; round++) {
		struct device_row a = random_row(&seed, special), b = random_row(&seed, special),
				  c = random_row(&seed, special);

		for (int down = 0; down < 2; down++) {
			int ab = column_compare(await, down, &a, &b);

			assert_order(ab, column_compare(await, down, &b, &a),
				     column_compare(await, down, &b, &c),
				     column_compare(await, down, &a, &c));
			if (a.await.why == PRESENT && b.await.why != PRESENT)
				assert_true(ab < 0); /* absent is last both ways */
		}
	}
}

static void test_compare_numbers(void **state)
{
	(void)state;
	order_with(2.5);
	order_with(INFINITY);
	order_with(-INFINITY);
}

static void test_compare_nan(void **state)
{
	(void)state;
	order_with(NAN);
}

/* ---- tables ---- */

static bool printable_line(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

static void test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; tables[i]; i++) {
		const struct table *table = tables[i];

		assert_ptr_equal(table_find(table->name), table);
		assert_true(printable_line(table->help) && strlen(table->help) > 10);
		assert_true(table->count && table->row && table->identity);
		if (*table->sort)
			assert_non_null(column_find(table, table->sort));
		for (size_t j = 0; j < table->ncolumn; j++) {
			const struct column *column = &table->column[j];

			/* the first of its name is itself: names are unique */
			assert_ptr_equal(column_find(table, column->name), column);
			assert_true(strlen(column->name) > 0 && !strpbrk(column->name, " ,\"\n"));
			assert_true(printable_line(column->help) && strlen(column->help) > 0);
			assert_non_null(column->unit);
			assert_true((column->number == NULL) != (column->text == NULL));
			assert_true(column->width > 0 && column->rank > 0 &&
				    column->precision <= 9);
			/* text reads from the left, numbers from the right */
			assert_int_equal((column->flags & COLUMN_LEFT) != 0, column->text != NULL);
		}
	}
	assert_null(table_find("nosuch"));
	assert_null(table_find(""));
	assert_null(column_find(&device_table, "nosuch"));
	assert_null(column_find(&device_table, ""));
}

static void test_identity(void **state)
{
	struct device_row sda = {.name = "sda", .diskseq = 1},
			  again = {.name = "sda", .diskseq = 2},
			  sdb = {.name = "sdb", .diskseq = 1};
	struct task_sample one = {.pid = 4711, .start_ticks = 100},
			   reused = {.pid = 4711, .start_ticks = 900},
			   other = {.pid = 4712, .start_ticks = 100};
	struct task_row a = {.task = &one}, b = {.task = &reused}, c = {.task = &other};

	(void)state;
	assert_true(device_table.identity(&sda) == device_table.identity(&sda));
	assert_true(device_table.identity(&sda) != device_table.identity(&again));
	assert_true(device_table.identity(&sda) != device_table.identity(&sdb));
	assert_true(task_table.identity(&a) != task_table.identity(&b));
	assert_true(task_table.identity(&a) != task_table.identity(&c));
}

/* ---- choosing ---- */

static struct device_info disk_info = {.class = DEVICE_DISK, .title = "raid"},
			  part_info = {.class = DEVICE_PARTITION, .parent = "sda"};
static struct device_row devices[] = {
    {.name = "sda", .info = &disk_info, .used = true, .ios = 1, .r = {5, PRESENT}, .verdict = "ok"},
    {.name = "sda1", .info = &part_info, .used = true, .ios = 1, .r = {1, PRESENT}, .verdict = ""},
    {.name = "sda2", .info = &part_info, .used = true, .r = {4, PRESENT}, .verdict = ""},
    {.name = "sdb", .used = true, .ios = 1, .r = {9, PRESENT}, .verdict = "queueing"},
    {.name = "sdc", .used = true, .r = {0, ABSENT_NEW}, .verdict = "-"},
    {.name = "sdd", .r = {0, PRESENT}, .verdict = "idle"},
    {.name = "nvme0c0n1", .used = true, .hidden = true, .r = {7, PRESENT}, .verdict = ""},
};

static void chosen(const struct choice *choice, const char *expected)
{
	struct frame frame = {.device = devices, .ndevice = sizeof(devices) / sizeof(devices[0])};
	struct rows rows = {0};
	char names[200] = "";

	assert_int_equal(rows_choose(&rows, &device_table, choice, &frame), 0);
	for (size_t i = 0; i < rows.n; i++)
		sprintf(names + strlen(names), "%s%s", i ? " " : "",
			((struct device_row *)rows.row[i])->name);
	assert_string_equal(names, expected);
	rows_release(&rows);
}

/* Of equal ones those over files or memory come last. */
static void test_equal_devices(void **state)
{
	struct device_info loop = {.class = DEVICE_LOOP}, memory = {.class = DEVICE_MEMORY};
	struct device_row row[] = {
	    {.name = "loop0", .info = &loop, .used = true, .util = {0, PRESENT}},
	    {.name = "loop1", .info = &loop, .used = true, .util = {9, PRESENT}},
	    {.name = "zram0", .info = &memory, .used = true, .util = {0, PRESENT}},
	    {.name = "sda", .info = &disk_info, .used = true, .util = {0, PRESENT}},
	};
	static const char *const expected[] = {"loop1", "sda", "loop0", "zram0"};
	struct frame frame = {.device = row, .ndevice = 4};
	struct choice choice = {.sort = column_find(&device_table, "%util"), .descending = true};
	struct rows rows = {0};

	(void)state;
	assert_int_equal(rows_choose(&rows, &device_table, &choice, &frame), 0);
	for (size_t i = 0; i < rows.n; i++)
		assert_string_equal(((struct device_row *)rows.row[i])->name, expected[i]);
	rows_release(&rows);
}

static void test_choose_devices(void **state)
{
	const struct column *reads = column_find(&device_table, "r/s");
	char *globs[] = {"sd[ad]", "nvme*"};
	regex_t filter;

	(void)state;
	chosen(&(struct choice){0}, "sda sda1 sda2 sdb sdc");
	chosen(&(struct choice){.unused = true}, "sda sda1 sda2 sdb sdc sdd");
	chosen(&(struct choice){.active = true}, "sda sda1 sdb");
	chosen(&(struct choice){.top = 2}, "sda sda1");
	chosen(&(struct choice){.top = 99}, "sda sda1 sda2 sdb sdc");
	chosen(&(struct choice){.glob = globs, .nglob = 2}, "sda sdd nvme0c0n1");
	chosen(&(struct choice){.sort = reads, .descending = true}, "sdb sda sda2 sda1 sdc");
	chosen(&(struct choice){.sort = reads}, "sda1 sda2 sda sdb sdc");
	/* in a tree partitions stay behind their disk, the busiest first */
	chosen(&(struct choice){.sort = reads, .descending = true, .tree = true},
	       "sdb sda sda2 sda1 sdc");
	chosen(&(struct choice){.tree = true}, "sda sda1 sda2 sdb sdc");
	chosen(&(struct choice){.sort = reads, .descending = true, .tree = true, .top = 2},
	       "sdb sda");
	chosen(&(struct choice){.active = true, .tree = true}, "sda sda1 sdb");
	assert_int_equal(regcomp(&filter, "raid|queue|a2", REG_EXTENDED | REG_NOSUB), 0);
	chosen(&(struct choice){.filter = &filter}, "sda sda2 sdb");
	/* a partition whose disk is filtered out stands alone */
	regfree(&filter);
	assert_int_equal(regcomp(&filter, "sda2", REG_EXTENDED | REG_NOSUB), 0);
	chosen(&(struct choice){.filter = &filter, .tree = true}, "sda2");
	regfree(&filter);
}

static void test_choose_tasks(void **state)
{
	struct task_sample sample[] = {
	    {.pid = 3, .uid_known = true, .uid = 0, .comm = "a"},
	    {.pid = 5, .uid_known = true, .uid = 7, .comm = "b"},
	    {.pid = 9, .comm = "c"}};
	struct task_row task[] = {{.task = &sample[0], .wkb = {1, PRESENT}},
				  {.task = &sample[1], .state = 'D', .user = "joe"},
				  {.task = &sample[2], .command = "/bin/cat"}};
	struct frame frame = {.task = task, .ntask = 3};
	const int pids[] = {3, 4, 9};
	struct rows rows = {0};
	regex_t filter;

	(void)state;
	assert_int_equal(regcomp(&filter, "joe|cat", REG_EXTENDED | REG_NOSUB), 0);
	const struct {
		struct choice choice;
		size_t n, first;
	} cases[] = {{{0}, 3, 0},
		     {{.pid = pids, .npid = 3}, 2, 0},
		     {{.pid = pids + 2, .npid = 1}, 1, 2},
		     {{.by_uid = true, .uid = 0}, 1, 0},
		     {{.by_uid = true, .uid = 7}, 1, 1},
		     {{.active = true}, 2, 0},
		     {{.filter = &filter}, 2, 1},
		     {{.sort = column_find(&task_table, "pid"), .descending = true}, 3, 2}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(rows_choose(&rows, &task_table, &cases[i].choice, &frame), 0);
		assert_int_equal(rows.n, cases[i].n);
		assert_ptr_equal(rows.row[0], &task[cases[i].first]);
		assert_int_equal(rows.hidden, 3 - rows.n);
	}
	rows_release(&rows);
	regfree(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_number_plain),    cmocka_unit_test(test_number_plain_extremes),
	    cmocka_unit_test(test_number_fit),      cmocka_unit_test(test_compare_natural),
	    cmocka_unit_test(test_compare_numbers), cmocka_unit_test(test_compare_nan),
	    cmocka_unit_test(test_tables),          cmocka_unit_test(test_identity),
	    cmocka_unit_test(test_equal_devices),
	    cmocka_unit_test(test_choose_devices),  cmocka_unit_test(test_choose_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
