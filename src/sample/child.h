/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of our own for what may hang, or must outlive the program. Such a
 * process has nothing of the program's: no terminal, no descriptor, no signal.
 */
#ifndef IOTRIAGE_SAMPLE_CHILD_H
#define IOTRIAGE_SAMPLE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Forks. 0 in the child, its PID in the program, both with *fd to talk to the
 * other in datagrams; -errno. deaf: the child ignores every signal that can be.
 */
pid_t child_start(int *fd, const char *name, bool deaf);

/* Waits for an answer, one int. 0, -ETIMEDOUT, or -EPIPE where the other is gone. */
int child_answer(int fd, int timeout_ms, int *answer);

/* Takes in an ended child's status. false: it has not ended, and is not waited for. */
bool child_reap(pid_t pid);

enum child_late { CHILD_KILL, CHILD_LEAVE };

/*
 * Does work in a child and returns what that returns, 0 or -errno; -ETIMEDOUT
 * where it is late: then it is killed, or left to finish what it does. -EBUSY
 * while too many late ones hang. Only the main thread calls it.
 */
int child_run(int (*work)(void *context), void *context, int timeout_ms, enum child_late late);

#endif
