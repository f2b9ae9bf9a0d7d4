/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The helper process and what is said between it and the program. */
#ifndef IOTRIAGE_SAMPLE_HELPER_H
#define IOTRIAGE_SAMPLE_HELPER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum helper_kind {
	HELPER_TASK, /* pid -> uid, start and command line */
	HELPER_USER, /* uid -> name */
	HELPER_UID   /* name -> uid */
};

enum { HELPER_TEXT_MAX = 4096 };

/* One message either way: a SOCK_SEQPACKET datagram, cut after the text. */
struct helper_message {
	int32_t kind; /* enum helper_kind */
	int32_t pid;
	uint64_t start_ticks;
	uint32_t uid;
	int32_t error;   /* of an answer: 0, ENOENT ... */
	uint32_t length; /* of text; it may hold any byte */
	char text[HELPER_TEXT_MAX];
};

enum { HELPER_HEAD = offsetof(struct helper_message, text) };

/* Starts a helper: its PID, and *fd to talk to it. -errno where it cannot. */
pid_t helper_start(int *fd);

#endif
