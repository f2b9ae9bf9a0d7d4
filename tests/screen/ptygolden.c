/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden files: a line for each row of the screen, UTF-8, trailing blanks trimmed.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int add_row(struct golden *golden, const char *line, size_t n)
{
	char **row = reallocarray(golden->row, golden->n + 1, sizeof *row);

	if (!row)
		return -ENOMEM;
	golden->row = row;
	while (n && strchr(" \t\r\n", line[n - 1]))
		n--;
	row[golden->n] = strndup(line, n);
	return row[golden->n++] ? 0 : -ENOMEM;
}

int golden_read(struct golden *golden, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int e = 0;

	*golden = (struct golden){0};
	if (!file)
		return -errno;
	while (!e && (n = getline(&line, &size, file)) >= 0)
		e = add_row(golden, line, (size_t)n);
	if (!e && ferror(file))
		e = -EIO;
	free(line);
	fclose(file);
	if (e)
		golden_release(golden);
	return e;
}

int golden_write(const char *path, struct term *term)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	for (int row = 0; row < term_rows(term); row++)
		fprintf(file, "%s\n", term_row(term, row));
	return fclose(file) ? -errno : 0;
}

void golden_release(struct golden *golden)
{
	for (size_t i = 0; i < golden->n; i++)
		free(golden->row[i]);
	free(golden->row);
	*golden = (struct golden){0};
}

/* NULL: there is no such row. */
static const char *golden_row(const struct golden *golden, size_t i)
{
	return i < golden->n ? golden->row[i] : NULL;
}

static const char *screen_row(struct term *term, size_t i)
{
	return i < (size_t)term_rows(term) ? term_row(term, (int)i) : NULL;
}

static size_t most_rows(const struct golden *golden, const struct term *term)
{
	size_t n = (size_t)term_rows(term);

	return golden->n > n ? golden->n : n;
}

static bool is_same(const char *want, const char *is)
{
	return want && is && !strcmp(want, is);
}

size_t golden_compare(const struct golden *golden, struct term *term)
{
	size_t n = 0;

	for (size_t i = 0; i < most_rows(golden, term); i++)
		n += !is_same(golden_row(golden, i), screen_row(term, i));
	return n;
}

/* Cells before the first character that differs. */
static int same_cells(const char *a, const char *b)
{
	mbstate_t state = {0};
	int cells = 0;

	while (*a && *a == *b) {
		wchar_t c;
		size_t n = mbrtowc(&c, a, MB_CUR_MAX, &state);
		int width;

		if (n == (size_t)-1 || n == (size_t)-2 || strncmp(a, b, n))
			break;
		width = wcwidth(c);
		cells += width > 0 ? width : 0;
		a += n;
		b += n;
	}
	return cells;
}

static void print_row(FILE *file, size_t i, char mark, const char *row)
{
	if (row)
		fprintf(file, "%4zu %c |%s|\n", i + 1, mark, row);
	else
		fprintf(file, "%4zu %c (no such row)\n", i + 1, mark);
}

void golden_diff(const struct golden *golden, struct term *term, FILE *file)
{
	fputs("(- golden, + screen)\n", file);
	for (size_t i = 0; i < most_rows(golden, term); i++) {
		const char *want = golden_row(golden, i), *is = screen_row(term, i);

		if (is_same(want, is)) {
			print_row(file, i, ' ', is);
			continue;
		}
		print_row(file, i, '-', want);
		print_row(file, i, '+', is);
		if (want && is)
			fprintf(file, "        %*s^\n", same_cells(want, is), "");
	}
}
