/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which writers are looked at between walks, and what the looks count.
 */
#include "bytes.h"

#include "sample/lockwatch.h"
#include "sample/tasks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A process of one thread, as a walk has read it. */
static struct task_file process(int pid, const char *comm, bool writes, const char *wchan)
{
	struct task_file file = {.writes = writes};

	file.last = (struct task_sample){.pid = pid, .threads = 1, .state = *wchan ? 'D' : 'R'};
	snprintf(file.last.comm, sizeof(file.last.comm), "%s", comm);
	snprintf(file.last.wchan, sizeof(file.last.wchan), "%s", wchan);
	return file;
}

static void choose(struct lock_watch *watch, int pid, const char *comm, bool writes,
		   const char *wchan)
{
	struct task_file file = process(pid, comm, writes, wchan);

	lock_watch_choose(watch, &file);
}

/* So many looks at the n-th, of which so many saw it wait. */
static void look(struct lock_watch *watch, size_t n, uint16_t looks, uint16_t seen, int32_t fd)
{
	struct lock_task task = lock_watch_take(watch, n);

	task.looks = looks;
	task.seen = seen;
	task.file = fd;
	lock_watch_put(watch, &task);
}

static void assert_counted(struct lock_watch *watch, int pid, int tid, int looks, int seen)
{
	struct task_sample sample = {.pid = pid, .tid = tid};

	lock_watch_count(watch, &sample);
	assert_int_equal(sample.lock_looks, looks);
	assert_int_equal(sample.lock_seen, seen);
	if (seen == 0)
		assert_int_equal(sample.lock_fd, -1);
}

static void test_only_writers_with_company_that_wait(void **state)
{
	struct lock_watch watch;

	(void)state;
	lock_watch_open(&watch, false);
	lock_watch_begin(&watch);
	choose(&watch, 5, "fio", true, "");
	choose(&watch, 6, "cp", true, "ext4_file_write_iter");
	choose(&watch, 7, "fio", false, "");
	choose(&watch, 8, "fio", false, "ext4_file_write_iter");
	choose(&watch, 9, "fio", false, "folio_wait_bit");
	choose(&watch, 10, "tar", true, "");
	choose(&watch, 11, "tar", true, "balance_dirty_pages");
	lock_watch_end(&watch, 1000);
	assert_int_equal(watch.n, 2);
	assert_int_equal(watch.task[0].leaf.pid, 5);
	assert_int_equal(watch.task[1].leaf.pid, 8);
	assert_true(watch.due_ns > 1000);
	look(&watch, 0, 6, 0, -1);
	look(&watch, 1, 6, 4, 3);
	lock_watch_begin(&watch);
	assert_counted(&watch, 5, 0, 6, 0);
	assert_counted(&watch, 6, 0, 0, 0);
	assert_counted(&watch, 8, 0, 6, 4);
	/* who waited before stays, and what was counted is not counted again */
	choose(&watch, 5, "fio", true, "");
	choose(&watch, 8, "fio", true, "");
	lock_watch_end(&watch, 2000);
	assert_int_equal(watch.n, 2);
	lock_watch_begin(&watch);
	assert_counted(&watch, 8, 0, 0, 0);
	/* none did since: that is that */
	choose(&watch, 5, "fio", true, "");
	choose(&watch, 8, "fio", true, "");
	lock_watch_end(&watch, 3000);
	assert_int_equal(watch.n, 0);
	lock_watch_release(&watch);
}

