/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes in which reports are posted: each text with the rows that are in it. */
#include "iotriage/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What the sink saw: "[sda 1 2 3.5]", "B[...]" since boot, "|" where history breaks. */
struct seen {
	char text[1024];
	size_t n;
	unsigned long segment;
	double seconds;
};

static void append(struct seen *seen, const char *text)
{
	seen->n += (size_t)snprintf(seen->text + seen->n, sizeof(seen->text) - seen->n, "%s", text);
	assert_true(seen->n < sizeof(seen->text));
}

static void append_value(struct seen *seen, struct value value)
{
	char text[32] = " -";

	if (value_known(value))
		snprintf(text, sizeof(text), " %g", value.n);
	append(seen, text);
}

static int see(void *context, const struct import_block *block)
{
	struct seen *seen = context;
	const struct frame *frame = block->frame;

	if (seen->n && seen->segment != block->segment)
		append(seen, "|");
	seen->segment = block->segment;
	seen->seconds = frame->seconds;
	append(seen, frame->since_boot ? "B[" : "[");
	for (size_t i = 0; i < frame->ndevice; i++) {
		append(seen, i ? ", " : "");
		append(seen, frame->device[i].name);
		append_value(seen, frame->device[i].r);
		append_value(seen, frame->device[i].w);
		append_value(seen, frame->device[i].await);
	}
	append(seen, "]");
	return 0;
}

static struct seen import_text(const char *text, struct import_summary *summary)
{
	struct seen seen = {.n = 0};
	struct import *import = import_new(see, &seen);

	assert_non_null(import);
	assert_int_equal(import_bytes(import, text, strlen(text)), 0);
	assert_int_equal(import_end(import), 0);
	if (summary)
		*summary = *import_summary(import);
	import_free(import);
	return seen;
}

static void assert_rows(const char *text, const char *expected)
{
	struct seen seen = import_text(text, NULL);

	if (strcmp(seen.text, expected) != 0)
		fail_msg("%s\nis read as %s, not as %s", text, seen.text, expected);
}

/* ---- what stands before every line ---- */

#define BANNER "Linux 5.10.0-8 (web3) \t02/03/2021 \t_x86_64_\t(4 CPU)"
#define HEADER "Device            r/s     w/s     rkB/s     wkB/s   await  aqu-sz  %util"
#define AVERAGE "sda              3.41    6.07     26.00     24.00    3.78    0.01   3.62"
#define ROW "sda            103.00  206.00   4126.00   8124.00  103.78   31.01  99.62"
#define CPU_HEAD "avg-cpu:  %user   %nice %system %iowait  %steal   %idle"
#define CPU_ROW "           2.48    0.92    5.59   17.06    0.21   73.74"
#define ROWS "B[sda 3.41 6.07 3.78][sda 103 206 103.78]"

/* The report, with this in front of each line; "%u" is the line's number. */
static void assert_prefixed(const char *format)
{
	static const char *const lines[] = {BANNER, "",      CPU_HEAD, CPU_ROW, "", HEADER,
					    AVERAGE, "",     CPU_HEAD, CPU_ROW, "", HEADER,
					    ROW};
	char text[4096];
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *number = strstr(format, "%u");
		size_t before = number ? (size_t)(number - format) : strlen(format);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s", (int)before, format);
		if (number)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%u%s", i + 8,
					      number + 2);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n", lines[i]);
	}
	assert_rows(text, ROWS);
}

static void test_prefixes(void **state)
{
	static const char *const formats[] = {
	    "",       "# ",  "#",        "// ",     "%u:",
	    "%u-",    "  %u\t", "io.log:", "web3: ",   "web3> ",
	    "14:00:01 ", "Nov 30 14:00:01 ", "[2021-02-03 10:11:12] ", "2021-02-03T10:11:12+0100 "};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		assert_prefixed(formats[i]);
}

static void test_prefix_ends(void **state)
{
	(void)state;
	/* a comment's mark at a header only; numbers that do not go up are no numbering */
	assert_rows("# " HEADER "\n" ROW "\n", "[sda 103 206 103.78]");
	assert_rows("9:" HEADER "\n10:" ROW "\n3 apples\n", "[sda 103 206 103.78]");
	/* a program that quotes the report */
	assert_rows("s = `" BANNER "\n" HEADER "\n" AVERAGE "\n" HEADER "\n" ROW "`\n", ROWS);
	/* hosts in turn have histories of their own */
	assert_rows("a1: " HEADER "\na1: " ROW "\nb2: " HEADER "\nb2: " ROW "\n",
		    "[sda 103 206 103.78]|[sda 103 206 103.78]");
}

