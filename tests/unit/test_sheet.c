/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at processes of a tree made here: the sheet, and what is watched.
 */
#include "bytes.h"

#include "iotriage/uses.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void folder(const char *name)
{
	assert_int_equal(mkdir(at(name), 0700), 0);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(at(name), "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void put_stat(const char *name, int pid, char state)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "%d (db (x) y) %c 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 12345 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		 "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 pid, state);
	put(name, text);
}

static void make_tree(void)
{
	static const char *const folders[] = {
	    "42",	 "42/fd",      "42/fdinfo",  "42/task", "42/task/42", "42/task/43",
	    "42/task/44", "42/task/45", "7",
	};

	snprintf(top, sizeof(top), "/tmp/test_sheet.XXXXXX");
	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		folder(folders[i]);
	put("stat", "cpu 1 2 3\nbtime 1700000000\n");
	put("7/comm", "parent\n");
	put_stat("42/stat", 42, 'S');
	put("42/status", "Name:\tdb\nUid:\t1000\t1001\t1002\t1003\n");
	put("42/cgroup", "4:blkio:/db\n0::/system.slice/mariadb.service\n");
	put("42/maps", "7f00-7f01 rw-s 00000000 00:13 77           /[aio] (deleted)\n");
	put("42/mountinfo", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	put_stat("42/task/42/stat", 42, 'S');
	put_stat("42/task/43/stat", 43, 'D');
	put_stat("42/task/44/stat", 44, 'D');
	put_stat("42/task/45/stat", 45, 'D');
	put("42/task/43/wchan", "folio_wait");
	put("42/task/44/wchan", "folio_wait");
	put("42/task/45/wchan", "0");
	assert_int_equal(symlink("/usr/sbin/odd\tname", at("42/exe")), 0);
	assert_int_equal(symlink("/var/lib", at("42/cwd")), 0);
	assert_int_equal(symlink("/data/x", at("42/fd/3")), 0);
	put("42/fdinfo/3", "pos:\t0\nflags:\t02\nmnt_id:\t27\nino:\t5\n");
}

static int make(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	make_tree();
	return 0;
}

static int remove_tree(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

struct watched {
	struct uses *uses;
	struct frame frame;
	struct task_row row;
	struct task_sample sample;
};

static void open_uses(struct watched *watched)
{
	*watched = (struct watched){
	    .sample = {.pid = 42, .state = 'S', .start_ticks = 12345, .mono_ns = 1},
	    .frame = {.epoch = 1000, .seconds = 1, .ntask = 1},
	};
	watched->row = (struct task_row){.task = &watched->sample, .state = 'S'};
	watched->row.rkb = watched->row.wkb = watched->row.ckb = value_of(0);
	watched->frame.task = &watched->row;
	assert_int_equal(uses_open(&watched->uses, true), 0);
	uses_root(watched->uses, top);
}

static void tick(struct watched *watched)
{
	watched->frame.epoch += 1;
	watched->sample.mono_ns += 1000000000;
	uses_attach(watched->uses, &watched->frame);
	uses_ask(watched->uses, &watched->frame, 0);
	uses_attach(watched->uses, &watched->frame);
}

static void test_sheet(void **state)
{
	struct watched watched;

	(void)state;
	open_uses(&watched);
	uses_watch(watched.uses, 42, 12345, false, true);
	tick(&watched);
	assert_non_null(watched.frame.sheet);
	assert_string_equal(watched.frame.sheet, "pid\t42, started 2023-11-14 22:15:23\n"
						 "parent\t7 (parent)\n"
						 "user ids\treal 1000, effective 1001, saved 1002\n"
						 "executable\t/usr/sbin/odd?name\n"
						 "working folder\t/var/lib\n"
						 "cgroup\t/system.slice/mariadb.service\n"
						 "cgroup (blkio)\t/db\n"
						 "systemd unit\tmariadb.service\n"
						 "AIO contexts\t1\n"
						 "io_uring rings\t0\n"
						 "threads\t4, 3 in D\n"
						 "in D\tfolio_wait x 2\n"
						 "in D\tsomewhere in the kernel x 1\n");
	assert_int_equal(watched.frame.files_pid, 0);
	assert_int_equal(watched.frame.nfile, 0);
	uses_watch(watched.uses, 0, 0, false, false);
	tick(&watched);
	assert_null(watched.frame.sheet);
	uses_close(watched.uses);
}

static void test_files_of_the_watched(void **state)
{
	struct watched watched;

	(void)state;
	open_uses(&watched);
	uses_watch(watched.uses, 42, 12345, true, false);
	uses_attach(watched.uses, &watched.frame);
	assert_int_equal(watched.frame.files_pid, 42);
	assert_int_equal(watched.frame.files_state, ABSENT_NEW);
	tick(&watched);
	assert_int_equal(watched.frame.files_state, PRESENT);
	assert_int_equal(watched.frame.nfile, 1);
	assert_string_equal(watched.frame.file[0].path, "/data/x");
	assert_int_equal(watched.frame.file_counts.all, 1);
	assert_int_equal(watched.frame.file_counts.kind[FILE_REGULAR], 1);
	assert_null(watched.frame.sheet);
	/* the same PID with another start is another process */
	uses_watch(watched.uses, 42, 999, true, false);
	tick(&watched);
	assert_int_equal(watched.frame.files_state, ABSENT_RESET);
	assert_int_equal(watched.frame.nfile, 0);
	uses_close(watched.uses);
}

/* Idle processes are not looked at, those that have AIO contexts are at every tick. */
static void test_who_is_looked_at(void **state)
{
	struct watched watched;

	(void)state;
	open_uses(&watched);
	tick(&watched);
	assert_null(watched.row.use);
	watched.row.rkb = value_of(100);
	tick(&watched);
	assert_non_null(watched.row.use);
	assert_int_equal(watched.row.use->why, PRESENT);
	assert_true(value_known(watched.row.use->contexts) && watched.row.use->contexts.n == 1);
	assert_string_equal(watched.row.use->mode, "A");
	watched.row.rkb = value_of(0);
	put("42/maps", "");
	tick(&watched);
	assert_true(value_known(watched.row.use->contexts) && watched.row.use->contexts.n == 0);
	put("42/maps", "7f00-7f01 rw-s 00000000 00:13 77           /[aio] (deleted)\n");
	tick(&watched);
	assert_true(watched.row.use->contexts.n == 0);
	uses_close(watched.uses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sheet),
	    cmocka_unit_test(test_files_of_the_watched),
	    cmocka_unit_test(test_who_is_looked_at),
	};

	return cmocka_run_group_tests(tests, make, remove_tree) != 0;
}
