/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iotriage profile has to say: for people, as CSV, as JSON. */
#ifndef IOTRIAGE_OUTPUT_PROFILE_H
#define IOTRIAGE_OUTPUT_PROFILE_H

#include "iotriage/profile.h"
#include "writer.h"

/* Rows with the name last, then flushes, then notes. */
void profile_table_text(struct writer *writer, const struct profile_table *table);

/* The rows: file (or pid, or all), total, and a column for each call that occurred. */
void profile_table_csv(struct writer *writer, const struct profile_table *table);

/* One object: rows, flushes, notes. 0 or -ENOMEM. */
int profile_table_json(struct writer *writer, const struct profile_table *table);

#endif
