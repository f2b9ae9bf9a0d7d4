/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of active processes, one by one, from a tree made here.
 */
#include "bytes.h"

#include "iotriage/uses.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];

struct world {
	struct uses *uses;
	struct frame frame;
	struct task_row row[2];
	struct task_sample sample[2];
};

static const char *at(int pid, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%d/%s", top, pid, name);
	return path;
}

static void put(int pid, const char *name, const char *text)
{
	FILE *file = fopen(at(pid, name), "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void put_info(int pid, int fd, int flags, long position, int mount, int inode)
{
	char name[32], text[128];

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	snprintf(text, sizeof(text), "pos:\t%ld\nflags:\t0%o\nmnt_id:\t%d\nino:\t%d\n", position,
		 (unsigned)flags, mount, inode);
	put(pid, name, text);
}

static void put_file(int pid, int fd, const char *path, int flags, int mount, int inode)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", fd);
	(void)unlink(at(pid, name));
	assert_int_equal(symlink(path, at(pid, name)), 0);
	put_info(pid, fd, flags, 0, mount, inode);
}

static void put_io(int pid, long kib)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: %ld\nwrite_bytes: 5\n"
		 "cancelled_write_bytes: 6\n",
		 kib * 1024);
	put(pid, "io", text);
}

static void put_process(int pid)
{
	char text[512];

	assert_int_equal(mkdir(at(pid, ""), 0700), 0);
	assert_int_equal(mkdir(at(pid, "fd"), 0700), 0);
	assert_int_equal(mkdir(at(pid, "fdinfo"), 0700), 0);
	snprintf(text, sizeof(text),
		 "%d (db) R 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		 "0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 pid);
	put(pid, "stat", text);
	put(pid, "maps", "");
	put(pid, "mountinfo",
	    "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "28 27 8:1 /x /bind rw - ext4 /dev/sda1 rw\n"
	    "29 27 0:51 / /tmp rw - tmpfs tmpfs rw\n");
}

static struct world *open_world(void)
{
	static struct world world;

	world = (struct world){.frame = {.epoch = 1000, .seconds = 1, .ntask = 2}};
	snprintf(top, sizeof(top), "/tmp/test_usefiles.XXXXXX");
	assert_non_null(mkdtemp(top));
	for (int i = 0; i < 2; i++) {
		put_process(42 + i);
		world.sample[i] = (struct task_sample){
		    .pid = 42 + i, .state = 'R', .start_ticks = 100, .mono_ns = 1};
		world.row[i] = (struct task_row){.task = &world.sample[i], .seconds = 1};
		world.row[i].rkb = world.row[i].rchar = world.row[i].wkb = value_of(100);
	}
	world.frame.task = world.row;
	assert_int_equal(uses_open(&world.uses, true), 0);
	uses_root(world.uses, top);
	return &world;
}

static void close_world(struct world *world)
{
	char command[128];

	uses_close(world->uses);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	assert_int_equal(system(command), 0);
}

static void tick(struct world *world)
{
	world->frame.epoch += 1;
	for (int i = 0; i < 2; i++)
		world->sample[i].mono_ns += 1000000000;
	uses_attach(world->uses, &world->frame);
	uses_ask(world->uses, &world->frame, 0);
	uses_attach(world->uses, &world->frame);
}

static const struct file_use *file_of(const struct world *world, int n, int fd)
{
	const struct task_use *use = world->row[n].use;

	assert_non_null(use);
	assert_non_null(use->file);
	for (size_t i = 0; i < use->nfile; i++)
		if (use->file[i].fd == fd)
			return &use->file[i];
	return NULL;
}

static void test_which_files(void **state)
{
	struct world *world = open_world();

	(void)state;
	put_file(42, 1, "/var/log/out", O_WRONLY, 27, 4);
	put_file(42, 3, "/data/direct", O_RDONLY | O_DIRECT, 27, 5);
	put_file(42, 4, "/data/synced", O_RDWR | O_DSYNC, 27, 6);
	put_file(42, 5, "/data/read", O_RDONLY, 27, 7);
	put_file(42, 6, "/tmp/x", O_RDWR, 29, 8);
	put_file(42, 7, "pipe:[7]", O_WRONLY, 14, 9);
	put_file(42, 8, "/data", O_RDONLY | O_DIRECTORY, 27, 10);
	put_file(43, 3, "/bind/direct", O_RDWR, 28, 5);
	put_file(43, 4, "/data/other", O_RDWR, 27, 11);
	tick(world);
	assert_int_equal(world->row[0].use->nfile, 3);
	assert_int_equal(file_of(world, 0, 3)->mode, MODE_DIRECT);
	assert_int_equal(file_of(world, 0, 3)->access, 'r');
	assert_string_equal(file_of(world, 0, 3)->path, "/data/direct");
	assert_int_equal(file_of(world, 0, 4)->mode, MODE_SYNC);
	assert_int_equal(file_of(world, 0, 4)->access, 'u');
	assert_int_equal(file_of(world, 0, 1)->mode, 0);
	assert_int_equal(file_of(world, 0, 1)->access, 'w');
	/* those that tell more first, standard streams last */
	assert_int_equal(world->row[0].use->file[0].fd, 3);
	assert_int_equal(world->row[0].use->file[2].fd, 1);
	/* by another mount it is the same file */
	assert_true(file_of(world, 0, 3)->file == file_of(world, 1, 3)->file);
	assert_true(file_of(world, 1, 3)->file != file_of(world, 1, 4)->file);
	close_world(world);
}

