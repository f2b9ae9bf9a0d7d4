/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: $XDG_CONFIG_HOME/iotriage/config, ~/.config/iotriage/config,
 * or one that was named. What its lines may say is not judged here.
 */
#ifndef IOTRIAGE_SETTINGS_H
#define IOTRIAGE_SETTINGS_H

#include "settings_lines.h"

struct settings;

/*
 * path NULL: the usual file, which may be missing. It is waited for half a second
 * at most, a named one for five. *error: 0, or -errno why it could not be read
 * (-ETIMEDOUT: not in time); then there are no lines. NULL without memory.
 */
struct settings *settings_open(const char *path, int *error);
void settings_close(struct settings *settings);

/* The file's path; "" where there is no home. */
const char *settings_path(const struct settings *settings);

/* Good until the next settings_set. */
const struct settings_lines *settings_lines(const struct settings *settings);

/*
 * Sets a value and writes the file anew, whole or not at all; what else is in it
 * stays. 0, or -errno (-ETIMEDOUT: not within a second, and perhaps later): then
 * it is set here all the same.
 */
int settings_set(struct settings *settings, const char *name, const char *value);

#endif
