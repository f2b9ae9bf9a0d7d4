/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was read of the counts of asynchronous I/O, put in order. */
#ifndef TRACE_AIO_SAMPLES_H
#define TRACE_AIO_SAMPLES_H

#include "iotriage/snapshot.h"

/*
 * Ascending by process, each once: a walk over a full map begins again where a process
 * gave way meanwhile. Of two readings the later stays, for counts only grow.
 */
void aio_samples_settle(struct aio_activity *activity);

#endif
