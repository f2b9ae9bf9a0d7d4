/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings in force. */
#include "conf.h"
#include "complain.h"
#include "iotriage/screen.h"
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_MAX = 800, WHY_MAX = 320 };

struct conf {
	struct settings *settings;
	const char *path;
	char note[NOTE_MAX];
};

/* ---- what a setting may be: each sets `why` where it may not ---- */

typedef bool judge(const char *name, const char *value, char why[WHY_MAX]);

static const char columns_prefix[] = "columns.";

static const struct table *columns_table(const char *name)
{
	const size_t n = sizeof(columns_prefix) - 1;
	const struct table *table =
	    strncmp(name, columns_prefix, n) == 0 ? table_find(name + n) : NULL;

	return table && screen_chooses_columns(table) ? table : NULL;
}

static bool judge_columns(const char *name, const char *value, char why[WHY_MAX])
{
	const struct table *table = columns_table(name);

	for (const char *p = value; *p; p += strspn(p, ", ")) {
		char word[64];
		size_t n = strcspn(p, ", ");

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		const struct column *column = n < sizeof(word) ? column_find(table, word) : NULL;
		if (n > 0 && (!column || column->flags & COLUMN_CSV_ONLY)) {
			snprintf(why, WHY_MAX, "%s: %s: the screen has no such column", name, word);
			return false;
		}
		p += n;
	}
	return true;
}

static bool judge_mouse(const char *name, const char *value, char why[WHY_MAX])
{
	if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
		return true;
	snprintf(why, WHY_MAX, "%s = %.64s: yes or no is needed", name, value);
	return false;
}

/* Digits, a point and an exponent: no "nan", no "0x1", no unit behind it. NAN: it is none. */
static double number_of(const char *text)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789.eE+-")])
		return NAN;
	errno = 0;
	double n = strtod(text, &end);
	return *end || errno == ERANGE ? NAN : n;
}

static bool judge_threshold(const char *name, const char *value, char why[WHY_MAX])
{
	if (threshold_may_be(number_of(value)))
		return true;
	snprintf(why, WHY_MAX, "%s = %.64s: a number from 0 on is needed", name, value);
	return false;
}

static judge *judge_of(const char *name)
{
	if (columns_table(name))
		return judge_columns;
	if (strcmp(name, "mouse") == 0)
		return judge_mouse;
	return threshold_find(name) ? judge_threshold : NULL;
}

static bool holds(const struct settings_line *line, char why[WHY_MAX])
{
	judge *is_right = judge_of(line->name);

	if (is_right)
		return is_right(line->name, line->value, why);
	if (*line->name)
		snprintf(why, WHY_MAX, "%.64s: no such setting", line->name);
	else
		snprintf(why, WHY_MAX, "name = value is needed");
	return false;
}

/* ---- the file as a whole ---- */

static void note_unread(struct conf *conf, int error)
{
	snprintf(conf->note, NOTE_MAX, "%.400s: %s", conf->path,
		 error == -ETIMEDOUT ? "cannot be read in time" : strerror(-error));
}

/* The first line that cannot be, and how many more there are. */
static void note_wrong_lines(struct conf *conf, unsigned *more)
{
	const struct settings_lines *lines = settings_lines(conf->settings);
	char why[WHY_MAX];

	for (size_t i = 0; i < lines->n; i++) {
		if (!lines->line[i].name || holds(&lines->line[i], why))
			continue;
		if (*conf->note)
			++*more;
		else
			snprintf(conf->note, NOTE_MAX, "%.400s:%zu: %s", conf->path, i + 1, why);
	}
}

/* What holds although something is wrong. */
static void note_remedy(struct conf *conf, bool read, unsigned more)
{
	size_t n = strlen(conf->note);

	if (!read)
		snprintf(conf->note + n, NOTE_MAX - n, "; the usual settings hold");
	else if (more)
		snprintf(conf->note + n, NOTE_MAX - n, "; passed over, as %s %u more line%s",
			 more == 1 ? "is" : "are", more, more == 1 ? "" : "s");
	else
		snprintf(conf->note + n, NOTE_MAX - n, "; passed over");
}

int conf_open(struct conf **ret, const char *path)
{
	struct conf *conf = calloc(1, sizeof(*conf));
	unsigned more = 0;
	int error = 0;

	if (conf)
		conf->settings = settings_open(path, &error);
	if (!conf || !conf->settings) {
		complain("settings: %s", strerror(ENOMEM));
		conf_close(conf);
		return EXIT_FAILED;
	}
	conf->path = path ? path : settings_path(conf->settings);
	if (error)
		note_unread(conf, error);
	else
		note_wrong_lines(conf, &more);
	if (path && *conf->note) {
		complain("%s", conf->note);
		conf_close(conf);
		return error ? EXIT_FAILED : EXIT_USAGE;
	}
	if (*conf->note)
		note_remedy(conf, !error, more);
	*ret = conf;
	return EXIT_DONE;
}

void conf_close(struct conf *conf)
{
	if (!conf)
		return;
	settings_close(conf->settings);
	free(conf);
}

const char *conf_note(const struct conf *conf)
{
	return conf->note;
}

void conf_tell(const struct conf *conf)
{
	if (*conf->note)
		complain("%s", conf->note);
}

const char *conf_path(const struct conf *conf)
{
	return conf->path;
}

/* ---- what they do ---- */

/* The last one that can be; NULL: it is as it comes. */
static const char *in_force(const struct conf *conf, const char *name)
{
	const struct settings_lines *lines = settings_lines(conf->settings);
	char why[WHY_MAX];

	for (size_t i = lines->n; i > 0; i--) {
		const struct settings_line *line = &lines->line[i - 1];

		if (line->name && strcmp(line->name, name) == 0 && holds(line, why))
			return line->value;
	}
	return NULL;
}

double conf_threshold(const struct conf *conf, const struct threshold_info *info)
{
	const char *value = in_force(conf, info->name);

	return value ? number_of(value) : info->by_default;
}

void conf_thresholds(const struct conf *conf, struct diagnosis *diagnosis)
{
	for (const struct threshold_info *info = threshold_infos(); info->name; info++)
		(void)diagnosis_set(diagnosis, info->name, conf_threshold(conf, info));
}

const char *conf_columns(const struct conf *conf, const struct table *table)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", columns_prefix, table->name);
	return in_force(conf, name);
}

bool conf_mouse(const struct conf *conf)
{
	const char *mouse = in_force(conf, "mouse");

	return !mouse || strcmp(mouse, "yes") == 0;
}

int conf_keep_columns(struct conf *conf, const struct table *table, const char *columns)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", columns_prefix, table->name);
	return settings_set(conf->settings, name, columns);
}
