/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes to lines, and each line to the parser whose it is. */
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_COUNTED = 2 * IMPORT_DEVICES_MAX, SNIFFED = 65536 };

struct import *import_new(import_sink *sink, void *context)
{
	struct import *import = calloc(1, sizeof(*import));

	if (!import)
		return NULL;
	import->sink = sink;
	import->sink_context = context;
	import->held = malloc(LINE_BYTES_MAX);
	import->joined = malloc(LINE_BYTES_MAX);
	import->clean = malloc(LINE_BYTES_MAX);
	import->device_set = calloc(DEVICES_COUNTED, sizeof(*import->device_set));
	if (!import->held || !import->joined || !import->clean || !import->device_set) {
		import_free(import);
		return NULL;
	}
	import->aio.aio_nr = import->aio.aio_max_nr = value_absent(ABSENT_OFF);
	import->aio.kioctx.state = import->aio.kiocb.state = import->aio.io_kiocb.state =
	    SLAB_UNREAD;
	import->context.hint = BOOT_TRY;
	return import;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	block_release(&import->block);
	diskstats_release(&import->snapshots);
	free(import->json.p);
	free(import->held);
	free(import->joined);
	free(import->clean);
	free(import->device_set);
	free(import);
}

const struct import_summary *import_summary(const struct import *import)
{
	return &import->summary;
}

const char *import_format_name(enum import_format format)
{
	static const char *const names[IMPORT_FORMATS] = {
	    [IMPORT_IOSTAT] = "iostat",
	    [IMPORT_IOSTAT_JSON] = "iostat JSON",
	    [IMPORT_SAR] = "sar -d",
	    [IMPORT_AIX_IOSTAT] = "AIX iostat",
	    [IMPORT_AIX_SAR] = "AIX sar -d",
	    [IMPORT_DISKSTATS] = "/proc/diskstats",
	    [IMPORT_AIO] = "AIO figures",
	    [IMPORT_VMSTAT] = "vmstat",
	    [IMPORT_CPU] = "avg-cpu",
	    [IMPORT_MEMINFO] = "/proc/meminfo",
	    [IMPORT_IOTOP] = "iotop",
	    [IMPORT_OWN_CSV] = "iotriage CSV",
	    [IMPORT_OWN_JSON] = "iotriage JSON",
	};
	return names[format];
}

void import_met(struct import *import, enum import_format format, unsigned long line)
{
	if (!import->summary.met[format].line)
		import->summary.met[format].line = line;
}

void import_count_device(struct import *import, const char *name)
{
	uint64_t hash = 1469598103934665603u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	hash |= 1;
	if (import->ndevice_set == IMPORT_DEVICES_MAX)
		return;
	for (size_t at = hash >> 20;; at++) {
		uint64_t *slot = &import->device_set[at % DEVICES_COUNTED];
		if (*slot == hash)
			return;
		if (*slot)
			continue;
		*slot = hash;
		import->summary.devices = ++import->ndevice_set;
		return;
	}
}

/* ---- a line ---- */

static void blank_line(struct import *import)
{
	grid_blank(import);
	diskstats_pause(import);
	import->foreign = false;
	import->cpu.columns = 0;
	import->iotop.active = false;
	import->vmstat.ncell = 0;
	import->aio_files.n = 0;
}

/* The parsers of tables whose lines say by themselves what they are. */
static bool known_line(struct import *import, const struct line *line)
{
	return aix_line(import, line) || foreign_line(import, line) || cpu_line(import, line) ||
	       vmstat_line(import, line) || iotop_line(import, line) || aio_line(import, line);
}

static void words_line(struct import *import, const struct line *line)
{
	/* a row is over before what follows it is looked at: the next block has its own time */
	if (line->numbers < line->nword)
		grid_end_row(import);
	if (context_line(import, line) || known_line(import, line))
		return;
	if (grid_header(import, line) || (line->numbers && grid_flat(import, line)))
		return;
	if (diskstats_line(import, line))
		return;
	diskstats_pause(import);
	if (meminfo_line(import, line))
		return;
	(void)grid_line(import, line);
}

void import_line(struct import *import, struct line *line)
{
	import->summary.lines = line->number;
	prefix_strip(import, line);
	if (json_line(import, line) || csv_line(import, line))
		return;
	line_words(line, &import->style);
	if (import->style.ambiguous > import->summary.ambiguous) {
		import->summary.ambiguous = import->style.ambiguous;
		if (!import->summary.ambiguous_line)
			import->summary.ambiguous_line = line->number;
	}
	if (line->nword == 0)
		blank_line(import);
	else
		words_line(import, line);
}

/* ---- bytes ---- */

static void whole_line(struct import *import, const char *p, size_t n, unsigned long number,
		       bool last)
{
	struct line *line = &import->line;

	while (n && (p[n - 1] == '\r' || p[n - 1] == ' ' || p[n - 1] == '`'))
		n--;
	line->p = p;
	line->n = n;
	line->number = number;
	line->last = last;
	if (line_is_dirty(p, n)) {
		line->n = line_clean(import->clean, p, n);
		line->p = import->clean;
	}
	import_line(import, line);
}

