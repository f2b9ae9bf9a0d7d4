/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a settings file: read, found, changed. */
#include "settings_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A copy of [p, end) without blanks around it. */
static char *copy_trimmed(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	return strndup(p, (size_t)(end - p));
}

static void line_release(struct settings_line *line)
{
	free(line->text);
	free(line->name);
	free(line->value);
}

/* Name and value of a line that is neither empty nor a comment. */
static bool line_split(struct settings_line *line)
{
	const char *p = line->text, *end = p + line->n, *equals = memchr(p, '=', line->n);

	if (memchr(p, '\0', line->n))
		equals = NULL;
	line->name = copy_trimmed(p, equals ? equals : p);
	line->value = copy_trimmed(equals && *line->name ? equals + 1 : p, end);
	return line->name && line->value;
}

static bool line_make(struct settings_line *line, const char *p, size_t n)
{
	size_t blank = 0;

	*line = (struct settings_line){.text = malloc(n + 1), .n = n};
	if (!line->text)
		return false;
	memcpy(line->text, p, n);
	line->text[n] = '\0';
	while (blank < n && is_blank(p[blank]))
		blank++;
	if (blank == n || p[blank] == '#' || line_split(line))
		return true;
	line_release(line);
	return false;
}

static bool reserve(struct settings_lines *lines)
{
	if (lines->n < lines->cap)
		return true;
	size_t more = lines->cap ? 2 * lines->cap : 16;
	struct settings_line *grown = reallocarray(lines->line, more, sizeof(*grown));
	if (!grown)
		return false;
	lines->line = grown;
	lines->cap = more;
	return true;
}

int settings_lines_add(struct settings_lines *lines, const char *text, size_t n)
{
	for (const char *end = text + n; text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);

		if (!reserve(lines) || !line_make(&lines->line[lines->n], text, length))
			return -ENOMEM;
		lines->n++;
		text = newline ? newline + 1 : end;
	}
	return 0;
}

/* Of several the last, which is the one that holds. */
static struct settings_line *find(const struct settings_lines *lines, const char *name)
{
	for (size_t i = lines->n; i > 0; i--)
		if (lines->line[i - 1].name && strcmp(lines->line[i - 1].name, name) == 0)
			return &lines->line[i - 1];
	return NULL;
}

int settings_lines_set(struct settings_lines *lines, const char *name, const char *value)
{
	struct settings_line *line = find(lines, name), changed;
	char *text;
	int n = asprintf(&text, "%s = %s", name, value);

	if (n < 0)
		return -ENOMEM;
	int error = 0;
	if (!line)
		error = settings_lines_add(lines, text, (size_t)n);
	else if (!line_make(&changed, text, (size_t)n))
		error = -ENOMEM;
	free(text);
	if (line && !error) {
		line_release(line);
		*line = changed;
	}
	return error;
}

void settings_lines_release(struct settings_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		line_release(&lines->line[i]);
	free(lines->line);
	*lines = (struct settings_lines){0};
}
