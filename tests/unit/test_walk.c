/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk over processes, of which most are as they were: what is read again, what is kept. */
#include "bytes.h"

#include "sample/tasklist.h"
#include "sample/tasks.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* A /proc of our own. */
struct world {
	char folder[32];
	struct root root;
	struct reader reader;
	atomic_ulong reads;
};

static void begin(struct world *world)
{
	*world = (struct world){.folder = "/tmp/test_walk.XXXXXX"};
	assert_non_null(mkdtemp(world->folder));
	world->root = (struct root){.proc_fd = open(world->folder, O_RDONLY | O_DIRECTORY),
				    .mono_ns = 1};
	world->reader = (struct reader){
	    .root = &world->root, .room = 100, .plenty = 50, .reads = &world->reads};
}

static void put(const struct world *world, const char *task, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", world->folder, task);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", world->folder, task, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* task: "PID" or "PID/task/TID". */
static void put_task(const struct world *world, const char *task, int threads, const char *ran,
		     unsigned read_bytes)
{
	char text[200];

	snprintf(text, sizeof(text), "5 (db) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 %d 0 77 0 0\n",
		 threads);
	put(world, task, "stat", text);
	snprintf(text, sizeof(text), "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: %u\n"
		 "write_bytes: 6\ncancelled_write_bytes: 7\n", read_bytes);
	put(world, task, "io", text);
	put(world, task, "schedstat", ran);
}

static void put_process(const struct world *world, int pid, const char *ran, unsigned read_bytes)
{
	char task[16];

	snprintf(task, sizeof(task), "%d", pid);
	put_task(world, task, 1, ran, read_bytes);
}

static void take_task_away(const struct world *world, const char *task)
{
	static const char *const names[] = {"/stat", "/io", "/schedstat", ""};
	char path[64];

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", world->folder, task, names[i]);
		assert_int_equal(i < 3 ? unlink(path) : rmdir(path), 0);
	}
}

static void take_away(const struct world *world, int pid)
{
	char task[16];

	snprintf(task, sizeof(task), "%d", pid);
	take_task_away(world, task);
}

static void end(struct world *world)
{
	close(world->root.proc_fd);
	assert_int_equal(rmdir(world->folder), 0);
}

/* ---- one process ---- */

/* What it reads the next time: read_bytes. */
static uint64_t reading(struct world *world, struct task_file *file)
{
	world->root.mono_ns++;
	assert_true(task_file_read(file, &world->reader));
	assert_int_equal(file->last.mono_ns, world->root.mono_ns);
	return file->last.counter[TASK_READ_BYTES];
}

static void test_what_did_not_run_is_not_read_again(void **state)
{
	struct task_file file = {0};
	struct idle_look look;
	struct world world;

	(void)state;
	begin(&world);
	leaves_init(&file.leaf, 5, 0);
	put_process(&world, 5, "100 7 3\n", 1000);
	assert_int_equal(reading(&world, &file), 1000);
	assert_true(task_file_may_idle(&file, &look) && leaf_rests(look.sched_fd, &look.ran));
	put_process(&world, 5, "100 7 3\n", 2000);
	assert_int_equal(reading(&world, &file), 1000);
	assert_int_equal(file.last.ran_ns, 2);
	put_process(&world, 5, "101 7 3\n", 3000);
	assert_false(leaf_rests(look.sched_fd, &look.ran));
	assert_int_equal(reading(&world, &file), 3000);
	assert_int_equal(file.last.ran_ns, 4);
	put_process(&world, 5, "101 7 4\n", 4000); /* for less than the clock's step */
	assert_int_equal(reading(&world, &file), 4000);
	/* where the kernel tells nothing all is read */
	put_process(&world, 5, "0 0 0\n", 5000);
	assert_int_equal(reading(&world, &file), 5000);
	assert_false(task_file_may_idle(&file, &look));
	put_process(&world, 5, "0 0 0\n", 6000);
	assert_int_equal(reading(&world, &file), 6000);
	assert_int_equal(file.last.ran_ns, world.root.mono_ns);
	/* and it is read again though it did not run, where its parent has ended */
	put_process(&world, 5, "102 7 5\n", 7000);
	assert_int_equal(reading(&world, &file), 7000);
	put_process(&world, 5, "102 7 5\n", 8000);
	file.again = true;
	assert_false(task_file_may_idle(&file, &look));
	assert_int_equal(reading(&world, &file), 8000);
	task_file_close(&file);
	take_away(&world, 5);
	end(&world);
}

