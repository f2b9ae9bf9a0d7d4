/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A frame as a whole. */
#include "build.h"
#include "devices.h"
#include "latency.h"
#include "pairs.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>

/* CLOCK_BOOTTIME runs on while the machine sleeps, CLOCK_MONOTONIC does not. */
static bool slept(const struct snapshot *before, const struct snapshot *now)
{
	return (now->boot_ns - before->boot_ns) - (now->mono_ns - before->mono_ns) > 1000000000LL;
}

int frame_build(struct frame *frame, const struct snapshot *before, const struct snapshot *now)
{
	static const struct system_snapshot at_boot;
	double seconds = before ? (double)(now->devices.mono_ns - before->devices.mono_ns) / 1e9 : now->uptime_s;
	double system_seconds =
		before ? (double)(now->system.mono_ns - before->system.mono_ns) / 1e9 : now->uptime_s;

	frame->epoch = now->epoch;
	frame->seconds = seconds;
	frame->since_boot = !before;
	frame->suspended = before && slept(before, now);
	frame->devices_state = now->devices.state;
	if (devices_build(frame, before ? &before->devices : NULL, &now->devices, seconds) < 0)
		return -ENOMEM;
	if (latency_build(frame, before ? &before->latency : NULL, &now->latency) < 0)
		return -ENOMEM;
	if (pairs_build(frame, before, now) < 0)
		return -ENOMEM;
	system_build(frame, before ? &before->system : &at_boot, &now->system, system_seconds);
	aio_build(&frame->aio, &now->aio);
	frame->tasks_state = ABSENT_OFF;
	frame->ntask = frame->naio_task = frame->nfile = frame->ntotal = 0;
	frame->sheet = NULL;
	return 0;
}

void frame_release(struct frame *frame)
{
	free(frame->device);
	free(frame->order);
	free(frame->task);
	free(frame->latency);
	pairs_release(frame);
	*frame = (struct frame){0};
}
