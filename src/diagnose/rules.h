/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule is given, what it answers, and the table that lists them all.
 *
 * To add a rule: write one function beside its relatives, declare it here and
 * give it a row in rules.c, above the more general rules of the same cause.
 */
#ifndef DIAGNOSE_RULES_H
#define DIAGNOSE_RULES_H

#include "iotriage/diagnose.h"

/* How many frames a rule looks at, this one included. */
enum { RULE_WINDOW = 4 };

/* ---- thresholds: every number a rule compares with ---- */

struct thresholds {
	double mark_ratio, mark_ms, mark_strong_ratio, mark_strong_ms;
	double limit_spindle_ms, limit_other_ms, limit_unknown_ms, limit_extreme;
	double spindle_iops, enough_requests, enough_extreme;
	double serial_low, serial_high, serial_strict_low, serial_strict_high;
	double serial_util, serial_busy, serial_warn_ms, util_far_below, leader_fits;
	double queueing_depth, queueing_wait, burst_util, burst_reads;
	double slow_concurrency, slow_burst_wait;
	double stalled_util, stalled_crit_s, stalled_warn_s;
	double fault_util, fault_excess_ms, fault_huge, fault_kib;
	double aio_warn, aio_crit;
};

struct threshold_info {
	const char *name;
	size_t offset; /* of a double in struct thresholds */
	double by_default;
	const char *meaning;
};

/* All thresholds; a NULL name ends it. */
const struct threshold_info *threshold_infos(void);
void thresholds_init(struct thresholds *limits);

/* ---- a device as a rule sees it ---- */

enum device_kind { KIND_UNKNOWN, KIND_SPINDLE, KIND_OTHER };

/* What the frames before this one leave behind. */
struct device_past {
	char name[DEVICE_NAME_MAX];
	uint64_t diskseq;
	double requests[RULE_WINDOW]; /* completed, newest first */
	bool tainted[RULE_WINDOW];
	double stalled_s; /* how long nothing has completed; 0: it does */
};

struct device_view {
	const struct device_row *row;
	double seconds;      /* T; one second where it is unknown */
	struct value iops;   /* reads, writes and discards completed per second */
	struct value little; /* L: await x iops, the concurrency by Little's law */
	enum device_kind kind;
	double limit_ms; /* await above this is long for the kind */
	double requests; /* completed in the window */
	double stalled_s;
	const char *bad_figure; /* the first impossible one; NULL: none */
	double bad_value;
	bool tainted;         /* nothing may be concluded from its figures */
	bool util_tainted;    /* %util, svctm and depth mean nothing */
	bool silent;          /* a partition or path: the device it is part of speaks */
	bool explained;       /* a device below it has the finding */
	size_t explained_by;  /* that device's place in the frame */
	bool spoken;          /* a finding on it is shown */
	size_t claim, nclaim; /* its claims in this frame */
};

/* Fills a view from a row alone. */
void view_fill(struct device_view *view, const struct device_row *row,
	       const struct thresholds *limits);
/* Adds what the window says; this frame is already in it. */
void view_remember(struct device_view *view, const struct device_past *past);

/* Neither a request nor a byte was completed, as far as the row can say. */
bool view_no_completion(const struct device_row *row);
/* Requests are in the device and none came out. */
bool view_stalled(const struct device_view *view, const struct thresholds *limits);
bool view_enough_requests(const struct device_view *view, const struct thresholds *limits);
/* %util claims more busy time than queue and await leave room for. */
bool view_util_overstated(const struct device_view *view);
/* Hardly a read among the requests. */
bool view_writes_only(const struct device_view *view, const struct thresholds *limits);
void view_find_faults(struct device_view *view, const struct thresholds *limits);

/* ---- claims: what the rules say of one frame, before persistence ---- */

enum { CLAIM_NO_DEVICE = -1, CLAIM_ABOVE_MAX = 128 };

struct claim {
	struct finding finding;
	unsigned rule;  /* its row in the table */
	long device;    /* its row in the frame, or CLAIM_NO_DEVICE */
	double weight;  /* orders findings of one rule: larger is stronger */
	bool at_once;   /* proven by seconds, need not wait for frames */
	bool explained; /* a device below has the same cause */
	long last_above;
	unsigned nabove;   /* devices that stand on this one */
	unsigned nunnamed; /* of them, for which there was no room */
	char above[CLAIM_ABOVE_MAX];
};

void claim_text(struct claim *claim, const char *format, ...) __attribute__((format(printf, 2, 3)));
void claim_advice(struct claim *claim, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds one "name=value" if the whole of it fits. */
void claim_evidence(struct claim *claim, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a value; an absent one is left out. */
void claim_evidence_value(struct claim *claim, const char *name, struct value value);

enum { TEXT_NUMBER_MAX = 32 };
struct text_number {
	char text[TEXT_NUMBER_MAX];
};
/* "8", "12.8", "156856": as many digits as a sentence needs. */
struct text_number text_number(double n);
/* Copies with every byte outside printable ASCII as '?'. */
void text_clean(char *to, size_t size, const char *from);
/* Appends as much as fits; length is kept. */
void text_append(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- rules ---- */

struct rule_input {
	const struct frame *frame;
	const struct thresholds *limits;
	const struct device_view *device; /* NULL for a system rule */
	const struct claim *claim;        /* the device rules' claims, for system rules */
	size_t nclaim;
	bool short_run; /* no later frame of this run can confirm it */
};

typedef bool rule_function(const struct rule_input *in, struct claim *claim);

enum rule_level { RULE_DEVICE, RULE_SYSTEM };

/*
 * Rules of one cause compete: on one device the first in the table wins. A stall
 * silences latency, and of a stack the lowest device speaks for those above.
 */
enum rule_cause { CAUSE_STALL, CAUSE_LATENCY, CAUSE_FAULT, CAUSE_SYSTEM };

struct rule {
	rule_function *function;
	enum rule_level level;
	enum rule_cause cause;
	bool on_memory; /* also for ram and zram */
};

size_t rules_count(void);
const struct rule *rules_at(size_t n);

rule_function device_rule_stalled;
rule_function device_rule_serial_io;
rule_function device_rule_queueing;
rule_function device_rule_slow_device;
rule_function device_rule_counter_fault;
rule_function system_rule_aio_exhausted;
rule_function system_rule_aio_unused;

/* ---- AIO in words, shared by serial-io and aio-unused ---- */

enum aio_use {
	AIO_UNKNOWN, /* the figures do not tell */
	AIO_ACTIVE,  /* contexts and requests exist */
	AIO_IDLE,    /* contexts, but nothing in flight */
	AIO_NONE     /* no contexts at all */
};

enum aio_use aio_use(const struct aio_row *aio);
/* "kiocb 0 of 0, aio-nr 0 of 65536", or "" where nothing is known. */
void aio_words(char *to, size_t size, const struct aio_row *aio);
void aio_evidence(struct claim *claim, const struct aio_row *aio);

#endif
