/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule is given, what it answers, and the table that lists them all.
 *
 * To add a rule: write one function beside its relatives, which fills text, advice,
 * evidence and formula, declare it here and give it a row in rules.c, above the more
 * general rules of the same cause.
 */
#ifndef DIAGNOSE_RULES_H
#define DIAGNOSE_RULES_H

#include "iotriage/diagnose.h"

/* How many frames a rule looks at, this one included. Of a report: this one only. */
enum { RULE_WINDOW = 4 };
/* Rules of what moves over time look back this far. */
enum { PAST_FRAMES = 60 };

/* ---- thresholds: every number a rule compares with ---- */

struct thresholds {
	double mark_ratio, mark_ms, mark_strong_ratio, mark_strong_ms;
	double limit_spindle_ms, limit_other_ms, limit_unknown_ms, limit_extreme;
	double spindle_iops, enough_requests, enough_extreme;
	double serial_low, serial_high, serial_strict_low, serial_strict_high;
	double serial_util, serial_busy, serial_warn_ms, util_far_below, leader_fits;
	double queueing_depth, queueing_wait, burst_util, burst_reads, burst_wait;
	double slow_concurrency;
	double stalled_util, stalled_crit_s, stalled_warn_s;
	double fault_util, fault_excess_ms, fault_huge, fault_kib;
	double starved_queue, starved_ratio, starved_more;
	double cap_frames, cap_frames_live, cap_flat, cap_moves, cap_link_devices, cap_link_kib;
	double flush_share, flush_part, flush_rate, flush_warn_ms, flush_twice_low, flush_twice_high;
	double flush_twice_queue, flush_twice_util;
	double shallow_depth, shallow_ratio, shallow_serve_ms, shallow_kib;
	double random_kib, random_util, random_serve_ms, random_merged, random_await;
	double busy_util, busy_requests, busy_queue, busy_await;
	double unaccounted_requests, unaccounted_layer;
	double legs_ratio, legs_equal, legs_mix, legs_alike, legs_pair_alike;
	double gap_ratio, gap_util, idle_queue, idle_util, idle_requests;
	double layer_kib;
	double throttled_near;
	double aio_warn, aio_crit;
	double elsewhere_iowait, elsewhere_kib;
	double swap_in, swap_both, swap_heavy, swap_share;
	double dirty_near;
	double inode_waiters, direct_kib, direct_calls, direct_sequential;
	double caching_kib, sync_share, sync_journal, sync_wait;
};

void thresholds_init(struct thresholds *limits);
double *threshold_of(struct thresholds *limits, const struct threshold_info *info);

/* ---- a device as a rule sees it ---- */

enum device_kind { KIND_UNKNOWN, KIND_SPINDLE, KIND_OTHER };

/* What the frames before this one leave behind. */
struct device_past {
	char name[DEVICE_NAME_MAX];
	uint64_t diskseq;
	double requests[RULE_WINDOW]; /* completed, newest first */
	bool tainted[RULE_WINDOW];
	double stalled_s;      /* how long nothing has completed; 0: it does */
	bool held_up;          /* something else than a burst held it up in the frame before */
	double starving_reads; /* completed since reads wait behind writes; 0: they do not */
	/* reads as they go while few writes are queued; 0 calm frames: not known */
	unsigned calm;
	double calm_reads, calm_r_await;
	/* this frame and those before, in a ring; not a number where unknown */
	size_t n, at;
	float iops[PAST_FRAMES], kib[PAST_FRAMES], queue[PAST_FRAMES];
};

