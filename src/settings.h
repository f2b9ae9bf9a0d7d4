/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: "name = value", one a line; # begins a comment.
 * $XDG_CONFIG_HOME/iotriage/config, or ~/.config/iotriage/config.
 */
#ifndef IOTRIAGE_SETTINGS_H
#define IOTRIAGE_SETTINGS_H

#include <stddef.h>

struct settings;

/*
 * path NULL: the usual one, which may be missing or out of reach. 0, or -errno
 * (of a given path too), or -EINVAL with *line the number of a line that is none. Names and
 * values are not judged here.
 */
int settings_open(struct settings **ret, const char *path, unsigned *line);
void settings_close(struct settings *settings);

/* The file's path, of NULL the usual one; "" where there is no home. */
const char *settings_path(const struct settings *settings);

/* The value of a name, of several the last; NULL where it has none. Good until the next settings_set. */
const char *settings_get(const struct settings *settings, const char *name);

/* The i-th name and its value, in the file's order. NULL: there are no more. */
const char *settings_at(const struct settings *settings, size_t i, const char **value, unsigned *line);

/*
 * Sets a value and writes the file anew, whole or not at all; what else is in it
 * stays. 0, or -errno (-ETIMEDOUT: not within a second, and perhaps later): then
 * it is set here all the same.
 */
int settings_set(struct settings *settings, const char *name, const char *value);

#endif
