/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule about writers that wait for each other.
 */
#include "world.h"

/* ---- inode-contention ---- */

/* So many processes of one program in D, at a write entry. */
static void contend(struct world *world, int n, const char *wchan)
{
	static const char *const names[] = {"fio", "fio", "fio"};

	world_start(world, 1);
	for (int i = 0; i < n; i++) {
		struct task_row *task = world_task(world, 500 + i, names[i]);

		task->state = 'D';
		task->wchar = value_of(4000);
		snprintf(world->sample[i].wchan, WCHAN_MAX, "%s", wchan);
		world_file(world, i, "/data/one\033file", 0, 'w');
	}
}

static void looked(struct world *world, int n, unsigned looks, unsigned seen, int fd)
{
	world->task[n].lock_looks = looks;
	world->task[n].lock_seen = seen;
	world->task[n].lock_fd = fd;
}

static int contend_severity(struct world *world)
{
	int severity;

	world_tick(world);
	severity = severity_found(world, "pid 500", "inode-contention");
	assert_null(found(world, "pid 501", "inode-contention"));
	world_end(world);
	return severity;
}

static void test_inode_contention(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	contend(&world, 3, "ext4_buffered_write_iter");
	world_tick(&world);
	finding = found(&world, "pid 500", "inode-contention");
	assert_non_null(finding);
	assert_int_equal(finding->severity, WARN);
	assert_int_equal(finding->identity, 100);
	assert_non_null(strstr(finding->text, "3 of its threads or processes"));
	assert_non_null(strstr(finding->text, "/data/one?file"));
	assert_int_equal(world.frame.nfinding, 1);
	world_end(&world);
	contend(&world, 2, "xfs_ilock");
	assert_int_equal(contend_severity(&world), WARN);
	contend(&world, 2, "btrfs_inode_lock");
	assert_int_equal(contend_severity(&world), WARN);
	contend(&world, 2, "rwsem_down_write_slowpath");
	assert_int_equal(contend_severity(&world), WARN);
}

static void test_inode_contention_of_threads(void **state)
{
	struct world world;

	(void)state;
	/* one process: its threads, as seen at the tick or sampled within it */
	contend(&world, 1, "ext4_file_write_iter");
	world.task[0].blocked_threads = value_of(3);
	assert_int_equal(contend_severity(&world), WARN);
	contend(&world, 1, "");
	world.task[0].state = 'S';
	looked(&world, 0, 4, 9, -1);
	assert_int_equal(contend_severity(&world), WARN);
	contend(&world, 1, "ext4_file_write_iter");
	looked(&world, 0, 4, 5, -1);
	assert_int_equal(contend_severity(&world), NO);
}

static void test_no_inode_contention(void **state)
{
	struct world world;

	(void)state;
	contend(&world, 1, "ext4_file_write_iter");
	assert_int_equal(contend_severity(&world), NO);
	contend(&world, 3, "folio_wait_bit_common");
	assert_int_equal(contend_severity(&world), NO);
	/* each has a file of its own; or only reads it; or nobody looked */
	contend(&world, 2, "ext4_file_write_iter");
	world.file[1].file = 8;
	assert_int_equal(contend_severity(&world), NO);
	contend(&world, 2, "ext4_file_write_iter");
	world.file[1].access = 'r';
	assert_int_equal(contend_severity(&world), NO);
	contend(&world, 2, "ext4_file_write_iter");
	world.use[1].file = NULL;
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(lacking(&world, "inode-contention"), 1);
	world_end(&world);
	/* two programs */
	contend(&world, 2, "ext4_file_write_iter");
	snprintf(world.sample[1].comm, COMM_MAX, "other");
	assert_int_equal(contend_severity(&world), NO);
}