static void test_an_idle_process_keeps_one_file_open(void **state)
{
	struct task_file file = {0};
	struct world world;
	int readings = 0;

	(void)state;
	begin(&world);
	leaves_init(&file.leaf, 5, 0);
	put_process(&world, 5, "100 7 3\n", 1000);
	(void)reading(&world, &file);
	(void)reading(&world, &file);
	assert_int_equal(task_file_kept(&file), 1);
	put_process(&world, 5, "101 7 4\n", 2000);
	(void)reading(&world, &file);
	assert_int_equal(task_file_kept(&file), 3);
	while (task_file_kept(&file) > 1 && readings < 100) {
		(void)reading(&world, &file);
		readings++;
	}
	assert_true(readings > 1 && readings < 100); /* it may run again soon */
	/* at once where there is little room */
	put_process(&world, 5, "102 7 4\n", 2000);
	(void)reading(&world, &file);
	world.reader.room = 10;
	(void)reading(&world, &file);
	assert_int_equal(task_file_kept(&file), 1);
	task_file_close(&file);
	take_away(&world, 5);
	end(&world);
}

static void test_of_a_few_threads_it_is_known_that_they_did_not_run(void **state)
{
	char folder[64];
	struct task_file file = {0};
	struct world world;

	(void)state;
	begin(&world);
	leaves_init(&file.leaf, 5, 0);
	put_task(&world, "5", 2, "100 7 3\n", 1000);
	snprintf(folder, sizeof(folder), "%s/5/task", world.folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	put_task(&world, "5/task/5", 2, "100 7 3\n", 400);
	put_task(&world, "5/task/6", 2, "50 7 3\n", 600);
	(void)reading(&world, &file);
	put_task(&world, "5", 2, "100 7 3\n", 2000);
	assert_int_equal(reading(&world, &file), 1000);
	assert_true(file.hides_threads && file.threads.n == 2);
	assert_int_equal(file.last.ran_ns, 2);
	put_task(&world, "5/task/6", 2, "51 7 4\n", 1600);
	assert_int_equal(reading(&world, &file), 2000);
	assert_false(file.hides_threads); /* it does something */
	assert_int_equal(file.last.ran_ns, world.root.mono_ns);
	/* with little room none of theirs is kept open, and it is read every time */
	world.reader.room = 10;
	for (int i = 0; i < 20; i++)
		(void)reading(&world, &file);
	assert_int_equal(threads_kept(&file.threads), 0);
	put_task(&world, "5", 2, "100 7 3\n", 3000);
	assert_int_equal(reading(&world, &file), 3000);
	task_file_close(&file);
	take_task_away(&world, "5/task/5");
	take_task_away(&world, "5/task/6");
	assert_int_equal(rmdir(folder), 0);
	take_away(&world, 5);
	end(&world);
}

/* ---- the list ---- */

static void list(struct task_list *list, const struct world *world)
{
	task_list_pids(list, &world->root);
	task_list_merge(list, 0, 0);
}

static void assert_list(const struct task_list *list, const int *pids)
{
	size_t n = 0;

	for (; pids[n]; n++) {
		assert_true(n < list->n);
		assert_int_equal(list->file[n].leaf.pid, pids[n]);
		assert_ptr_equal(task_list_find(list, pids[n]), &list->file[n]);
	}
	assert_int_equal(list->n, n);
}

static void test_processes_come_and_go(void **state)
{
	struct task_list tasks = {0};
	struct world world;

	(void)state;
	begin(&world);
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){0});
	for (int pid = 20; pid <= 50; pid += 10)
		put_process(&world, pid, "", 0);
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){20, 30, 40, 50, 0});
	for (size_t i = 0; i < tasks.n; i++)
		tasks.file[i].quiet = (unsigned)tasks.file[i].leaf.pid;
	/* some before, between and after, in one walk with some that have gone */
	static const int others[] = {3, 25, 26, 45, 60, 100};
	for (size_t i = 0; i < 6; i++)
		put_process(&world, others[i], "", 0);
	take_away(&world, 20);
	take_away(&world, 40);
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){3, 25, 26, 30, 45, 50, 60, 100, 0});
	for (size_t i = 0; i < tasks.n; i++) {
		unsigned pid = (unsigned)tasks.file[i].leaf.pid;
		assert_int_equal(tasks.file[i].quiet, pid == 30 || pid == 50 ? pid : 0);
	}
	for (size_t i = 0; i < 6; i++)
		take_away(&world, others[i]);
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){30, 50, 0});
	take_away(&world, 30);
	take_away(&world, 50);
	task_list_release(&tasks);
	end(&world);
}

