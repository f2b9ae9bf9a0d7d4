/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child on its pty. We lead the session, as a shell would, and the child leads the
 * process group in the foreground: led by the child itself the group would be an
 * orphan, which SIGTSTP does not stop.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For the signal handler: what must not be left behind. */
static volatile sig_atomic_t group;

static void on_deadly(int sig)
{
	if (group > 0) {
		kill(-(pid_t)group, SIGKILL);
		while (waitpid(-(pid_t)group, NULL, 0) > 0)
			;
	}
	_exit(128 + sig);
}

double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static int take_slave(struct pty *pty)
{
	if (pty->slave < 0)
		pty->slave = open(ptsname(pty->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pty->slave < 0 || ioctl(pty->slave, TIOCSCTTY, 0))
		return -errno;
	tcflush(pty->slave, TCIFLUSH);
	return tcsetattr(pty->slave, TCSANOW, &pty->before) ? -errno : 0;
}

int pty_open(struct pty *pty, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	signal(SIGHUP, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, on_deadly);
	signal(SIGTERM, on_deadly);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	if (openpty(&pty->master, &pty->slave, NULL, NULL, &size))
		return -errno;
	fcntl(pty->master, F_SETFD, FD_CLOEXEC);
	fcntl(pty->slave, F_SETFD, FD_CLOEXEC);
	fcntl(pty->master, F_SETFL, O_NONBLOCK);
	if (tcgetattr(pty->slave, &pty->before))
		return -errno;
	pty->rows = rows;
	pty->cols = cols;
	pty->term = term_new(rows, cols);
	return 0;
}

static void child_environment(const struct pty *pty)
{
	const char *locale = getenv("PTY_LC_ALL");

	setenv("TERM", pty->term_name, 1);
	setenv("LC_ALL", locale ? locale : "C.UTF-8", 1);
	setenv("TZ", "UTC", 1);
	unsetenv("LANGUAGE");
	unsetenv("LINES");
	unsetenv("COLUMNS");
}

static _Noreturn void child_run(const struct pty *pty)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(pty->slave, fd);
	tcsetpgrp(0, getpid());
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	if (pty->ignore_hangup)
		signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	child_environment(pty);
	execvp(pty->command[0], pty->command);
	dprintf(2, "ptyscreen: cannot run %s: %s\n", pty->command[0], strerror(errno));
	_exit(127);
}

