/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forking a process that has nothing of the program's. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_FD = 3 }; /* beside the standard ones, which are /dev/null */
enum { LATE_MAX = 8 }; /* children that hang; with so many no more are started */

/* A fault must not be ignored, nor may the program's handlers run here. */
static void leave_signals(bool deaf)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGCHLD};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, deaf ? SIG_IGN : SIG_DFL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		(void)signal(faults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void leave_descriptors(int fd)
{
	int null_fd = open("/dev/null", O_RDWR);

	/* the socket first: it may be one of those that are replaced */
	int kept = fcntl(fd, F_DUPFD, CHILD_FD + 1);
	for (int i = 0; i < CHILD_FD && null_fd >= 0; i++)
		(void)dup2(null_fd, i);
	(void)dup2(kept, CHILD_FD);
	if (close_range(CHILD_FD + 1, ~0U, 0) < 0) /* kernels before 5.9 */
		for (long i = sysconf(_SC_OPEN_MAX); i > CHILD_FD; i--)
			(void)close((int)i);
}

pid_t child_start(int *fd, const char *name, bool deaf)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		(void)setsid(); /* the terminal's signals are the program's to handle */
		(void)prctl(PR_SET_NAME, name);
		leave_signals(deaf);
		leave_descriptors(pair[1]);
		*fd = CHILD_FD;
		return 0;
	}
	int error = errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -error;
	}
	*fd = pair[0];
	return pid;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int child_answer(int fd, int timeout_ms, int *answer)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	long end = now_ms() + timeout_ms;
	int ready;

	do {
		long left = end - now_ms();
		ready = poll(&poll_fd, 1, left > 0 ? (int)left : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return -ETIMEDOUT;
	return recv(fd, answer, sizeof(*answer), MSG_DONTWAIT) == (ssize_t)sizeof(*answer) ? 0 : -EPIPE;
}

bool child_reap(pid_t pid)
{
	enum { TRIES = 100 };
	const struct timespec pause = {.tv_nsec = 1000000};

	/* somebody else may have taken it in already */
	for (int i = 0; i < TRIES; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

/* Children that were late; those that have ended since are taken in. True: there is room. */
static bool reap_late(pid_t late[LATE_MAX], unsigned *n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < *n; i++)
		if (waitpid(late[i], NULL, WNOHANG) == 0)
			late[kept++] = late[i];
	*n = kept;
	return kept < LATE_MAX;
}

int child_run(int (*work)(void *context), void *context, int timeout_ms, enum child_late late)
{
	static pid_t late_pid[LATE_MAX];
	static unsigned nlate;
	int fd, answer = 0;

	if (!reap_late(late_pid, &nlate))
		return -EBUSY;
	pid_t pid = child_start(&fd, "iotriage-work", false);
	if (pid < 0)
		return pid;
	if (pid == 0) {
		answer = work(context);
		(void)send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
		_exit(0);
	}
	int error = child_answer(fd, timeout_ms, &answer);
	bool left = error == -ETIMEDOUT && late == CHILD_LEAVE;
	if (error == -ETIMEDOUT && !left)
		(void)kill(pid, SIGKILL);
	close(fd);
	if (left || !child_reap(pid))
		late_pid[nlate++] = pid;
	return error ? error : answer;
}
