/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines and user names, from a helper process.
 *
 * Reading a command line touches the target's memory and a user name may come
 * from a directory service: both can hang. So another process does it, with
 * libproc2, within a deadline; it is killed and replaced when late.
 */
#ifndef IOTRIAGE_NAMES_H
#define IOTRIAGE_NAMES_H

#include "iotriage/frame.h"

struct names;

/*
 * native: the root is this machine's own /proc; else nobody can answer and rows
 * are TASK_NAMES_NEVER. 0 or -errno.
 */
int names_open(struct names **ret, bool native);

/* Starts the helper, which else starts with the first question. */
void names_start(struct names *names);

/* Ends the helper without waiting for it. Takes NULL. */
void names_close(struct names *names);

/* Sets user, command and names of every task row from what is known by now. */
void names_attach(struct names *names, struct frame *frame);

/* Asks for the names of rows on show (all: of every row) that are wanted. */
void names_ask(struct names *names, const struct frame *frame, bool all);

/* To poll for answers; -1 while there is no helper. */
int names_fd(const struct names *names);

/* Milliseconds until names_tend must be called; -1: not before an answer comes. */
int names_timeout_ms(const struct names *names);

/* Takes answers in and replaces a late helper. True where something new is known. */
bool names_tend(struct names *names);

/* Answers are still to come. */
bool names_pending(const struct names *names);

/*
 * The uid of a user's name, or of a number. 0, -ENOENT, -EOPNOTSUPP on another
 * root, or -ETIMEDOUT after 2 s.
 */
int names_uid(struct names *names, const char *user, uint32_t *uid);

#endif
