/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock and the signals as descriptors for poll(2). */
#ifndef IOTRIAGE_EVENTS_H
#define IOTRIAGE_EVENTS_H

#include <stdbool.h>

struct events {
	int clock_fd, signal_fd;
};

/* Blocks the signals it reports. screen: those of a terminal too. 0 or -1 with errno. */
int events_open(struct events *events, bool screen);
void events_close(struct events *events);

/* Ticks first_s from now, then every interval_s, without drift. */
void events_clock(struct events *events, double first_s, double interval_s);
void events_clock_read(struct events *events);

/* The next signal that came; 0: none. */
int events_signal(struct events *events);

/* Stops the program as SIGTSTP would; returns when it goes on. */
void events_stop_here(void);

#endif