static void test_row_stamps(void **state)
{
	struct seen seen = import_text("         " HEADER "\n08:32:49 " ROW "\n08:32:59 " ROW "\n",
				       NULL);

	(void)state;
	assert_string_equal(seen.text, "[sda 103 206 103.78][sda 103 206 103.78]");
	assert_true(seen.seconds > 9.5 && seen.seconds < 10.5);
	seen = import_text("14:00:01 " HEADER "\n14:00:01 " ROW "\n14:00:06 " HEADER
			   "\n14:00:06 " ROW "\n",
			   NULL);
	assert_true(seen.seconds > 4.5 && seen.seconds < 5.5);
}

/* ---- which block is since boot ---- */

#define OLD "Device:  rrqm/s wrqm/s r/s w/s await %util\n"

static void test_asked_interval(void **state)
{
	(void)state;
	/* counts of five seconds, and such as no five seconds give */
	assert_rows("$ iostat -x 5\n" OLD "sda 0.20 11.60 1.40 24.20 6.06 1.04\n",
		    "[sda 1.4 24.2 6.06]");
	assert_rows("$ iostat -x 5\n" OLD "sda 0.21 11.63 1.47 24.29 6.06 1.04\n",
		    "B[sda 1.47 24.29 6.06]");
	/* a machine that is late, and 2.2 seconds for two */
	assert_rows("$ iostat -x 2\n" OLD "sda 44.50 39.27 117.28 29.32 462.79 111.41\n",
		    "[sda 117.28 29.32 462.79]");
	assert_rows("$ iostat -x 2\n" OLD "sda 0.00 0.91 50.91 20.45 62.79 71.41\n",
		    "B[sda 50.91 20.45 62.79]");
	/* two rates of ten seconds may be so by chance */
	assert_rows("$ iostat -x 10\n" OLD "sda 0.00 0.00 1.40 24.20 6.06 1.04\n",
		    "B[sda 1.4 24.2 6.06]");
	assert_rows("pod$ kubectl exec db -- iostat -x 5\n" OLD
		    "sda 0.20 11.60 1.40 24.20 6.06 1.04\n",
		    "[sda 1.4 24.2 6.06]");
}

static void test_rates_of_no_interval(void **state)
{
	(void)state;
	/* 70 or 75 seconds would give these, but nobody asks for that */
	assert_rows(OLD "vda 0.00 0.67 0.01 0.71 3.34 0.08\nvdb 0.00 210.20 0.00 627.11 0.24 17.07\n",
		    "B[vda 0.01 0.71 3.34, vdb 0 627.11 0.24]");
	/* busy all the time: the block that somebody shows */
	assert_rows(OLD "vda 0.00 0.67 0.01 0.71 3.34 0.08\nvdb 0.00 210.20 0.00 627.11 0.24 97.07\n",
		    "[vda 0.01 0.71 3.34, vdb 0 627.11 0.24]");
}

/* ---- tables ---- */

static void test_halves(void **state)
{
	static const char table[] = "Device: rrqm/s wrqm/s r/s w/s\n"
				    "sda 0.00 11.00 1.00 24.00\n"
				    "sdb 0.00 12.00 2.00 25.00\n"
				    "rkB/s wkB/s avgqu-sz await %util\n"
				    "4.00 99.00 0.15 6.06 1.04\n"
				    "8.00 98.00 0.15 7.07 2.08\n"
				    "Prose with 2 numbers 3\n";
	char twice[2 * sizeof(table)];

	(void)state;
	assert_rows(table, "[sda 1 24 6.06, sdb 2 25 7.07]");
	snprintf(twice, sizeof(twice), "%s%s", table, table);
	assert_rows(twice, "[sda 1 24 6.06, sdb 2 25 7.07][sda 1 24 6.06, sdb 2 25 7.07]");
	/* columns that were there already are another table, whose beginning is lost */
	assert_rows("Device: r/s w/s await\nsda 1.00 24.00 6.06\nr/s w/s %util\n7.00 8.00 9.00\n",
		    "[sda 1 24 6.06]");
}

static void test_flat_and_bold(void **state)
{
	(void)state;
	assert_rows("Device: r/s w/s rkB/s wkB/s await %util sda 1.00 2.00 3.00 4.00 5.00 6.00 sdb "
		    "7.00 8.00 9.00 1.00 2.00 3.00\n",
		    "[sda 1 2 5, sdb 7 8 2]");
	assert_rows("Device: r/s w/s await %util\n**sda** 1.00 2.00 *3.00* **96.00**\n",
		    "[sda 1 2 3]");
}

#define SAR "DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n"
#define SAR_ROW "sda     29.00      0.00   3128.00    458.36      8.14     40.34      6.20  80.00\n"

static void test_averages_of_sar(void **state)
{
	struct import_summary summary;
	struct seen seen =
	    import_text("Moyenne :   " SAR "Moyenne :   " SAR_ROW "Moyenne :   sdb 0 0 0 0 0 0 0 0\n",
			&summary);

	(void)state;
	assert_string_equal(seen.text, "[sda - - 40.34, sdb - - -]");
	assert_true(summary.only_averages);
	/* left out where there are intervals, before them or behind */
	seen = import_text("Average:   " SAR "Average:   " SAR_ROW "\n10:00:01 " SAR
			   "10:00:02 sdb 0 0 0 0 0 0 0 0\n\nAverage:   " SAR "Average:  " SAR_ROW,
			   &summary);
	assert_string_equal(seen.text, "[sdb - - -]");
	assert_false(summary.only_averages);
}

