/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of one device over one interval: the formulas. */
#include "counter.h"
#include "devices.h"
#include "latency.h"

#include <math.h>
#include <stddef.h>

/* What no hardware can do: 1 TiB/s, 1e9 requests/s. */
static const double sectors_per_s_max = 2147483648.0, requests_per_s_max = 1e9;
/* A discard moves nothing: thin devices drop tebibytes at once. */
static const double discards_per_s_max = 1125899906842624.0;

/* Differences of all counters of a sample. */
struct deltas {
	double of[DISK_COUNTERS];
	bool time_ok[DISK_COUNTERS]; /* milliseconds: false where one went back */
	enum absent why;             /* PRESENT, or why there are none */
};

static bool is_time(enum disk_counter c)
{
	return c == RD_MS || c == WR_MS || c == DC_MS || c == FL_MS || c == IO_MS || c == WEIGHTED_MS;
}

static void take_deltas(struct deltas *deltas, const struct device_sample *before,
                        const struct device_sample *now)
{
	*deltas = (struct deltas){.why = PRESENT};
	for (enum disk_counter c = 0; c < DISK_COUNTERS; c++) {
		uint64_t delta;
		if (c == IN_FLIGHT)
			continue;
		bool forward = is_time(c) ? counter_delta_ms(before->counter[c], now->counter[c], &delta)
		                          : counter_delta(before->counter[c], now->counter[c], &delta);
		deltas->of[c] = (double)delta;
		deltas->time_ok[c] = forward;
		/* an event or sector count that fell: the device was replaced */
		if (!forward && !is_time(c))
			deltas->why = ABSENT_RESET;
	}
}

static void check_plausible(struct deltas *deltas, double seconds)
{
	static const enum disk_counter requests[] = {RD_IOS,    WR_IOS,    DC_IOS,   FL_IOS,
	                                             RD_MERGES, WR_MERGES, DC_MERGES};
	static const enum disk_counter sectors[] = {RD_SECTORS, WR_SECTORS};

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (deltas->of[requests[i]] > requests_per_s_max * seconds)
			deltas->why = ABSENT_IMPLAUSIBLE;
	for (size_t i = 0; i < sizeof(sectors) / sizeof(*sectors); i++)
		if (deltas->of[sectors[i]] > sectors_per_s_max * seconds)
			deltas->why = ABSENT_IMPLAUSIBLE;
	if (deltas->of[DC_SECTORS] > discards_per_s_max * seconds)
		deltas->why = ABSENT_IMPLAUSIBLE;
}

/*
 * zram, and md and dm of older kernels, say iostats 0, as they have no queue of their own,
 * and count all the same: drivers/block/zram, drivers/md/dm.c, md.c.
 */
static bool accounting_off(const struct device_sample *now, const struct deltas *d)
{
	bool layer = now->info && (now->info->class == DEVICE_DM || now->info->class == DEVICE_MD ||
	                           now->info->class == DEVICE_STACKED || now->info->class == DEVICE_MEMORY);

	return now->info && now->info->iostats == 0 &&
	       !(layer && (now->counter[IN_FLIGHT] ||
	                   d->of[RD_IOS] + d->of[WR_IOS] + d->of[DC_IOS] > 0));
}

/* Every figure of the row but the gauge. */
static void set_all_absent(struct device_row *row, enum absent why)
{
	const struct value absent = value_absent(why);

	row->why = why;
	row->rrqm = row->wrqm = row->drqm = absent;
	row->r = row->w = row->d = row->f = absent;
	row->rkb = row->wkb = row->dkb = absent;
	row->avgrq_sz = row->areq_sz = row->avgqu_sz = absent;
	row->await = row->r_await = row->w_await = row->d_await = row->f_await = absent;
	row->svctm = row->util = row->qwait = row->wait_pct = row->depth = absent;
}

/* Milliseconds per request of one kind. */
static struct value mean_ms(const struct deltas *d, enum disk_counter ms, enum disk_counter ios)
{
	return d->time_ok[ms] ? ratio(d->of[ms], d->of[ios]) : value_absent(ABSENT_RESET);
}

static void set_rates(struct device_row *row, const struct deltas *d, double t)
{
	row->r = value_of(d->of[RD_IOS] / t);
	row->w = value_of(d->of[WR_IOS] / t);
	row->rkb = value_of(d->of[RD_SECTORS] / 2 / t);
	row->wkb = value_of(d->of[WR_SECTORS] / 2 / t);
	row->ios = d->of[RD_IOS] + d->of[WR_IOS];
}

static void set_discards(struct device_row *row, const struct deltas *d, double t)
{
	row->drqm = value_of(d->of[DC_MERGES] / t);
	row->d = value_of(d->of[DC_IOS] / t);
	row->dkb = value_of(d->of[DC_SECTORS] / 2 / t);
	row->d_await = mean_ms(d, DC_MS, DC_IOS);
	row->ios += d->of[DC_IOS];
}

static void set_sizes(struct device_row *row, const struct deltas *d)
{
	double sectors = d->of[RD_SECTORS] + d->of[WR_SECTORS] + d->of[DC_SECTORS];

	row->avgrq_sz = ratio(sectors, row->ios);
	row->areq_sz = ratio(sectors / 2, row->ios);
}