int pty_start(struct pty *pty)
{
	sigset_t all, old;
	int e = take_slave(pty);

	if (e)
		return e;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pty->child = fork();
	if (!pty->child)
		child_run(pty);
	e = pty->child < 0 ? -errno : 0;
	if (!e) {
		group = pty->child;
		setpgid(pty->child, pty->child);
		pty->state = CHILD_RUNNING;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	pty->eof = false;
	pty->output_s = clock_s();
	return e;
}

static void look_after_child(struct pty *pty)
{
	int status;

	while (pty->state == CHILD_RUNNING || pty->state == CHILD_STOPPED) {
		if (wait4(pty->child, &status, WNOHANG | WUNTRACED | WCONTINUED, &pty->usage) <= 0)
			return;
		if (WIFSTOPPED(status)) {
			pty->state = CHILD_STOPPED;
		} else if (WIFCONTINUED(status)) {
			pty->state = CHILD_RUNNING;
		} else {
			pty->state = CHILD_ENDED;
			pty->status = status;
			/* the last one of the slave's holders: the master now has an end */
			close(pty->slave);
			pty->slave = -1;
		}
	}
}

/* False: nothing there. */
static bool read_some(struct pty *pty)
{
	char buf[16384];
	ssize_t n = read(pty->master, buf, sizeof buf);

	if (n > 0) {
		pty->output_s = clock_s();
		pty->escape = pty->escape || memchr(buf, '\033', (size_t)n);
		term_feed(pty->term, buf, (size_t)n);
		n = (ssize_t)term_answer(pty->term, buf, sizeof buf);
		/* a child that asks and never reads loses the answer */
		if (n > 0)
			(void)!write(pty->master, buf, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		pty->eof = true;
	return false;
}

void pty_turn(struct pty *pty, int ms)
{
	enum { READS = 64 }; /* a flood must not keep us here */
	struct pollfd p = {.fd = pty->master, .events = POLLIN};

	if (pty->eof || pty->master < 0)
		sleep_ms(ms);
	else if (poll(&p, 1, ms) > 0)
		for (int i = 0; i < READS && read_some(pty); i++)
			;
	look_after_child(pty);
}

bool pty_wait(struct pty *pty, bool (*done)(struct pty *pty, void *arg), void *arg, double s)
{
	enum { TICK_MS = 10 };
	double end = clock_s() + s;

	pty_turn(pty, 0);
	while (!done(pty, arg)) {
		if (clock_s() >= end)
			return false;
		if (pty->state == CHILD_ENDED && (pty->eof || pty->master < 0))
			return false;
		pty_turn(pty, TICK_MS);
	}
	return true;
}

/* Its state in /proc/PID/stat stands behind the name in parentheses. */
static bool is_asleep(const struct pty *pty)
{
	char path[32], line[256];
	const char *state = NULL;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pty->child);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (fgets(line, sizeof line, file))
		state = strrchr(line, ')');
	fclose(file);
	return !state || state[1] != ' ' || state[2] != 'R';
}

static bool is_settled(struct pty *pty, void *arg)
{
	static const double quiet_s = 0.02;

	(void)arg;
	return pty->state != CHILD_RUNNING ||
	       (clock_s() - pty->output_s >= quiet_s && is_asleep(pty));
}

void pty_settle(struct pty *pty)
{
	static const double most_s = 1;

	pty_wait(pty, is_settled, NULL, most_s);
}

static bool child_lives(const struct pty *pty)
{
	return pty->state == CHILD_RUNNING || pty->state == CHILD_STOPPED;
}

static int send_all(struct pty *pty, const char *bytes, size_t n)
{
	double end = clock_s() + pty->patience_s;

	while (n) {
		ssize_t done;

		if (!child_lives(pty) || pty->master < 0)
			return -EPIPE;
		done = write(pty->master, bytes, n);
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		} else if (clock_s() > end) {
			return -ETIMEDOUT;
		} else {
			pty_turn(pty, 1);
		}
	}
	return 0;
}

int pty_send(struct pty *pty, const char *bytes, size_t n)
{
	char answer[256];
	int e = send_all(pty, bytes, n);

	while (!e && (n = term_answer(pty->term, answer, sizeof answer)))
		e = send_all(pty, answer, n);
	return e;
}

void pty_resize(struct pty *pty, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	pty_turn(pty, 0); /* what was drawn for the old size goes there */
	pty->rows = rows;
	pty->cols = cols;
	term_resize(pty->term, rows, cols);
	ioctl(pty->master, TIOCSWINSZ, &size);
}

void pty_signal(struct pty *pty, int sig)
{
	if (sig == SIGCONT && pty->state == CHILD_STOPPED)
		pty->state = CHILD_RUNNING;
	kill(pty->child, sig);
}

static double child_cpu(const struct pty *pty)
{
	struct timespec t = {0};
	clockid_t id;

	if (clock_getcpuclockid(pty->child, &id) || clock_gettime(id, &t))
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_held(struct pty *pty, void *arg)
{
	(void)arg;
	return pty->state != CHILD_RUNNING;
}

/*
 * The kernel tells the session's leader, that is us, and a shell passes it on. The child
 * is held meanwhile: it finds the signal and the dead terminal together, as a leader does.
 */
void pty_hang_up(struct pty *pty)
{
	kill(pty->child, SIGSTOP);
	pty_wait(pty, is_held, NULL, pty->patience_s);
	pty->cpu_at_close_s = child_cpu(pty);
	close(pty->slave);
	close(pty->master);
	pty->slave = pty->master = -1;
	kill(-pty->child, SIGHUP);
	kill(-pty->child, SIGCONT);
}

int pty_unread(const struct pty *pty)
{
	int n = 0;

	return pty->slave < 0 || ioctl(pty->slave, FIONREAD, &n) ? 0 : n;
}

const char *pty_state_text(const struct pty *pty, char *buf, size_t size)
{
	const char *name;

	if (pty->state != CHILD_ENDED)
		return pty->state == CHILD_STOPPED ? "is stopped" : "is running";
	if (WIFEXITED(pty->status)) {
		snprintf(buf, size, "exited with status %d", WEXITSTATUS(pty->status));
	} else {
		name = sigabbrev_np(WTERMSIG(pty->status));
		snprintf(buf, size, "was killed by SIG%s", name ? name : "?");
	}
	return buf;
}

static void kill_group(const struct pty *pty)
{
	enum { GRACE_MS = 1000, TICK_MS = 10 };

	if (pty->state != CHILD_ENDED)
		kill(-pty->child, SIGKILL);
	/* orphans of the group come to us; they may have something to put back */
	for (int ms = 0; ms < GRACE_MS && kill(-pty->child, 0) == 0; ms += TICK_MS) {
		while (waitpid(-pty->child, NULL, WNOHANG) > 0)
			;
		sleep_ms(TICK_MS);
	}
	kill(-pty->child, SIGKILL);
	while (waitpid(-pty->child, NULL, 0) > 0 || errno == EINTR)
		;
	group = 0;
}

void pty_end(struct pty *pty)
{
	if (pty->state != CHILD_NONE)
		kill_group(pty);
	if (pty->slave >= 0)
		close(pty->slave);
	if (pty->master >= 0)
		close(pty->master);
	term_free(pty->term);
}
