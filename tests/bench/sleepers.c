/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleepers N [THREADS]: N idle processes of so many threads (1), until its standard
 * input ends or whoever started it does. Prints a line when all of them are there.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void *sleep_too(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void add_threads(long n)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, &attr, sleep_too, NULL) != 0)
			_exit(1);
	pthread_attr_destroy(&attr);
}

/* Says that it is there by closing ready. */
static int sleep_on(pid_t parent, long threads, int ready)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	add_threads(threads - 1);
	close(ready);
	while (getppid() == parent)
		pause();
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc >= 2 ? strtol(argv[1], NULL, 10) : 0;
	long threads = argc == 3 ? strtol(argv[2], NULL, 10) : 1;
	pid_t self = getpid();
	int ready[2];
	char byte;

	if (n < 1 || n > 100000 || threads < 1 || threads > 1000 || argc > 3) {
		fprintf(stderr, "usage: sleepers N [THREADS]\n");
		return 2;
	}
	if (pipe(ready) < 0)
		return 1;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the children's stdin is not the pipe's last end, so that nobody waits for them */
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			close(ready[0]);
			_exit(sleep_on(self, threads, ready[1]));
		}
		if (pid < 0) {
			fprintf(stderr, "sleepers: %ld of %ld: %s\n", i, n, strerror(errno));
			return 1;
		}
	}
	close(ready[1]);
	while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
		; /* until the last of them has closed it */
	printf("%ld\n", n);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	return 0; /* the children are sent SIGKILL now */
}
