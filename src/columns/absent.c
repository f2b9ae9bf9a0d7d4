/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a value is absent, in a word and in a sentence. */
#include "iotriage/value.h"

static const struct {
	const char *name, *help;
} reasons[ABSENT_REASONS] = {
	[PRESENT] = {"present", "the figure was measured"},
	[ABSENT_NEW] = {"new", "seen for the first time: the next tick has a rate"},
	[ABSENT_RESET] = {"reset", "its counters went back, so it was replaced: the next tick has a rate"},
	[ABSENT_IDLE] = {"no requests", "there was nothing to take it of in the interval: no requests, no calls or no ring"},
	[ABSENT_UNREAD] = {"unread", "threads of a process are read while it does I/O, and of all with --threads"},
	[ABSENT_DENIED] = {"denied", "the kernel refuses this file: it takes root, or CAP_SYS_PTRACE and what the task has"},
	[ABSENT_OFF] = {"off", "accounting is off: see queue/iostats, kernel.task_delayacct (IO%, SWAPIN%), psi=1"},
	[ABSENT_OLDER] = {"older", "this task is older than the switch of its accounting: only tasks started since "
	                           "are measured"},
	[ABSENT_UNTRACED] = {"untraced", "only tracing measures it, which is off, or this part of it is not possible: see This machine"},
	[ABSENT_BIO] = {"bio-based", "this kind of device makes no requests: only the whole time of a bio is "
	                             "measured (avserv)"},
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
