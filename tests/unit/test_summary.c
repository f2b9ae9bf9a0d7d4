/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rankings at the end of a run, as they are written.
 */
#include "bytes.h"

#include "output/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { TASKS_MAX = 8 };

static const double from = 1700000000, to = 1700000060; /* 22:13:20 UTC */

struct world {
	struct totals *totals;
	struct frame frame;
	struct task_row row[TASKS_MAX];
	struct task_sample sample[TASKS_MAX];
	char path[64];
	char text[8192];
	struct summary_setup setup;
};

static struct world world;

static void set_devices(struct value done_rkb, struct value done_wkb)
{
	struct system_row *system = &world.frame.system;

	system->done_rkb = done_rkb;
	system->done_wkb = done_wkb;
	system->asked_rkb = system->asked_wkb = value_of(0);
}

static int begin(void **state)
{
	(void)state;
	world = (struct world){.totals = totals_new(), .path = "/tmp/iotriage-summary.XXXXXX"};
	assert_non_null(world.totals);
	int fd = mkstemp(world.path);
	assert_true(fd >= 0);
	close(fd);
	world.frame = (struct frame){.seconds = 60, .tasks_state = PRESENT, .task = world.row, .epoch = to};
	set_devices(value_absent(ABSENT_NEW), value_absent(ABSENT_NEW));
	world.setup = (struct summary_setup){.output = world.path, .from_epoch = from, .stop_fd = -1};
	return 0;
}

static int end(void **state)
{
	(void)state;
	totals_free(world.totals);
	return unlink(world.path);
}

static struct task_row *put(int32_t pid, const char *comm, const char *user, double rkib, double wkib)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct task_sample *sample = &world.sample[world.frame.ntask];
	struct task_row *row = &world.row[world.frame.ntask++];

	*sample = (struct task_sample){.pid = pid, .start_ticks = 1};
	snprintf(sample->comm, sizeof(sample->comm), "%s", comm);
	*row = (struct task_row){.kind = pid ? TASK_PROCESS : TASK_UNATTRIBUTED, .task = sample, .seconds = 60,
				 .rkb = value_of(rkib / 60), .wkb = value_of(wkib / 60), .ckb = none,
				 .inh_rkb = none, .inh_wkb = none, .user = user};
	if (!pid)
		set_devices(row->rkb, row->wkb);
	return row;
}

static void add(void)
{
	world.frame.number++;
	totals_add(world.totals, &world.frame, &(struct choice){0});
	world.frame.ntask = 0;
	set_devices(value_absent(ABSENT_NEW), value_absent(ABSENT_NEW));
}

static const char *written(void)
{
	assert_int_equal(summary_write(&world.setup, world.totals, &world.frame), 0);
	int fd = open(world.path, O_RDONLY);
	assert_true(fd >= 0);
	ssize_t n = read(fd, world.text, sizeof(world.text) - 1);
	close(fd);
	assert_true(n >= 0);
	world.text[n] = '\0';
	return world.text;
}

static void test_text(void **state)
{
	(void)state;
	put(1, "dd", "root", 0, 3 * 1048576);
	put(2, "dd", "root", 512, 0);
	put(3, "postgres", "pg", 2048, 1024);
	put(4, "idle", "root", 0, 0);
	put(0, "", NULL, 0, 4096);
	add();
	world.frame.seconds = 0; /* of no length: only to end dd */
	put(3, "postgres", "pg", 0, 0);
	put(4, "idle", "root", 0, 0);
	add();
	assert_string_equal(written(),
			    "By program, 60.0 s, 22:13:20 to 22:14:20\n"
			    "  USER TASKS  rkB  wkB rMB/day wMB/day NAME\n"
			    "x root     2 512K 3.0G     720 4423680 dd\n"
			    "  -        -    0 4.0M       0    5760 (unattributed)\n"
			    "  pg       1 2.0M 1.0M    2880    1440 postgres\n"
			    "and 1 more\n"
			    "\n"
			    "By user, 60.0 s, 22:13:20 to 22:14:20\n"
			    "TASKS  rkB  wkB rMB/day wMB/day NAME\n"
			    "    3 512K 3.0G     720 4423680 root\n"
			    "    -    0 4.0M       0    5760 (unattributed)\n"
			    "    1 2.0M 1.0M    2880    1440 pg\n");
}

static void test_top_keeps_the_unattributed(void **state)
{
	(void)state;
	put(1, "a", "x", 300, 0);
	put(2, "b", "y", 200, 0);
	put(3, "c", "z", 100, 0);
	put(0, "", NULL, 1, 0);
	add();
	world.setup.top = 1;
	const char *text = written();
	assert_non_null(strstr(text, " a\n"));
	assert_null(strstr(text, " b\n"));
	assert_null(strstr(text, " c\n"));
	assert_non_null(strstr(text, "(unattributed)\nand 2 more\n"));
}

static void test_inherited_has_columns_where_there_is_some(void **state)
{
	(void)state;
	put(1, "make", "x", 0, 0)->inh_wkb = value_of(10);
	add();
	const char *text = written();
	assert_non_null(strstr(text, "inh_wkB"));
	assert_null(strstr(text, "inh_rkB"));
	assert_non_null(strstr(text, "600K"));
}

