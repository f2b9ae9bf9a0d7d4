/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one task. Reading them can hang; only a worker does. */
#ifndef IOTRIAGE_SAMPLE_READTASK_H
#define IOTRIAGE_SAMPLE_READTASK_H

#include "iotriage/snapshot.h"
#include "root.h"

struct task_file {
	int32_t pid;
	int io_fd, stat_fd; /* kept open; -1: not */
	bool blocked;       /* a worker hangs on it */
	bool uid_known;
	uint32_t uid;
	uint64_t start_ticks;
	char comm[COMM_MAX]; /* as last read, for when it hangs */
};

/* Reads io and stat into *sample. keep: descriptors may stay open. false: it is gone. */
bool task_file_read(struct task_file *file, const struct root *root, bool keep, bool uid,
                    struct task_sample *sample);

void task_file_close(struct task_file *file);

#endif