/* Some drivers (md, dm on old kernels) count requests and no time at all. */
static bool keeps_no_times(const struct device_sample *now)
{
	enum { ENOUGH = 1000 };
	const uint64_t *c = now->counter;

	return c[RD_IOS] + c[WR_IOS] >= ENOUGH && !c[RD_MS] && !c[WR_MS] && !c[IO_MS] && !c[WEIGHTED_MS];
}

static void set_times(struct device_row *row, const struct deltas *d, double t)
{
	bool await_ok = d->time_ok[RD_MS] && d->time_ok[WR_MS] && d->time_ok[DC_MS];

	row->r_await = mean_ms(d, RD_MS, RD_IOS);
	row->w_await = mean_ms(d, WR_MS, WR_IOS);
	row->await = await_ok ? ratio(d->of[RD_MS] + d->of[WR_MS] + d->of[DC_MS], row->ios)
	                      : value_absent(ABSENT_RESET);
	row->avgqu_sz = d->time_ok[WEIGHTED_MS] ? value_of(d->of[WEIGHTED_MS] / 1000 / t)
	                                        : value_absent(ABSENT_RESET);
	row->util = d->time_ok[IO_MS] ? value_of(d->of[IO_MS] / 10 / t) : value_absent(ABSENT_RESET);
	row->svctm = d->time_ok[IO_MS] ? ratio(d->of[IO_MS], row->ios) : value_absent(ABSENT_RESET);
}

/* Waiting, from await and svctm. */
static void set_waiting(struct device_row *row)
{
	if (value_known(row->await) && value_known(row->svctm)) {
		row->qwait = value_of(fmax(0, row->await.n - row->svctm.n));
		row->wait_pct = ratio(100 * row->qwait.n, row->await.n);
	} else {
		row->qwait = row->wait_pct = value_known(row->await) ? row->svctm : row->await;
	}
	if (value_known(row->avgqu_sz) && value_known(row->util))
		row->depth = ratio(row->avgqu_sz.n, row->util.n / 100);
	else
		row->depth = value_known(row->util) ? row->avgqu_sz : row->util;
}

static void set_gauge(struct device_row *row, const struct device_sample *now)
{
	/* a leaked count is negative: printed as a huge one */
	bool sane = now->counter[IN_FLIGHT] < (uint64_t)1 << 31;

	if (now->layout < DISK_BASIC)
		row->inflight = value_absent(ABSENT_UNSUPPORTED);
	else
		row->inflight = sane ? value_of((double)now->counter[IN_FLIGHT])
		                     : value_absent(ABSENT_IMPLAUSIBLE);
}

static bool ever_used(const struct device_sample *now)
{
	for (enum disk_counter c = 0; c < DISK_COUNTERS; c++)
		if (now->counter[c])
			return true;
	return false;
}

static void set_identity(struct device_row *row, const struct device_sample *now, double seconds)
{
	row->name = now->name;
	row->info = now->info;
	row->diskseq = now->diskseq;
	row->major = now->major;
	row->minor = now->minor;
	row->seconds = seconds;
	row->used = ever_used(now);
	row->mark = ' ';
	row->mark_by = "";
	row->verdict = "";
	latency_absent(row, ABSENT_UNTRACED);
	row->counts_in_totals = !now->info || now->info->class == DEVICE_DISK ||
	                        now->info->class == DEVICE_PATH;
}

void device_row_build(struct device_row *row, const struct device_sample *before,
                      const struct device_sample *now, double seconds)
{
	struct deltas d;

	*row = (struct device_row){0};
	set_identity(row, now, seconds);
	set_all_absent(row, ABSENT_UNSUPPORTED);
	set_gauge(row, now);
	row->why = PRESENT;
	if (!before || seconds <= 0) {
		set_all_absent(row, ABSENT_NEW);
		return;
	}
	row->inflight_was = before->counter[IN_FLIGHT];
	take_deltas(&d, before, now);
	check_plausible(&d, seconds);
	if (before->diskseq != now->diskseq)
		d.why = ABSENT_RESET;
	if (accounting_off(now, &d))
		d.why = ABSENT_OFF;
	if (d.why != PRESENT || before->layout != now->layout) {
		set_all_absent(row, d.why != PRESENT ? d.why : ABSENT_RESET);
		return;
	}
	set_rates(row, &d, seconds);
	if (now->layout >= DISK_DISCARDS)
		set_discards(row, &d, seconds);
	/* flushes are counted for whole devices only */
	if (now->layout >= DISK_FLUSHES && !(now->info && now->info->class == DEVICE_PARTITION)) {
		row->f = value_of(d.of[FL_IOS] / seconds);
		row->f_await = mean_ms(&d, FL_MS, FL_IOS);
	}
	set_sizes(row, &d);
	if (now->layout < DISK_BASIC)
		return;
	row->rrqm = value_of(d.of[RD_MERGES] / seconds);
	row->wrqm = value_of(d.of[WR_MERGES] / seconds);
	if (keeps_no_times(now))
		return;
	set_times(row, &d, seconds);
	set_waiting(row);
}