static void test_a_blocked_process_stays_and_orphans_are_read_again(void **state)
{
	struct task_list tasks = {0};
	struct world world;

	(void)state;
	begin(&world);
	for (int pid = 10; pid <= 40; pid += 10)
		put_process(&world, pid, "", 0);
	list(&tasks, &world);
	for (size_t i = 0; i < tasks.n; i++)
		tasks.file[i].known = true;
	task_list_find(&tasks, 20)->blocked = true;
	task_list_find(&tasks, 30)->last.ppid = 10;
	task_list_find(&tasks, 40)->last.ppid = 20;
	take_away(&world, 10);
	take_away(&world, 20);
	put_process(&world, 15, "", 0);
	put_process(&world, 25, "", 0);
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){15, 20, 25, 30, 40, 0});
	assert_true(task_list_find(&tasks, 30)->again);
	assert_false(task_list_find(&tasks, 40)->again);
	task_list_find(&tasks, 20)->blocked = false;
	list(&tasks, &world);
	assert_list(&tasks, (const int[]){15, 25, 30, 40, 0});
	assert_true(task_list_find(&tasks, 40)->again);
	static const int rest[] = {15, 25, 30, 40};
	for (size_t i = 0; i < 4; i++)
		take_away(&world, rest[i]);
	task_list_release(&tasks);
	end(&world);
}

/* ---- when it is made anew ---- */

static void test_a_list_stands_while_the_kernel_makes_no_process(void **state)
{
	const int64_t second_ns = 1000000000LL;
	struct task_list tasks = {0};
	struct world world;

	(void)state;
	begin(&world);
	put_process(&world, 10, "", 0);
	assert_false(task_list_stands(&tasks, 7, 0));
	task_list_pids(&tasks, &world.root);
	task_list_merge(&tasks, 7, second_ns);
	assert_true(task_list_stands(&tasks, 7, 2 * second_ns));
	assert_false(task_list_stands(&tasks, 8, 2 * second_ns));
	assert_false(task_list_stands(&tasks, 0, 2 * second_ns));
	assert_false(task_list_stands(&tasks, 7, 11 * second_ns));
	/* there is a new one although none was made: the count is not to be believed */
	put_process(&world, 20, "", 0);
	task_list_pids(&tasks, &world.root);
	task_list_merge(&tasks, 7, 11 * second_ns);
	assert_false(task_list_stands(&tasks, 7, 12 * second_ns));
	take_away(&world, 10);
	take_away(&world, 20);
	task_list_release(&tasks);
	end(&world);
}

/* Which processes a walk finds, as bits: 10 is bit 1, 20 bit 2, ... */
static unsigned walk(struct tasks *tasks, struct task_snapshot *snapshot, uint64_t forks)
{
	unsigned found = 0;

	assert_true(tasks_start(tasks, forks));
	while (!tasks_done(tasks)) {
		struct pollfd fd = {.fd = tasks_fd(tasks), .events = POLLIN};
		(void)poll(&fd, 1, 100);
	}
	tasks_take(tasks, snapshot);
	for (size_t i = 0; i < snapshot->n; i++)
		found |= 1u << snapshot->task[i].pid / 10;
	return found;
}

static void test_a_walk_finds_who_has_come_and_gone(void **state)
{
	struct task_snapshot snapshot = {0};
	struct tasks *tasks;
	struct world world;

	(void)state;
	begin(&world);
	world.root.live = true;
	put_process(&world, 10, "1 1 1\n", 0);
	put_process(&world, 20, "1 1 1\n", 0);
	assert_int_equal(tasks_open(&tasks, &world.root, false), 0);
	assert_int_equal(walk(tasks, &snapshot, 5), 1 << 1 | 1 << 2);
	/* as if one had come in sight without being made */
	put_process(&world, 30, "1 1 1\n", 0);
	assert_int_equal(walk(tasks, &snapshot, 5), 1 << 1 | 1 << 2);
	assert_int_equal(walk(tasks, &snapshot, 6), 1 << 1 | 1 << 2 | 1 << 3);
	take_away(&world, 20);
	assert_int_equal(walk(tasks, &snapshot, 6), 1 << 1 | 1 << 3);
	assert_int_equal(snapshot.n, 2);
	put_process(&world, 40, "1 1 1\n", 0);
	assert_int_equal(walk(tasks, &snapshot, 0), 1 << 1 | 1 << 3 | 1 << 4);
	assert_true(tasks_close(tasks));
	free(snapshot.task);
	free(snapshot.thread);
	take_away(&world, 10);
	take_away(&world, 30);
	take_away(&world, 40);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_did_not_run_is_not_read_again),
	    cmocka_unit_test(test_an_idle_process_keeps_one_file_open),
	    cmocka_unit_test(test_of_a_few_threads_it_is_known_that_they_did_not_run),
	    cmocka_unit_test(test_processes_come_and_go),
	    cmocka_unit_test(test_a_blocked_process_stays_and_orphans_are_read_again),
	    cmocka_unit_test(test_a_list_stands_while_the_kernel_makes_no_process),
	    cmocka_unit_test(test_a_walk_finds_who_has_come_and_gone),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
