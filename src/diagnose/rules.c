/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of rules, strongest claim first; among rules of one cause the
 * narrower before the more general.
 */
#include "rules.h"

/* name, worst severity, function, level, cause, also for ram and zram, meaning */
#define RULES(RULE)                                                                                \
	RULE("stalled", SEVERITY_CRIT, device_rule_stalled, RULE_DEVICE, CAUSE_STALL, true,        \
	     "Requests are in the device and none comes out. One empty interval may be "           \
	     "throttling; three seconds are a device, a path or a layer that hangs.")              \
	RULE("aio-exhausted", SEVERITY_CRIT, system_rule_aio_exhausted, RULE_SYSTEM, CAUSE_SYSTEM, \
	     true,                                                                                 \
	     "The AIO slots reserved (aio-nr) are close to fs.aio-max-nr: io_setup fails with "    \
	     "EAGAIN at the limit.")                                                               \
	RULE("serial-io", SEVERITY_WARN, device_rule_serial_io, RULE_DEVICE, CAUSE_LATENCY, false, \
	     "One request outstanding at a time, back to back: the work is serialised, the "       \
	     "device is not saturated. The rate is one over the time of a request.")               \
	RULE("queueing", SEVERITY_CRIT, device_rule_queueing, RULE_DEVICE, CAUSE_LATENCY, false,   \
	     "The device is saturated: requests spend most of their time in line. A burst of "     \
	     "writes alone is no more than information.")                                          \
	RULE("slow-device", SEVERITY_WARN, device_rule_slow_device, RULE_DEVICE, CAUSE_LATENCY,    \
	     false,                                                                                \
	     "Requests take long although hardly anything waits: the medium, the path or the "     \
	     "remote store is slow.")                                                              \
	RULE("counter-fault", SEVERITY_WARN, device_rule_counter_fault, RULE_DEVICE, CAUSE_FAULT,  \
	     true, "The device's figures are impossible; what rests on them is not concluded.")    \
	RULE("aio-unused", SEVERITY_INFO, system_rule_aio_unused, RULE_SYSTEM, CAUSE_SYSTEM, true, \
	     "A device works serially and asynchronous I/O is not in use: no contexts, or "        \
	     "contexts with nothing in flight.")

#define AS_INFO(name, worst, function, level, cause, memory, meaning) {name, worst, meaning},
#define AS_RULE(name, worst, function, level, cause, memory, meaning)                              \
	{function, level, cause, memory},

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
