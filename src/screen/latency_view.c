/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracing measured of a device: times by class, and a histogram.
 */
#include "device_view.h"
#include "text.h"
#include "words.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256, OCTAVE = 4, ROWS = (LATENCY_BUCKETS + OCTAVE - 1) / OCTAVE, SPAN_CELLS = 16,
       SHARE_CELLS = 7, NARROW = 60 };

static const char *const latency_class_names[LATENCY_CLASSES] = {"Reads", "Writes", "Discards", "Flushes"};

/* "mean 2.013 p50 2.0 p95 2.5 p99 2.5 max 9.1" */
static void latency_times(struct sheet *sheet, const char *name, const struct value *figure)
{
	static const char *const names[] = {"mean", "p50", "p95", "p99", "max"};
	char line[LINE_BYTES];
	size_t len = 0;
	for (int i = 0; i < 5 && len < sizeof(line); i++) {
		char number[NUMBER_MAX];
		number_fit(number, figure[i], 8, 3);
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s %s", i ? "  " : "", names[i],
					number);
	}
	sheet_entry(sheet, name, line);
}

static void latency_class(struct sheet *sheet, const char *name,
			  const struct latency_figures *class, bool bios)
{
	const struct value serve[] = {class->avserv, class->p50serv, class->p95serv, class->p99serv,
				      class->maxserv};
	const struct value wait[] = {class->avwait, class->p50wait, class->p95wait, class->p99wait,
				     class->maxwait};
	char line[LINE_BYTES], rate[NUMBER_MAX];
	number_fit(rate, value_of(class->rate), 8, 1);
	snprintf(line, sizeof(line), "%s/s%s", rate,
		 value_or(class->errors, 0) > 0 ? ", some ended in an error" : "");
	sheet_entry(sheet, name, line);
	if (class->served == 0)
		return;
	latency_times(sheet, bios ? "  took, ms" : "  served, ms", serve);
	if (!bios)
		latency_times(sheet, "  waited, ms", wait);
}

/* A time with its unit, in as few cells as can be. */
static void latency_time(char *to, size_t size, uint64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
	size_t i = 0;
	while (i < 2 && (double)ns < units[i].ns)
		i++;
	snprintf(to, size, "%.3g %s", (double)ns / units[i].ns, units[i].unit);
}

static void latency_bar(struct sheet *sheet, int row, uint64_t n, uint64_t most, uint64_t all)
{
	char line[LINE_BYTES], from[24], to[24];
	int label = COLS < NARROW ? SPAN_CELLS : SPAN_CELLS + 4;
	int cells = COLS - label - SHARE_CELLS - SHEET_INDENT - 1;
	int y = sheet_next(sheet), bar = 0;
	bool last = (row + 1) * OCTAVE >= LATENCY_BUCKETS;
	latency_time(from, sizeof(from), latency_bucket_ns((unsigned)(row * OCTAVE)));
	latency_time(to, sizeof(to), latency_bucket_ns((unsigned)((row + 1) * OCTAVE)));
	if (row == 0)
		snprintf(line, sizeof(line), "up to %s", to);
	else if (last)
		snprintf(line, sizeof(line), "from %s", from);
	else
		snprintf(line, sizeof(line), "%s - %s", from, to);
	text_put(y, SHEET_INDENT, label, line, TEXT_CUT_END);
	snprintf(line, sizeof(line), "%5.1f %%", 100.0 * (double)n / (double)all);
	text_put(y, SHEET_INDENT + label, SHARE_CELLS, line, TEXT_CUT_END);
	if (cells > 0)
		bar = (int)((double)n / (double)most * cells + 0.5);
	memset(line, '#', sizeof(line));
	line[bar < (int)sizeof(line) ? bar : (int)sizeof(line) - 1] = '\0';
	text_put(y, SHEET_INDENT + label + SHARE_CELLS + 1, cells, line, TEXT_CUT_END);
}

/* By doublings, from the first that has requests to the last one. */
static void latency_histogram(struct sheet *sheet, const char *title, const uint32_t *bucket,
			      uint64_t all)
{
	uint64_t row[ROWS] = {0}, most = 0;
	int first = ROWS, last = -1;
	for (int i = 0; i < LATENCY_BUCKETS; i++)
		row[i / OCTAVE] += bucket[i];
	for (int i = 0; i < ROWS; i++) {
		if (!row[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > row[i] ? most : row[i];
	}
	if (last < 0)
		return;
	sheet_title(sheet, title);
	for (int i = first; i <= last; i++)
		latency_bar(sheet, i, row[i], most, all);
}

/* What waited before there was a request, so before the times above. */
static void latency_slots(struct sheet *sheet, const struct device_row *row)
{
	char line[LINE_BYTES], rate[NUMBER_MAX], mean[NUMBER_MAX];
	if (value_or(row->slotwait, 0) <= 0)
		return;
	number_fit(rate, row->slotwait, 8, 1);
	number_fit(mean, row->avslot, 8, 3);
	snprintf(line, sizeof(line),
		 "%s/s waited %s ms before that for a free slot, or held by a writeback limit",
		 rate, mean);
	sheet_entry(sheet, "No slot", line);
}

void device_view_latency(struct sheet *sheet, const struct frame *frame,
			 const struct device_row *row)
{
	const struct latency_row *latency = row->latency;
	char line[LINE_BYTES];
	if (!latency) {
		enum absent why = row->avserv.why;
		bool off = why == ABSENT_UNTRACED && frame->untraced && *frame->untraced;
		snprintf(line, sizeof(line), "%s", off ? frame->untraced : absent_help(why));
		sheet_entry(sheet, "Measured times", line);
		return;
	}
	if (latency->bios)
		sheet_title(sheet, "Measured of bios: from submission to completion, in all "
				   "devices below too");
	else
		sheet_title(sheet, "Measured: from issue to completion, and in the host's queue "
				   "before it");
	for (int i = 0; i < LATENCY_CLASSES; i++) {
		const struct latency_figures *class = &latency->class[i];
		if (class->served > 0 || value_or(class->sqfull, 0) > 0)
			latency_class(sheet, latency_class_names[i], class, latency->bios);
	}
	if (latency->all.served == 0)
		sheet_text_as(sheet, ROLE_DIM, "no requests in this interval");
	latency_slots(sheet, row);
	latency_histogram(sheet, latency->bios ? "Time of bios" : "Time of service",
			  latency->all.serve_bucket, latency->all.served);
	if (value_or(latency->all.maxwait, 0) >= 0.1)
		latency_histogram(sheet, "Time in the queue", latency->all.wait_bucket,
				  latency->all.waited);
}