struct device_view {
	const struct device_row *row;
	const struct device_past *past;
	double seconds;      /* T; one second where it is unknown */
	struct value iops;   /* reads, writes and discards completed per second */
	struct value await;  /* ms; where only service and queue times are measured, their sum */
	struct value little; /* L: await x iops, the concurrency by Little's law */
	struct value flush;  /* flushes in flight on average: f/s x f_await */
	struct value queue;  /* avgqu-sz less flushes; of measured times alone: as little */
	/* waiting for a free slot, which is neither in queue nor in await; 0 where unknown */
	double slots_waiting; /* requests on average */
	double slot_ms;       /* mean of all requests */
	enum device_kind kind;
	double limit_ms; /* await above this is long for the kind */
	double requests; /* completed in the window */
	double stalled_s;
	const char *bad_figure; /* the first impossible one; NULL: none */
	double bad_value;
	bool tainted;         /* nothing may be concluded from its figures */
	bool util_tainted;    /* %util, svctm and depth mean nothing */
	bool silent;          /* a partition or path: the device it is part of speaks */
	bool layer;           /* it stands on others, whether they are known or not */
	size_t lower, nlower; /* the devices below: places in the list of layers */
	uint64_t set;         /* members of one set have the same; 0: in none */
	const char *set_name;
	bool explained;       /* a device below it has the finding */
	size_t explained_by;  /* that device's place in the frame */
	bool spoken;          /* a finding on it is shown */
	bool told;            /* a narrow finding on it is shown, at warn, or was before this frame */
	size_t claim, nclaim; /* its claims in this frame */
};

/* Fills a view from a row alone. */
void view_fill(struct device_view *view, const struct device_row *row,
	       const struct thresholds *limits);
/* Adds what the window says; this frame is already in it. */
void view_remember(struct device_view *view, const struct device_past *past, unsigned window);

/* Neither a request nor a byte was completed, as far as the row can say. */
bool view_no_completion(const struct device_row *row);
/* Requests are in the device and none came out. */
bool view_stalled(const struct device_view *view, const struct thresholds *limits);
bool view_enough_requests(const struct device_view *view, const struct thresholds *limits);
/* %util claims more busy time than queue and await leave room for. */
bool view_util_overstated(const struct device_view *view);
/* Hardly a read among the requests. */
bool view_writes_only(const struct device_view *view, const struct thresholds *limits);
/* Requests in the queue and in the device, on average; 0 where unknown. */
double view_depth(const struct device_view *view);
/* What that is, in a formula. */
const char *view_depth_name(const struct device_view *view);
/* Service and queue times were measured. */
bool view_measured(const struct device_row *row);
/* Nothing to speak of is in it or comes out of it. */
bool view_idle(const struct device_view *view, const struct thresholds *limits);
/* Its accounting is switched off: nobody knows what it does. Layers show in what is below them. */
bool view_unmeasured(const struct device_view *view);
/* A figure is missing, and not for want of requests. */
bool view_lacks(struct value value);
/* KiB/s read and written; what is unknown counts as 0. */
double view_kib(const struct device_view *view);
/* KiB per request, of reads and writes together; 0 where unknown. */
double view_request_kib(const struct device_view *view);
/* Writes in flight on average: w/s x w_await. */
struct value view_writes_queued(const struct device_row *row);
void view_find_faults(struct device_view *view, const struct thresholds *limits);

/* ---- claims: what the rules say of one frame, before persistence ---- */

enum { CLAIM_NO_DEVICE = -1, CLAIM_ABOVE_MAX = 128 };

