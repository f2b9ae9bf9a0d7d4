/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines to words, and words to numbers. */
#include "line.h"

#include <stdint.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->n && memcmp(word->p, text, word->n) == 0;
}

bool word_begins(const struct word *word, const char *text)
{
	size_t n = strlen(text);

	return word->n >= n && memcmp(word->p, text, n) == 0;
}

struct word word_bare(const struct word *word)
{
	struct word bare = *word;
	const char *close;

	if (!bare.n || *bare.p != '[')
		return bare;
	close = memchr(bare.p, ']', bare.n);
	if (!close || close + 1 == bare.p + bare.n)
		return bare;
	bare.n -= (size_t)(close + 1 - bare.p);
	bare.p = close + 1;
	return bare;
}

bool word_is_clock(const struct word *word)
{
	const char *p = word->p, *end = word->p + word->n;
	int groups = 0;

	while (p < end && !is_digit(*p) && (unsigned char)*p >= 0x80)
		p++;
	while (p < end) {
		const char *digits = p;

		while (p < end && is_digit(*p))
			p++;
		if (p == digits || p - digits > 2)
			return false;
		groups++;
		for (; p < end && !is_digit(*p); p++)
			if (*p == '/' || *p == '-' || *p == ',')
				return false; /* a date */
	}
	return groups == 3;
}

/* ---- numbers ---- */

struct digits {
	const char *p, *end;
	double whole;   /* the digits read so far as an integer */
	uint64_t exact; /* the same, while they fit */
	unsigned ndigits;
};

static void take_digits(struct digits *d)
{
	for (; d->p < d->end && is_digit(*d->p); d->p++) {
		unsigned digit = (unsigned)(*d->p - '0');

		d->whole = d->whole * 10 + digit;
		if (d->ndigits < 19)
			d->exact = d->exact * 10 + digit;
		d->ndigits++;
	}
}

static double scaled(const struct digits *d, unsigned decimals)
{
	static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	double n = d->ndigits < 19 ? (double)d->exact : d->whole;

	for (; decimals > 9; decimals -= 9)
		n /= 1e9;
	return n / tens[decimals];
}

/* Groups of three behind a mark: "1,234,567". Leaves p behind the last one. */
static unsigned take_groups(struct digits *d, char mark)
{
	unsigned groups = 0;

	while (d->end - d->p >= 4 && *d->p == mark && is_digit(d->p[1]) && is_digit(d->p[2]) &&
	       is_digit(d->p[3]) && !(d->end - d->p > 4 && is_digit(d->p[4]))) {
		const char *end = d->end;

		d->p++;
		d->end = d->p + 3;
		take_digits(d);
		d->end = end;
		groups++;
	}
	return groups;
}

static void note_decimals(struct number_style *style, enum decimals seen)
{
	if (style->decimals == DECIMALS_UNKNOWN)
		style->decimals = seen;
	else if (style->decimals != seen)
		style->decimals = DECIMALS_BOTH;
}

/* "1,234": thousands or decimals? Only the rest of the text can tell. */
static enum word_kind judge_comma(struct number_style *style, unsigned *decimals)
{
	if (style->decimals == DECIMALS_COMMA) {
		*decimals = 3;
		return WORD_NUMBER;
	}
	if (style->decimals == DECIMALS_POINT)
		return WORD_NUMBER;
	style->ambiguous++;
	return WORD_UNKNOWN;
}

/* The decimals behind a mark. UNKNOWN: the mark is the end, so the number is torn. */
static enum word_kind take_decimals(struct digits *d, unsigned *decimals)
{
	unsigned before = d->ndigits;

	d->p++;
	take_digits(d);
	*decimals = d->ndigits - before;
	return *decimals ? WORD_NUMBER : WORD_UNKNOWN;
}

static enum word_kind take_number(struct digits *d, struct number_style *style, unsigned *decimals)
{
	const char *begin = d->p;
	enum word_kind kind = WORD_NUMBER;

	take_digits(d);
	if (d->p == begin)
		return WORD_TEXT;
	if (d->p < d->end && *d->p == ',') {
		unsigned groups = d->p - begin <= 3 ? take_groups(d, ',') : 0;

		if (groups && d->p < d->end && *d->p == '.')
			return take_decimals(d, decimals);
		if (groups == 1)
			return judge_comma(style, decimals);
		if (groups)
			return WORD_NUMBER;
		kind = take_decimals(d, decimals);
		if (kind == WORD_NUMBER)
			note_decimals(style, DECIMALS_COMMA);
	} else if (d->p < d->end && *d->p == '.') {
		const struct digits before = *d;
		unsigned groups = d->p - begin <= 3 ? take_groups(d, '.') : 0;

		if (groups && d->p < d->end && *d->p == ',')
			return take_decimals(d, decimals);
		*d = before;
		kind = take_decimals(d, decimals);
		if (kind == WORD_NUMBER)
			note_decimals(style, DECIMALS_POINT);
	}
	return kind;
}

static bool is_unknown(const struct word *word)
{
	return word_is(word, "-") || word_is(word, "nan") || word_is(word, "-nan") ||
	       word_is(word, "inf") || word_is(word, "-inf");
}

void word_read(struct word *word, struct number_style *style)
{
	struct digits d = {.p = word->p, .end = word->p + word->n};
	unsigned decimals = 0;
	bool minus;

	word->suffix = 0;
	/* "**90.00**", as somebody made it bold */
	while (d.end - d.p > 2 && *d.p == '*' && d.end[-1] == '*') {
		d.p++;
		d.end--;
	}
	minus = d.end - d.p > 1 && *d.p == '-';
	d.p += minus;
	if (!is_digit(*d.p)) {
		word->kind = is_unknown(word) ? WORD_UNKNOWN : WORD_TEXT;
		return;
	}
	word->kind = take_number(&d, style, &decimals);
	word->number = scaled(&d, decimals) * (minus ? -1 : 1);
	if (d.p + 1 == d.end && memchr("%kKMGTPBsS", *d.p, 10))
		word->suffix = *d.p++;
	if (d.p != d.end)
		word->kind = WORD_TEXT;
}

void line_words(struct line *line, struct number_style *style)
{
	const char *p = line->p, *end = line->p + line->n;
	size_t column = 0;

	line->nword = line->numbers = 0;
	line->overfull = false;
	for (;;) {
		struct word *word = &line->word[line->nword];

		for (; p < end && (*p == ' ' || *p == '\t'); p++)
			column = *p == '\t' ? (column / 8 + 1) * 8 : column + 1;
		if (p == end)
			return;
		if (line->nword == LINE_WORDS_MAX) {
			line->overfull = true;
			return;
		}
		word->p = p;
		while (p < end && *p != ' ' && *p != '\t')
			p++;
		word->n = (size_t)(p - word->p);
		column += word->n;
		word->end = column;
		if (word_is(word, "|"))
			continue;
		word_read(word, style);
		line->numbers += word->kind != WORD_TEXT;
		line->nword++;
	}
}
