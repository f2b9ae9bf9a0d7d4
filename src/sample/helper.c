/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting a helper process, asking it, and doing without it when it hangs. */
#include "helper.h"
#include "child.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS_PER_MINUTE = 30 }; /* should they die at once */

static const int64_t default_deadline_ns = 200 * 1000000LL;

void helper_init(struct helper *helper, const char *name, void (*serve)(int fd))
{
	*helper = (struct helper){
	    .name = name, .serve = serve, .deadline_ns = default_deadline_ns, .fd = -1};
}

/* It ends with the program, however that ends. */
static void serve(const struct helper *helper, int fd, pid_t program)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == program)
		helper->serve(fd);
	_exit(0);
}

static pid_t start(const struct helper *helper, int *fd)
{
	pid_t program = getpid();
	/* glibc makes malloc and stdio usable after a fork from a program with threads;
	 * the worker thread holds no other lock that the helper needs */
	pid_t pid = child_start(fd, helper->name, false);

	if (pid == 0)
		serve(helper, *fd, program);
	if (pid > 0)
		(void)fcntl(*fd, F_SETFL, O_NONBLOCK);
	return pid;
}

/* Those that were killed and have gone since. */
static void reap(struct helper *helper)
{
	unsigned n = 0;

	for (unsigned i = 0; i < helper->nleft; i++)
		if (waitpid(helper->left[i], NULL, WNOHANG) == 0)
			helper->left[n++] = helper->left[i];
	helper->nleft = n;
}

bool helper_start(struct helper *helper)
{
	int64_t now = clock_mono_ns();

	if (helper->fd >= 0)
		return true;
	reap(helper);
	if (now - helper->minute_ns > 60 * 1000000000LL) {
		helper->minute_ns = now;
		helper->starts = 0;
	}
	if (helper->starts >= STARTS_PER_MINUTE || helper->nleft == HELPERS_LEFT_MAX)
		return false;
	helper->starts++;
	helper->pid = start(helper, &helper->fd);
	return helper->pid > 0;
}

bool helper_ask(struct helper *helper, const void *question, size_t length)
{
	if (!helper_start(helper) || send(helper->fd, question, length, MSG_NOSIGNAL) < 0)
		return false;
	if (helper->in_flight++ == 0)
		helper->since_ns = clock_mono_ns();
	return true;
}

ssize_t helper_answer(struct helper *helper, void *answer, size_t size)
{
	ssize_t n = recv(helper->fd, answer, size, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0 || helper->in_flight == 0)
		return -1;
	helper->in_flight--;
	helper->since_ns = clock_mono_ns();
	return n;
}

int helper_timeout_ms(const struct helper *helper)
{
	int64_t left;

	if (helper->in_flight == 0)
		return -1;
	left = helper->deadline_ns - (clock_mono_ns() - helper->since_ns);
	return left <= 0 ? 0 : (int)(left / 1000000) + 1;
}

pid_t helper_stop(struct helper *helper)
{
	pid_t pid = helper->pid;

	if (helper->fd >= 0)
		close(helper->fd);
	helper->fd = -1;
	helper->in_flight = 0;
	helper->pid = 0;
	if (pid > 0) {
		(void)kill(pid, SIGKILL);
		helper->left[helper->nleft++] = pid; /* helper_start made sure of the room */
	}
	return pid;
}

bool helper_is_left(struct helper *helper, pid_t pid)
{
	reap(helper);
	for (unsigned i = 0; i < helper->nleft; i++)
		if (helper->left[i] == pid)
			return true;
	return false;
}

/* A killed helper goes at once, unless it hangs: that one is left behind. */
void helper_close(struct helper *helper)
{
	enum { TRIES = 50, PAUSE_US = 1000 };
	pid_t pid = helper_stop(helper);

	for (int i = 0; pid > 0 && i < TRIES && helper_is_left(helper, pid); i++)
		usleep(PAUSE_US);
}
