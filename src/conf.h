/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings in force: which there are, what they may be, what they do. Those
 * that the file does not set, or sets to what cannot be, are as they come.
 */
#ifndef IOTRIAGE_CONF_H
#define IOTRIAGE_CONF_H

#include "iotriage/column.h"
#include "iotriage/diagnose.h"

struct conf;

/*
 * The settings of a named file, or with path NULL of the usual one. 0, or an exit
 * status: what is wrong in a named file has been said. What is wrong in the usual
 * one is a note, and the rest of it holds.
 */
int conf_open(struct conf **ret, const char *path);
void conf_close(struct conf *conf);

/* One line of what was passed over in the usual file; "": nothing. conf_tell says it. */
const char *conf_note(const struct conf *conf);
void conf_tell(const struct conf *conf);

double conf_threshold(const struct conf *conf, const struct threshold_info *info);

/* Sets all thresholds of a diagnosis. */
void conf_thresholds(const struct conf *conf, struct diagnosis *diagnosis);

/* Columns chosen for a table, separated by commas; NULL or "": the usual ones. */
const char *conf_columns(const struct conf *conf, const struct table *table);

bool conf_mouse(const struct conf *conf);

/* Keeps chosen columns in the file. 0 or -errno: then until the end only. */
int conf_keep_columns(struct conf *conf, const struct table *table, const char *columns);

/* The file, as people know it. */
const char *conf_path(const struct conf *conf);

/* Prints a file with all settings, their meanings and the values in force to stdout. */
void conf_print(const struct conf *conf);

#endif
