/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program and the helper that finds names say to each other. */
#ifndef IOTRIAGE_SAMPLE_NAMESERVE_H
#define IOTRIAGE_SAMPLE_NAMESERVE_H

#include <stddef.h>
#include <stdint.h>

enum name_kind {
	NAME_TASK, /* pid -> uid, start and command line */
	NAME_USER, /* uid -> name */
	NAME_UID   /* name -> uid */
};

enum { NAME_TEXT_MAX = 4096 };

/* One message either way: a SOCK_SEQPACKET datagram, cut after the text. */
struct name_message {
	int32_t kind; /* enum name_kind */
	int32_t pid;
	uint64_t start_ticks;
	uint32_t uid;
	int32_t error;   /* of an answer: 0, ENOENT ... */
	uint32_t length; /* of text; it may hold any byte */
	char text[NAME_TEXT_MAX];
};

enum { NAME_HEAD = offsetof(struct name_message, text) };

/* Answers questions until the program is gone. */
void names_serve(int fd);

#endif
