/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program does to itself before it starts. */
#ifndef IOTRIAGE_PROCESS_H
#define IOTRIAGE_PROCESS_H

/*
 * Opens descriptors 0 to 2 where they are closed, keeps the program in memory
 * where that is allowed, and puts the terminal back should it crash.
 */
void process_prepare(void);

#endif
