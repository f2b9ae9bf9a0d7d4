/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop that joins sampling, frames, findings and a sink. */
#ifndef IOTRIAGE_MONITOR_H
#define IOTRIAGE_MONITOR_H

#include "options.h"

/* Runs until the end that was asked for. An exit status; what went wrong has been said. */
int monitor_run(const struct options *options);

#endif