/* Mail broke a number or a word: "0.0=" and "0". But digits and letters do not join. */
static void join(struct import *import, const char *p, size_t n)
{
	size_t quote = line_quote(p, n), digits = import->njoined;
	const char *joined = import->joined;

	p += quote;
	n -= quote;
	while (digits && memchr("0123456789.,", joined[digits - 1], 12))
		digits--;
	bool number = digits < import->njoined && (!digits || joined[digits - 1] == ' ');
	if (number && n && !memchr("0123456789.,= \t\r", *p, 16) &&
	    import->njoined < LINE_BYTES_MAX)
		import->joined[import->njoined++] = ' ';
	if (n > LINE_BYTES_MAX - import->njoined)
		n = LINE_BYTES_MAX - import->njoined;
	memcpy(import->joined + import->njoined, p, n);
	import->njoined += n;
}

static void raw_line(struct import *import, const char *p, size_t n, bool last)
{
	size_t length = n;

	import->nline++;
	while (length && (p[length - 1] == '\r' || p[length - 1] == ' '))
		length--;
	bool goes_on = !last && line_is_continued(p, length) && !import->json.active;
	if (!goes_on && !import->njoined) {
		whole_line(import, p, n, import->nline, last);
		return;
	}
	if (!import->njoined) {
		import->joined_line = import->nline;
		memcpy(import->joined, p, length - 1);
		import->njoined = length - 1;
	} else {
		join(import, p, goes_on ? length - 1 : length);
	}
	if (goes_on && import->njoined < LINE_BYTES_MAX)
		return;
	n = import->njoined;
	import->njoined = 0;
	whole_line(import, import->joined, n, import->joined_line, last);
}

static void hold(struct import *import, const char *p, size_t n)
{
	if (n > LINE_BYTES_MAX - import->nheld) {
		import->skipping = true;
		import->nheld = 0;
		return;
	}
	memcpy(import->held + import->nheld, p, n);
	import->nheld += n;
}

static void feed(struct import *import, const char *p, size_t n)
{
	const char *end = p + n;

	while (p < end && !import->error) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t length = (size_t)((newline ? newline : end) - p);

		if (import->skipping) {
			import->nline += newline != NULL;
			import->skipping = !newline;
		} else if (!newline) {
			hold(import, p, length);
		} else if (import->nheld) {
			hold(import, p, length);
			if (import->skipping)
				import->nline++;
			else
				raw_line(import, import->held, import->nheld, false);
			import->skipping = false;
			import->nheld = 0;
		} else if (length <= LINE_BYTES_MAX) {
			raw_line(import, p, length, false);
		} else {
			import->nline++;
		}
		p = newline ? newline + 1 : end;
	}
}

/* UTF-16, as some editors save: every character of a report is ASCII. */
static void feed_wide(struct import *import, const char *p, size_t n)
{
	char narrow[512];
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		import->wide_half = !import->wide_half;
		/* the half that holds ASCII is the first one of little-endian text */
		if (import->wide_half != (import->wide == WIDE_LITTLE))
			continue;
		narrow[length++] = p[i];
		if (length == sizeof(narrow)) {
			feed(import, narrow, length);
			length = 0;
		}
	}
	feed(import, narrow, length);
}

/* How this text writes decimals, from as much of it as is there already. */
static void sniff_decimals(struct import *import, const char *p, size_t n)
{
	const char *end = p + (n < SNIFFED ? n : SNIFFED);
	struct word word = {0};

	while (p < end) {
		while (p < end && (*p == ' ' || *p == '\t' || *p == '\n'))
			p++;
		word.p = p;
		while (p < end && *p != ' ' && *p != '\t' && *p != '\n')
			p++;
		word.n = (size_t)(p - word.p);
		if (word.n)
			word_read(&word, &import->style);
	}
	import->style.ambiguous = 0;
}

static void begin(struct import *import, const char *p, size_t n)
{
	import->begun = true;
	import->summary.unreadable = binary_kind(p, n);
	if (n >= 2 && (unsigned char)p[0] == 0xff && (unsigned char)p[1] == 0xfe)
		import->wide = WIDE_LITTLE;
	else if (n >= 2 && (unsigned char)p[0] == 0xfe && (unsigned char)p[1] == 0xff)
		import->wide = WIDE_BIG;
	if (!import->summary.unreadable && import->wide == WIDE_NONE)
		sniff_decimals(import, p, n);
}

int import_bytes(struct import *import, const char *p, size_t n)
{
	if (!import->begun && n) {
		begin(import, p, n);
		size_t mark = import->wide != WIDE_NONE ? 2 : 0;
		p += mark;
		n -= mark;
	}
	if (import->error || import->summary.unreadable)
		return import->error;
	if (import->wide != WIDE_NONE)
		feed_wide(import, p, n);
	else
		feed(import, p, n);
	return import->error;
}

int import_end(struct import *import)
{
	if (import->nheld && !import->skipping && !import->error)
		raw_line(import, import->held, import->nheld, true);
	import->nheld = 0;
	if (import->njoined && !import->error) {
		size_t n = import->njoined;
		import->njoined = 0;
		whole_line(import, import->joined, n, import->joined_line, true);
	}
	json_end(import);
	grid_close(import);
	diskstats_end(import);
	(void)block_flush(import);
	/* figures of AIO that stand beside no report */
	if (import->aio_news && !block_begin(import, IMPORT_AIO, import->nline, BOOT_NEVER)) {
		import->block.has_system = true;
		(void)block_flush(import);
	}
	return import->error;
}
