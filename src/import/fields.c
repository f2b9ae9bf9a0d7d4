/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of a report as a device row, and what follows from them. */
#include "field.h"

#include <math.h>

void fields_clear(struct value field[FIELDS])
{
	for (int i = 0; i < FIELDS; i++)
		field[i] = value_absent(ABSENT_UNSUPPORTED);
}

/* Reports print 0.00 as the average over no requests: it counts only where there were some. */
static struct value average(struct value average, struct value requests)
{
	if (value_or(average, 0) != 0 || value_or(requests, 0) > 0)
		return average;
	return value_absent(value_known(requests) ? ABSENT_IDLE : ABSENT_UNSUPPORTED);
}

/* Reads, writes and discards a second. */
static struct value rate(const struct device_row *row, struct value together)
{
	if (!value_known(together) && value_known(row->r) && value_known(row->w))
		return value_of(row->r.n + row->w.n + value_or(row->d, 0));
	return together;
}

static void set_rates(struct device_row *row, const struct value f[FIELDS])
{
	row->rrqm = f[FIELD_RRQM];
	row->wrqm = f[FIELD_WRQM];
	row->drqm = f[FIELD_DRQM];
	row->r = f[FIELD_R];
	row->w = f[FIELD_W];
	row->d = f[FIELD_D];
	row->f = f[FIELD_F];
	row->rkb = f[FIELD_RKB];
	row->wkb = f[FIELD_WKB];
	row->dkb = f[FIELD_DKB];
	row->avgqu_sz = f[FIELD_AVGQU_SZ];
	row->util = f[FIELD_UTIL];
	row->inflight = f[FIELD_INFLIGHT];
}

static void set_averages(struct device_row *row, const struct value f[FIELDS], struct value ios)
{
	row->avgrq_sz = average(f[FIELD_AVGRQ_SZ], ios);
	row->areq_sz = average(f[FIELD_AREQ_SZ], ios);
	row->await = average(f[FIELD_AWAIT], ios);
	row->svctm = average(f[FIELD_SVCTM], ios);
	row->r_await = average(f[FIELD_R_AWAIT], row->r);
	row->w_await = average(f[FIELD_W_AWAIT], row->w);
	row->d_await = average(f[FIELD_D_AWAIT], row->d);
	row->f_await = average(f[FIELD_F_AWAIT], row->f);
}

/* ---- measured service and queue times ---- */

/* Over reads and writes, by how many there are of each. */
static struct value weighted(struct value reads, struct value r, struct value writes,
			     struct value w)
{
	double n = value_or(r, 0) + value_or(w, 0);

	if (!value_known(r) || !value_known(w))
		return value_absent(ABSENT_UNSUPPORTED);
	if (n <= 0)
		return value_absent(ABSENT_IDLE);
	if ((r.n > 0 && !value_known(reads)) || (w.n > 0 && !value_known(writes)))
		return value_absent(ABSENT_UNSUPPORTED);
	return value_of((value_or(reads, 0) * r.n + value_or(writes, 0) * w.n) / n);
}

/* The smaller or larger of two, only of those kinds that have requests. */
static struct value extreme(struct value reads, struct value r, struct value writes, struct value w,
			    double (*pick)(double, double))
{
	bool of_reads = value_or(r, 0) > 0, of_writes = value_or(w, 0) > 0;

	if (!value_known(r) || !value_known(w) || (of_reads && !value_known(reads)) ||
	    (of_writes && !value_known(writes)))
		return value_absent(ABSENT_UNSUPPORTED);
	if (of_reads && of_writes)
		return value_of(pick(reads.n, writes.n));
	return of_reads ? reads : of_writes ? writes : value_absent(ABSENT_IDLE);
}

static void set_measured(struct device_row *row, const struct value f[FIELDS])
{
	row->avserv = f[FIELD_AVSERV];
	if (!value_known(row->avserv))
		row->avserv = weighted(f[FIELD_AVSERV_R], row->r, f[FIELD_AVSERV_W], row->w);
	row->minserv = extreme(f[FIELD_MINSERV_R], row->r, f[FIELD_MINSERV_W], row->w, fmin);
	row->maxserv = extreme(f[FIELD_MAXSERV_R], row->r, f[FIELD_MAXSERV_W], row->w, fmax);
	row->avwait = f[FIELD_AVWAIT];
	row->minwait = f[FIELD_MINWAIT];
	row->maxwait = f[FIELD_MAXWAIT];
	row->sqfull = f[FIELD_SQFULL];
	row->slotwait = f[FIELD_SLOTWAIT];
	row->avslot = f[FIELD_AVSLOT];
	row->p50serv = row->p95serv = row->p99serv = value_absent(ABSENT_UNSUPPORTED);
	row->p50wait = row->p95wait = row->p99wait = value_absent(ABSENT_UNSUPPORTED);
	row->top_share = value_absent(ABSENT_UNSUPPORTED);
}

