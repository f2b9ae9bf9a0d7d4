/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thresholds of all rules: name, default and meaning, in one place.
 */
#include "rules.h"

#define T(field, value, text)                                                                      \
	{                                                                                          \
#field, offsetof(struct thresholds, field), value, text                            \
	}

static const struct threshold_info infos[] = {
	T(mark_ratio, 2, "mark w: await is this many times svctm or more"),
	T(mark_ms, 2, "mark w: and at least this long, ms"),
	T(mark_strong_ratio, 5, "mark W: await is this many times svctm or more"),
	T(mark_strong_ms, 10, "mark W: and at least this long, ms"),

	T(limit_spindle_ms, 20, "await above this is long for a rotating disk, ms"),
	T(limit_other_ms, 5, "await above this is long for a device without a spindle, ms"),
	T(limit_unknown_ms, 10, "await above this is long where the kind is unknown, ms"),
	T(limit_extreme, 10, "this many times the limit is extreme"),
	T(spindle_iops, 500, "more requests/s after merging are no single spindle"),
	T(enough_requests, 20, "fewer requests in four frames prove no latency"),
	T(enough_extreme, 5, "unless await is extreme over this many"),

	T(serial_low, 0.7, "one request outstanding: queue and rate x await from here"),
	T(serial_high, 1.3, "to here; also queue over busy share"),
	T(serial_strict_low, 0.9, "the same where %util cannot confirm it: from here"),
	T(serial_strict_high, 1.1, "to here"),
	T(serial_util, 60, "back to back only from this %util on"),
	T(serial_busy, 90, "serial work is a warning from this %util on"),
	T(serial_warn_ms, 1, "and from this await on, ms"),
	T(util_far_below, 2, "queue is this many times the busy share: %util may be wrong"),

	T(leader_fits, 1.5, "a task that moves more than this many times what the device does works elsewhere"),

	T(queueing_depth, 6, "a queue from this on is more than a handful"),
	T(queueing_wait, 5, "await is this many times svctm: requests mostly wait in line"),
	T(burst_util, 80, "writes alone below this %util are a burst of write-back"),
	T(burst_reads, 0.02, "writes alone: reads are no more than this share of requests"),

	T(slow_concurrency, 0.7, "below this queue, or rate x await, hardly anything waits"),
	T(slow_burst_wait, 3, "writes alone whose await is this many times svctm came in a burst"),

	T(stalled_util, 98, "without completions, %util from this on means stuck requests"),
	T(stalled_crit_s, 3, "a stall is critical after this long, s"),
	T(stalled_warn_s, 1, "in a run too short to confirm it a stall warns after this long, s"),

	T(fault_util, 105, "%util above this cannot be"),
	T(fault_excess_ms, 15, "if busy time exceeds the interval by this too (a clock tick), ms"),
	T(fault_huge, 1e9, "no rate, queue or time of a device reaches this"),
	T(fault_kib, 4096, "this much moved without one request completed cannot be, KiB"),

	T(aio_warn, 95, "aio-nr in % of aio-max-nr that warns"),
	T(aio_crit, 100, "aio-nr in % of aio-max-nr that is critical"),
	{NULL, 0, 0, NULL},
};

const struct threshold_info *threshold_infos(void)
{
	return infos;
}

void thresholds_init(struct thresholds *limits)
{
	for (const struct threshold_info *info = infos; info->name; info++)
		*(double *)((char *)limits + info->offset) = info->by_default;
}
