/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleepers N: N idle processes, until its standard input ends or whoever started it
 * does. Prints a line when all of them are there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int sleep_on(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	pid_t self = getpid();
	char byte;

	if (n < 1 || n > 100000) {
		fprintf(stderr, "usage: sleepers N\n");
		return 2;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the children's stdin is not the pipe's last end, so that nobody waits for them */
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(sleep_on(self));
		if (pid < 0) {
			fprintf(stderr, "sleepers: %ld of %ld: %s\n", i, n, strerror(errno));
			return 1;
		}
	}
	printf("%ld\n", n);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	return 0; /* the children are sent SIGKILL now */
}
