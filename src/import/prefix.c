/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in front of every line of a report: a comment's mark, line numbers
 * of grep and cat, a file's or host's name, the time. It is learned from a header or banner
 * and taken off the lines below, as long as they have it.
 */
#include "importer.h"

#include <string.h>

enum { SEARCHED = 80 }; /* a header begins within so many bytes, or is none */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Does a banner, or the header of a table of iostat, stand here? */
static bool begins_report(const char *p, size_t n)
{
	static const char *const words[] = {"Device:", "Device ", "Device\t", "avg-cpu:"};

	if (*p == 'L')
		return n > 6 && memcmp(p, "Linux ", 6) == 0 && is_digit(p[6]);
	for (size_t i = 0; (*p == 'D' || *p == 'a') && i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);
		if (n >= length && memcmp(p, words[i], length) == 0)
			return true;
	}
	return false;
}

/* The header of sar, which begins with a clock. */
static bool is_sar_header(const char *p, size_t n)
{
	for (size_t at = 0; at + 5 < n && at < SEARCHED; at++)
		if (memcmp(p + at, " DEV ", 5) == 0)
			return true;
	return false;
}

/* "12:", "12-", "  12<tab>", "  12  ": its bytes; 0: it is none. */
static size_t line_number(const char *p, size_t n, double *number)
{
	size_t at = 0, digits;

	while (at < n && is_blank(p[at]))
		at++;
	for (digits = at, *number = 0; at < n && is_digit(p[at]) && at - digits < 9; at++)
		*number = *number * 10 + (p[at] - '0');
	if (at == digits || at == n || (p[at] != ':' && p[at] != '-' && !is_blank(p[at])))
		return at > digits && at == n ? at : 0;
	return at + 1;
}

/* "#", "//": the bytes of a comment's mark; 0: it is none. */
static size_t leader(const char *p, size_t n)
{
	static const char *const marks[] = {"#", "//", "*", ";", "--"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t length = strlen(marks[i]);
		if (n >= length && memcmp(p, marks[i], length) == 0)
			return length;
	}
	return 0;
}

/* A leader, "iostat.log:", "db1>": its bytes; 0: nothing that every line would have. */
static size_t mark(const char *p, size_t n)
{
	size_t at = n;

	while (at > 0 && is_blank(p[at - 1]))
		at--;
	if (at && leader(p, at) == at)
		return at;
	if (at < 2 || at >= PREFIX_MAX || is_digit(*p) || !memchr(":|>", p[at - 1], 3))
		return 0;
	for (size_t i = 0; i < at; i++)
		if (is_blank(p[i]) || p[i] == '[')
			return 0;
	return at;
}

static void set_text(struct import *import, const char *p, size_t n)
{
	struct prefix *prefix = &import->prefix;

	/* what another host did is of another history */
	if (prefix->n && (prefix->n != n || memcmp(prefix->text, p, n) != 0)) {
		grid_end_row(import);
		context_break(import);
	}
	prefix->kind = PREFIX_TEXT;
	prefix->n = n;
	memcpy(prefix->text, p, n);
}

/* "Nov 30 14:00:01", "2023-11-13T08:32:49Z": how many words; 0: it is no time. */
static size_t stamp_words(const char *p, size_t n, struct stamp *stamp)
{
	enum { WORDS_MAX = 5 };
	struct number_style style = {0};
	struct line head = {.p = p, .n = n};

	line_words(&head, &style);
	return head.nword <= WORDS_MAX && stamp_read(&head, stamp) ? head.nword : 0;
}

/* The bytes of so many words, if they are a time; 0: they are none. */
static size_t stamp_bytes(const char *p, size_t n, size_t words)
{
	struct stamp stamp;
	size_t at = 0;

	for (size_t i = 0; i < words; i++) {
		while (at < n && is_blank(p[at]))
			at++;
		while (at < n && !is_blank(p[at]))
			at++;
	}
	return stamp_words(p, at, &stamp) == words ? at : 0;
}

static void set_stamp(struct import *import, const char *p, size_t n)
{
	struct stamp stamp;
	size_t words = stamp_words(p, n, &stamp);

	if (!words)
		return;
	import->prefix.kind = PREFIX_STAMP;
	import->prefix.words = words;
	if (p[n] != 'D')
		return;
	/* the header's is that of its table, not of the row above */
	grid_end_row(import);
	import->context.stamp = stamp;
}

/*
 * From a line that begins a report, if anything stands before it. Returns the
 * bytes of what stands there once only: the program that quotes the report.
 */
static size_t learn(struct import *import, const char *p, size_t n)
{
	struct prefix *prefix = &import->prefix;
	size_t at = 0, length;
	double number;

	while (at < n && at < SEARCHED && !begins_report(p + at, n - at))
		at++;
	if (at == n || at == SEARCHED) {
		length = leader(p, n);
		if (length && is_sar_header(p, n))
			set_text(import, p, length);
		return 0;
	}
	if (at && memchr("`\"'", p[at - 1], 3))
		return at;
	length = line_number(p, at, &number);
	while (length && length < at && is_blank(p[length]))
		length++;
	if (at && length == at) {
		prefix->kind = PREFIX_NUMBER;
		prefix->last = number - 1;
		return 0;
	}
	length = mark(p, at);
	if (length)
		set_text(import, p, length);
	else if (at)
		set_stamp(import, p, at);
	return 0;
}

/* The bytes to take off the line; 0: it has none. */
static size_t prefix_bytes(struct prefix *prefix, const char *p, size_t n)
{
	double number;
	size_t length;

	if (prefix->kind == PREFIX_TEXT)
		return n >= prefix->n && memcmp(p, prefix->text, prefix->n) == 0 ? prefix->n : 0;
	if (prefix->kind == PREFIX_STAMP)
		return stamp_bytes(p, n, prefix->words);
	length = line_number(p, n, &number);
	if (!length || number <= prefix->last)
		return 0;
	prefix->last = number;
	return length;
}

void prefix_strip(struct import *import, struct line *line)
{
	struct prefix *prefix = &import->prefix;
	size_t indent = 0, length;

	while (indent < line->n && is_blank(line->p[indent]))
		indent++;
	if (indent == line->n || line->p[indent] == '{' || import->json.active)
		return;
	length = learn(import, line->p + indent, line->n - indent);
	if (!length && prefix->kind != PREFIX_NONE)
		length = prefix_bytes(prefix, line->p + indent, line->n - indent);
	if (!length) {
		prefix->kind = PREFIX_NONE;
		return;
	}
	line->p += indent + length;
	line->n -= indent + length;
}
