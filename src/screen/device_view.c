/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything known of one device, on a whole screen.
 */
#include "device_view.h"
#include "draw.h"
#include "pair_view.h"
#include "sheet.h"
#include "sparkline.h"
#include "text.h"
#include "words.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 1024, LABEL_CELLS = 30, NARROW_LABEL_CELLS = 20, NARROW = 60 };

const struct device_row *device_view_find(const struct frame *frame, const char *name)
{
	for (size_t i = 0; i < frame->ndevice; i++)
		if (strcmp(frame->device[i].name, name) == 0)
			return &frame->device[i];
	return NULL;
}

static const struct device_row *device_view_row(const struct screen *screen)
{
	const struct frame *frame = screen->frame;
	for (size_t i = 0; i < frame->ndevice; i++)
		if (device_table.identity(&frame->device[i]) == screen->device_identity)
			return &frame->device[i];
	return NULL;
}

static void device_view_identity(struct sheet *sheet, const struct device_row *row)
{
	const struct device_info *info = row->info;
	char line[LINE_BYTES], class[DEVICE_NAME_MAX + 32], size[NUMBER_MAX];
	if (row->why != PRESENT) {
		snprintf(line, sizeof(line), "%s: %s", absent_name(row->why), absent_help(row->why));
		sheet_entry(sheet, "Counters", line);
	}
	if (!info) {
		sheet_entry(sheet, "Device", "sysfs says nothing of it");
		return;
	}
	words_class(info, class, sizeof(class));
	size_fit(size, value_of((double)info->size_sectors / 2));
	snprintf(line, sizeof(line), "%s, %s%s", class, info->size_sectors ? size : "no size",
		 info->virtual_medium  ? ", a virtual medium"
		 : info->rotational < 0 ? ""
		 : info->rotational	? ", rotational"
					: ", not rotational");
	sheet_entry(sheet, "Device", line);
	if (*info->title)
		sheet_entry(sheet, info->class == DEVICE_LOOP ? "File" : "Name", info->title);
	if (*info->mounts)
		sheet_entry(sheet, "Mounted", info->mounts);
	if (*info->pool)
		sheet_entry(sheet, "Pool", info->pool);
	if (*row->verdict)
		sheet_entry(sheet, "Verdict", row->verdict);
}

static void device_view_limit(char *line, const char *name, int limit)
{
	size_t len = strlen(line);
	if (limit > 0)
		snprintf(line + len, LINE_BYTES - len, "%s%s %d", strstr(line, " of ") ? ", " : " of ", name,
			 limit);
}

/* The measured depth beside what limits it. */
static void device_view_depth(struct sheet *sheet, const struct device_row *row,
			      const struct device_info *info)
{
	char line[LINE_BYTES], depth[NUMBER_MAX], inflight[NUMBER_MAX];
	size_t len;
	number_fit(depth, row->depth, 8, 1);
	number_fit(inflight, row->inflight, 8, 0);
	snprintf(line, sizeof(line), "depth while busy %s%s%s%s", depth, value_known(row->depth) ? "" : " (",
		 value_known(row->depth) ? "" : absent_name(row->depth.why), value_known(row->depth) ? "" : ")");
	device_view_limit(line, "nr_requests", info->nr_requests);
	device_view_limit(line, "queue_depth", info->queue_depth);
	len = strlen(line);
	snprintf(line + len, sizeof(line) - len, "; in flight now %s", inflight);
	sheet_entry(sheet, "Queue", line);
}

__attribute__((format(printf, 2, 3))) static void device_view_add(char *line, const char *format, ...)
{
	size_t len = strlen(line);
	va_list args;
	if (len > 0)
		len += (size_t)snprintf(line + len, LINE_BYTES - len, ", ");
	va_start(args, format);
	vsnprintf(line + len, LINE_BYTES - len, format, args);
	va_end(args);
}

/* A partition has its disk's queue. */
static void device_view_queue(struct sheet *sheet, const struct screen *screen,
			      const struct device_row *row)
{
	char line[LINE_BYTES] = "";
	const struct device_row *disk = row;
	if (row->info && row->info->class == DEVICE_PARTITION)
		disk = device_view_find(screen->frame, row->info->parent);
	if (!disk || !disk->info)
		return;
	const struct device_info *info = disk->info;
	device_view_depth(sheet, row, info);
	if (disk != row)
		device_view_add(line, "of %s", disk->name);
	if (*info->scheduler)
		device_view_add(line, "scheduler %s", info->scheduler);
	if (*info->write_cache)
		device_view_add(line, "write cache %s", info->write_cache);
	if (info->read_ahead_kib >= 0)
		device_view_add(line, "read-ahead %d KiB", info->read_ahead_kib);
	if (info->logical_block_bytes > 0)
		device_view_add(line, "logical block %d bytes", info->logical_block_bytes);
	if (info->iostats >= 0)
		device_view_add(line, "iostats %s",
				info->iostats            ? "on"
				: disk->why == PRESENT ? "off, yet it counts"
						       : "off: nothing is counted (queue/iostats)");
	sheet_entry(sheet, "Settings", *line ? line : "the kernel says nothing of them");
}

