/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of device metrics. */
#include "columns.h"

#include <stdio.h>

COLUMN_NUMBER(rrqm, struct device_row, rrqm)
COLUMN_NUMBER(wrqm, struct device_row, wrqm)
COLUMN_NUMBER(drqm, struct device_row, drqm)
COLUMN_NUMBER(reads, struct device_row, r)
COLUMN_NUMBER(writes, struct device_row, w)
COLUMN_NUMBER(discards, struct device_row, d)
COLUMN_NUMBER(flushes, struct device_row, f)
COLUMN_NUMBER(rkb, struct device_row, rkb)
COLUMN_NUMBER(wkb, struct device_row, wkb)
COLUMN_NUMBER(dkb, struct device_row, dkb)
COLUMN_NUMBER(avgrq_sz, struct device_row, avgrq_sz)
COLUMN_NUMBER(areq_sz, struct device_row, areq_sz)
COLUMN_NUMBER(avgqu_sz, struct device_row, avgqu_sz)
COLUMN_NUMBER(await_ms, struct device_row, await)
COLUMN_NUMBER(r_await, struct device_row, r_await)
COLUMN_NUMBER(w_await, struct device_row, w_await)
COLUMN_NUMBER(d_await, struct device_row, d_await)
COLUMN_NUMBER(f_await, struct device_row, f_await)
COLUMN_NUMBER(svctm, struct device_row, svctm)
COLUMN_NUMBER(util, struct device_row, util)
COLUMN_NUMBER(qwait, struct device_row, qwait)
COLUMN_NUMBER(wait_pct, struct device_row, wait_pct)
COLUMN_NUMBER(depth, struct device_row, depth)
COLUMN_NUMBER(inflight, struct device_row, inflight)
COLUMN_NUMBER(avserv, struct device_row, avserv)
COLUMN_NUMBER(minserv, struct device_row, minserv)
COLUMN_NUMBER(maxserv, struct device_row, maxserv)
COLUMN_NUMBER(avwait, struct device_row, avwait)
COLUMN_NUMBER(minwait, struct device_row, minwait)
COLUMN_NUMBER(maxwait, struct device_row, maxwait)
COLUMN_NUMBER(sqfull, struct device_row, sqfull)
COLUMN_NUMBER(p50serv, struct device_row, p50serv)
COLUMN_NUMBER(p95serv, struct device_row, p95serv)
COLUMN_NUMBER(p99serv, struct device_row, p99serv)
COLUMN_NUMBER(p50wait, struct device_row, p50wait)
COLUMN_NUMBER(p95wait, struct device_row, p95wait)
COLUMN_NUMBER(p99wait, struct device_row, p99wait)
COLUMN_NUMBER(top_share, struct device_row, top_share)
COLUMN_NUMBER(slotwait, struct device_row, slotwait)
COLUMN_NUMBER(avslot, struct device_row, avslot)
COLUMN_NUMBER(peak_await, struct device_row, peak_await)
COLUMN_NUMBER(peak_avgqu_sz, struct device_row, peak_avgqu_sz)
COLUMN_NUMBER(peak_util, struct device_row, peak_util)

/* How many requests a second the measured figures are of. */
static struct value traced(const void *data)
{
	const struct device_row *row = data;

	return row->latency ? value_of(row->latency->all.rate) : value_absent(row->avserv.why);
}

/* PID and name; the PID alone where tasks are not read. */
static const char *top_task(const void *data, char *buf, size_t size)
{
	const struct pair_row *top = ((const struct device_row *)data)->top;

	if (!top)
		return NULL;
	if (top->pid < 0)
		return pair_issuer_name(top->pid);
	snprintf(buf, size, "%d%s%s", (int)top->pid, top->comm ? " " : "", top->comm ? top->comm : "");
	return buf;
}

/* A property of the device as a number; the kernel does not say: unsupported. */
#define DEVICE_PROPERTY(name, field)                                                               \
	static struct value name(const void *data)                                                 \
	{                                                                                          \
		const struct device_row *row = data;                                               \
		if (!row->info || row->info->field < 0)                                            \
			return value_absent(ABSENT_UNSUPPORTED);                                   \
		return value_of(row->info->field);                                                 \
	}

DEVICE_PROPERTY(nr_requests, nr_requests)
DEVICE_PROPERTY(queue_depth, queue_depth)

static struct value interval(const void *data)
{
	double seconds = ((const struct device_row *)data)->seconds;

	return seconds > 0 ? value_of(seconds) : value_absent(ABSENT_UNSUPPORTED);
}

static struct value since_boot(const void *data)
{
	return value_of(((const struct device_row *)data)->since_boot);
}

static const char *device_mark(const void *data, char *buf, size_t size)
{
	const struct device_row *row = data;

	if (row->mark == ' ' || size < 2)
		return NULL;
	buf[0] = row->mark;
	buf[1] = '\0';
	return buf;
}

