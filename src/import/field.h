/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the columns of reports mean, and how their figures become a device row. */
#ifndef IOTRIAGE_IMPORT_FIELD_H
#define IOTRIAGE_IMPORT_FIELD_H

#include "iotriage/frame.h"
#include "line.h"

enum field {
	FIELD_NONE, /* a column nothing is made of; in a row: set where the row is cut */
	FIELD_RRQM,
	FIELD_WRQM,
	FIELD_DRQM,
	FIELD_R,
	FIELD_W,
	FIELD_D,
	FIELD_F,
	FIELD_RKB,
	FIELD_WKB,
	FIELD_DKB,
	FIELD_AVGRQ_SZ, /* sectors */
	FIELD_AREQ_SZ,  /* KiB */
	FIELD_AVGQU_SZ,
	FIELD_AWAIT,
	FIELD_R_AWAIT,
	FIELD_W_AWAIT,
	FIELD_D_AWAIT,
	FIELD_F_AWAIT,
	FIELD_SVCTM,
	FIELD_UTIL,
	FIELD_IOPS, /* reads, writes and discards together */
	FIELD_KB,   /* KiB/s in both directions together */
	FIELD_AVSERV,
	FIELD_AVSERV_R,
	FIELD_AVSERV_W,
	FIELD_MINSERV_R,
	FIELD_MINSERV_W,
	FIELD_MAXSERV_R,
	FIELD_MAXSERV_W,
	FIELD_AVWAIT,
	FIELD_MINWAIT,
	FIELD_MAXWAIT,
	FIELD_SQFULL,
	FIELD_SLOTWAIT,
	FIELD_AVSLOT,
	FIELD_INFLIGHT,
	FIELDS
};

/* How a word of a column becomes the field's unit. */
enum unit {
	UNIT_COUNT, /* K M G: powers of 1000 */
	UNIT_KIB,   /* of the column's own size; with a letter: of that one */
	UNIT_MS,    /* s, S: seconds */
	UNIT_PERCENT
};

struct heading {
	const char *name;
	enum field field;
	double factor; /* to the field's unit */
	enum unit unit;
	unsigned char rank; /* of two columns for one field the higher one counts */
};

/* NULL: an unknown column. */
const struct heading *heading_find(const struct word *word);

/* The word's figure; absent where it has none, or one that its column cannot have. */
struct value heading_value(const struct heading *heading, const struct word *word);

/*
 * Sets the figures of a row; name, info and identity stay. whole: nothing is missing of
 * what the report prints, so what follows from the figures is set too.
 */
void fields_row(struct device_row *row, const struct value field[FIELDS], double seconds,
		bool whole);

/* Every field is absent. */
void fields_clear(struct value field[FIELDS]);

#endif
