/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which words name a device, and which only stand where a name would. */
#include "importer.h"

#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* What scripts and sar add below the devices. */
static bool is_summary(const struct word *word)
{
	static const char *const names[] = {
	    "sum",    "avg", "average", "mean",    "total",  "stddev", "stdev",   "min", "max",
	    "median", "Sum", "Avg",     "Average", "Mean",   "Total",  "TOTAL",   "AVG", "SUM",
	    "MIN",    "MAX", "avg:",    "sum:",    "total:", "Total:", "Average:"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (word_is(word, names[i]))
			return true;
	return false;
}

bool device_name_fits(const struct word *word)
{
	bool letter = false;

	if (!word->n || word->n >= DEVICE_NAME_MAX || *word->p == '-' || word_is_clock(word) ||
	    is_summary(word))
		return false;
	/* a torn number with what follows it is no name */
	if (*word->p >= '0' && *word->p <= '9' &&
	    (memchr(word->p, '.', word->n) || memchr(word->p, ',', word->n)))
		return false;
	for (size_t i = 0; i < word->n; i++) {
		if ((unsigned char)word->p[i] <= ' ' ||
		    memchr("\"'`$\\(){}<>;&*=?%", word->p[i], 17))
			return false;
		letter |= is_letter(word->p[i]);
	}
	return letter;
}