struct claim {
	struct finding finding;
	unsigned rule;     /* its row in the table */
	long device;       /* its row in the frame, or CLAIM_NO_DEVICE */
	double weight;     /* orders findings of one rule: larger is stronger */
	bool at_once;      /* proven by seconds, need not wait for frames */
	bool explained;    /* a device below, or a finding about the machine, has the same cause */
	unsigned span;     /* frames it is about, the last ones; 0: this one */
	long absorbs;      /* row of a device whose latency it explains, and of those below; or
			    * CLAIM_NO_DEVICE */
	const char *lacks; /* of an answer RULE_LACKS */
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
/* The figures a judgement of latency rests on. */
void claim_evidence_latency(struct claim *claim, const struct device_view *view);

enum { TEXT_NUMBER_MAX = 32 };
struct text_number {
	char text[TEXT_NUMBER_MAX];
};
/* "8", "12.8", "156856": as many digits as a sentence needs. */
struct text_number text_number(double n);
#define N(n) text_number(n).text
struct text_path {
	char text[DEVICE_NAME_MAX + 32];
};
/* The device's folder in sysfs: "/sys/class/block/sda". */
struct text_path text_sysfs(const struct device_row *row);
/* Copies with every byte outside printable ASCII as '?'. */
void text_clean(char *to, size_t size, const char *from);
/* Appends as much as fits; length is kept. */
void text_append(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- rules ---- */

enum { LOCK_ROWS_MAX = 128 };

struct rule_input {
	const struct frame *frame;
	const struct thresholds *limits;
	const struct device_view *view;   /* of all devices, in the frame's order */
	const uint32_t *layer;            /* the list of layers: rows below devices */
	const struct device_view *device; /* of a device rule */
	/* tasks that move data or wait, in the frame's order: few of many, for rules about each device */
	const struct task_row *const *busy;
	size_t nbusy;
	const struct task_row *task;      /* of a task rule */
	const struct claim *claim;        /* claims so far */
	size_t nclaim;
	bool report;     /* a saved report */
	bool short_run;  /* no later frame of this run can confirm it */
	double link_kib; /* KiB/s of devices that wait while their total stands still; 0: no such */
	size_t link_devices;
	const struct task_row *journal; /* a journal thread that waits; NULL: none */
	double written_kib;             /* KiB/s that programs write */
	/* rows of tasks that wait for a file's lock, or were looked at for it */
	uint32_t lock_row[LOCK_ROWS_MAX];
	size_t nlock_row;
};

/*
 * RULE_LACKS is not "fine": the rule could not judge, because an input is
 * missing; claim->lacks says which.
 */
enum rule_answer { RULE_SILENT, RULE_CLAIMS, RULE_LACKS };

typedef enum rule_answer rule_function(const struct rule_input *in, struct claim *claim);

/* Sets journal and written_kib. */
void rule_input_writers(struct rule_input *in);
/* Sets lock_row: of very many the first. */
void rule_input_locks(struct rule_input *in);
/* Sets link_kib and link_devices. */
void rule_input_link(struct rule_input *in);

/* RULE_LACKS with this reason, which is not copied. */
enum rule_answer rule_lacks(struct claim *claim, const char *what);

enum rule_level { RULE_DEVICE, RULE_TASK, RULE_SYSTEM };

/*
 * Rules of one cause compete: on one device the first in the table wins. A stall
 * silences latency, and of a stack the lowest device speaks for those above.
 */
enum rule_cause { CAUSE_STALL, CAUSE_LATENCY, CAUSE_FAULT, CAUSE_SYSTEM, CAUSE_TASK };

enum rule_flags {
	ON_MEMORY = 1 << 0, /* also for ram and zram */
	ON_BOOT = 1 << 1,   /* also of an average since boot */
	NARROW = 1 << 2,    /* while it is shown, general findings of its cause are not */
	GENERAL = 1 << 3,   /* see NARROW */
	ONCE = 1 << 4,      /* seen in one of several intervals only, it is information */
	BURSTS = 1 << 5     /* comes and goes: shown from the second time on */
};

struct rule {
	rule_function *function;
	enum rule_level level;
	enum rule_cause cause;
	unsigned flags;
};

size_t rules_count(void);
const struct rule *rules_at(size_t n);

rule_function device_rule_stalled, device_rule_throttled, device_rule_read_starved;
rule_function device_rule_stack_gap, device_rule_uneven_legs, device_rule_rate_cap;
rule_function device_rule_flush_bound, device_rule_shallow_queue, device_rule_serial_io;
rule_function device_rule_write_burst, device_rule_queueing, device_rule_small_random;
rule_function device_rule_slow_device, device_rule_busy_not_saturated;
rule_function device_rule_unaccounted, device_rule_counter_fault;
rule_function task_rule_inode_contention, task_rule_direct_no_readahead;
rule_function task_rule_double_caching, task_rule_sync_writer;
rule_function system_rule_aio_exhausted, system_rule_aio_unused, system_rule_swapping;
rule_function system_rule_writeback_throttled, system_rule_iowait_elsewhere;
rule_function system_rule_since_boot_only;

/* ---- a rate that stands still: cap.c ---- */

/* How far back a rate stood still, with requests that waited long in line all the time. */
struct cap_run {
	size_t frames;
	double lowest, highest; /* queue */
	size_t low, high;       /* frames with a queue below and above the middle of them */
};

struct cap_run cap_measure(const struct device_view *view, const float rate[PAST_FRAMES],
			   const struct thresholds *limits);
/* In how many frames a rate must stand still. */
double cap_least(const struct rule_input *in);
/* It does. Live, a queue that jumps once is a load that changed: both levels must last. */
bool cap_stands(const struct rule_input *in, const struct cap_run *run);
/*
 * What a spindle can do is no limit above it, and one that streams does so at a flat rate,
 * however many requests that is. A report's names tell a virtual disk.
 */
bool cap_of_spindle(const struct device_view *view);
/* Requests wait long, and more than a handful. */
bool cap_waits(const struct device_view *view, const struct thresholds *limits);
/* They have waited in all of so many frames. */
bool cap_waited(const struct device_view *view, double least, const struct thresholds *limits);

/* ---- what was compared: formula.c ---- */

/* "6.13", "163", "0.015": a figure or a threshold, as exact as figures are shown. */
struct text_number text_figure(double n);
#define F(n) text_figure(n).text
/* Adds one clause of the formula, with figures and thresholds, if the whole of it fits. */
void claim_formula(struct claim *claim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The clause that await is long for the device's kind. */
void claim_formula_long(struct claim *claim, const struct device_view *view);
/* strict: %util does not confirm it. least: the queue that is one, of an array more. */
void formula_stalled(struct claim *claim, const struct rule_input *in);
void formula_serial(struct claim *claim, const struct device_view *view,
		    const struct thresholds *limits, bool strict);
void formula_queueing(struct claim *claim, const struct device_view *view,
		      const struct thresholds *limits, double least);
void formula_slow(struct claim *claim, const struct device_view *view,
		  const struct thresholds *limits);

/* ---- who does it: leader.c ---- */

/*
 * The largest reader or writer among the tasks that move no more than the device
 * does, kernel threads last; NULL: none, or not known. most: its KiB/s.
 */
const struct task_row *leader_find(const struct rule_input *in, const struct device_row *row,
				   bool reads, double *most);
/* Names the device's leading task in text and evidence, as far as there is one. */
void leader_name(struct claim *claim, const struct rule_input *in);
/* Who writes to it, however much is read. */
void leader_name_writer(struct claim *claim, const struct rule_input *in);
/* Makes the finding one about the task. */
void leader_subject(struct claim *claim, const struct task_row *task);
/* The same, and begins its text and evidence: "fio (pid 7)". */
void leader_begin(struct claim *claim, const struct task_row *task);
/* How the task does I/O ("DA"), "" where unknown. */
const char *leader_mode(const struct task_row *task);
/* Its open files were looked at. */
bool leader_looked_at(const struct task_row *task);
/* KiB/s that programs write which have files there. */
double leader_written(const struct rule_input *in, const struct device_row *row);
/* The device of this name is this one, or a partition of it. */
bool leader_part(const struct frame *frame, const char *name, size_t n,
		 const struct device_row *row);
/* Files of the task are on this device, or on a partition of it. */
bool leader_is_on(const struct frame *frame, const struct task_row *task,
		  const struct device_row *row);

/* ---- AIO in words, shared by serial-io and aio-unused ---- */

enum aio_use {
	AIO_UNKNOWN, /* the figures do not tell */
	AIO_ACTIVE,  /* contexts and requests exist */
	AIO_IDLE,    /* contexts, but nothing in flight */
	AIO_NONE     /* no contexts at all */
};

/* leader: the task that drives the device in question; may be NULL. */
enum aio_use aio_use(const struct aio_row *aio, const struct task_row *leader);
/* "kiocb 0 of 0, aio-nr 0 of 65536", or "" where nothing is known. */
void aio_words(char *to, size_t size, const struct aio_row *aio);
void aio_evidence(struct claim *claim, const struct aio_row *aio);

#endif
