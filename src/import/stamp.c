/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as tools print them. Without an offset from UTC only differences are known. */
#include "importer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const double day_s = 86400;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t take_number(const char **p, const char *end, double *number)
{
	size_t n = 0;

	for (*number = 0; *p < end && is_digit(**p); n++)
		*number = *number * 10 + (*(*p)++ - '0');
	return n;
}

/* "17:14:27", with a fraction or not; in any script. */
static bool read_clock(const struct word *word, double *seconds)
{
	const char *p = word->p, *end = word->p + word->n;
	double part[3] = {0};

	for (int i = 0; i < 3; i++) {
		while (p < end && !is_digit(*p))
			p++;
		if (!take_number(&p, end, &part[i]))
			return false;
	}
	*seconds = part[0] * 3600 + part[1] * 60 + part[2];
	return part[0] < 24 && part[1] < 60 && part[2] < 61;
}

/* "+02:00", "+0200", "Z": seconds east of UTC. false: there is none. */
static bool read_offset(const char *p, const char *end, double *offset)
{
	double number;
	bool west;

	if (p < end && *p == 'Z') {
		*offset = 0;
		return p + 1 == end;
	}
	if (p == end || (*p != '+' && *p != '-'))
		return false;
	west = *p++ == '-';
	const char *digits = p;
	if (take_number(&p, end, &number) == 2) {
		double minutes = 0;
		*offset = number * 3600;
		if (p < end && *p == ':' && (p++, take_number(&p, end, &minutes) == 2))
			*offset += minutes * 60;
	} else if (p - digits == 4) {
		*offset = (int)(number / 100) * 3600 + ((int)number % 100) * 60;
	} else {
		return false;
	}
	*offset *= west ? -1 : 1;
	return p == end;
}

/* "2018-09-05T17:14:27+02:00" */
static bool read_iso(const struct word *word, struct stamp *stamp)
{
	const char *p = word->p, *end = word->p + word->n;
	double year, month, day, fraction = 0, offset, clock;
	struct word time;

	if (take_number(&p, end, &year) != 4 || p == end || *p++ != '-' ||
	    take_number(&p, end, &month) != 2 || p == end || *p++ != '-' ||
	    take_number(&p, end, &day) != 2 || p == end || *p++ != 'T' || end - p < 8)
		return false;
	time = (struct word){.p = p, .n = 8};
	if (!word_is_clock(&time) || !read_clock(&time, &clock))
		return false;
	p += 8;
	if (p < end && (*p == '.' || *p == ',')) {
		double digits;
		size_t n;
		p++;
		for (n = take_number(&p, end, &digits), fraction = digits; n > 0; n--)
			fraction /= 10;
	}
	stamp->known = true;
	stamp->seconds = clock + fraction;
	if (read_offset(p, end, &offset)) {
		struct tm tm = {
		    .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
		stamp->dated = true;
		stamp->seconds += (double)timegm(&tm) - offset;
	}
	return p == end || stamp->dated;
}

/* Seconds since 1970, as date +%s prints them. */
static bool read_epoch(const struct word *word, struct stamp *stamp)
{
	if (word->kind != WORD_NUMBER || word->suffix || word->number < 1e9 ||
	    word->number >= 4e9 || word->n < 10 || memchr(word->p, ',', word->n))
		return false;
	stamp->known = stamp->dated = true;
	stamp->seconds = word->number;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What may stand beside a clock: dates, days, zones, "PM", "Time:". */
static bool is_date_word(const struct word *word)
{
	size_t digits = 0, letters = 0;

	if (word_is(word, "Time:") || word_is(word, "zzz") || word_is(word, "a.m.") ||
	    word_is(word, "p.m.") || word_is(word, "am") || word_is(word, "pm"))
		return true;
	for (size_t i = 0; i < word->n; i++) {
		digits += is_digit(word->p[i]);
		letters += is_letter(word->p[i]);
	}
	if (digits)
		return !letters && digits <= 8;
	/* "Wed", "Sep", "CEST", "***Mon", "September" */
	return letters >= 2 && letters <= 9 && !(word->p[0] >= 'a' && word->p[0] <= 'z');
}

static bool is_pm(const struct word *word, char which)
{
	return (word->n == 2 || word->n == 4) && (word->p[0] | 0x20) == which &&
	       (word->p[word->n == 2 ? 1 : 2] | 0x20) == 'm';
}

bool stamp_read(const struct line *line, struct stamp *stamp)
{
	const struct word *clock = NULL;

	*stamp = (struct stamp){0};
	if (line->nword == 0 || line->n >= sizeof(stamp->text) * 4)
		return false;
	for (size_t i = 0; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		double seconds;
		/* "14.05.21 18:43:45": the one with colons */
		if (!word_is_clock(word) || !read_clock(word, &seconds) ||
		    (clock && !memchr(word->p, ':', word->n)))
			continue;
		clock = word;
		stamp->seconds = seconds;
	}
	const char *end = line->word[line->nword - 1].p + line->word[line->nword - 1].n;
	snprintf(stamp->text, sizeof(stamp->text), "%.*s", (int)(end - line->word[0].p),
		 line->word[0].p);
	if (!clock)
		return line->nword == 1 &&
		       (read_iso(&line->word[0], stamp) || read_epoch(&line->word[0], stamp));
	for (size_t i = 0; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		if (word == clock)
			continue;
		if (!is_date_word(word))
			return false;
		if (is_pm(word, 'p') && stamp->seconds < day_s / 2)
			stamp->seconds += day_s / 2;
		if (is_pm(word, 'a') && stamp->seconds >= day_s / 2)
			stamp->seconds -= day_s / 2;
	}
	stamp->known = true;
	return true;
}

double stamp_difference(const struct stamp *from, const struct stamp *to)
{
	if (!from->known || !to->known || from->dated != to->dated)
		return 0;
	double seconds = to->seconds - from->seconds;
	/* over midnight, but no clock that was put back */
	if (seconds < 0 && !to->dated && seconds + day_s <= day_s / 4)
		seconds += day_s;
	return seconds;
}
