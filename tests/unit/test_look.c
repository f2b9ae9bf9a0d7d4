/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at real processes: what a story's tree of files cannot have. A helper of
 * its own looks, in a process of its own.
 */
#include "bytes.h"

#include "sample/look.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct look_answer answer;

/* What a whole look found. */
struct found {
	int maps_error, files_error;
	unsigned contexts, all, regular;
	int32_t fd; /* the file that is looked for */
	uint8_t kind;
	bool known, deleted;
	uint32_t flags;
	char path[PATH_MAX];
};

static void take_records(struct found *found)
{
	for (size_t at = 0; at < answer.length;) {
		const struct look_record *record = (const void *)(answer.records + at);
		const struct look_file *file = (const void *)record;
		at += record->size;
		if (record->kind != RECORD_FILE || file->fd != found->fd)
			continue;
		found->kind = file->kind;
		found->known = file->known;
		found->deleted = file->deleted;
		found->flags = file->flags;
		snprintf(found->path, sizeof(found->path), "%s", file->path);
	}
}

/* fd: of the process, a file that is wanted. */
static struct found look_at(pid_t pid, int fd)
{
	static struct look_question question;
	struct found found = {.fd = fd};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid_t helper = fork();
	assert_true(helper >= 0);
	if (helper == 0) {
		close(pair[0]);
		look_serve(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	question = (struct look_question){
	    .pid = pid, .wants = LOOK_STORAGE | LOOK_EVERY, .stage = LOOK_MAPS, .root = "/proc"};
	do {
		assert_true(send(pair[0], &question, sizeof(question), 0) > 0);
		assert_true(recv(pair[0], &answer, sizeof(answer), 0) > 0);
		assert_int_equal(answer.error, 0);
		found.maps_error = found.maps_error ? found.maps_error : answer.maps_error;
		found.files_error = found.files_error ? found.files_error : answer.files_error;
		found.contexts += answer.contexts;
		found.all += answer.all;
		found.regular += answer.kind[FILE_REGULAR];
		take_records(&found);
		question.stage = answer.stage;
		question.cookie = answer.cookie;
	} while (answer.stage != LOOK_DONE);
	close(pair[0]);
	assert_int_equal(waitpid(helper, NULL, 0), helper);
	return found;
}

/* A file that has no name any more. */
static int unnamed_file(void)
{
	char path[] = "/tmp/test_look.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

/* ---- paths ---- */

enum { DEEP = 20 };

static void test_a_path_longer_than_a_page(void **state)
{
	char top[] = "/tmp/test_look.XXXXXX", part[251];
	int folder[DEEP + 1];

	(void)state;
	memset(part, 'd', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	assert_non_null(mkdtemp(top));
	folder[0] = open(top, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < DEEP; i++) {
		assert_int_equal(mkdirat(folder[i], part, 0700), 0);
		folder[i + 1] = openat(folder[i], part, O_RDONLY | O_DIRECTORY);
		assert_true(folder[i + 1] >= 0);
	}
	int fd = openat(folder[DEEP], "f", O_RDWR | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0);
	struct found found = look_at(getpid(), fd);
	assert_int_equal(unlinkat(folder[DEEP], "f", 0), 0);
	for (int i = DEEP; i > 0; i--) {
		close(folder[i]);
		assert_int_equal(unlinkat(folder[i - 1], part, AT_REMOVEDIR), 0);
	}
	close(folder[0]);
	close(fd);
	assert_int_equal(rmdir(top), 0);
	assert_string_equal(found.path, "(path too long)");
	assert_int_equal(found.kind, FILE_REGULAR);
	assert_true(found.known && (found.flags & O_APPEND) && !found.deleted);
}

/* ---- a main thread that has ended ---- */

static void *hold(void *nothing)
{
	pause();
	return nothing;
}

/* One file and one AIO context, and no main thread any more. */
static void headless(int fd)
{
	unsigned long context = 0;
	pthread_t thread;

	for (int other = 0; other < 256; other++)
		if (other != fd)
			close(other);
	(void)syscall(SYS_io_setup, 8, &context);
	if (pthread_create(&thread, NULL, hold, NULL) != 0)
		_exit(1);
	pthread_exit(NULL);
}

static bool main_ended(pid_t pid)
{
	char path[64], text[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strstr(text, ") Z ");
}

static void test_threads_of_an_ended_main_thread(void **state)
{
	int fd = unnamed_file();
	unsigned long context = 0;
	bool aio = syscall(SYS_io_setup, 8, &context) == 0;
	pid_t pid;

	(void)state;
	if (aio)
		(void)syscall(SYS_io_destroy, context);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		headless(fd);
	while (!main_ended(pid))
		sched_yield();
	struct found found = look_at(pid, fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	assert_int_equal(found.maps_error, 0);
	assert_int_equal(found.files_error, 0);
	assert_int_equal(found.all, 1);
	assert_true(found.known && found.kind == FILE_REGULAR);
	assert_int_equal(found.contexts, aio);
}

/* ---- a file called as a context ---- */

/* A new tmpfs that is mounted nowhere, or -1. */
static int detached_mount(void)
{
	enum { FSOPEN = 430, FSCONFIG, FSMOUNT, CREATE = 6 }; /* the same everywhere */
	int fs = (int)syscall(FSOPEN, "tmpfs", 0);
	int mount = -1;

	if (fs >= 0 && syscall(FSCONFIG, fs, CREATE, NULL, NULL, 0) == 0)
		mount = (int)syscall(FSMOUNT, fs, 0, 0);
	if (fs >= 0)
		close(fs);
	return mount;
}

static void test_a_file_called_as_a_context(void **state)
{
	unsigned long context = 0;
	int mount = detached_mount();

	(void)state;
	if (mount < 0 || syscall(SYS_io_setup, 8, &context) < 0)
		skip();
	int fd = openat(mount, "[aio]", O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(unlinkat(mount, "[aio]", 0), 0);
	struct found found = look_at(getpid(), fd);
	munmap(map, 4096);
	close(fd);
	close(mount);
	(void)syscall(SYS_io_destroy, context);
	assert_int_equal(found.contexts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_path_longer_than_a_page),
	    cmocka_unit_test(test_threads_of_an_ended_main_thread),
	    cmocka_unit_test(test_a_file_called_as_a_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