static void test_nothing_was_done(void **state)
{
	(void)state;
	assert_string_equal(written(), "By program, 0.0 s, 22:13:20 to 22:14:20\nnothing was measured\n\n"
				       "By user, 0.0 s, 22:13:20 to 22:14:20\nnothing was measured\n");
	put(1, "idle", "x", 0, 0);
	add();
	assert_non_null(strstr(written(), "By program, 60.0 s, 22:13:20 to 22:14:20\nnothing was read or written\n"));
	assert_null(strstr(world.text, "NAME"));
	world.setup.from_epoch = to - 2 * 86400;
	assert_non_null(strstr(written(), "2023-11-12 22:14:20 to 2023-11-14 22:14:20\n"));
	world.frame.epoch = 0; /* ended before there was a frame */
	world.setup.from_epoch = from;
	assert_non_null(strstr(written(), "22:13:20 to 22:13:20\n"));
}

static void test_what_was_not_measured_did_not_do_nothing(void **state)
{
	(void)state;
	for (int i = 1; i <= 3; i++) {
		struct task_row *row = put(i, i == 3 ? "c" : i == 2 ? "b" : "a", "x", 0, 0);
		if (i < 3)
			row->rkb = row->wkb = value_absent(ABSENT_DENIED);
	}
	add();
	assert_non_null(strstr(written(), "\nnothing was read or written\n2 could not be measured\n\nBy user"));
	put(3, "c", "x", 5, 0);
	add();
	assert_non_null(strstr(written(), " c\n2 could not be measured\n\nBy user"));
	assert_null(strstr(world.text, "more"));
}

static void test_names_cannot_reach_the_terminal(void **state)
{
	static const struct {
		const char *name, *safe;
	} cases[] = {
	    {"\033[2Jx\n\ty\177", "?[2Jx??y?"},
	    {"\xff\xc0\x80\xed\xa0\x80", "??????"},
	    {"caf\xc3\xa9 \xe6\x97\xa5\xf0\x9f\x92\xbe", "caf\xc3\xa9 \xe6\x97\xa5\xf0\x9f\x92\xbe"},
	    {"\xc2\x9b" "31m", "?31m"},             /* a control of 8 bits */
	    {"a\xe2\x80\xae" "b", "a?b"},           /* turns the direction */
	    {"cut \xe6\x97", "cut ??"},
	    {"\xf4\x90\x80\x80", "????"},           /* beyond Unicode */
	    {"\xf0\x80\x80\x80", "????"},           /* too long a form */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[100];
		end(state);
		begin(state);
		put(1, cases[i].name, cases[i].name, 1024, 0);
		add();
		snprintf(line, sizeof(line), " %s\n", cases[i].safe);
		assert_non_null(strstr(written(), line));
		snprintf(line, sizeof(line), "\n%s ", cases[i].safe);
		assert_non_null(strstr(world.text, line));
	}
}

/* Characters line up, not bytes. */
static void test_columns_line_up(void **state)
{
	(void)state;
	put(1, "a", "\xc3\xa9t\xc3\xa9", 1024, 0);
	put(2, "b", "averylongusername", 512, 0);
	add();
	const char *text = written();
	assert_non_null(strstr(text, "\nUSER              TASKS"));
	assert_non_null(strstr(text, "\n\xc3\xa9t\xc3\xa9                   1"));
	assert_non_null(strstr(text, "\naverylongusername     1"));
}

static void test_csv(void **state)
{
	(void)state;
	put(1, "a,b", "x", 60, 0);
	put(2, "idle", "x", 0, 0);
	add();
	world.setup.csv = true;
	assert_string_equal(
	    written(),
	    "time,epoch,by,mark,pid,user,tasks,rkB,wkB,kB,inhkB,inh_rkB,inh_wkB,ckB,rMB/day,wMB/day,seconds,name\n"
	    "2023-11-14T22:14:20.000+00:00,1700000060.000,program,,,x,1,60,0,60,,,,,84,0,60.00,\"a,b\"\n"
	    "2023-11-14T22:14:20.000+00:00,1700000060.000,program,,,x,1,0,0,0,,,,,0,0,60.00,idle\n"
	    "2023-11-14T22:14:20.000+00:00,1700000060.000,user,,,x,2,60,0,60,,,,,84,0,60.00,x\n");
}

static void test_errors(void **state)
{
	(void)state;
	put(1, "a", "x", 60, 0);
	add();
	world.setup.output = "/dev/full";
	assert_int_equal(summary_write(&world.setup, world.totals, &world.frame), -ENOSPC);
	world.setup.output = "/nonexistent/x";
	assert_int_equal(summary_write(&world.setup, world.totals, &world.frame), -ENOENT);
	world.setup.output = "/tmp";
	assert_int_equal(summary_write(&world.setup, world.totals, &world.frame), -EISDIR);
}

int main(void)
{
#define SUMMARY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
	    SUMMARY_TEST(test_text),
	    SUMMARY_TEST(test_top_keeps_the_unattributed),
	    SUMMARY_TEST(test_inherited_has_columns_where_there_is_some),
	    SUMMARY_TEST(test_nothing_was_done),
	    SUMMARY_TEST(test_what_was_not_measured_did_not_do_nothing),
	    SUMMARY_TEST(test_names_cannot_reach_the_terminal),
	    SUMMARY_TEST(test_columns_line_up),
	    SUMMARY_TEST(test_csv),
	    SUMMARY_TEST(test_errors),
	};

	if (setenv("TZ", "UTC", 1) < 0)
		return 1;
	tzset();
	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
