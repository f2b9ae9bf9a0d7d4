/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV as it is written: quoting, the stamp in any time zone, and the writer on
 * pipes that are full, slow, closed or broken.
 */
#include "bytes.h"

#include "output/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* ---- rows of a table of our own ---- */

struct thing {
	const char *name;
	struct value size, count;
};

static const char *thing_name(const void *row, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct thing *)row)->name;
}

static const char *thing_buffered(const void *row, char *buf, size_t size)
{
	snprintf(buf, size, "<%s>",
		 ((const struct thing *)row)->name ? ((const struct thing *)row)->name : "");
	return buf;
}

static struct value thing_size(const void *row)
{
	return ((const struct thing *)row)->size;
}

static struct value thing_count(const void *row)
{
	return ((const struct thing *)row)->count;
}

static const struct column columns[] = {
    {"size", NULL, "", "", 5, 1, 1, 0, thing_size, NULL},
    {"count", NULL, "", "", 5, 0, 1, 0, thing_count, NULL},
    {"name", NULL, "", "", 5, 0, 1, COLUMN_KEY | COLUMN_LEFT, NULL, thing_name},
    {"a,\"b\"", NULL, "", "", 5, 0, 1, COLUMN_LEFT, NULL, thing_buffered},
};
static const struct table things = {.name = "things", .column = columns, .ncolumn = 4};

static void assert_row(struct thing thing, const char *expected)
{
	struct writer writer = {.fd = -1, .stop_fd = -1};

	csv_row(&writer, &things, "T,E", &thing);
	writer_put(&writer, "", 1);
	assert_false(writer.failed);
	assert_string_equal(writer.p, expected);
	writer_release(&writer);
}

static void test_rows(void **state)
{
	const struct value absent = value_absent(ABSENT_NEW);
	struct writer writer = {.fd = -1, .stop_fd = -1};

	(void)state;
	csv_header(&writer, &things);
	writer_put(&writer, "", 1);
	assert_string_equal(writer.p, "time,epoch,name,size,count,\"a,\"\"b\"\"\"\n");
	writer_release(&writer);
	/* one decimal on screen is two in a file; whole numbers stay whole */
	assert_row((struct thing){"sda", value_of(1.25), value_of(3)}, "T,E,sda,1.25,3,<sda>\n");
	assert_row((struct thing){"sda", value_of(0), value_of(0)}, "T,E,sda,0.00,0,<sda>\n");
	assert_row((struct thing){"sda", absent, absent}, "T,E,sda,,,<sda>\n");
	assert_row((struct thing){NULL, absent, absent}, "T,E,,,,<>\n");
	assert_row((struct thing){"", value_of(NAN), value_of(INFINITY)}, "T,E,,,,<>\n");
}