/* ---- vmstat above it ---- */

static void test_broken_vmstat(void **state)
{
	struct import_summary summary;
	struct seen seen =
	    import_text("$ vmstat 1\n"
			" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id\n"
			"wa\n"
			" 0  6    764  28168     12 1257884   24    0 50724 17214 1858 4755  1 11\n"
			"35 54\n"
			" 1  7   3132 123740     12 1051848    0 2368  3852 34246 2097 2376  0  5\n"
			"0 94\n\n"
			"Device: r/s w/s rkB/s\nwkB/s await %util\n"
			"sda 254.64 65.98 21905.15\n24202.06 209.54 99.30\n",
			&summary);

	(void)state;
	assert_string_equal(seen.text, "B[][][sda 254.64 65.98 209.54]");
	assert_int_equal(summary.dropped, 0);
}

/* ---- cells with a mark between them ---- */

static void test_marked_cells(void **state)
{
	struct import_summary summary;
	struct seen seen;

	(void)state;
	assert_rows("# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;areq-sz;aqu-sz;await;%util\n"
		    "web3;600;2024-03-01 00:10:01 UTC;sda;8.90;162.55;94.02;8.21;7.12;36.80;9.10\n"
		    "web3;600;2024-03-01 00:10:01 UTC;sdb;1.90;10.55;94.02;5.21;0.12;0.80;1.10\n"
		    "web3;600;2024-03-01 00:20:01 UTC;sda;8.90;162.55;94.02;8.21;7.12;46.80;9.10\n",
		    "[sda - - 36.8, sdb - - 0.8][sda - - 46.8]");
	seen = import_text("# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;await;%util\n"
			   "web3;600;2024-03-01 00:10:01 UTC;sda;8,90;162,55;94,02;36,80;9,10\n"
			   "web3;-1;2024-03-01 00:15:01 UTC;LINUX-RESTART\t(4 CPU)\n"
			   "web3;600;2024-03-01 00:20:01 UTC;sda;8,90;162,55;94,02;46,80;9,10\n",
			   &summary);
	assert_string_equal(seen.text, "[sda - - 36.8]|[sda - - 46.8]");
	assert_int_equal(summary.restarts, 1);
	assert_true(seen.seconds > 599 && seen.seconds < 601);
	assert_rows("time,Device,r/s,w/s,rMB/s,await,%util\n10:00:01,sda,3.00,6.00,1.00,3.78,1.62\n"
		    "10:00:02,sda,4.00,7.00,1.00,4.78,1.62\n",
		    "[sda 3 6 3.78][sda 4 7 4.78]");
	/* a sentence with commas is none */
	assert_rows("The Device, r/s, w/s and await, as iostat says\nsda, 1, 2\n", "");
}

/* ---- JSON ---- */

static void test_broken_json(void **state)
{
	(void)state;
	/* an object is closed too early, or the text is cut */
	assert_rows("$ iostat -x -y -o JSON 1\n{\"sysstat\": {\"hosts\": [{\"statistics\": [\n"
		    "{\"avg-cpu\": {\"iowait\": 1.0}, \"idle\": 3 }, \"disk\": [\n"
		    "{\"disk_device\": \"sda\", \"r/s\": 5.00, \"w/s\": 6.00, \"util\": 7.0},\n"
		    "{\"disk_device\": \"sdb\", \"r/s\": 1.00, \"w/s\": 2.00, \"util\": 3.0}\n"
		    "]}]}]}}\n",
		    "[sda 5 6 -, sdb 1 2 -]");
	assert_rows("$ iostat -x -y -o JSON 1\n{\"sysstat\": {\"hosts\": [{\"statistics\": [\n"
		    "{\"disk\": [\n"
		    "{\"disk_device\": \"sda\", \"r/s\": 5.00, \"w/s\": 6.00, \"util\": 7.0},\n"
		    "{\"disk_device\": \"sdb\", \"r/s\": 1.00, \"w/s\n",
		    "[sda 5 6 -]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prefixes),
	    cmocka_unit_test(test_prefix_ends),
	    cmocka_unit_test(test_row_stamps),
	    cmocka_unit_test(test_asked_interval),
	    cmocka_unit_test(test_rates_of_no_interval),
	    cmocka_unit_test(test_halves),
	    cmocka_unit_test(test_flat_and_bold),
	    cmocka_unit_test(test_averages_of_sar),
	    cmocka_unit_test(test_broken_vmstat),
	    cmocka_unit_test(test_marked_cells),
	    cmocka_unit_test(test_broken_json),
	};

	return cmocka_run_group_tests_name("shapes of reports", tests, NULL, NULL);
}