static void test_no_files(void **state)
{
	struct world *world = open_world();

	(void)state;
	tick(world);
	assert_non_null(world->row[0].use->file); /* it was looked at */
	assert_int_equal(world->row[0].use->nfile, 0);
	close_world(world);
}

/* Kernels before 5.14 say no inode. */
static void test_files_without_an_inode(void **state)
{
	struct world *world = open_world();

	(void)state;
	put_file(42, 3, "/data/a", O_RDWR, 27, 0);
	put_file(42, 4, "/data/b", O_RDWR, 27, 0);
	put_file(43, 3, "/data/a", O_RDWR, 27, 0);
	tick(world);
	assert_true(file_of(world, 0, 3)->file != 0);
	assert_true(file_of(world, 0, 3)->file == file_of(world, 1, 3)->file);
	assert_true(file_of(world, 0, 3)->file != file_of(world, 0, 4)->file);
	close_world(world);
}

static double kib(struct value value)
{
	return value_or(value, -1);
}

/* At every tick, and each rate beside what was read in the same time. */
static void test_positions_of_a_direct_reader(void **state)
{
	static const int rates[] = {100, 100, 300, 50};
	struct world *world = open_world();
	long position = 0, read_kib = 7000;

	(void)state;
	put_io(42, read_kib);
	put_file(42, 3, "/data/x", O_RDONLY | O_DIRECT, 27, 5);
	tick(world);
	assert_int_equal(file_of(world, 0, 3)->pos_kb.why, ABSENT_NEW);
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		position += rates[i] * 1024L;
		put_info(42, 3, O_RDONLY | O_DIRECT, position, 27, 5);
		put_io(42, read_kib += rates[i]);
		tick(world);
		assert_float_equal(kib(file_of(world, 0, 3)->pos_kb), rates[i], 0.01);
		assert_float_equal(kib(file_of(world, 0, 3)->pos_share), 1, 0.01);
	}
	/* it reads elsewhere; it stands; it is set back */
	put_info(42, 3, O_RDONLY | O_DIRECT, position += 25 * 1024L, 27, 5);
	put_io(42, read_kib += 50);
	tick(world);
	assert_float_equal(kib(file_of(world, 0, 3)->pos_share), 0.5, 0.01);
	tick(world);
	assert_int_equal(file_of(world, 0, 3)->pos_kb.why, ABSENT_UNSUPPORTED);
	put_info(42, 3, O_RDONLY | O_DIRECT, 0, 27, 5);
	tick(world);
	assert_int_equal(file_of(world, 0, 3)->pos_kb.why, ABSENT_RESET);
	assert_int_equal(file_of(world, 0, 3)->pos_share.why, ABSENT_RESET);
	/* without its io nobody knows what it reads */
	assert_int_equal(unlink(at(42, "io")), 0);
	put_info(42, 3, O_RDONLY | O_DIRECT, 100 * 1024L, 27, 5);
	tick(world);
	assert_float_equal(kib(file_of(world, 0, 3)->pos_kb), 100, 0.01);
	assert_false(value_known(file_of(world, 0, 3)->pos_share));
	close_world(world);
}

/* A buffered reader shows by its position that the file matters. */
static void test_files_that_move(void **state)
{
	struct world *world = open_world();

	(void)state;
	put_file(42, 5, "/data/read", O_RDONLY, 27, 7);
	tick(world);
	assert_null(file_of(world, 0, 5));
	put_info(42, 5, O_RDONLY, 100 * 1024, 27, 7);
	tick(world);
	assert_non_null(file_of(world, 0, 5));
	assert_float_equal(kib(file_of(world, 0, 5)->pos_kb), 100, 0.01);
	close_world(world);
}

/* Of very many some are there, those that tell more. */
static void test_very_many_files(void **state)
{
	struct world *world = open_world();
	char path[300];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	memcpy(path + sizeof(path) - 5, ".ibd", 4);
	for (int fd = 3; fd < 203; fd++)
		put_file(42, fd, path, fd == 150 ? O_RDWR | O_DIRECT : O_RDWR, 27, fd);
	tick(world);
	assert_int_equal(world->row[0].use->nfile, 64);
	assert_int_equal(world->row[0].use->file[0].fd, 150);
	path[0] = 'p';
	const char *end = world->row[0].use->file[0].path;
	assert_string_equal(end, path + sizeof(path) - 1 - strlen(end));
	close_world(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_which_files),
	    cmocka_unit_test(test_no_files),
	    cmocka_unit_test(test_files_without_an_inode),
	    cmocka_unit_test(test_positions_of_a_direct_reader),
	    cmocka_unit_test(test_files_that_move),
	    cmocka_unit_test(test_very_many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
