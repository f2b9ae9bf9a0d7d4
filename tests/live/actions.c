/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What iotriage changes on a machine, without its screen.
 *
 *	actions keep [fork]            switches delay accounting on and says so; a line "end"
 *	                               on its input puts it back, "crash" is a fault
 *	actions ioprio PID START TID CLASS LEVEL
 */
#include "events.h"
#include "sample/child.h"
#include "sample/delayacct.h"
#include "sample/ioprio.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A helper that outlives the program, as one does that hangs. It ends by itself. */
static void start_helper(void)
{
	int fd;
	pid_t pid = child_start(&fd, "actions-helper", true);

	if (pid == 0) {
		(void)sleep(20);
		_exit(0);
	}
	printf("helper %d\n", (int)pid);
}

static int keep(int with_helper)
{
	struct events events;
	struct delayacct *delayacct;
	char line[32] = "";

	/* the program blocks its signals and ignores SIGPIPE before anything else */
	if (events_open(&events, true) < 0)
		return 1;
	int error = delayacct_on(&delayacct);
	if (error)
		printf("error %s\n", strerror(-error));
	else
		printf(delayacct ? "on\n" : "as it was\n");
	if (with_helper)
		start_helper();
	fflush(stdout);
	/* as the program without a sink would: the signal's default is its end */
	sigset_t none;
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n") != 0)
		if (strcmp(line, "crash\n") == 0)
			(void)raise(SIGSEGV);
	delayacct_restore(delayacct);
	events_close(&events);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "keep") == 0)
		return keep(argc > 2);
	if (argc != 7 || strcmp(argv[1], "ioprio") != 0)
		return 2;
	int error = ioprio_change(atoi(argv[2]), strtoull(argv[3], NULL, 10), atoi(argv[4]),
				  (enum ioprio_class)atoi(argv[5]), atoi(argv[6]));
	puts(error ? strerror(-error) : "done");
	return error ? 1 : 0;
}
