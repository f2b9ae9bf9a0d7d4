/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain has to say of one text: as text for people, CSV or JSON. */
#ifndef IOTRIAGE_OUTPUT_REPORT_H
#define IOTRIAGE_OUTPUT_REPORT_H

#include "iotriage/diagnose.h"
#include "iotriage/import.h"
#include "writer.h"

/* Where an interval stands in the text; the first ones are remembered. */
enum { REPORT_PLACES_MAX = 4096 };

struct report_place {
	unsigned long first_line, last_line;
	char clock[32];
};

struct report_view {
	const char *file; /* "stdin" where it has no name */
	const struct import_summary *summary;
	const struct finding *finding;
	size_t nfinding;
	const struct diagnosis *diagnosis; /* for what could not be judged */
	const struct report_place *place;  /* by number of the interval, from 1 */
	unsigned long intervals;
	bool verbose, colour;
	unsigned width; /* of lines of text */
};

/* Whether anything was met that is read. */
bool report_recognised(const struct import_summary *summary);

void report_text(struct writer *writer, const struct report_view *view);
void report_csv_header(struct writer *writer);
void report_csv(struct writer *writer, const struct report_view *view);
/* One object on a line of its own. 0 or -ENOMEM. */
int report_json(struct writer *writer, const struct report_view *view);

/* The parsed rows of a frame as one object on a line. 0 or -ENOMEM. */
int report_json_rows(struct writer *writer, const char *file, const struct import_block *block);

/* "12-14, 20": the lines of a finding's intervals; "" where they are not known. */
void report_lines(char *to, size_t size, const struct report_view *view,
		  const struct finding *finding);

/* "05:14:27 PM to 05:14:29 PM", as the report prints them; "" where it does not. */
void report_clock(char *to, size_t size, const struct report_view *view,
		  const struct finding *finding);

#endif