static void test_threads(void **state)
{
	struct lock_watch watch;
	struct thread_file thread[40] = {0};
	struct task_file file = process(5, "db", true, "");

	(void)state;
	file.last.threads = 40;
	file.threads = (struct threads){.thread = thread, .n = 40, .current = true};
	for (int i = 0; i < 40; i++) {
		thread[i].last = (struct task_sample){.pid = 5, .tid = 5 + i, .state = 'S'};
		thread[i].writes = i != 1;
	}
	thread[3].last.state = 'D';
	snprintf(thread[3].last.wchan, WCHAN_MAX, "fdget_pos");
	lock_watch_open(&watch, false);
	lock_watch_begin(&watch);
	lock_watch_choose(&watch, &file);
	lock_watch_end(&watch, 0);
	assert_int_equal(watch.n, LOCK_TASKS_EACH);
	assert_int_equal(watch.task[1].leaf.tid, 7);
	look(&watch, 0, 6, 2, 4);
	look(&watch, 1, 5, 3, -1);
	lock_watch_begin(&watch);
	struct task_sample whole = {.pid = 5};
	lock_watch_count(&watch, &whole);
	assert_int_equal(whole.lock_looks, 6);
	assert_int_equal(whole.lock_seen, 5);
	assert_int_equal(whole.lock_fd, 4);
	assert_counted(&watch, 5, 5, 6, 2);
	assert_counted(&watch, 5, 6, 0, 0);
	assert_counted(&watch, 5, 7, 5, 3);
	/* not read in this walk */
	file.threads.current = false;
	lock_watch_choose(&watch, &file);
	lock_watch_end(&watch, 0);
	assert_int_equal(watch.n, 0);
	lock_watch_release(&watch);
}

/* Of very many those are kept that wait. */
static void test_those_that_wait_come_first(void **state)
{
	struct lock_watch watch;
	size_t waiting = 0;

	(void)state;
	lock_watch_open(&watch, false);
	lock_watch_begin(&watch);
	for (int i = 0; i < 200; i++)
		choose(&watch, 100 + i, "fio", true, i >= 190 ? "xfs_ilock" : "");
	lock_watch_end(&watch, 0);
	assert_int_equal(watch.n, LOCK_TASKS_MAX);
	for (size_t i = 0; i < watch.n; i++) {
		waiting += watch.task[i].leaf.pid >= 290;
		assert_true(i == 0 || watch.task[i].leaf.pid > watch.task[i - 1].leaf.pid);
	}
	assert_int_equal(waiting, 10);
	lock_watch_release(&watch);
}

static void test_descriptors(void **state)
{
	struct lock_watch watch;

	(void)state;
	lock_watch_open(&watch, true);
	lock_watch_begin(&watch);
	for (int i = 0; i < 3; i++)
		choose(&watch, 5 + i, "fio", true, "xfs_ilock");
	lock_watch_end(&watch, 0);
	for (size_t i = 0; i < 3; i++) {
		struct lock_task task = lock_watch_take(&watch, i);
		task.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		assert_true(task.fd >= 0);
		lock_watch_put(&watch, &task);
	}
	/* one goes, two stay with theirs */
	int gone = watch.task[0].fd, stays = watch.task[1].fd, lost = watch.task[2].fd;
	lock_watch_begin(&watch);
	choose(&watch, 6, "fio", true, "xfs_ilock");
	choose(&watch, 7, "fio", true, "");
	lock_watch_end(&watch, 0);
	assert_int_equal(fcntl(gone, F_GETFD), -1);
	assert_int_equal(watch.task[0].fd, stays);
	/* whoever hangs on one keeps its descriptor */
	struct lock_task task = lock_watch_take(&watch, 1);
	lock_watch_lose(&watch);
	lock_watch_lose(&watch);
	assert_int_equal(watch.n, 1);
	/* where nobody waits any more all are closed */
	lock_watch_begin(&watch);
	choose(&watch, 6, "fio", true, "");
	lock_watch_end(&watch, 0);
	assert_int_equal(watch.n, 0);
	assert_int_equal(fcntl(stays, F_GETFD), -1);
	assert_true(fcntl(lost, F_GETFD) >= 0);
	lock_task_close(&task);
	assert_int_equal(fcntl(lost, F_GETFD), -1);
}

/* ---- a look ---- */

