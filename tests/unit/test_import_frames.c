/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The importer as a whole: bytes in pieces of any size, frames out, memory that stays. */
#include "iotriage/import.h"

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char report[] = "$ iostat -x 5\n"
			     "Linux 5.10.0-21-amd64 (db01) \t11/30/2020 \t_x86_64_\t(8 CPU)\n"
			     "\n"
			     "05:14:27 PM\n"
			     "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
			     "           0.50    0.00    1.00   22.35    0.00   76.15\n"
			     "\n"
			     "Device r/s w/s rkB/s wkB/s await aqu-sz %util\n"
			     "sda 1.37 2.11 10.00 20.00 3.00 0.10 1.00\n"
			     "\n"
			     "05:14:32 PM\n"
			     "Device r/s w/s rkB/s wkB/s await aqu-sz %util\n"
			     "sda 100.00 200.00 400.00 800.00 3.00 0.90 80.00\n"
			     "sdb 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n";

/* What the sink saw. */
struct seen {
	char text[2048];
	size_t blocks;
	unsigned long segment[4];
	int answer;
};

static int see(void *context, const struct import_block *block)
{
	struct seen *seen = context;
	const struct frame *frame = block->frame;
	size_t n = strlen(seen->text);

	seen->segment[seen->blocks++ % 4] = block->segment;
	n += (size_t)snprintf(seen->text + n, sizeof(seen->text) - n,
			      "[%lu-%lu %s boot %d T %g iowait %g:", block->first_line,
			      block->last_line, block->clock, frame->since_boot, frame->seconds,
			      value_or(frame->system.iowait, -1));
	for (size_t i = 0; i < frame->ndevice && n < sizeof(seen->text); i++)
		n += (size_t)snprintf(seen->text + n, sizeof(seen->text) - n, " %s r %g await %g",
				      frame->device[i].name, value_or(frame->device[i].r, -1),
				      value_or(frame->device[i].await, -1));
	if (n < sizeof(seen->text))
		snprintf(seen->text + n, sizeof(seen->text) - n, "]");
	return seen->answer;
}

static int feed(struct seen *seen, const char *text, size_t n, size_t piece)
{
	struct import *import = import_new(see, seen);
	int error = 0;

	assert_non_null(import);
	for (size_t at = 0; at < n && !error; at += piece) {
		size_t part = n - at < piece ? n - at : piece;
		char *exact = malloc(part);

		assert_non_null(exact);
		memcpy(exact, text + at, part);
		error = import_bytes(import, exact, part);
		free(exact);
	}
	if (!error)
		error = import_end(import);
	import_free(import);
	return error;
}

static void test_pieces(void **state)
{
	static const char expected[] =
	    "[9-9 05:14:27 PM boot 1 T 0 iowait 22.35: sda r 1.37 await 3]"
	    "[13-14 05:14:32 PM boot 0 T 5 iowait -1: sda r 100 await 3 sdb r 0 await -1]";

	(void)state;
	for (size_t piece = 1; piece < sizeof(report); piece += piece < 8 ? 1 : 61) {
		struct seen seen = {.answer = 0};

		assert_int_equal(feed(&seen, report, sizeof(report) - 1, piece), 0);
		if (strcmp(seen.text, expected) != 0)
			fail_msg("in pieces of %zu: %s", piece, seen.text);
	}
}

static void test_sink_stops(void **state)
{
	struct seen seen = {.answer = -EPIPE};

	(void)state;
	assert_int_equal(feed(&seen, report, sizeof(report) - 1, 4096), -EPIPE);
	assert_int_equal(seen.blocks, 1);
}

static void test_long_lines(void **state)
{
	enum { LONG = 10 * 1024 * 1024 };
	static const char table[] = "\nDevice r/s w/s\nsda 1.00 2.00\n";
	struct seen seen = {.answer = 0};
	char *text = malloc(LONG + sizeof(table));

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONG);
	memcpy(text + LONG, table, sizeof(table));
	assert_int_equal(feed(&seen, text, LONG + sizeof(table) - 1, 65536), 0);
	assert_string_equal(seen.text, "[3-3  boot 0 T 0 iowait -1: sda r 1 await -1]");
	free(text);
}

static int count(void *context, const struct import_block *block)
{
	*(size_t *)context += block->frame->ndevice;
	return 0;
}

/* Memory in use must not grow with the text. */
static void test_memory(void **state)
{
	enum { TIMES = 20000 };
	size_t rows = 0, before = 0;
	struct import *import = import_new(count, &rows);

	(void)state;
	assert_non_null(import);
	for (int i = 0; i < TIMES; i++) {
		assert_int_equal(import_bytes(import, report, sizeof(report) - 1), 0);
		if (i == 100)
			before = mallinfo2().uordblks;
	}
	size_t after = mallinfo2().uordblks;
	assert_int_equal(import_end(import), 0);
	assert_int_equal(rows, 3 * TIMES);
	assert_true(after <= before + 4096);
	assert_int_equal(import_summary(import)->devices, 2);
	import_free(import);
}

static void test_segments(void **state)
{
	static const char *const texts[] = {
	    "Device r/s w/s\nsda 1.00 2.00\nDevice r/s w/s f/s\nsda 1.00 2.00 0.00\n",
	    ("Device r/s w/s\nsda 1.00 2.00\nLinux 5.1.0 (b) \t11/30/2020\nDevice r/s w/s\nsda 1.00 "
	     "2.00\n"),
	    "Device r/s w/s\nsda 1.00 2.00\n# iostat -x 1\nDevice r/s w/s\nsda 1.00 2.00\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct seen seen = {.answer = 0};

		assert_int_equal(feed(&seen, texts[i], strlen(texts[i]), 7), 0);
		assert_int_equal(seen.blocks, 2);
		assert_true(seen.segment[0] != seen.segment[1]);
	}
	struct seen seen = {.answer = 0};
	static const char same[] =
	    "Device r/s w/s\nsda 1.00 2.00\n\nDevice r/s w/s\nsda 1.00 2.00\n";
	assert_int_equal(feed(&seen, same, sizeof(same) - 1, 7), 0);
	assert_true(seen.segment[0] == seen.segment[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pieces),     cmocka_unit_test(test_sink_stops),
	    cmocka_unit_test(test_long_lines), cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
