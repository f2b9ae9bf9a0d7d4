/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switching kernel.task_delayacct on, and back when this program ends in
 * whatever way: a keeper process of its own does that, so that it happens after
 * SIGKILL too.
 */
#ifndef IOTRIAGE_SAMPLE_DELAYACCT_H
#define IOTRIAGE_SAMPLE_DELAYACCT_H

struct delayacct; /* NULL: nothing was switched on */

/* 0, or -errno with nothing changed. */
int delayacct_on(struct delayacct **ret);

/* Puts it back and returns when that is done, within a second. Takes NULL. */
void delayacct_restore(struct delayacct *delayacct);

#endif
