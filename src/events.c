/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock and the signals. */
#include "events.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* nohup and shells ignore signals for us; one that is blocked would come all the same. */
static bool ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int events_open(struct events *events, bool screen)
{
	static const int always[] = {SIGINT, SIGTERM, SIGHUP}, terminal[] = {SIGWINCH, SIGTSTP, SIGCONT};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (!ignored(always[i]))
			sigaddset(&set, always[i]);
	for (size_t i = 0; screen && i < sizeof(terminal) / sizeof(*terminal); i++)
		sigaddset(&set, terminal[i]);
	(void)signal(SIGPIPE, SIG_IGN); /* a write says EPIPE instead, */
	(void)signal(SIGXFSZ, SIG_IGN); /* or EFBIG */
	events->clock_fd = events->signal_fd = -1;
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	events->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	events->clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return events->signal_fd < 0 || events->clock_fd < 0 ? -1 : 0;
}

void events_close(struct events *events)
{
	if (events->clock_fd >= 0)
		close(events->clock_fd);
	if (events->signal_fd >= 0)
		close(events->signal_fd);
}

static struct timespec timespec_of(double seconds)
{
	double whole = floor(seconds);

	return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

void events_clock(struct events *events, double first_s, double interval_s)
{
	struct itimerspec spec = {.it_value = timespec_of(first_s), .it_interval = timespec_of(interval_s)};

	(void)timerfd_settime(events->clock_fd, 0, &spec, NULL);
}

void events_clock_read(struct events *events)
{
	uint64_t expirations;

	/* ticks that were missed are not made up for: the next frame has its true length */
	ssize_t n = read(events->clock_fd, &expirations, sizeof(expirations));
	(void)n;
}

int events_signal(struct events *events)
{
	struct signalfd_siginfo info;

	return read(events->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info) ? (int)info.ssi_signo : 0;
}

void events_stop_here(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	(void)raise(SIGTSTP); /* pending while blocked, default action stops */
	(void)sigprocmask(SIG_UNBLOCK, &set, &old);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	/* what woke us is no news */
	const struct timespec none = {0, 0};
	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	(void)sigtimedwait(&set, NULL, &none);
}
