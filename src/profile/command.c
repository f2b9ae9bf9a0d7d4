/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that is started to be profiled, with signals and descriptors as we got them. */
#include "profile/command.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* send and recv, for these are no calls that are counted. */
static _Noreturn void become(char **argv, int fd)
{
	sigset_t none;
	char byte = 0;
	int error;

	if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
		_exit(1);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	(void)send(fd, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(127);
}

int command_prepare(struct command *command, char **argv)
{
	int pair[2];
	char ready;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	command->pid = fork();
	if (command->pid == 0) {
		close(pair[0]);
		become(argv, pair[1]);
	}
	int error = command->pid < 0 ? -errno : 0;
	close(pair[1]);
	/* whatever it does from then on is the command's */
	if (!error && recv(pair[0], &ready, 1, 0) != 1)
		error = -ECHILD;
	if (error)
		close(pair[0]);
	else
		command->go_fd = pair[0];
	return error;
}

int command_start(struct command *command)
{
	int error = 0;

	/* where exec works its end closes */
	if (send(command->go_fd, "", 1, MSG_NOSIGNAL) != 1)
		error = ESRCH;
	else if (recv(command->go_fd, &error, sizeof(error), 0) != sizeof(error))
		error = 0;
	close(command->go_fd);
	if (error)
		(void)waitpid(command->pid, NULL, 0);
	return -error;
}

void command_drop(struct command *command)
{
	close(command->go_fd);
	(void)waitpid(command->pid, NULL, 0);
}

bool command_ended(const struct command *command, int *status)
{
	return waitpid(command->pid, status, WNOHANG) == command->pid;
}
