/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings in force: which names and values can be, and what holds beside those that cannot.
 */
#include "bytes.h"

#include "conf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/iotriage-conf.XXXXXX";
static char path[64];

/* The usual file, which a test writes. */
static int begin(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
	snprintf(path, sizeof(path), "%s/iotriage", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/config");
	return 0;
}

static int end(void **state)
{
	char command[sizeof(folder) + 32];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static struct conf *conf_of(const char *text)
{
	struct conf *conf = NULL;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(conf_open(&conf, NULL), 0);
	return conf;
}

static double threshold(const struct conf *conf, const char *name)
{
	const struct threshold_info *info = threshold_find(name);

	assert_non_null(info);
	return conf_threshold(conf, info);
}

static void test_thresholds(void **state)
{
	const struct diagnosis_setup setup = {.kind = DIAGNOSIS_LIVE};
	struct diagnosis *diagnosis = diagnosis_new(&setup);
	struct conf *conf =
	    conf_of("queueing_wait = 60\r\n limit_other_ms=\t2.5e1\nmark_ms = 1\nmark_ms = 0");

	(void)state;
	assert_string_equal(conf_note(conf), "");
	conf_thresholds(conf, diagnosis);
	for (const struct threshold_info *info = threshold_infos(); info->name; info++) {
		double expected = strcmp(info->name, "queueing_wait") == 0    ? 60
				  : strcmp(info->name, "limit_other_ms") == 0 ? 25
				  : strcmp(info->name, "mark_ms") == 0        ? 0 /* the last one */
									      : info->by_default;

		assert_true(diagnosis_get(diagnosis, info->name) == expected);
	}
	conf_close(conf);
	diagnosis_free(diagnosis);
}

static void test_numbers_that_cannot_be(void **state)
{
	static const char *const values[] = {"",       "nan",
					     "NaN",    "inf",
					     "-inf",   "infinity",
					     "-1",     "-0.5",
					     "1e400",  "-1e400",
					     "1e-400", "0x10",
					     "5ms",    "5 ms",
					     "5,5",    "1.2.3",
					     "e",      "1e",
					     ".",      "+",
					     "--5",    "5 # no comment here",
					     "five",   "1e9999999999999999999999"};
	char text[128], said[256];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(text, sizeof(text), "\nqueueing_wait = %s\nmark_ms = 7\n", values[i]);
		struct conf *conf = conf_of(text);
		snprintf(said, sizeof(said),
			 "%s:2: queueing_wait = %s: a number from 0 on is needed; passed over",
			 path, values[i]);
		assert_string_equal(conf_note(conf), said);
		assert_true(threshold(conf, "queueing_wait") == 5);
		assert_true(threshold(conf, "mark_ms") == 7); /* the rest holds */
		conf_close(conf);
	}
}

/* One that cannot be is as if it were not there. */
static void test_duplicates(void **state)
{
	struct conf *conf =
	    conf_of("queueing_wait = 6\nqueueing_wait = x\nmouse = no\nmouse = so\n");

	(void)state;
	assert_non_null(strstr(conf_note(conf), ":2: queueing_wait = x: "));
	assert_non_null(strstr(conf_note(conf), "; passed over, as is 1 more line"));
	assert_true(threshold(conf, "queueing_wait") == 6);
	assert_false(conf_mouse(conf));
	conf_close(conf);
}

static void test_names_that_cannot_be(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
	    {"nosuch = 1", ":1: nosuch: no such setting"},
	    {"Mouse = yes", ":1: Mouse: no such setting"},
	    {"queueing_wai = 1", ":1: queueing_wai: no such setting"},
	    {"columns. = pid", ":1: columns.: no such setting"},
	    {"columns.nosuch = pid", ":1: columns.nosuch: no such setting"},
	    {"columns.findings = rule", ":1: columns.findings: no such setting"},
	    {"columns.system = iowait", ":1: columns.system: no such setting"},
	    {"columns.tasks = pid,nosuch",
	     ":1: columns.tasks: nosuch: the screen has no such column"},
	    {"mouse = YES", ":1: mouse = YES: yes or no is needed"},
	    {"mouse =", ":1: mouse = : yes or no is needed"},
	    {"mouse", ":1: name = value is needed"},
	    {"= 5", ":1: name = value is needed"},
	    {"a\033[2J = 1", ":1: a\033[2J: no such setting"}, /* cleaned where it is shown */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conf *conf = conf_of(cases[i].text);
		char said[256];
		snprintf(said, sizeof(said), "%s%s; passed over", path, cases[i].said);
		assert_string_equal(conf_note(conf), said);
		assert_true(conf_mouse(conf));
		assert_null(conf_columns(conf, &task_table));
		conf_close(conf);
	}
}

static void test_columns_are_kept_beside_everything_else(void **state)
{
	static const char text[] = "# mine\nqueueing_wait = 60\nnosuch = 1\nhalf a li\n\n";
	static const char after[] = "# mine\nqueueing_wait = 60\nnosuch = 1\nhalf a li\n\n"
				    "columns.tasks = pid,user\n";
	struct conf *conf = conf_of(text);
	char buf[256];

	(void)state;
	assert_int_equal(conf_keep_columns(conf, &task_table, "pid,user"), 0);
	assert_string_equal(conf_columns(conf, &task_table), "pid,user");
	int fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, buf, sizeof(buf)), strlen(after));
	assert_memory_equal(buf, after, strlen(after));
	close(fd);
	conf_close(conf);
}

int main(void)
{
#define CONF_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
	    CONF_TEST(test_thresholds),
	    CONF_TEST(test_numbers_that_cannot_be),
	    CONF_TEST(test_duplicates),
	    CONF_TEST(test_names_that_cannot_be),
	    CONF_TEST(test_columns_are_kept_beside_everything_else),
	};

	conf_close(NULL);
	return cmocka_run_group_tests_name("conf", tests, NULL, NULL) != 0;
}
