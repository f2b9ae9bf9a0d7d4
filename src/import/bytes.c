/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes to lines, in pieces of any size: what the text is written in, where its
 * lines end, and which of them mail broke.
 */
#include "importer.h"

#include <string.h>

enum { SNIFFED = 65536 };

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

/* ---- lines that are too long to be held ---- */

/* JSON is read as it comes, anything else is skipped. */
static void take_long(struct import *import, const char *p, size_t n)
{
	if (import->rest == REST_JSON && !json_bytes(import, p, n))
		import->rest = REST_SKIPPED;
}

static void begin_long(struct import *import, const char *p, size_t n)
{
	size_t nheld = import->nheld;
	bool json = nheld ? json_begins(import, import->held, nheld, import->nline + 1)
			  : json_begins(import, p, n, import->nline + 1);

	import->rest = json ? REST_JSON : REST_SKIPPED;
	take_long(import, import->held, nheld);
	import->nheld = 0;
}

static void end_long(struct import *import)
{
	import->summary.lines = ++import->nline;
	if (import->rest == REST_JSON)
		json_line_ends(import);
	else if (!import->summary.too_long++)
		import->summary.too_long_line = import->nline;
	import->rest = REST_NONE;
}

/* ---- pieces ---- */

static void hold(struct import *import, const char *p, size_t n)
{
	memcpy(import->held + import->nheld, p, n);
	import->nheld += n;
}

/* A carriage return ends a line of a text that has no newline at all. */
static char line_end(struct import *import, const char *p, size_t n)
{
	bool newline = memchr(p, '\n', n) != NULL;

	if (!import->fed)
		import->cr_ends = n && memchr(p, '\r', n - 1) != NULL;
	import->fed = true;
	import->cr_ends &= !newline;
	return import->cr_ends ? '\r' : '\n';
}

static void feed(struct import *import, const char *p, size_t n)
{
	const char *end = p + n;
	const char mark = line_end(import, p, n);

	while (p < end && !import->error) {
		const char *newline = memchr(p, mark, (size_t)(end - p));
		size_t length = (size_t)((newline ? newline : end) - p);

		if (import->rest == REST_NONE && import->nheld + length > LINE_BYTES_MAX)
			begin_long(import, p, length);
		if (import->rest != REST_NONE) {
			take_long(import, p, length);
			if (newline)
				end_long(import);
		} else if (!newline) {
			hold(import, p, length);
		} else if (import->nheld) {
			hold(import, p, length);
			length = import->nheld;
			import->nheld = 0;
			raw_line(import, import->held, length, false);
		} else {
			raw_line(import, p, length, false);
		}
		p = newline ? newline + 1 : end;
	}
}

/* ---- what the text is written in ---- */

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

/* UTF-16 without a mark: every other byte of ASCII text is zero. */
static int wide_by_zeros(const char *p, size_t n)
{
	enum { LEAST = 16, MOST = 4096 };
	size_t zeros[2] = {0};

	n = n < MOST ? n & ~(size_t)1 : MOST;
	for (size_t i = 0; i < n; i++)
		zeros[i % 2] += p[i] == '\0';
	if (n < LEAST || (zeros[0] && zeros[1]) || 10 * (zeros[0] + zeros[1]) < 9 * (n / 2))
		return WIDE_NONE;
	return zeros[1] ? WIDE_LITTLE : WIDE_BIG;
}

/* The bytes of the mark at the beginning. */
static size_t begin(struct import *import, const char *p, size_t n)
{
	bool little = n >= 2 && memcmp(p, "\xff\xfe", 2) == 0;
	bool big = n >= 2 && memcmp(p, "\xfe\xff", 2) == 0;

	import->begun = true;
	import->wide = little ? WIDE_LITTLE : big ? WIDE_BIG : wide_by_zeros(p, n);
	if (import->wide != WIDE_NONE)
		return little || big ? 2 : 0;
	import->summary.unreadable = binary_kind(p, n);
	if (!import->summary.unreadable)
		sniff_decimals(import, p, n);
	return 0;
}

int import_bytes(struct import *import, const char *p, size_t n)
{
	if (!import->begun && n) {
		size_t mark = begin(import, p, n);

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

void bytes_end(struct import *import)
{
	if (import->rest != REST_NONE && !import->error)
		end_long(import);
	else if (import->nheld && !import->error)
		raw_line(import, import->held, import->nheld, true);
	import->nheld = 0;
	if (import->njoined && !import->error) {
		size_t n = import->njoined;
		import->njoined = 0;
		whole_line(import, import->joined, n, import->joined_line, true);
	}
}
