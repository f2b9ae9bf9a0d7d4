/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thresholds of all rules: name, default and meaning, in one place.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

#define T(field, value, text)                                                                      \
	{                                                                                          \
#field, offsetof(struct thresholds, field), value, text                            \
	}

static const struct threshold_info infos[] = {
	T(mark_ratio, 2, "mark w: await is this many times the service time or more"),
	T(mark_ms, 2, "mark w: await is at least this long too, ms"),
	T(mark_strong_ratio, 5, "mark W: await is this many times the service time or more"),
	T(mark_strong_ms, 10, "mark W: await is at least this long too, ms"),

	T(limit_spindle_ms, 20, "await above this is long for a rotating disk, ms"),
	T(limit_other_ms, 5, "await above this is long for a device without a spindle, ms"),
	T(limit_unknown_ms, 10, "await above this is long where the kind is unknown, ms"),
	T(limit_extreme, 10, "await this many times its limit is extreme"),
	T(spindle_iops, 500, "more requests/s after merging are no single spindle"),
	T(enough_requests, 20, "fewer requests in four frames (a report: in one) prove no latency"),
	T(enough_extreme, 5, "where await is extreme, fewer requests than this prove none"),

	T(serial_low, 0.7, "one request outstanding: queue and rate x await are at least this"),
	T(serial_high, 1.3,
	  "one request outstanding: queue, rate x await, and queue over busy share are at "
	  "most this"),
	T(serial_strict_low, 0.9,
	  "one request outstanding where %util cannot confirm it: queue and rate x await "
	  "are at least this"),
	T(serial_strict_high, 1.1,
	  "one request outstanding where %util cannot confirm it: queue and rate x await "
	  "are at most this"),
	T(serial_util, 60, "serial work is back to back from this %util on"),
	T(serial_busy, 90, "serial work is a warning from this %util on"),
	T(serial_warn_ms, 1, "serial work is a warning from this await on, ms"),
	T(util_far_below, 2, "queue is this many times the busy share: %util may be wrong"),

	T(leader_fits, 1.5,
	  "a task that moves more than this many times what the device does works elsewhere"),

	T(queueing_depth, 6, "a queue from this on is more than a handful"),
	T(queueing_wait, 5, "await is this many times svctm: requests mostly wait in line"),
	T(burst_util, 80,
	  "writes alone below this %util are a burst of write-back; so is any queue of which "
	  "rate x await is but a handful"),
	T(burst_reads, 0.02, "writes alone: reads are no more than this share of requests"),
	T(burst_wait, 3, "writes alone whose await is this many times svctm came in a burst"),

	T(slow_concurrency, 0.7, "below this queue, or rate x await, hardly anything waits"),

	T(stalled_util, 98, "without completions, %util from this on means stuck requests"),
	T(stalled_crit_s, 3, "a stall is critical after this long, s"),
	T(stalled_warn_s, 1, "in a run too short to confirm it a stall warns after this long, s"),

	T(fault_util, 105, "%util above this cannot be"),
	T(fault_excess_ms, 15,
	  "%util cannot be if busy time exceeds the interval by this too (a clock tick), ms"),
	T(fault_huge, 1e9, "no rate or time of a device reaches this, no queue a thousandth of it"),
	T(fault_kib, 4096, "this much moved without one request completed cannot be, KiB"),

	T(starved_queue, 16, "this many writes in flight are a deep queue for a reader"),
	T(starved_ratio, 5,
	  "starved reads take this many times what they take while few writes are queued"),
	T(starved_more, 1.5, "starved reads are at most this many times as many as before"),

	T(cap_frames, 3, "in a report a rate stands still over at least this many intervals"),
	T(cap_frames_live, 5,
	  "live a rate stands still over at least this many frames, two at each level of the "
	  "queue"),
	T(cap_flat, 0.015, "a rate that stands still does so within this share of itself"),
	T(cap_moves, 1.5, "while a rate stands still the queue changes by this factor"),
	T(cap_link_devices, 3, "at least this many devices share a link that is full"),
	T(cap_link_kib, 51200, "devices on a full link move at least this much together, KiB/s"),

	T(flush_share, 0.35, "flushes in flight on average from this on set the pace"),
	T(flush_part, 0.1, "and are at least this share of all that is in flight"),
	T(flush_rate, 5, "flushes set the pace from this many a second on"),
	T(flush_warn_ms, 1, "flushes are a warning where one takes this long, ms"),
	T(flush_twice_low, 1.6,
	  "queue over rate x await, where a report shows no flushes: at least this is "
	  "likely flushes"),
	T(flush_twice_high, 2.4,
	  "queue over rate x await, where a report shows no flushes: at most this is likely "
	  "flushes"),
	T(flush_twice_queue, 6, "likely flushes: only in a queue shorter than this"),
	T(flush_twice_util, 50, "likely flushes: only at this %util or more"),

	T(shallow_depth, 8, "a driver's queue, or slots of the block layer, of at most this many requests are short"),
	T(shallow_ratio, 3, "requests wait this many times longer than they are served"),
	T(shallow_serve_ms, 8, "behind a short driver queue, served within this is fast, ms"),
	T(shallow_kib, 64,
	  "behind a short driver queue, larger requests than this may wait for bandwidth, KiB"),

	T(random_kib, 64, "requests up to this size are small, KiB"),
	T(random_util, 90, "a disk is bound by seeks from this %util on"),
	T(random_serve_ms, 2, "a request that keeps the device busy this long is a seek, ms"),
	T(random_merged, 0.5,
	  "random: no more than this many merged requests for each completed one"),
	T(random_await, 0.5,
	  "bound by seeks is information from this share of the await limit on, a warning "
	  "above it"),

	T(busy_util, 95, "a device that looks saturated: %util from this on"),
	T(busy_requests, 500,
	  "a busy device that completes this many requests/s may not be saturated"),
	T(busy_queue, 0.9, "a busy device with a queue below this was empty part of the time"),
	T(busy_await, 0.5,
	  "a busy device, not a spindle, is quick within this share of the await limit"),

	T(unaccounted_requests, 100,
	  "this many requests/s in no time at all: the driver keeps no times"),
	T(unaccounted_layer, 20, "md, dm and the like: this many requests/s in no time at all"),

	T(legs_ratio, 3, "one member has this many times the await or queue of its peers' median"),
	T(legs_equal, 2,
	  "members do the same work where their requests differ by no more than this factor"),
	T(legs_mix, 0.25,
	  "members do the same work where their shares of reads differ by no more than this"),
	T(legs_alike, 0.05, "in a report three devices with rates this close are one set"),
	T(legs_pair_alike, 0.02, "in a report two devices with rates this close are one set"),

	T(gap_ratio, 5, "a layer's await is this many times that of any device below it"),
	T(gap_util, 50,
	  "a layer waits in vain where the devices below it have less than this %util"),
	T(idle_queue, 0.1, "a device with less than this in flight is idle"),
	T(idle_util, 20, "an idle device has less than this %util"),
	T(idle_requests, 100,
	  "an idle device whose driver keeps no times completes fewer requests/s"),

	T(layer_kib, 16, "in a report layers are found by their rates from this on, KiB/s"),

	T(throttled_near, 0.7, "a limit is in force where this share of it is used"),

	T(aio_warn, 95, "aio-nr in % of aio-max-nr that warns"),
	T(aio_crit, 100, "aio-nr in % of aio-max-nr that is critical"),

	T(elsewhere_iowait, 20, "iowait from this % on is high"),
	T(elsewhere_kib, 1024,
	  "a task that waits elsewhere, and still reads, reads this much beyond what the disks do, "
	  "KiB/s"),

	T(swap_in, 32, "paging: pages/s swapped in from this on"),
	T(swap_both, 100, "paging: pages/s swapped in and out together from this on"),
	T(swap_heavy, 200,
	  "paging is a warning from this many pages/s swapped in where the swap device is "
	  "not known"),
	T(swap_share, 0.5, "the swap device's load is paging where it is this share of its KiB/s"),

	T(dirty_near, 0.7, "Dirty and Writeback together reach this share of the dirty limit"),

	T(inode_waiters, 2, "threads that wait for one file's lock on average"),
	T(direct_kib, 64, "direct reads up to this size lose readahead, KiB"),
	T(direct_calls, 20, "direct reads lose readahead from this many a second on"),
	T(direct_sequential, 0.2, "the file position moves as much as is read, within this share"),
	T(caching_kib, 1024,
	  "a program with a cache of its own moves this much through the page cache, KiB/s"),
	T(sync_share, 0.5, "a writer drives a device where it does this share of the writes"),
	T(sync_journal, 0.1,
	  "or this share, and sync_share of what programs write: the rest is the journal's"),
	T(sync_wait, 20,
	  "a journal thread that waits this % of the time shows synchronous writers"),
	{NULL, 0, 0, NULL},
};

const struct threshold_info *threshold_infos(void)
{
	return infos;
}

const struct threshold_info *threshold_find(const char *name)
{
	for (const struct threshold_info *info = infos; info->name; info++)
		if (strcmp(info->name, name) == 0)
			return info;
	return NULL;
}

bool threshold_may_be(double value)
{
	return isfinite(value) && value >= 0;
}

double *threshold_of(struct thresholds *limits, const struct threshold_info *info)
{
	return (double *)((char *)limits + info->offset);
}

void thresholds_init(struct thresholds *limits)
{
	for (const struct threshold_info *info = infos; info->name; info++)
		*threshold_of(limits, info) = info->by_default;
}
