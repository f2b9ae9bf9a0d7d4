/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.task_delayacct and its keeper: a process that switches it on, waits
 * until the program ends, in whatever way, and switches it off again unless
 * somebody else has meanwhile.
 */
#include "delayacct.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000, ALREADY_ON = 1 };

/* Of this machine, whichever is looked at. */
static const char switch_path[] = "/proc/sys/kernel/task_delayacct";

struct delayacct {
	pid_t keeper;
	int fd;
};

/* '0', '1' or another digit; -errno. */
static int read_switch(void)
{
	char value = '\0';
	int fd = open(switch_path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, &value, 1);
	int error = n < 0 ? -errno : n == 0 ? -EIO : 0;
	close(fd);
	return error ? error : value;
}

static int write_switch(char value)
{
	int fd = open(switch_path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int error = write(fd, &value, 1) < 0 ? -errno : 0;
	close(fd);
	return error;
}

static int switch_on(void)
{
	int value = read_switch();

	if (value < 0)
		return value;
	return value == '0' ? write_switch('1') : ALREADY_ON;
}

/* Only what is as it was left. */
static int switch_off(void)
{
	int value = read_switch();

	if (value < 0)
		return value;
	return value == '1' ? write_switch('0') : 0;
}

/* The keeper. A byte, or the end of the program, is the end of its wait. */
static void keep(int fd)
{
	int answer = switch_on();
	int moved = chdir("/"); /* where the program was begun may be unmounted once it has ended */
	char byte;

	(void)moved;
	(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
	if (answer != 0)
		_exit(0);
	while (recv(fd, &byte, 1, 0) < 0 && errno == EINTR)
		;
	answer = switch_off();
	(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
	_exit(0);
}

int delayacct_on(struct delayacct **ret)
{
	struct delayacct *delayacct = calloc(1, sizeof(*delayacct));
	int answer = 0;

	*ret = NULL;
	if (!delayacct)
		return -ENOMEM;
	delayacct->keeper = child_start(&delayacct->fd, "iotriage-keep", true);
	if (delayacct->keeper == 0)
		keep(delayacct->fd);
	int error = delayacct->keeper < 0 ? delayacct->keeper
	                                  : child_answer(delayacct->fd, PATIENCE_MS, &answer);
	if (!error && answer == 0) {
		*ret = delayacct;
		return 0;
	}
	if (delayacct->keeper > 0) {
		close(delayacct->fd); /* a keeper that is late notices, and undoes what it does */
		if (error != -ETIMEDOUT)
			(void)child_reap(delayacct->keeper);
	}
	free(delayacct);
	return error ? error : answer == ALREADY_ON ? 0 : answer;
}

void delayacct_restore(struct delayacct *delayacct)
{
	int answer = 0;

	if (!delayacct)
		return;
	(void)send(delayacct->fd, "", 1, MSG_NOSIGNAL);
	int error = child_answer(delayacct->fd, PATIENCE_MS, &answer);
	if (error == -ETIMEDOUT) /* somebody has stopped it */
		(void)kill(delayacct->keeper, SIGKILL);
	close(delayacct->fd);
	(void)child_reap(delayacct->keeper);
	if (error) /* or killed it */
		(void)switch_off();
	free(delayacct);
}
