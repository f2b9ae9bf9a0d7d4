/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that is started to be profiled. */
#ifndef PROFILE_COMMAND_H
#define PROFILE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int go_fd; /* it waits for a byte from here */
};

/* Makes the process, which waits to become the command. 0 or -errno. */
int command_prepare(struct command *command, char **argv);

/* Lets it go on. 0, or -errno of exec; then it is gone. */
int command_start(struct command *command);

/* It will not be started after all. */
void command_drop(struct command *command);

/* True once it has ended; its wait(2) status. */
bool command_ended(const struct command *command, int *status);

#endif
