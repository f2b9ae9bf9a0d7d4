/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a value is absent, in a word and in a sentence. */
#include "iotriage/value.h"

static const struct {
	const char *name, *help;
} reasons[ABSENT_REASONS] = {
	[PRESENT] = {"present", "the figure was measured"},
	[ABSENT_NEW] = {"new", "seen for the first time: the next tick has a rate"},
	[ABSENT_RESET] = {"reset", "its counters went back, so it was replaced: the next tick has a rate"},
	[ABSENT_IDLE] = {"no requests", "an average over requests, and none completed in the interval"},
	[ABSENT_DENIED] = {"denied", "the kernel refuses this file: run as root, or with CAP_SYS_PTRACE"},
	[ABSENT_OFF] = {"off", "accounting is off: queue/iostats of the device, kernel.task_delayacct for "
	                       "IO%, psi=1 at boot for pressure"},
	[ABSENT_UNSUPPORTED] = {"unsupported", "this kernel or this kind of device has no such figure"},
	[ABSENT_MERGED] = {"merged", "the slab cache shares its memory with others: boot with slab_nomerge "
	                             "to see its count"},
	[ABSENT_LATE] = {"late", "it could not be read in time for this tick"},
	[ABSENT_BLOCKED] = {"blocked", "reading this task's files hangs in the kernel: it is stuck itself"},
	[ABSENT_IMPLAUSIBLE] = {"implausible", "the counters say what no hardware can do"},
};

const char *absent_name(enum absent why)
{
	return (unsigned)why < ABSENT_REASONS ? reasons[why].name : "unknown";
}

const char *absent_help(enum absent why)
{
	return (unsigned)why < ABSENT_REASONS ? reasons[why].help : "";
}
