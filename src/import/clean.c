/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Undoes what mail, terminals, editors and web pages did to a line. */
#include "line.h"

#include <string.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "=C2" as a byte; -1: it is none. */
static int escaped(const char *p, const char *end)
{
	if (end - p < 3 || *p != '=' || hex(p[1]) < 0 || hex(p[2]) < 0)
		return -1;
	return hex(p[1]) * 16 + hex(p[2]);
}

/*
 * A quoted-printable escape at p, told from "name=20480": bytes above ASCII, an
 * equals sign, and a blank at the end of the line are all that mail escapes.
 */
static int mail_byte(const char *p, const char *end)
{
	int byte = escaped(p, end);

	if (byte >= 0x80 || byte == '=')
		return byte;
	return (byte == ' ' || byte == '\t') && p + 3 == end ? byte : -1;
}

/* "# ", "// ", " * ": what makes a table a comment of a script or a program. */
static size_t comment_mark(const char *p, size_t n)
{
	size_t at = 0, mark;

	while (at < n && (p[at] == ' ' || p[at] == '\t'))
		at++;
	mark = n - at > 2 && memcmp(p + at, "// ", 3) == 0      ? 2
	       : n - at > 1 && p[at] == '*' && p[at + 1] == ' ' ? 1
	       : n - at > 1 && p[at] == '#' && p[at + 1] != '#' ? 1
								: 0;
	return mark ? at + mark : 0;
}

bool line_is_dirty(const char *p, size_t n)
{
	const char *end = p + n;

	if (n && (line_quote(p, n) || comment_mark(p, n)))
		return true;
	for (; p < end; p++) {
		unsigned char c = (unsigned char)*p;

		if (c >= 0x7f || (c < ' ' && c != '\t') || c == '<' || c == '&' || c == '\\' ||
		    (c == '=' && mail_byte(p, end) >= 0))
			return true;
	}
	return false;
}

bool line_is_continued(const char *p, size_t n)
{
	enum { SHORTEST = 60 }; /* mail breaks at 76 */

	return n >= SHORTEST && p[n - 1] == '=' && p[n - 2] != '=';
}

/* "> ", ">> ", "> > ", also "JD> ". */
size_t line_quote(const char *p, size_t n)
{
	size_t at = 0, quoted = 0;

	while (at < n && (p[at] == ' ' || p[at] == '\t'))
		at++;
	for (size_t initials = at; initials < n && initials - at <= 4; initials++) {
		if (p[initials] == '>' && initials > at && initials + 1 < n &&
		    p[initials + 1] == ' ')
			at = initials;
		if (p[initials] < 'A' || p[initials] > 'Z')
			break;
	}
	while (at < n && p[at] == '>') {
		quoted = ++at;
		if (at < n && p[at] == ' ')
			quoted = ++at;
	}
	return quoted;
}

/* The end of an escape sequence that begins at p. */
static const char *skip_escape(const char *p, const char *end)
{
	if (++p == end)
		return p;
	if (*p == ']') { /* a title: up to BEL or ESC \ */
		while (p < end && *p != '\a' && *p != '\033')
			p++;
		if (p + 1 < end && *p == '\033')
			p++;
		return p < end ? p + 1 : p;
	}
	if (*p != '[')
		return p + 1;
	for (p++; p < end && (*p < '@' || *p > '~'); p++)
		if (*p == '\033')
			return p;
	return p < end ? p + 1 : p;
}

/* Bytes of a blank or a mark that is not ASCII; *as is what it stands for, 0: nothing. */
static size_t foreign_blank(const unsigned char *p, size_t n, char *as)
{
	*as = ' ';
	if (n >= 2 && p[0] == 0xc2 && p[1] == 0xa0) /* no-break space */
		return 2;
	if (n >= 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] <= 0x8b || p[2] == 0xaf))
		return 3; /* the spaces of typography */
	if (n >= 3 && p[0] == 0xe3 && p[1] == 0x80 && p[2] == 0x80)
		return 3; /* ideographic space */
	if (n >= 3 && p[0] == 0xe2 && p[1] == 0x88 && p[2] == 0x92) {
		*as = '-';
		return 3;
	}
	if (n >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
		*as = 0; /* byte order mark */
		return 3;
	}
	/* a no-break space of Latin-1 is no part of a character of UTF-8 */
	if (*p == 0xa0)
		return 1;
	/* the lines of a box */
	return n >= 3 && p[0] == 0xe2 && (p[1] == 0x94 || p[1] == 0x95) ? 3 : 0;
}

