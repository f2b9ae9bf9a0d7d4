/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: what is read from it, what is refused, and what a change leaves in it.
 */
#include "bytes.h"

#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/iotriage-settings.XXXXXX";
static char path[PATH_MAX];

static int begin(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/config", folder);
	return 0;
}

static int end(void **state)
{
	char command[sizeof(folder) + 32];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static void write_bytes(const char *file, const void *bytes, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void write_text(const char *text)
{
	write_bytes(path, text, strlen(text));
}

static void assert_file(const char *file, const char *text)
{
	char buf[4096];
	int fd = open(file, O_RDONLY);

	assert_true(fd >= 0);
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	assert_true(n >= 0);
	buf[n] = '\0';
	assert_string_equal(buf, text);
}

static struct settings *open_good(void)
{
	struct settings *settings = NULL;
	unsigned line = 99;

	assert_int_equal(settings_open(&settings, path, &line), 0);
	assert_non_null(settings);
	assert_int_equal(line, 0);
	return settings;
}

static void assert_refused(int error, unsigned line)
{
	struct settings *settings = NULL;
	unsigned got = 99;

	assert_int_equal(settings_open(&settings, path, &got), error);
	assert_null(settings);
	assert_int_equal(got, line);
}

static void test_names_and_values(void **state)
{
	unsigned line;
	const char *value;

	(void)state;
	write_text("# comment = no\n\n \t \ncolumns.tasks = pid, user ,command \n\tmouse=no\nempty =\n"
		   "a = b = c # no comment\r\nmouse = yes");
	struct settings *settings = open_good();
	assert_string_equal(settings_path(settings), path);
	assert_string_equal(settings_get(settings, "columns.tasks"), "pid, user ,command");
	assert_string_equal(settings_get(settings, "empty"), "");
	assert_string_equal(settings_get(settings, "a"), "b = c # no comment");
	assert_string_equal(settings_get(settings, "mouse"), "yes"); /* the last one */
	assert_null(settings_get(settings, "columns"));
	assert_null(settings_get(settings, "# comment"));
	static const struct {
		const char *name, *value;
		unsigned line;
	} all[] = {{"columns.tasks", "pid, user ,command", 4}, {"mouse", "no", 5}, {"empty", "", 6},
		   {"a", "b = c # no comment", 7}, {"mouse", "yes", 8}};
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(settings_at(settings, i, &value, &line), all[i].name);
		assert_string_equal(value, all[i].value);
		assert_int_equal(line, all[i].line);
	}
	assert_null(settings_at(settings, 5, &value, &line));
	settings_close(settings);
}

static void test_what_is_no_setting_is_refused_with_its_line(void **state)
{
	(void)state;
	write_text("a = 1\nnonsense\n");
	assert_refused(-EINVAL, 2);
	write_text("= 1\n");
	assert_refused(-EINVAL, 1);
	write_text("\n\n  \n  = 1");
	assert_refused(-EINVAL, 4);
	write_bytes(path, "a = 1\nb = \0 2\n", 14);
	assert_refused(-EINVAL, 2);
	write_bytes(path, "\0", 1);
	assert_refused(-EINVAL, 1);
}

static void test_hostile_files(void **state)
{
	struct exact large = exact_run('#', (1 << 20) + 1);

	(void)state;
	write_text("");
	settings_close(open_good());
	write_text("\n");
	settings_close(open_good());
	write_bytes(path, large.p, large.n);
	assert_refused(-EFBIG, 0);
	write_bytes(path, large.p, large.n - 1);
	settings_close(open_good());
	free(large.p);
	snprintf(path, sizeof(path), "%s", folder);
	assert_refused(-EISDIR, 0);
	snprintf(path, sizeof(path), "/dev/zero");
	assert_refused(-EFBIG, 0);
	snprintf(path, sizeof(path), "/dev/null");
	settings_close(open_good());
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	settings_close(open_good()); /* and does not wait for a writer */
	snprintf(path, sizeof(path), "%s/none", folder);
	assert_refused(-ENOENT, 0);
	struct exact name = exact_run('x', PATH_MAX + 1);
	name.p[PATH_MAX] = '\0';
	struct settings *settings = NULL;
	unsigned line;
	assert_int_equal(settings_open(&settings, name.p, &line), -ENAMETOOLONG);
	free(name.p);
}

static void test_an_unreadable_file(void **state)
{
	const uid_t user = geteuid(), nobody = 65534;

	(void)state;
	write_text("a = 1\n");
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	/* root may read anything */
	assert_int_equal(user == 0 ? seteuid(nobody) : 0, 0);
	assert_refused(-EACCES, 0);
	assert_int_equal(seteuid(user), 0);
	/* in a home that is not one's own it is as if there were none */
	struct settings *settings = NULL;
	char home[PATH_MAX];
	unsigned line;
	snprintf(home, sizeof(home), "%s/iotriage", folder);
	assert_int_equal(mkdir(home, 0700), 0);
	snprintf(home, sizeof(home), "%s/iotriage/config", folder);
	write_bytes(home, "a = 1\n", 6);
	assert_int_equal(chmod(home, 0), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
	assert_int_equal(user == 0 ? seteuid(nobody) : 0, 0);
	assert_int_equal(settings_open(&settings, NULL, &line), 0);
	assert_int_equal(seteuid(user), 0);
	assert_null(settings_get(settings, "a"));
	settings_close(settings);
}

/* Any bytes: a result or a line that is refused, never more. */
static void test_random_bytes(void **state)
{
	static const char sample[] = "# one\nmouse = yes\n\ncolumns.tasks = pid,user\n = \nx=y=z\r\n";
	uint32_t seed = 31337;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct exact text = exact_spoiled(sample, &seed);
		struct settings *settings = NULL;
		unsigned line;
		write_bytes(path, text.p, text.n);
		int error = settings_open(&settings, path, &line);
		assert_true(error == 0 || (error == -EINVAL && line >= 1 && line <= 60));
		settings_close(settings);
		free(text.p);
	}
}

static void test_a_change_leaves_everything_else(void **state)
{
	(void)state;
	write_text("# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = a\n# end");
	assert_int_equal(chmod(path, 0640), 0);
	struct settings *settings = open_good();
	assert_int_equal(settings_set(settings, "columns.tasks", "pid,user"), 0);
	assert_string_equal(settings_get(settings, "columns.tasks"), "pid,user");
	assert_file(path, "# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = pid,user\n# end\n");
	assert_int_equal(settings_set(settings, "new", "v w"), 0);
	assert_file(path, "# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = pid,user\n# end\nnew = v w\n");
	/* what somebody else has written meanwhile stays too */
	write_text("mouse = yes\ntheirs = 1\n");
	assert_int_equal(settings_set(settings, "new", "x"), 0);
	assert_file(path, "mouse = yes\ntheirs = 1\nnew = x\n");
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* and what it has broken is not overwritten, but holds here */
	write_text("half a li");
	assert_int_equal(settings_set(settings, "new", "y"), -EINVAL);
	assert_file(path, "half a li");
	assert_string_equal(settings_get(settings, "new"), "y");
	settings_close(settings);
}

static void test_bad_names_are_not_written(void **state)
{
	static const char *const names[] = {"", "a b", "a=b", "#a", "a\n", " a"};

	(void)state;
	write_text("a = 1\n");
	struct settings *settings = open_good();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(settings_set(settings, names[i], "x"), -EINVAL);
	assert_int_equal(settings_set(settings, "a", "two\nlines = 2"), -EINVAL);
	assert_file(path, "a = 1\n");
	settings_close(settings);
}

static void assert_link(const char *to)
{
	char link[PATH_MAX] = "";

	assert_true(readlink(path, link, sizeof(link) - 1) > 0);
	assert_string_equal(link, to);
}

/* People keep their settings elsewhere, and link to them. */
static void test_a_link_stays_one(void **state)
{
	char real[PATH_MAX];
	struct settings *settings;

	(void)state;
	snprintf(real, sizeof(real), "%s/real", folder);
	write_bytes(real, "mouse = no\n", 11);
	assert_int_equal(symlink("real", path), 0);
	settings = open_good();
	assert_int_equal(settings_set(settings, "mouse", "yes"), 0);
	assert_link("real");
	assert_file(real, "mouse = yes\n");
	/* and one that leads nowhere yet makes what it leads to */
	assert_int_equal(unlink(path), 0);
	snprintf(real, sizeof(real), "%s/new/deep/file", folder);
	assert_int_equal(symlink(real, path), 0);
	assert_int_equal(settings_set(settings, "mouse", "no"), 0);
	assert_link(real);
	assert_file(real, "mouse = no\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("config", path), 0); /* itself */
	assert_int_equal(settings_set(settings, "mouse", "yes"), -ELOOP);
	settings_close(settings);
}

static void test_the_usual_place(void **state)
{
	struct settings *settings = NULL;
	unsigned line;
	char usual[PATH_MAX + 64];
	struct stat st;

	(void)state;
	assert_int_equal(setenv("HOME", folder, 1), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "not/absolute", 1), 0);
	snprintf(usual, sizeof(usual), "%s/.config/iotriage/config", folder);
	assert_string_equal(settings_path(NULL), usual);
	assert_int_equal(settings_open(&settings, NULL, &line), 0); /* may be missing */
	assert_null(settings_get(settings, "mouse"));
	assert_int_equal(settings_set(settings, "mouse", "no"), 0);
	assert_file(usual, "mouse = no\n");
	assert_int_equal(stat(usual, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	*strrchr(usual, '/') = '\0';
	assert_int_equal(stat(usual, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	settings_close(settings);
	snprintf(usual, sizeof(usual), "%s/xdg", folder);
	assert_int_equal(setenv("XDG_CONFIG_HOME", usual, 1), 0);
	strcat(usual, "/iotriage/config");
	assert_string_equal(settings_path(NULL), usual);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "", 1), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_string_equal(settings_path(NULL), "");
	settings = NULL;
	assert_int_equal(settings_open(&settings, NULL, &line), 0);
	assert_string_equal(settings_path(settings), "");
	assert_int_equal(settings_set(settings, "mouse", "no"), -ENOENT);
	assert_string_equal(settings_get(settings, "mouse"), "no"); /* for this run */
	settings_close(settings);
}

static void test_what_is_no_file_is_not_replaced(void **state)
{
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/null", folder);
	assert_int_equal(symlink("/dev/null", path), 0);
	struct settings *settings = open_good();
	assert_int_equal(settings_set(settings, "mouse", "no"), -EINVAL);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	settings_close(settings);
}

int main(void)
{
#define SETTINGS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
	    SETTINGS_TEST(test_names_and_values),
	    SETTINGS_TEST(test_what_is_no_setting_is_refused_with_its_line),
	    SETTINGS_TEST(test_hostile_files),
	    SETTINGS_TEST(test_an_unreadable_file),
	    SETTINGS_TEST(test_random_bytes),
	    SETTINGS_TEST(test_a_change_leaves_everything_else),
	    SETTINGS_TEST(test_bad_names_are_not_written),
	    SETTINGS_TEST(test_a_link_stays_one),
	    SETTINGS_TEST(test_the_usual_place),
	    SETTINGS_TEST(test_what_is_no_file_is_not_replaced),
	};

	settings_close(NULL);
	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
