/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of rules, strongest claim first; among rules of one cause the
 * narrower before the more general.
 */
#include "rules.h"

/* name, worst severity, function, level, cause, flags, meaning */
#define RULES(RULE)                                                                                \
	RULE("stalled", SEVERITY_CRIT, device_rule_stalled, RULE_DEVICE, CAUSE_STALL, ON_MEMORY,   \
	     "Requests are in the device and none comes out. One empty interval may be "           \
	     "throttling; three seconds are a device, a path or a layer that hangs.")              \
	RULE("aio-exhausted", SEVERITY_CRIT, system_rule_aio_exhausted, RULE_SYSTEM, CAUSE_SYSTEM, \
	     ON_BOOT,                                                                              \
	     "The AIO slots reserved (aio-nr) are close to fs.aio-max-nr, or an io_setup was seen "\
	     "to fail: at the limit it fails with EAGAIN.")                                        \
	RULE("swapping", SEVERITY_WARN, system_rule_swapping, RULE_SYSTEM, CAUSE_SYSTEM, 0,        \
	     "The machine is paging: programs wait for memory that was swapped out. The disk is "  \
	     "the symptom.")                                                                       \
	RULE("throttled", SEVERITY_WARN, device_rule_throttled, RULE_DEVICE, CAUSE_LATENCY,        \
	     NARROW,                                                                               \
	     "Tasks are blocked on I/O while the device is not busy: a limit of their cgroup is "  \
	     "in force.")                                                                          \
	RULE("read-starved", SEVERITY_WARN, device_rule_read_starved, RULE_DEVICE, CAUSE_LATENCY,  \
	     NARROW | BURSTS,                                                                      \
	     "A burst of writes makes readers wait: reads take many times what they take while "   \
	     "few writes are queued.")                                                             \
	RULE("stack-gap", SEVERITY_WARN, device_rule_stack_gap, RULE_DEVICE, CAUSE_LATENCY,        \
	     NARROW,                                                                               \
	     "A layer (md, dm, bcache) waits while the devices below it are idle: time is lost "   \
	     "in the layer, above the disks.")                                                     \
	RULE("uneven-legs", SEVERITY_WARN, device_rule_uneven_legs, RULE_DEVICE, CAUSE_LATENCY,    \
	     NARROW,                                                                               \
	     "One member of a set (md, dm, mirror, pool) takes much longer than its peers at the " \
	     "same work and paces the whole set.")                                                 \
	RULE("rate-cap", SEVERITY_WARN, device_rule_rate_cap, RULE_DEVICE, CAUSE_LATENCY, NARROW,  \
	     "Requests or bytes per second stand still while the queue grows and shrinks: a limit "\
	     "above the medium (cloud volume, hypervisor, controller, link).")                     \
	RULE("flush-bound", SEVERITY_WARN, device_rule_flush_bound, RULE_DEVICE, CAUSE_LATENCY,    \
	     NARROW,                                                                               \
	     "Cache flushes (fsync) set the pace: they are in flight a large share of the time. "  \
	     "Where a report does not show flushes, it is only likely.")                           \
	RULE("shallow-queue", SEVERITY_WARN, device_rule_shallow_queue, RULE_DEVICE,               \
	     CAUSE_LATENCY, NARROW,                                                                \
	     "The host holds requests back while the device answers fast: the driver's queue is "  \
	     "too short.")                                                                         \
	RULE("serial-io", SEVERITY_WARN, device_rule_serial_io, RULE_DEVICE, CAUSE_LATENCY,        \
	     GENERAL,                                                                              \
	     "One request outstanding at a time, back to back: the work is serialised, the "       \
	     "device is not saturated. The rate is one over the time of a request.")               \
	RULE("write-burst", SEVERITY_INFO, device_rule_write_burst, RULE_DEVICE, CAUSE_LATENCY,    \
	     BURSTS,                                                                               \
	     "Write-back arrives in bursts: writes wait for each other on a device that is idle "  \
	     "in between, and nobody waits for them.")                                             \
	RULE("queueing", SEVERITY_CRIT, device_rule_queueing, RULE_DEVICE, CAUSE_LATENCY,          \
	     GENERAL | ONCE,                                                                       \
	     "The device is saturated: requests spend most of their time in line.")                \
	RULE("small-random", SEVERITY_WARN, device_rule_small_random, RULE_DEVICE, CAUSE_LATENCY,  \
	     GENERAL | ONCE,                                                                       \
	     "The disk is bound by seeks: small requests, hardly any merged, in the number that a "\
	     "spindle can do.")                                                                    \
	RULE("slow-device", SEVERITY_WARN, device_rule_slow_device, RULE_DEVICE, CAUSE_LATENCY,    \
	     GENERAL | ONCE,                                                                       \
	     "Requests take long although hardly anything waits: the medium, the path or the "     \
	     "remote store is slow.")                                                              \
	RULE("busy-not-saturated", SEVERITY_INFO, device_rule_busy_not_saturated, RULE_DEVICE,     \
	     CAUSE_LATENCY, 0,                                                                     \
	     "%util is near 100, but the queue is short or requests are quick, and many complete: "\
	     "no alarm.")                                                                          \
	RULE("counter-fault", SEVERITY_WARN, device_rule_counter_fault, RULE_DEVICE, CAUSE_FAULT,  \
	     ON_MEMORY | ON_BOOT,                                                                  \
	     "The device's figures are impossible; what rests on them is not concluded.")          \
	RULE("unaccounted", SEVERITY_INFO, device_rule_unaccounted, RULE_DEVICE, CAUSE_FAULT,      \
	     ON_BOOT,                                                                              \
	     "The device completes requests and keeps no times (md and dm on old kernels, some "   \
	     "drivers): nothing can be said of its latency.")                                      \
	RULE("inode-contention", SEVERITY_WARN, task_rule_inode_contention, RULE_TASK, CAUSE_TASK, \
	     0,                                                                                    \
	     "Several threads wait for the lock of one file: writers queue on its inode, not on "  \
	     "the disk.")                                                                          \
	RULE("sync-writer", SEVERITY_INFO, task_rule_sync_writer, RULE_TASK, CAUSE_TASK, 0,        \
	     "One task with O_SYNC or O_DSYNC files, or its fsyncs, drives the device; journal "   \
	     "threads that wait are the symptom.")                                                 \
	RULE("direct-no-readahead", SEVERITY_INFO, task_rule_direct_no_readahead, RULE_TASK,       \
	     CAUSE_TASK, 0,                                                                        \
	     "A task reads a file in order with O_DIRECT, in small pieces, one at a time: direct " \
	     "I/O loses readahead.")                                                               \
	RULE("double-caching", SEVERITY_INFO, task_rule_double_caching, RULE_TASK, CAUSE_TASK, 0,  \
	     "A program with a cache of its own does buffered I/O on its data files: they are "    \
	     "cached twice.")                                                                      \
	RULE("writeback-throttled", SEVERITY_WARN, system_rule_writeback_throttled, RULE_SYSTEM,   \
	     CAUSE_SYSTEM, 0,                                                                      \
	     "Dirty pages are near their limit and the kernel holds writers back, although no "    \
	     "disk is at its limit.")                                                              \
	RULE("iowait-elsewhere", SEVERITY_WARN, system_rule_iowait_elsewhere, RULE_SYSTEM,         \
	     CAUSE_SYSTEM, 0,                                                                      \
	     "Tasks wait for I/O while every disk is idle: a network or FUSE file system, a lock, "\
	     "the kernel; not the disks.")                                                         \
	RULE("aio-unused", SEVERITY_INFO, system_rule_aio_unused, RULE_SYSTEM, CAUSE_SYSTEM, 0,    \
	     "A device works serially and asynchronous I/O is not in use: no contexts, or "        \
	     "contexts with nothing in flight.")                                                   \
	RULE("since-boot-only", SEVERITY_INFO, system_rule_since_boot_only, RULE_SYSTEM,           \
	     CAUSE_SYSTEM, ON_BOOT,                                                                \
	     "The report is one average since boot: no verdict on the present.")

#define AS_INFO(name, worst, function, level, cause, flags, meaning) {name, worst, meaning},
#define AS_RULE(name, worst, function, level, cause, flags, meaning)                               \
	{function, level, cause, flags},

static const struct rule_info infos[] = {RULES(AS_INFO){NULL, SEVERITY_INFO, NULL}};
static const struct rule rules[] = {RULES(AS_RULE)};

const struct rule_info *rule_infos(void)
{
	return infos;
}

size_t rules_count(void)
{
	return sizeof(rules) / sizeof(rules[0]);
}

const struct rule *rules_at(size_t n)
{
	return &rules[n];
}
