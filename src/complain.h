/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the program says that something is wrong, and with which status it ends. */
#ifndef IOTRIAGE_COMPLAIN_H
#define IOTRIAGE_COMPLAIN_H

/* Exit statuses. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,      /* failed while running */
	EXIT_USAGE = 2,       /* wrong usage */
	EXIT_NO_PROC = 3,     /* no usable /proc */
	EXIT_NO_TERMINAL = 4, /* no usable terminal */
	EXIT_MISSING = 5      /* something demanded is missing: --trace where it cannot be */
};

/* One line to stderr: "iotriage: what: why"; foreign text in it is cleaned. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status of a run that has printed to stdout with stdio: whether all of it got there. */
int printed(void);

#endif