static char top[64];

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/5/%s", top, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void test_a_look(void **state)
{
	struct root root = {.proc_fd = -1};
	struct lock_task task = {.fd = -1, .file = -1};
	char call[64], path[128];

	(void)state;
	snprintf(top, sizeof(top), "/tmp/test_lockwatch.XXXXXX");
	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/5", top);
	assert_int_equal(mkdir(path, 0700), 0);
	root.proc_fd = open(top, O_RDONLY | O_DIRECTORY);
	leaves_init(&task.leaf, 5, 0);
	lock_task_look(&task, &root, true);
	assert_int_equal(task.looks, 0); /* there is none */
	put("wchan", "0");
	lock_task_look(&task, &root, true);
	put("wchan", "ext4_buffered_write_iter");
	put("syscall", "running\n");
	lock_task_look(&task, &root, true);
	assert_int_equal(task.looks, 2);
	assert_int_equal(task.seen, 1);
	assert_int_equal(task.file, -1);
	snprintf(call, sizeof(call), "%d 0x1b 0x7f00 0x1000 0x0\n", (int)SYS_pwrite64);
	put("syscall", call);
	lock_task_look(&task, &root, true);
	assert_int_equal(task.seen, 2);
	assert_int_equal(task.file, 0x1b);
	/* who waits for a position may read */
	put("wchan", "fdget_pos");
	snprintf(call, sizeof(call), "%d 0x3 0x7f00 0x1000 0x0\n", (int)SYS_read);
	put("syscall", call);
	lock_task_look(&task, &root, true);
	assert_int_equal(task.seen, 2);
	snprintf(call, sizeof(call), "%d 0x4 0x7f00 0x1000 0x0\n", (int)SYS_write);
	put("syscall", call);
	lock_task_look(&task, &root, false);
	assert_int_equal(task.looks, 5);
	assert_int_equal(task.seen, 3);
	assert_int_equal(task.file, 4);
	assert_int_equal(task.fd, -1);
	close(root.proc_fd);
	snprintf(path, sizeof(path), "rm -rf %s", top);
	assert_int_equal(system(path), 0);
}

/* ---- a look that hangs ---- */

static void put_process(int pid)
{
	char path[128], text[512];

	snprintf(path, sizeof(path), "%s/%d", top, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(text, sizeof(text), "%d (fio) D 1 %s\n", pid,
		 "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		 "0 0 0 0 0");
	snprintf(path, sizeof(path), "../%d/stat", pid);
	put(path, text);
	snprintf(path, sizeof(path), "../%d/io", pid);
	put(path, "rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: 0\nwrite_bytes: 0\n"
		  "cancelled_write_bytes: 0\n");
	snprintf(path, sizeof(path), "../%d/wchan", pid);
	put(path, "ext4_file_write_iter");
}

/* The state of process 5 in the next walk. */
static char state_in_walk(struct tasks *tasks, struct task_snapshot *snapshot)
{
	assert_true(tasks_start(tasks, 0));
	while (!tasks_done(tasks))
		usleep(10000);
	tasks_take(tasks, snapshot);
	assert_int_equal(snapshot->n, 2);
	assert_int_equal(snapshot->task[0].pid, 5);
	assert_int_equal(snapshot->task[1].state, 'D');
	return snapshot->task[0].state;
}

static void test_a_look_that_hangs(void **state)
{
	struct task_snapshot snapshot = {0};
	struct tasks *tasks;
	struct root root;
	char path[128];

	(void)state;
	snprintf(top, sizeof(top), "/tmp/test_lockwatch.XXXXXX");
	assert_non_null(mkdtemp(top));
	put_process(5);
	put_process(6);
	put("../uptime", "100 100\n");
	put("../stat", "cpu 1 2 3 4\n");
	assert_int_equal(root_open(&root, top, NULL), 0);
	assert_int_equal(tasks_open(&tasks, &root, false), 0);
	assert_int_equal(state_in_walk(tasks, &snapshot), 'D');
	/* whoever opens it now waits for somebody to write */
	snprintf(path, sizeof(path), "%s/5/wchan", top);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	usleep(300000);
	int probe = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(probe >= 0); /* a look waits there, between two walks */
	close(probe);
	usleep(300000);
	assert_int_equal(state_in_walk(tasks, &snapshot), '?');
	assert_int_equal(snapshot.task[0].stat_state, ABSENT_BLOCKED);
	/* it comes back, and the process is read again */
	int fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	put("wchan", "ext4_file_write_iter");
	close(fd);
	usleep(100000);
	assert_int_equal(state_in_walk(tasks, &snapshot), 'D');
	assert_true(tasks_close(tasks));
	free(snapshot.task);
	free(snapshot.thread);
	root_close(&root);
	snprintf(path, sizeof(path), "rm -rf %s", top);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_only_writers_with_company_that_wait),
	    cmocka_unit_test(test_threads),
	    cmocka_unit_test(test_those_that_wait_come_first),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_a_look),
	    cmocka_unit_test(test_a_look_that_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
