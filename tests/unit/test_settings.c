/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: where it is, what cannot be read, and what a change leaves in it.
 */
#include "bytes.h"

#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static void assert_bytes(const char *file, const char *bytes, size_t length)
{
	char buf[4096];
	int fd = open(file, O_RDONLY);

	assert_true(fd >= 0);
	ssize_t n = read(fd, buf, sizeof(buf));
	close(fd);
	assert_int_equal(n, length);
	assert_memory_equal(buf, bytes, length);
}

static void assert_file(const char *file, const char *text)
{
	assert_bytes(file, text, strlen(text));
}

static struct settings *open_file(const char *file, int expected)
{
	int error = 99;
	struct settings *settings = settings_open(file, &error);

	assert_non_null(settings);
	assert_int_equal(error, expected);
	if (error)
		assert_int_equal(settings_lines(settings)->n, 0);
	return settings;
}

static struct settings *open_good(void)
{
	return open_file(path, 0);
}

static void assert_unread(int error)
{
	settings_close(open_file(path, error));
}

static const char *get(const struct settings *settings, const char *name)
{
	const struct settings_lines *lines = settings_lines(settings);
	const char *value = NULL;

	for (size_t i = 0; i < lines->n; i++)
		if (lines->line[i].name && strcmp(lines->line[i].name, name) == 0)
			value = lines->line[i].value;
	return value;
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
	assert_unread(-EFBIG);
	write_bytes(path, large.p, large.n - 1);
	settings_close(open_good());
	free(large.p);
	snprintf(path, sizeof(path), "%s", folder);
	assert_unread(-EISDIR);
	snprintf(path, sizeof(path), "/dev/zero");
	assert_unread(-EFBIG);
	snprintf(path, sizeof(path), "/dev/null");
	settings_close(open_good());
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_unread(-ETIMEDOUT); /* nobody writes into it */
	snprintf(path, sizeof(path), "%s/none", folder);
	assert_unread(-ENOENT);
	struct exact name = exact_run('x', PATH_MAX + 1);
	name.p[PATH_MAX] = '\0';
	settings_close(open_file(name.p, -ENAMETOOLONG));
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
	assert_unread(-EACCES);
	assert_int_equal(seteuid(user), 0);
	/* the usual one too: what it sets does not hold */
	char home[PATH_MAX];
	snprintf(home, sizeof(home), "%s/iotriage", folder);
	assert_int_equal(mkdir(home, 0755), 0);
	snprintf(home, sizeof(home), "%s/iotriage/config", folder);
	write_bytes(home, "a = 1\n", 6);
	assert_int_equal(chmod(home, 0), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
	assert_int_equal(user == 0 ? seteuid(nobody) : 0, 0);
	settings_close(open_file(NULL, -EACCES));
	assert_int_equal(seteuid(user), 0);
}

/* What a shell's <(command) is: a descriptor that the child which reads does not have. */
static void test_descriptors(void **state)
{
	static const char text[] = "a = 1\n";
	struct settings *settings;
	int fd[2], kept = dup(STDIN_FILENO);

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], text, strlen(text)), strlen(text));
		close(fd[1]);
		if (i == 0)
			snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
		else
			snprintf(path, sizeof(path), "/dev/stdin");
		assert_true(i == 0 || dup2(fd[0], STDIN_FILENO) == STDIN_FILENO);
		settings = open_good();
		assert_string_equal(get(settings, "a"), "1");
		assert_true(settings_set(settings, "a", "2") < 0);
		settings_close(settings);
		close(fd[0]);
	}
	assert_true(dup2(kept, STDIN_FILENO) >= 0);
	close(kept);
}

static void test_a_change_leaves_everything_else(void **state)
{
	(void)state;
	write_text("# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = a\n# end");
	assert_int_equal(chmod(path, 0640), 0);
	struct settings *settings = open_good();
	assert_int_equal(settings_set(settings, "columns.tasks", "pid,user"), 0);
	assert_string_equal(get(settings, "columns.tasks"), "pid,user");
	assert_file(path, "# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = pid,user\n# end\n");
	assert_int_equal(settings_set(settings, "new", "v w"), 0);
	assert_file(
	    path, "# mine\nmouse = no\n\n  odd=1   \ncolumns.tasks = pid,user\n# end\nnew = v w\n");
	/* what somebody else has written meanwhile stays too */
	write_text("mouse = yes\ntheirs = 1\n");
	assert_int_equal(settings_set(settings, "new", "x"), 0);
	assert_file(path, "mouse = yes\ntheirs = 1\nnew = x\n");
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* and what is no setting, to the byte */
	write_bytes(path, "half a li\n\0\xff\r\n= 1", 17);
	assert_int_equal(settings_set(settings, "new", "y"), 0);
	assert_bytes(path, "half a li\n\0\xff\r\n= 1\nnew = y\n", 26);
	settings_close(settings);
}

