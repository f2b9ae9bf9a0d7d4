/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A helper process does what may hang in the kernel, and the program watches it
 * by the clock: it starts with the first question or before, answers come in the order of
 * the questions, and one that is late is killed. The next question starts
 * another.
 */
#ifndef IOTRIAGE_SAMPLE_HELPER_H
#define IOTRIAGE_SAMPLE_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Killed helpers that hang where even a kill does not reach; with so many no more are started. */
enum { HELPERS_LEFT_MAX = 8 };

struct helper {
	const char *name;      /* of its process */
	void (*serve)(int fd); /* all it does, in its process: datagrams in, datagrams out */
	int64_t deadline_ns;   /* for one answer */
	int fd;                /* to poll for answers; -1: none runs */
	pid_t pid;
	unsigned in_flight; /* questions it has not answered */
	int64_t since_ns;   /* the oldest of them is waited for since */
	unsigned starts;    /* in the minute since */
	int64_t minute_ns;
	pid_t left[HELPERS_LEFT_MAX]; /* killed and not gone yet */
	unsigned nleft;
};

void helper_init(struct helper *helper, const char *name, void (*serve)(int fd));

/* Starts it where none runs. false: it cannot be had now. */
bool helper_start(struct helper *helper);

/* Sends a question, starting the helper where none runs. false: it cannot be asked now. */
bool helper_ask(struct helper *helper, const void *question, size_t length);

/* The next answer: its length, 0 where none has come yet, -1: the helper has died. */
ssize_t helper_answer(struct helper *helper, void *answer, size_t size);

/* Milliseconds until it is late; -1: nothing is asked. */
int helper_timeout_ms(const struct helper *helper);

/* Kills it: what was asked is not answered. Returns its PID. */
pid_t helper_stop(struct helper *helper);

/* Whether a helper that was killed is still there. */
bool helper_is_left(struct helper *helper, pid_t pid);

/* Kills it, and waits a moment for its end. */
void helper_close(struct helper *helper);

#endif
