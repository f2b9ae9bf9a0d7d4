/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a settings file in memory: "name = value", one a line; # begins a
 * comment. They are kept as they are, so that what is written back has every
 * comment, every blank and every byte of what was read.
 */
#ifndef IOTRIAGE_SETTINGS_LINES_H
#define IOTRIAGE_SETTINGS_LINES_H

#include <stddef.h>

struct settings_line {
	char *text; /* of the file, without its newline; NUL bytes are in it as they came */
	size_t n;
	/* of a setting both, "" and the text of what is none, NULL of a comment or an empty line */
	char *name, *value;
};

/* Begins as all zero. */
struct settings_lines {
	struct settings_line *line;
	size_t n, cap;
};

/* Adds the lines of a text. 0 or -ENOMEM. */
int settings_lines_add(struct settings_lines *lines, const char *text, size_t n);

/* Sets the last setting of that name, or adds one. 0 or -ENOMEM. */
int settings_lines_set(struct settings_lines *lines, const char *name, const char *value);

void settings_lines_release(struct settings_lines *lines);

#endif