/* The file became one that cannot be read: it is not overwritten, and here the value holds. */
static void test_what_cannot_be_read_is_not_overwritten(void **state)
{
	struct exact large = exact_run('#', (1 << 20) + 1);
	struct stat st;

	(void)state;
	write_text("a = 1\n");
	struct settings *settings = open_good();
	write_bytes(path, large.p, large.n);
	assert_int_equal(settings_set(settings, "a", "2"), -EFBIG);
	assert_string_equal(get(settings, "a"), "2");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, large.n);
	free(large.p);
	/* nor is a FIFO waited for */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(settings_set(settings, "a", "3"), -EINVAL);
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

static void assert_usual_path(const char *expected)
{
	struct settings *settings = open_file(NULL, 0); /* may be missing */

	assert_string_equal(settings_path(settings), expected);
	assert_int_equal(settings_lines(settings)->n, 0);
	settings_close(settings);
}

static void test_the_usual_place(void **state)
{
	char usual[PATH_MAX + 64];

	(void)state;
	assert_int_equal(setenv("HOME", folder, 1), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "not/absolute", 1), 0);
	snprintf(usual, sizeof(usual), "%s/.config/iotriage/config", folder);
	assert_usual_path(usual);
	assert_int_equal(setenv("HOME", "/dev/null", 1), 0); /* of users that are no people */
	assert_usual_path("/dev/null/.config/iotriage/config");
	snprintf(usual, sizeof(usual), "%s/xdg", folder);
	assert_int_equal(setenv("XDG_CONFIG_HOME", usual, 1), 0);
	strcat(usual, "/iotriage/config");
	assert_usual_path(usual);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "", 1), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_usual_path("");
	assert_int_equal(setenv("HOME", "relative", 1), 0);
	assert_usual_path("");
}

static void test_the_usual_place_is_made(void **state)
{
	char usual[PATH_MAX + 64];
	struct settings *settings;
	struct stat st;

	(void)state;
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_int_equal(setenv("HOME", folder, 1), 0);
	snprintf(usual, sizeof(usual), "%s/.config/iotriage/config", folder);
	settings = open_file(NULL, 0);
	assert_null(get(settings, "mouse"));
	assert_int_equal(settings_set(settings, "mouse", "no"), 0);
	assert_file(usual, "mouse = no\n");
	assert_int_equal(stat(usual, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	*strrchr(usual, '/') = '\0';
	assert_int_equal(stat(usual, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	settings_close(settings);
	assert_int_equal(unsetenv("HOME"), 0);
	settings = open_file(NULL, 0);
	assert_int_equal(settings_set(settings, "mouse", "no"), -ENOENT);
	assert_string_equal(get(settings, "mouse"), "no"); /* for this run */
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

enum { WRITERS = 5 };

static void set_own(int number)
{
	struct settings *settings = open_good();
	char name[16];

	snprintf(name, sizeof(name), "name%d", number);
	_exit(settings_set(settings, name, "1") != 0);
}

/* Each reads the file before it writes: nobody's change may be lost in between. */
static void test_writers_at_once(void **state)
{
	int status = 0;

	(void)state;
	write_text("");
	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0)
			set_own(i);
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	struct settings *settings = open_good();
	assert_int_equal(settings_lines(settings)->n, WRITERS);
	settings_close(settings);
}

int main(void)
{
#define SETTINGS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
	    SETTINGS_TEST(test_hostile_files),
	    SETTINGS_TEST(test_an_unreadable_file),
	    SETTINGS_TEST(test_descriptors),
	    SETTINGS_TEST(test_a_change_leaves_everything_else),
	    SETTINGS_TEST(test_what_cannot_be_read_is_not_overwritten),
	    SETTINGS_TEST(test_bad_names_are_not_written),
	    SETTINGS_TEST(test_a_link_stays_one),
	    SETTINGS_TEST(test_the_usual_place),
	    SETTINGS_TEST(test_the_usual_place_is_made),
	    SETTINGS_TEST(test_what_is_no_file_is_not_replaced),
	    SETTINGS_TEST(test_writers_at_once),
	};

	settings_close(NULL);
	return cmocka_run_group_tests_name("settings", tests, NULL, NULL) != 0;
}
