/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings file. */
#include "settings.h"

#include <errno.h>

int settings_open(struct settings **ret, const char *path, unsigned *line)
{
	(void)path, (void)line;
	*ret = NULL;
	return 0;
}

void settings_close(struct settings *settings)
{
	(void)settings;
}

const char *settings_path(const struct settings *settings)
{
	(void)settings;
	return "";
}

const char *settings_get(const struct settings *settings, const char *name)
{
	(void)settings, (void)name;
	return NULL;
}

const char *settings_at(const struct settings *settings, size_t i, const char **value, unsigned *line)
{
	(void)settings, (void)i, (void)value, (void)line;
	return NULL;
}

int settings_set(struct settings *settings, const char *name, const char *value)
{
	(void)settings, (void)name, (void)value;
	return -ENOSYS;
}
