/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of iostat and sar, of all their generations. */
#include "field.h"

#include <string.h>

/* In alphabetical order. */
static const struct heading headings[] = {
	{"%busy", FIELD_UTIL, 1, UNIT_PERCENT, 1},
	{"%drqm", FIELD_NONE, 1, UNIT_PERCENT, 0},
	{"%rrqm", FIELD_NONE, 1, UNIT_PERCENT, 0},
	{"%tm_act", FIELD_UTIL, 1, UNIT_PERCENT, 1},
	{"%util", FIELD_UTIL, 1, UNIT_PERCENT, 1},
	{"%wrqm", FIELD_NONE, 1, UNIT_PERCENT, 0},
	{"Blk_dscd", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Blk_dscd/s", FIELD_DKB, 0.5, UNIT_KIB, 1},
	{"Blk_read", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Blk_read/s", FIELD_RKB, 0.5, UNIT_KIB, 1},
	{"Blk_w+d", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Blk_w+d/s", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Blk_wrtn", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Blk_wrtn/s", FIELD_WKB, 0.5, UNIT_KIB, 1},
	{"Kb_read", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Kb_wrtn", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"Kbps", FIELD_KB, 1, UNIT_KIB, 1},
	{"Kbs/s", FIELD_KB, 1, UNIT_KIB, 1},
	{"MB/s", FIELD_KB, 1024, UNIT_KIB, 1},
	{"MB_dscd", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"MB_dscd/s", FIELD_DKB, 1024, UNIT_KIB, 1},
	{"MB_read", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"MB_read/s", FIELD_RKB, 1024, UNIT_KIB, 1},
	{"MB_w+d", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"MB_w+d/s", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"MB_wrtn", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"MB_wrtn/s", FIELD_WKB, 1024, UNIT_KIB, 1},
	{"aqu-sz", FIELD_AVGQU_SZ, 1, UNIT_COUNT, 1},
	{"areq-sz", FIELD_AREQ_SZ, 1, UNIT_KIB, 1},
	{"avgqu-sz", FIELD_AVGQU_SZ, 1, UNIT_COUNT, 1},
	{"avgrq-sz", FIELD_AVGRQ_SZ, 1, UNIT_COUNT, 1},
	{"avque", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"avserv", FIELD_AVSERV, 1, UNIT_MS, 1},
	{"avwait", FIELD_AVWAIT, 1, UNIT_MS, 1},
	{"await", FIELD_AWAIT, 1, UNIT_MS, 1},
	{"blks/s", FIELD_KB, 0.5, UNIT_KIB, 1},
	{"d/s", FIELD_D, 1, UNIT_COUNT, 1},
	{"dMB/s", FIELD_DKB, 1024, UNIT_KIB, 2},
	{"d_await", FIELD_D_AWAIT, 1, UNIT_MS, 1},
	{"dareq-sz", FIELD_NONE, 1, UNIT_KIB, 0},
	{"dkB/s", FIELD_DKB, 1, UNIT_KIB, 3},
	{"drqm/s", FIELD_DRQM, 1, UNIT_COUNT, 1},
	{"dsec/s", FIELD_DKB, 0.5, UNIT_KIB, 1},
	{"f/s", FIELD_F, 1, UNIT_COUNT, 1},
	{"f_await", FIELD_F_AWAIT, 1, UNIT_MS, 1},
	{"kB/s", FIELD_KB, 1, UNIT_KIB, 1},
	{"kB_dscd", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"kB_dscd/s", FIELD_DKB, 1, UNIT_KIB, 1},
	{"kB_read", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"kB_read/s", FIELD_RKB, 1, UNIT_KIB, 1},
	{"kB_w+d", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"kB_w+d/s", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"kB_wrtn", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"kB_wrtn/s", FIELD_WKB, 1, UNIT_KIB, 1},
	{"r+w/s", FIELD_IOPS, 1, UNIT_COUNT, 1},
	{"r/s", FIELD_R, 1, UNIT_COUNT, 1},
	{"rMB/s", FIELD_RKB, 1024, UNIT_KIB, 2},
	{"r_await", FIELD_R_AWAIT, 1, UNIT_MS, 1},
	{"rareq-sz", FIELD_NONE, 1, UNIT_KIB, 0},
	{"rd_sec/s", FIELD_RKB, 0.5, UNIT_KIB, 1},
	{"rkB/s", FIELD_RKB, 1, UNIT_KIB, 3},
	{"rqm/s", FIELD_NONE, 1, UNIT_COUNT, 0},
	{"rrqm/s", FIELD_RRQM, 1, UNIT_COUNT, 1},
	{"rsec/s", FIELD_RKB, 0.5, UNIT_KIB, 1},
	{"sec/s", FIELD_KB, 0.5, UNIT_KIB, 1},
	{"svctm", FIELD_SVCTM, 1, UNIT_MS, 1},
	{"tps", FIELD_IOPS, 1, UNIT_COUNT, 1},
	{"w/s", FIELD_W, 1, UNIT_COUNT, 1},
	{"wMB/s", FIELD_WKB, 1024, UNIT_KIB, 2},
	{"w_await", FIELD_W_AWAIT, 1, UNIT_MS, 1},
	{"wareq-sz", FIELD_NONE, 1, UNIT_KIB, 0},
	{"wkB/s", FIELD_WKB, 1, UNIT_KIB, 3},
	{"wr_sec/s", FIELD_WKB, 0.5, UNIT_KIB, 1},
	{"wrqm/s", FIELD_WRQM, 1, UNIT_COUNT, 1},
	{"wsec/s", FIELD_WKB, 0.5, UNIT_KIB, 1},
};

static int compare(const struct word *word, const char *name)
{
	size_t n = strlen(name);
	int order = memcmp(word->p, name, word->n < n ? word->n : n);

	return order ? order : (word->n > n) - (word->n < n);
}

const struct heading *heading_find(const struct word *word)
{
	size_t low = 0, high = sizeof(headings) / sizeof(*headings);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare(word, headings[middle].name);

		if (order == 0)
			return &headings[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* 1024 to the power the letter stands for, in KiB; 0: it is no size. */
static double letter_kib(char letter)
{
	switch (letter) {
	case 'B': return 1.0 / 1024;
	case 's': return 0.5;
	case 'k': case 'K': return 1;
	case 'M': return 1024;
	case 'G': return 1024.0 * 1024;
	case 'T': return 1024.0 * 1024 * 1024;
	case 'P': return 1024.0 * 1024 * 1024 * 1024;
	default: return 0;
	}
}

static double letter_count(char letter)
{
	switch (letter) {
	case 'k': case 'K': return 1e3;
	case 'M': return 1e6;
	case 'G': return 1e9;
	case 'T': return 1e12;
	case 'P': return 1e15;
	default: return 0;
	}
}

struct value heading_value(const struct heading *heading, const struct word *word)
{
	double factor = heading->factor;

	if (word->kind != WORD_NUMBER)
		return value_absent(ABSENT_UNSUPPORTED);
	if (word->suffix == '%')
		factor = heading->unit == UNIT_PERCENT ? 1 : 0;
	else if (word->suffix && heading->unit == UNIT_KIB)
		factor = letter_kib(word->suffix);
	else if (word->suffix && heading->unit == UNIT_COUNT)
		factor *= letter_count(word->suffix);
	else if (word->suffix && heading->unit == UNIT_MS)
		factor *= word->suffix == 's' || word->suffix == 'S' ? 1e3
								     : letter_count(word->suffix);
	else if (word->suffix)
		factor = 0;
	return factor > 0 ? value_of(word->number * factor) : value_absent(ABSENT_UNSUPPORTED);
}