/* ---- what follows from others ---- */

static struct value quotient(double a, double b)
{
	return b > 0 ? value_of(a / b) : value_absent(ABSENT_IDLE);
}

/* Total time over total requests; a kind without requests needs no average. */
static struct value await_of(const struct device_row *row)
{
	const struct {
		struct value rate, await;
	} kind[] = {{row->r, row->r_await}, {row->w, row->w_await}, {row->d, row->d_await}};
	double ms = 0, n = 0;

	for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
		double ios = value_or(kind[i].rate, 0);

		if (ios > 0 && !value_known(kind[i].await))
			return value_absent(ABSENT_UNSUPPORTED);
		ms += ios * value_or(kind[i].await, 0);
		n += ios;
	}
	return quotient(ms, n);
}

static bool lacking(struct value v)
{
	return v.why == ABSENT_UNSUPPORTED;
}

static void derive_sizes(struct device_row *row, struct value ios, struct value kib)
{
	if (value_known(row->rkb) && value_known(row->wkb))
		kib = value_of(row->rkb.n + row->wkb.n + value_or(row->dkb, 0));
	if (lacking(row->avgrq_sz) && value_known(row->areq_sz))
		row->avgrq_sz = value_of(2 * row->areq_sz.n);
	if (lacking(row->avgrq_sz) && value_known(ios) && value_known(kib))
		row->avgrq_sz = quotient(2 * kib.n, ios.n);
	if (lacking(row->areq_sz))
		row->areq_sz =
		    value_known(row->avgrq_sz) ? value_of(row->avgrq_sz.n / 2) : row->avgrq_sz;
}

static void derive_waiting(struct device_row *row)
{
	row->qwait = row->wait_pct = row->depth = value_absent(ABSENT_UNSUPPORTED);
	if (value_known(row->await) && value_known(row->svctm)) {
		row->qwait = value_of(fmax(0, row->await.n - row->svctm.n));
		row->wait_pct = quotient(100 * row->qwait.n, row->await.n);
	} else if (row->await.why == ABSENT_IDLE) {
		row->qwait = row->wait_pct = row->await;
	}
	if (value_known(row->avgqu_sz) && value_known(row->util))
		row->depth = quotient(row->avgqu_sz.n, row->util.n / 100);
}

/* kib: in both directions together, where the report has not each */
static void derive(struct device_row *row, struct value ios, struct value kib)
{
	derive_sizes(row, ios, kib);
	if (lacking(row->await) && value_known(row->r) && value_known(row->w))
		row->await = await_of(row);
	if (lacking(row->svctm) && value_known(row->util) && value_known(ios))
		row->svctm = quotient(row->util.n * 10, ios.n);
	derive_waiting(row);
}

void fields_row(struct device_row *row, const struct value field[FIELDS], double seconds,
		bool whole)
{
	struct value ios;

	row->seconds = seconds;
	row->why = PRESENT;
	row->mark = ' ';
	row->mark_by = "";
	row->verdict = "";
	row->peak_await = row->peak_avgqu_sz = row->peak_util = value_absent(ABSENT_UNSUPPORTED);
	set_rates(row, field);
	ios = rate(row, field[FIELD_IOPS]);
	set_averages(row, field, ios);
	set_measured(row, field);
	if (whole)
		derive(row, ios, field[FIELD_KB]);
	else
		row->qwait = row->wait_pct = row->depth = value_absent(ABSENT_UNSUPPORTED);
	/* without an interval: requests of one second */
	row->ios = value_or(ios, 0) * (seconds > 0 ? seconds : 1);
	row->used = row->ios > 0 || value_or(row->util, 0) > 0 || value_or(row->avgqu_sz, 0) > 0;
	if (value_known(ios) && ios.n <= 0 && lacking(row->await))
		row->await = value_absent(ABSENT_IDLE);
}