static void test_quoting(void **state)
{
	static const struct {
		const char *name, *cell, *buffered;
	} cases[] = {
	    {"plain name", "plain name", "<plain name>"},
	    {"a,b", "\"a,b\"", "\"<a,b>\""},
	    {"a\"b", "\"a\"\"b\"", "\"<a\"\"b>\""},
	    {"\"", "\"\"\"\"", "\"<\"\">\""},
	    {"\"\"", "\"\"\"\"\"\"", "\"<\"\"\"\">\""},
	    {"a\nb", "\"a\nb\"", "\"<a\nb>\""},
	    {"a\rb", "\"a\rb\"", "\"<a\rb>\""},
	    {"a;b|c\t'd'", "a;b|c\t'd'", "<a;b|c\t'd'>"},
	    {" x ", " x ", "< x >"},
	    {"=1+1", "=1+1", "<=1+1>"},
	    {"\xff\xc3 \033[2J", "\xff\xc3 \033[2J", "<\xff\xc3 \033[2J>"},
	    {"\xe6\x97\xa5", "\xe6\x97\xa5", "<\xe6\x97\xa5>"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[100];

		snprintf(expected, sizeof(expected), "T,E,%s,,,%s\n", cases[i].cell,
			 cases[i].buffered);
		assert_row((struct thing){cases[i].name, value_absent(ABSENT_NEW),
					  value_absent(ABSENT_NEW)},
			   expected);
	}
}

/* Every table's row of nothing has as many fields as its header. */
static void test_tables_have_whole_rows(void **state)
{
	struct task_sample sample = {.pid = 1, .state = 'S'};
	struct device_row device = {.name = "sda", .mark = ' '};
	struct task_row task = {.task = &sample};
	struct finding finding = {.rule = "x"};
	struct file_row file = {.pid = 1, .access = 'r'};
	struct total_row total = {.name = "x"};
	struct frame frame = {.device = &device,
			      .ndevice = 1,
			      .task = &task,
			      .ntask = 1,
			      .finding = &finding,
			      .nfinding = 1,
			      .file = &file,
			      .nfile = 1,
			      .total = &total,
			      .ntotal = 1};

	(void)state;
	for (size_t i = 0; tables[i]; i++) {
		struct writer writer = {.fd = -1, .stop_fd = -1};
		size_t commas[2] = {0};

		assert_int_equal(tables[i]->count(&frame), 1);
		csv_header(&writer, tables[i]);
		csv_row(&writer, tables[i], "T,E", tables[i]->row(&frame, 0));
		for (size_t at = 0, line = 0; at < writer.n; at++) {
			commas[line & 1] += writer.p[at] == ',';
			line += writer.p[at] == '\n';
		}
		assert_int_equal(commas[0], tables[i]->ncolumn + 1);
		assert_int_equal(commas[1], commas[0]);
		writer_release(&writer);
	}
}

/* ---- the stamp ---- */

static void test_stamp(void **state)
{
	static const struct {
		const char *zone;
		double epoch;
		const char *stamp;
	} cases[] = {
	    {"UTC", 1700000000.25, "2023-11-14T22:13:20.250+00:00,1700000000.250"},
	    {"UTC", 0, "1970-01-01T00:00:00.000+00:00,0.000"},
	    {"UTC", 1699999999.9996, "2023-11-14T22:13:20.000+00:00,1700000000.000"},
	    {"UTC", 1699999999.9994, "2023-11-14T22:13:19.999+00:00,1699999999.999"},
	    {"CET-1CEST,M3.5.0,M10.5.0/3", 1700000000,
	     "2023-11-14T23:13:20.000+01:00,1700000000.000"},
	    {"CET-1CEST,M3.5.0,M10.5.0/3", 1690000000,
	     "2023-07-22T06:26:40.000+02:00,1690000000.000"},
	    {"IST-5:30", 1700000000, "2023-11-15T03:43:20.000+05:30,1700000000.000"},
	    {"NST3:30", 1700000000, "2023-11-14T18:43:20.000-03:30,1700000000.000"},
	    {"XXX12", 1700000000, "2023-11-14T10:13:20.000-12:00,1700000000.000"},
	    {"no/such/zone", 1700000000, "2023-11-14T22:13:20.000+00:00,1700000000.000"},
	};
	char stamp[CSV_STAMP_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("TZ", cases[i].zone, 1);
		tzset();
		csv_stamp(stamp, cases[i].epoch);
		assert_string_equal(stamp, cases[i].stamp);
	}
	/* whatever the clock says, it fits and is one line of two cells */
	for (double epoch = -9e12; epoch < 9e12; epoch += 7.7e10) {
		csv_stamp(stamp, epoch);
		assert_true(strlen(stamp) < CSV_STAMP_MAX - 1 &&
			    strchr(stamp, ',') == strrchr(stamp, ','));
		assert_true(fabs(strtod(strchr(stamp, ',') + 1, NULL) - epoch) < 1.001);
	}
}

/* ---- the writer ---- */

static void fill(struct writer *writer, size_t lines)
{
	char line[32];

	for (size_t i = 0; i < lines; i++) {
		snprintf(line, sizeof(line), "line %zu\n", i);
		writer_puts(writer, line);
	}
}

struct reader {
	int fd;
	size_t lines;
	bool slow;
	char last;
};

static void *read_all(void *data)
{
	struct reader *reader = data;
	char buf[3000];
	ssize_t n;

	while ((n = read(reader->fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			reader->lines += buf[i] == '\n';
		reader->last = buf[n - 1];
		if (reader->slow)
			usleep(500);
	}
	return NULL;
}

static void test_writer_to_a_reader(void **state)
{
	(void)state;
	for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
		struct writer writer = {.stop_fd = -1};
		struct reader reader = {.slow = true};
		pthread_t thread;
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		writer.fd = fds[1];
		reader.fd = fds[0];
		if (nonblocking)
			fcntl(fds[1], F_SETFL, O_NONBLOCK);
		assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
		for (int i = 0; i < 2; i++) {
			fill(&writer, 40000);
			assert_int_equal(writer_flush(&writer), 0);
			assert_int_equal(writer.n, 0);
		}
		assert_int_equal(writer_flush(&writer), 0); /* nothing to do */
		close(fds[1]);
		pthread_join(thread, NULL);
		close(fds[0]);
		assert_int_equal(reader.lines, 80000);
		assert_int_equal(reader.last, '\n');
		writer_release(&writer);
	}
}

static int flush_to(int fd, size_t lines)
{
	struct writer writer = {.fd = fd, .stop_fd = -1};
	int error;

	fill(&writer, lines);
	error = writer_flush(&writer);
	writer_release(&writer);
	return error;
}

static void test_writer_errors(void **state)
{
	int fds[2], fd;

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t lines = 1; lines < 50000; lines *= 50) {
		assert_int_equal(pipe(fds), 0);
		close(fds[0]);
		assert_int_equal(flush_to(fds[1], lines), -EPIPE);
		close(fds[1]);
		fd = open("/dev/full", O_WRONLY);
		assert_int_equal(flush_to(fd, lines), -ENOSPC);
		close(fd);
		assert_int_equal(flush_to(fd, lines), -EBADF);
		fd = open("/dev/null", O_WRONLY);
		assert_int_equal(flush_to(fd, lines), 0);
		close(fd);
		fd = open("/dev/null", O_RDONLY);
		assert_int_equal(flush_to(fd, lines), -EBADF);
		close(fd);
	}
}

static void test_writer_gives_a_sleeping_reader_up(void **state)
{
	struct writer writer = {0};
	struct reader reader = {0};
	int fds[2], stop[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "x", 1), 1);
	writer.fd = fds[1];
	writer.stop_fd = stop[0];
	/* what fits is written, although somebody wants the program to end */
	fill(&writer, 100);
	assert_int_equal(writer_flush(&writer), 0);
	fill(&writer, 100000);
	assert_int_equal(writer_flush(&writer), -ECANCELED);
	close(fds[1]);
	reader.fd = fds[0];
	(void)read_all(&reader);
	assert_true(reader.lines > 100 && reader.lines < 100100);
	for (int i = 0; i < 2; i++)
		close(stop[i]);
	close(fds[0]);
	writer_release(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_quoting),
	    cmocka_unit_test(test_tables_have_whole_rows),
	    cmocka_unit_test(test_stamp),
	    cmocka_unit_test(test_writer_to_a_reader),
	    cmocka_unit_test(test_writer_errors),
	    cmocka_unit_test(test_writer_gives_a_sleeping_reader_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
