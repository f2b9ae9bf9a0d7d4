/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first two stages: bytes to clean lines, lines to words. Parsers see only
 * what comes out here.
 */
#ifndef IOTRIAGE_IMPORT_LINE_H
#define IOTRIAGE_IMPORT_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A longer line is skipped; a line of more words has the first ones only. */
enum { LINE_BYTES_MAX = 1048576, LINE_WORDS_MAX = 160 };

enum word_kind {
	WORD_TEXT,
	WORD_NUMBER,
	WORD_UNKNOWN /* takes a number's place, but which number it is cannot be told */
};

struct word {
	const char *p;
	size_t n;
	size_t end; /* the column behind it, tabs expanded */
	enum word_kind kind;
	double number;
	char suffix; /* '%', or one of kKMGTPBsS; 0: none */
};

struct line {
	const char *p; /* not terminated */
	size_t n;
	unsigned long number;
	bool last;             /* the text ends here, without a newline */
	size_t nword, numbers; /* numbers: words that are no text */
	bool overfull;         /* it had more words */
	struct word word[LINE_WORDS_MAX];
};

/* How decimals are written, as far as the text has shown it. */
enum decimals { DECIMALS_UNKNOWN, DECIMALS_POINT, DECIMALS_COMMA, DECIMALS_BOTH };

/* What a number of the form "1,234" needs to be read, and how many could not be. */
struct number_style {
	enum decimals decimals;
	unsigned long ambiguous;
};

/* Splits the line into words. */
void line_words(struct line *line, struct number_style *style);

/* Reads one word that may be a number. */
void word_read(struct word *word, struct number_style *style);

bool word_is(const struct word *word, const char *text);
bool word_begins(const struct word *word, const char *text);
/* "18:43:45", "06.43.45", in any script. */
bool word_is_clock(const struct word *word);
/* Without a "[...]" in front of it. */
struct word word_bare(const struct word *word);

/* ---- bytes to lines ---- */

/*
 * Undoes what mail, terminals, pages and editors did to one line: escape sequences,
 * quoted-printable, HTML, marks of quotes and comments, blanks that are no spaces.
 * Returns the length; `to` has room for n bytes.
 */
size_t line_clean(char *to, const char *from, size_t n);

/* Has the line anything for line_clean to do? */
bool line_is_dirty(const char *p, size_t n);

/* A line that quoted-printable broke: "=" at its end and long enough. */
bool line_is_continued(const char *p, size_t n);

/* Bytes of quote marks ("> > ") at the beginning. */
size_t line_quote(const char *p, size_t n);

#endif
