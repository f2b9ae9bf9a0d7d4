/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of findings. */
#include "columns.h"

#define FINDING_TEXT(name, expression)                                                             \
	static const char *name(const void *data, char *buf, size_t size)                          \
	{                                                                                          \
		const struct finding *finding = data;                                              \
		(void)buf, (void)size;                                                             \
		return expression;                                                                 \
	}

FINDING_TEXT(severity, severity_name(finding->severity))
FINDING_TEXT(rule, finding->rule)
FINDING_TEXT(subject, finding->subject)
FINDING_TEXT(text, finding->text)
FINDING_TEXT(evidence, finding->evidence)
FINDING_TEXT(advice, finding->advice)
FINDING_TEXT(formula, finding->formula)

static struct value since(const void *data)
{
	return value_of(((const struct finding *)data)->since_epoch);
}

static struct value lasted(const void *data)
{
	return value_of(((const struct finding *)data)->lasted_s);
}

static const struct column columns[] = {
	{"severity", NULL, "", "info, warn or crit", 8, 0, 1, COLUMN_SCREEN | COLUMN_LEFT, NULL, severity},
	{"rule", NULL, "", "name of the rule", 15, 0, 1, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, rule},
	{"subject", NULL, "", "the device or task it is about, or system", 12, 0, 1,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, subject},
	{"since", NULL, "s", "when it began, in seconds since 1970", 14, 3, 3, 0, since, NULL},
	{"lasted", NULL, "s", "how long it has held", 8, 1, 2, COLUMN_SCREEN, lasted, NULL},
	{"text", NULL, "", "what was found", 40, 0, 1, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_FILL, NULL, text},
	{"evidence", NULL, "", "the figures it rests on", 40, 0, 3, COLUMN_LEFT, NULL, evidence},
	{"advice", NULL, "", "what to do or look at next", 40, 0, 3, COLUMN_LEFT, NULL, advice},
	{"formula", NULL, "", "what the rule compared, with the figures and the thresholds",
	 40, 0, 3, COLUMN_LEFT, NULL, formula},
};

static size_t finding_count(const struct frame *frame)
{
	return frame->nfinding + frame->nended;
}

/* Those that have ended come after those that hold. */
static void *finding_at(const struct frame *frame, size_t i)
{
	return i < frame->nfinding ? (void *)&frame->finding[i]
	                           : (void *)&frame->ended[i - frame->nfinding];
}

static bool finding_active(const void *data)
{
	return !((const struct finding *)data)->ended;
}

/* One that comes again later is another row than the one that has ended. */
static uint64_t finding_identity(const void *data)
{
	const struct finding *finding = data;
	uint64_t began = (uint64_t)(finding->since_epoch * 1000);

	return hash_text(finding->rule, hash_text(finding->subject, finding->identity)) ^ began;
}

const struct table finding_table = {
	.name = "findings",
	.help = "what is wrong, why, and what to do",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "",
	.then = "",
	.count = finding_count,
	.row = finding_at,
	.active = finding_active,
	.identity = finding_identity,
};