static void device_view_findings(struct sheet *sheet, const struct screen *screen,
				 const struct device_row *row)
{
	static const enum role roles[] = {ROLE_INFO, ROLE_WARN, ROLE_CRIT};
	const struct frame *frame = screen->frame;
	bool first = true;
	for (size_t i = 0; i < frame->nfinding; i++) {
		const struct finding *finding = &frame->finding[i];
		char line[FINDING_TEXT_MAX + 128], lasted[32];
		if (strcmp(finding->subject, row->name) != 0)
			continue;
		if (first)
			sheet_title(sheet, "Findings");
		first = false;
		words_duration(finding->lasted_s, lasted, sizeof(lasted));
		snprintf(line, sizeof(line), "%s %s %s: %s", severity_name(finding->severity),
			 finding->rule, lasted, finding->text);
		sheet_text_as(sheet, roles[finding->severity], line);
		if (*finding->advice) {
			snprintf(line, sizeof(line), "> %s", finding->advice);
			sheet_text(sheet, line);
		}
	}
}

static void device_view_bars(struct sheet *sheet, const char *name, const char *unit,
			     const float *ring, const struct device_history *history, double least)
{
	char line[LINE_BYTES], most[NUMBER_MAX];
	int label = COLS < NARROW ? NARROW_LABEL_CELLS : LABEL_CELLS, cells = COLS - label - 1;
	struct value top = sparkline_most(ring, history, cells > 0 ? (size_t)cells : 0);
	int y = sheet_next(sheet);
	number_fit(most, top, 8, 2);
	snprintf(line, sizeof(line), "%-8s max %s %s", name, most, value_known(top) ? unit : "");
	text_put(y, SHEET_INDENT, label - SHEET_INDENT, line, TEXT_CUT_END);
	sparkline_draw(y, label, cells, ring, history, value_or(top, 0) > least ? top.n : least);
}

static void device_view_history(struct sheet *sheet, const struct screen *screen,
				const struct device_row *row)
{
	const struct device_history *history = row->history;
	char line[LINE_BYTES], span[32];
	int cells = COLS - (COLS < NARROW ? NARROW_LABEL_CELLS : LABEL_CELLS) - 1;
	if (!history || history->n == 0) {
		sheet_title(sheet, "History");
		sheet_text_as(sheet, ROLE_DIM, "none yet");
		return;
	}
	size_t frames = history->n < (size_t)cells ? history->n : (size_t)cells;
	words_duration((double)frames * screen->interval_s, span, sizeof(span));
	snprintf(line, sizeof(line), "History: %zu frame%s, about %s, the newest at the right", frames,
		 frames == 1 ? "" : "s", span);
	sheet_title(sheet, line);
	device_view_bars(sheet, "await", "ms", history->await_ms, history, 0);
	device_view_bars(sheet, "avgqu-sz", "requests", history->avgqu_sz, history, 0);
	device_view_bars(sheet, "%util", "%", history->util, history, 100);
}

static void device_view_peak(char *line, const char *name, struct value v, unsigned precision,
			     const char *unit)
{
	char peak[NUMBER_MAX];
	number_fit(peak, v, 8, precision);
	device_view_add(line, "%s %s%s", name, peak, value_known(v) ? unit : "");
}

static void device_view_peaks(struct sheet *sheet, const struct device_row *row)
{
	char line[LINE_BYTES] = "";
	device_view_peak(line, "await", row->peak_await, 2, " ms");
	device_view_peak(line, "avgqu-sz", row->peak_avgqu_sz, 2, "");
	device_view_peak(line, "util", row->peak_util, 1, " %");
	device_view_add(line, "since the start (R: anew)");
	sheet_entry(sheet, "Peaks", line);
}

static void device_view_lines(struct sheet *sheet, const struct screen *screen)
{
	const struct device_row *row = device_view_row(screen);
	if (!row) {
		sheet_text(sheet, "It is there no more.");
		return;
	}
	device_view_identity(sheet, row);
	device_view_queue(sheet, screen, row);
	device_view_peaks(sheet, row);
	pair_view_tasks(sheet, screen->frame, row);
	device_view_latency(sheet, screen->frame, row);
	device_view_history(sheet, screen, row);
	device_view_stack(sheet, screen->frame, row);
	device_view_findings(sheet, screen, row);
	sheet_title(sheet, "Figures");
	sheet_figures(sheet, &device_table, row);
}

void device_view_draw(struct screen *screen, int y, int h)
{
	char title[DEVICE_NAME_MAX + 32];
	bool gone = !device_view_row(screen);
	snprintf(title, sizeof(title), "Device %s%s", screen->device_name, gone ? " (gone)" : "");
	sheet_draw(screen, &screen->details_page, y, h, title, device_view_lines);
}