/* Bytes of a whole character of UTF-8 at p; 0: it is none. */
static size_t character(const unsigned char *p, size_t n)
{
	size_t length = *p >= 0xf5 ? 0 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;

	if (length > n || (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Escapes of mail become bytes; what is left is the line as it was sent. */
static size_t undo_mail(char *to, const char *from, size_t n)
{
	const char *end = from + n;
	size_t length = 0;

	while (from < end) {
		int byte = mail_byte(from, end);

		to[length++] = byte >= 0 ? (char)byte : *from;
		from += byte >= 0 ? 3 : 1;
	}
	return length;
}

static bool is_same(const char *p, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] | 0x20) != text[i])
			return false;
	return true;
}

/* Bytes of a tag of HTML that only sets text, and the blank it stands for. 0: it is none. */
static size_t tag(const char *p, const char *end, char *as)
{
	static const char *const names[] = {"br",   "td", "tr", "p",    "div", "pre",
					    "code", "b",  "i",  "font", "tt",  "span"};
	enum { BLANKS = 5 }; /* so many of them part words */
	const char *close = memchr(p, '>', (size_t)(end - p));
	const char *name = p + 1 + (end - p > 1 && p[1] == '/');

	if (!close)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if ((size_t)(close - name) < n || !is_same(name, names[i], n) ||
		    (name + n != close && name[n] != ' ' && name[n] != '/'))
			continue;
		*as = i < BLANKS ? ' ' : '\0';
		return (size_t)(close + 1 - p);
	}
	return 0;
}

/* Bytes of an entity of HTML, or of a mark behind a backslash, which is *as. 0: it is none. */
static size_t escaped_mark(const char *p, const char *end, char *as)
{
	static const struct {
		const char *name;
		char is;
	} entities[] = {{"&gt;", '>'}, {"&lt;", '<'}, {"&amp;", '&'}, {"&nbsp;", ' '}};

	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		size_t n = strlen(entities[i].name);

		*as = entities[i].is;
		if ((size_t)(end - p) >= n && memcmp(p, entities[i].name, n) == 0)
			return n;
	}
	if (end - p < 2 || *p != '\\' || !memchr("_-*%#[]().+>", p[1], 12))
		return 0;
	*as = p[1];
	return 2;
}

/* What pages and their editors put around text. */
static size_t undo_page(char *text, size_t n)
{
	const char *p = text, *end = text + n;
	size_t length = 0;

	while (p < end) {
		char as = ' ';
		size_t bytes = *p == '<'                 ? tag(p, end, &as)
			       : *p == '&' || *p == '\\' ? escaped_mark(p, end, &as)
							 : 0;

		if (!bytes || as)
			text[length++] = bytes ? as : *p;
		p += bytes ? bytes : 1;
	}
	return length;
}

static size_t undo_terminal(char *text, size_t n)
{
	const char *p = text, *end = text + n;
	size_t length = 0;
	char as;

	while (p < end) {
		unsigned char c = (unsigned char)*p;
		size_t bytes =
		    c >= 0x80 ? foreign_blank((const unsigned char *)p, (size_t)(end - p), &as) : 0;

		if (bytes) {
			if (as)
				text[length++] = as;
			p += bytes;
		} else if (c == '\033') {
			p = skip_escape(p, end);
		} else if (c == '\b') {
			length -= length > 0;
			p++;
		} else if (c < ' ' || c == 0x7f) {
			text[length++] = c == '\t' ? '\t' : ' ';
			p++;
		} else {
			bytes =
			    c < 0x80 ? 1 : character((const unsigned char *)p, (size_t)(end - p));
			memmove(text + length, bytes ? p : "?", bytes ? bytes : 1);
			length += bytes ? bytes : 1;
			p += bytes ? bytes : 1;
		}
	}
	return length;
}

size_t line_clean(char *to, const char *from, size_t n)
{
	size_t length = undo_terminal(to, undo_page(to, undo_mail(to, from, n)));
	size_t quote = line_quote(to, length);

	quote += comment_mark(to + quote, length - quote);
	memmove(to, to + quote, length - quote);
	return length - quote;
}