/* What the call that waits says, not what else is open. */
static void test_the_file_of_the_call(void **state)
{
	struct file_use file[2] = {{.fd = 3, .file = 7, .access = 'w', .path = "/log"},
				   {.fd = 5, .file = 9, .access = 'w', .path = "/data"}};
	struct world world;

	(void)state;
	contend(&world, 1, "");
	world.use[0].file = file;
	world.use[0].nfile = 2;
	looked(&world, 0, 6, 30, 5);
	world_tick(&world);
	assert_non_null(strstr(found(&world, "pid 500", "inode-contention")->text, "/data"));
	world_end(&world);
	/* a file that was not seen yet proves nothing, but neither that there is none */
	contend(&world, 1, "");
	looked(&world, 0, 6, 30, 4);
	assert_int_equal(contend_severity(&world), NO);
	/* two processes that have one file in common wait for others */
	contend(&world, 2, "");
	for (int i = 0; i < 2; i++) {
		world.use[i].file = file;
		world.use[i].nfile = 2;
		looked(&world, i, 6, 7, i ? 3 : 5);
	}
	assert_int_equal(contend_severity(&world), NO);
}

/* The same one, whoever happens to wait in this interval. */
static void test_who_speaks(void **state)
{
	struct world world;

	(void)state;
	contend(&world, 3, "");
	looked(&world, 0, 6, 0, -1);
	looked(&world, 1, 6, 6, -1);
	looked(&world, 2, 6, 6, -1);
	assert_int_equal(contend_severity(&world), WARN);
	/* one of the same name that has nothing to do with it does not */
	contend(&world, 3, "");
	looked(&world, 0, 6, 1, -1);
	looked(&world, 1, 6, 6, -1);
	looked(&world, 2, 6, 6, -1);
	world.file[0].file = 8;
	world_tick(&world);
	assert_int_equal(severity_found(&world, "pid 501", "inode-contention"), WARN);
	assert_int_equal(world.frame.nfinding, 1);
	world_end(&world);
}

static void test_the_position_of_a_file(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	contend(&world, 1, "fdget_pos");
	looked(&world, 0, 6, 30, -1);
	world_tick(&world);
	finding = found(&world, "pid 500", "inode-contention");
	assert_non_null(strstr(finding->text, "on the file's position"));
	assert_non_null(strstr(finding->advice, "pwrite"));
	world_end(&world);
	/* readers take it too: without a look at the call it says nothing */
	contend(&world, 3, "fdget_pos");
	assert_int_equal(contend_severity(&world), NO);
}

static void test_a_saturated_device_comes_first(void **state)
{
	struct world world;

	(void)state;
	for (int on = 0; on < 2; on++) {
		contend(&world, 2, "ext4_file_write_iter");
		world_add(&world, "sda", DEEP);
		snprintf(world.use[0].device, sizeof(world.use[0].device), on ? "sda" : "sdb");
		world_tick(&world);
		assert_int_equal(severity_found(&world, "pid 500", "inode-contention"),
				 on ? INFO : WARN);
		assert_non_null(found(&world, "sda", "queueing"));
		world_end(&world);
	}
}

/* It is why the device works one write at a time. */
static void test_serial_io_is_no_warning_beside_it(void **state)
{
	struct world world;

	(void)state;
	for (int on = 0; on < 2; on++) {
		contend(&world, 2, "ext4_file_write_iter");
		world_add(&world, "sda", SERIAL);
		snprintf(world.use[0].device, sizeof(world.use[0].device), on ? "sda" : "sdb");
		world_tick(&world);
		assert_int_equal(severity_found(&world, "pid 500", "inode-contention"), WARN);
		assert_int_equal(severity_found(&world, "sda", "serial-io"), on ? INFO : WARN);
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_inode_contention),
	    cmocka_unit_test(test_inode_contention_of_threads),
	    cmocka_unit_test(test_no_inode_contention),
	    cmocka_unit_test(test_the_file_of_the_call),
	    cmocka_unit_test(test_who_speaks),
	    cmocka_unit_test(test_the_position_of_a_file),
	    cmocka_unit_test(test_a_saturated_device_comes_first),
	    cmocka_unit_test(test_serial_io_is_no_warning_beside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
