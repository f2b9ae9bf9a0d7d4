/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a table as CSV (RFC 4180, with \n, "." decimals in every locale). */
#ifndef IOTRIAGE_OUTPUT_CSV_H
#define IOTRIAGE_OUTPUT_CSV_H

#include "iotriage/column.h"
#include "writer.h"

enum { CSV_STAMP_MAX = 80 };

/* "time,epoch," as every row of a frame begins with. */
void csv_stamp(char stamp[CSV_STAMP_MAX], double epoch);

void csv_header(struct writer *writer, const struct table *table);
void csv_row(struct writer *writer, const struct table *table, const char *stamp, const void *row);

/* One cell, in quotes where it needs them. */
void csv_text(struct writer *writer, const char *text);

#endif