static const char *device_mark_by(const void *data, char *buf, size_t size)
{
	const char *by = ((const struct device_row *)data)->mark_by;

	(void)buf, (void)size;
	return by && *by ? by : NULL;
}

static const char *device_name(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return ((const struct device_row *)data)->name;
}

static const char *device_verdict(const void *data, char *buf, size_t size)
{
	const char *verdict = ((const struct device_row *)data)->verdict;

	(void)buf, (void)size;
	return verdict && *verdict ? verdict : NULL;
}

static const char *device_scheduler(const void *data, char *buf, size_t size)
{
	const struct device_row *row = data;

	(void)buf, (void)size;
	return row->info && *row->info->scheduler ? row->info->scheduler : NULL;
}

static const char *device_title(const void *data, char *buf, size_t size)
{
	const struct device_row *row = data;

	(void)buf, (void)size;
	return row->info && *row->info->title ? row->info->title : NULL;
}

static const char *device_mounts(const void *data, char *buf, size_t size)
{
	const struct device_row *row = data;

	(void)buf, (void)size;
	return row->info && *row->info->mounts ? row->info->mounts : NULL;
}

static const struct column columns[] = {
	{"mark", " ", "", "w: await dominates service time; W: by far",
	 1, 0, 1, COLUMN_SCREEN | COLUMN_LEFT, NULL, device_mark},
	{"device", "DEVICE", "", "the kernel's name of the block device", 12, 0, 1,
	 COLUMN_KEY | COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, device_name},
	{"rrqm/s", NULL, "1/s", "read requests merged into others", 7, 1, 20, 0, rrqm, NULL},
	{"wrqm/s", NULL, "1/s", "write requests merged into others", 7, 1, 20, 0, wrqm, NULL},
	{"r/s", NULL, "1/s", "reads completed", 6, 1, 6, COLUMN_SCREEN, reads, NULL},
	{"w/s", NULL, "1/s", "writes completed", 6, 1, 6, COLUMN_SCREEN, writes, NULL},
	{"rkB/s", NULL, "KiB/s", "read from the device", 7, 1, 8, COLUMN_SCREEN, rkb, NULL},
	{"wkB/s", NULL, "KiB/s", "written to the device", 7, 1, 8, COLUMN_SCREEN, wkb, NULL},
	{"avgrq-sz", NULL, "sectors", "mean size of a request, in sectors of 512 bytes", 8, 2, 18, 0,
	 avgrq_sz, NULL},
	{"avgqu-sz", NULL, "requests", "mean number of requests queued or in service", 8, 2, 5,
	 COLUMN_SCREEN, avgqu_sz, NULL},
	{"await", NULL, "ms", "mean time of a request from queue to completion", 7, 2, 3,
	 COLUMN_SCREEN, await_ms, NULL},
	{"r_await", NULL, "ms", "the same, reads only", 7, 2, 11, 0, r_await, NULL},
	{"w_await", NULL, "ms", "the same, writes only", 7, 2, 11, 0, w_await, NULL},
	{"svctm", NULL, "ms", "busy time per request: an estimate, true for a device that serves one at a time",
	 6, 2, 7, COLUMN_SCREEN, svctm, NULL},
	{"%util", NULL, "%", "share of the interval in which something was in flight; 100 is not saturation",
	 5, 1, 2, COLUMN_SCREEN, util, NULL},
	{"verdict", "VERDICT", "", "name of the strongest finding, or ok, idle; none before it can be told", 15, 0, 4,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, device_verdict},
	{"qwait", NULL, "ms", "estimated share of await spent waiting: await - svctm", 7, 2, 16, 0, qwait, NULL},
	{"wait%", NULL, "%", "the same as a share of await", 5, 1, 10, 0, wait_pct, NULL},
	{"depth", NULL, "requests", "requests outstanding while the device was busy", 6, 1, 12, 0, depth,
	 NULL},
	{"inflight", NULL, "requests", "requests in flight now", 8, 0, 13, 0, inflight, NULL},
	{"nr_requests", "nr_req", "requests", "limit of the block layer's queue (queue/nr_requests)", 6, 0,
	 14, 0, nr_requests, NULL},
	{"queue_depth", "qdepth", "requests", "limit of the driver's queue (device/queue_depth)", 6, 0, 14,
	 0, queue_depth, NULL},
	{"scheduler", NULL, "", "I/O scheduler", 11, 0, 15, COLUMN_LEFT | COLUMN_ASCENDING, NULL,
	 device_scheduler},
	{"areq-sz", NULL, "KiB", "mean size of a request", 7, 1, 9, 0, areq_sz, NULL},
	{"f/s", NULL, "1/s", "flushes completed", 6, 1, 17, 0, flushes, NULL},
	{"f_await", NULL, "ms", "mean time of a flush", 7, 2, 17, 0, f_await, NULL},
	{"d/s", NULL, "1/s", "discards completed", 6, 1, 19, 0, discards, NULL},
	{"dkB/s", NULL, "KiB/s", "discarded", 7, 1, 21, 0, dkb, NULL},
	{"drqm/s", NULL, "1/s", "discards merged", 7, 1, 22, 0, drqm, NULL},
	{"d_await", NULL, "ms", "mean time of a discard", 7, 2, 22, 0, d_await, NULL},
	{"title", "NAME", "", "device-mapper name, md level or the loop device's file", 20, 0, 8,
	 COLUMN_LEFT | COLUMN_ASCENDING, NULL, device_title},
	{"mounts", "MOUNTED", "", "where it is mounted", 16, 0, 8, COLUMN_LEFT | COLUMN_ASCENDING, NULL, device_mounts},
	{"avserv", NULL, "ms", "traced: mean service time; of dm, md and zram a bio's whole time", 7, 3, 23, 0, avserv, NULL},
	{"minserv", NULL, "ms", "traced: the shortest service time", 7, 3, 24, 0, minserv, NULL},
	{"maxserv", NULL, "ms", "traced: the longest service time", 7, 3, 24, 0, maxserv, NULL},
	{"avwait", NULL, "ms", "traced: mean time in the host's queue", 7, 3, 23, 0, avwait, NULL},
	{"minwait", NULL, "ms", "traced: the shortest time in the queue", 7, 3, 24, 0, minwait, NULL},
	{"maxwait", NULL, "ms", "traced: the longest time in the queue", 7, 3, 24, 0, maxwait, NULL},
	{"sqfull", NULL, "1/s", "traced: times the device's own queue was full", 7, 1, 24, 0, sqfull, NULL},
	{"traced/s", NULL, "1/s", "traced: requests, or bios, measured", 8, 1, 25, 0, traced, NULL},
	{"top_task", "TOP TASK", "", "traced: the task that issued most of the requests: PID and name", 16, 0, 25,
	 COLUMN_LEFT | COLUMN_ASCENDING, NULL, top_task},
	{"top%", NULL, "%", "traced: its share of the requests", 5, 1, 25, 0, top_share, NULL},
	{"mark_by", NULL, "", "what the mark compares await with: avserv is measured, svctm an estimate", 7, 0, 24,
	 COLUMN_LEFT | COLUMN_ASCENDING, NULL, device_mark_by},
	{"p50serv", NULL, "ms", "traced: half of the requests were served in no more", 7, 3, 25, 0, p50serv, NULL},
	{"p95serv", NULL, "ms", "traced: 95 % were served in no more", 7, 3, 25, 0, p95serv, NULL},
	{"p99serv", NULL, "ms", "traced: 99 % were served in no more", 7, 3, 25, 0, p99serv, NULL},
	{"p50wait", NULL, "ms", "traced: half of the requests waited no longer", 7, 3, 25, 0, p50wait, NULL},
	{"p95wait", NULL, "ms", "traced: 95 % waited no longer", 7, 3, 25, 0, p95wait, NULL},
	{"p99wait", NULL, "ms", "traced: 99 % waited no longer", 7, 3, 25, 0, p99wait, NULL},
	{"slotwait/s", NULL, "1/s", "traced: requests that first waited for a free slot, or were held by a limit", 10, 1,
	 25, 0, slotwait, NULL},
	{"avslot", NULL, "ms", "traced: mean time of that wait, which is not in await", 7, 3, 25, 0, avslot, NULL},
	{"peak_await", NULL, "ms", "the highest await since the start, or since the peaks were reset", 10, 2, 24, 0,
	 peak_await, NULL},
	{"peak_avgqu-sz", NULL, "requests", "the highest avgqu-sz since", 13, 2, 24, 0, peak_avgqu_sz, NULL},
	{"peak_%util", NULL, "%", "the highest %util since", 10, 1, 24, 0, peak_util, NULL},
	{"interval", NULL, "s", "length of the interval", 8, 3, 24, COLUMN_CSV_ONLY, interval, NULL},
	{"since_boot", NULL, "", "1: an average since boot, no interval", 10, 0, 24, COLUMN_CSV_ONLY,
	 since_boot, NULL},
};

static size_t device_count(const struct frame *frame)
{
	return frame->ndevice;
}

static void *device_at(const struct frame *frame, size_t i)
{
	return &frame->device[i];
}

static bool device_active(const void *data)
{
	const struct device_row *row = data;

	return row->ios > 0 || value_or(row->f, 0) > 0 || value_or(row->inflight, 0) > 0 ||
	       value_or(row->rkb, 0) > 0 || value_or(row->wkb, 0) > 0;
}

static uint64_t device_identity(const void *data)
{
	const struct device_row *row = data;

	return hash_text(row->name, row->diskseq);
}

const struct table device_table = {
	.name = "devices",
	.help = "block devices: rates, queue, await against svctm, verdict",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "%util",
	.then = "",
	.count = device_count,
	.row = device_at,
	.active = device_active,
	.identity = device_identity,
};
