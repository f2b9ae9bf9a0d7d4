/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of asynchronous I/O: slabinfo lines, aio-nr and aio-max-nr as sysctl,
 * grep or cat print them, and an io_setup that was refused in a trace.
 */
#include "importer.h"
#include "sample/parse.h"

#include <string.h>

static void met(struct import *import, const struct line *line)
{
	import_met(import, IMPORT_AIO, line->number);
	import->summary.met[IMPORT_AIO].rows++;
	import->summary.have_aio = import->aio_news = true;
}

/* "kiocb 165 165 256 15 1 : tunables ..." */
static bool slab_line(struct import *import, const struct line *line)
{
	static const char *const names[] = {"kioctx", "kiocb", "aio_kiocb", "io_kiocb"};
	struct word name = word_bare(&line->word[0]);

	if (line->nword < 4 || line->word[1].kind != WORD_NUMBER ||
	    line->word[2].kind != WORD_NUMBER)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (word_is(&name, names[i])) {
			slabinfo_parse(name.p, (size_t)(line->p + line->n - name.p), &import->aio);
			/* kernels that called it so had no io_uring yet */
			if (word_is(&name, "kiocb") && import->aio.io_kiocb.state == SLAB_UNREAD)
				import->aio.io_kiocb.state = SLAB_UNAVAILABLE;
			met(import, line);
			return true;
		}
	return false;
}

/* ---- aio-nr ---- */

static const char *find(const char *p, size_t n, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i + length <= n; i++)
		if (memcmp(p + i, text, length) == 0)
			return p + i;
	return NULL;
}

static bool read_count(const char *p, const char *end, double *count)
{
	const char *digits = p;

	for (*count = 0; p < end && *p >= '0' && *p <= '9'; p++)
		*count = *count * 10 + (*p - '0');
	return p > digits && (p == end || *p == ' ' || *p == '\t');
}

/* One "fs.aio-nr = 2561", "aio-nr:2305" or "aio-nr 0" at *p or behind it, which is passed. */
static bool take_named(struct import *import, const char **p, const char *end)
{
	static const char nr[] = "aio-nr", max[] = "aio-max-nr";
	const char *at = find(*p, (size_t)(end - *p), nr),
		   *limit = find(*p, (size_t)(end - *p), max);
	struct value *value = &import->aio.aio_nr;
	double count;

	if (limit && (!at || limit < at)) {
		at = limit;
		value = &import->aio.aio_max_nr;
	}
	if (!at) {
		*p = end;
		return false;
	}
	at += strlen(at == limit ? max : nr);
	while (at < end && (*at == ' ' || *at == '\t' || *at == '=' || *at == ':'))
		at++;
	*p = at;
	if (!read_count(at, end, &count))
		return false;
	*value = value_of(count);
	return true;
}

static bool named_line(struct import *import, const struct line *line)
{
	const char *p = line->p, *end = line->p + line->n;
	bool any = false;

	while (p < end)
		any |= take_named(import, &p, end);
	if (any)
		met(import, line);
	return any;
}

static bool begins(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(end - p) >= n && memcmp(p, text, n) == 0;
}

static void expect(struct aio_files *files, int file)
{
	if (files->n < 2)
		files->expect[files->n++] = file;
}

/* "aio-nr", "aio-max-nr", "aio-*", "aio-{nr,max-nr}" */
static void expect_files(struct aio_files *files, const char *p, const char *end)
{
	bool list = begins(p, end, "-{");

	if (begins(p, end, "*") || begins(p, end, "-*")) { /* in the order of the alphabet */
		expect(files, AIO_FILE_MAX);
		expect(files, AIO_FILE_NR);
		return;
	}
	for (p += list ? 2 : begins(p, end, "-"); p < end; p++) {
		if (begins(p, end, "max-nr"))
			expect(files, AIO_FILE_MAX);
		else if (begins(p, end, "nr"))
			expect(files, AIO_FILE_NR);
		if (!list)
			return;
		while (p < end && *p != ',')
			p++;
	}
}

/* What the files of a command are, in its order. */
void aio_command(struct import *import, const struct line *line)
{
	static const char folder[] = "fs/aio";
	struct aio_files *files = &import->aio_files;

	files->n = files->got = 0;
	for (size_t i = 0; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		const char *p = find(word->p, word->n, folder);

		if (p)
			expect_files(files, p + strlen(folder), word->p + word->n);
	}
}

/* "==> /proc/sys/fs/aio-nr <==", as head and tail name a file */
static bool file_line(struct import *import, const struct line *line)
{
	if (line->nword != 3 || !word_is(&line->word[0], "==>"))
		return false;
	aio_command(import, line);
	return import->aio_files.n > 0;
}

/* Numbers without names count only if there are as many as files. */
static bool nameless_line(struct import *import, const struct line *line)
{
	struct aio_files *files = &import->aio_files;
	double count;

	if (!files->n)
		return false;
	if (line->nword != 1 || !read_count(line->p, line->p + line->n, &count)) {
		files->n = 0;
		return false;
	}
	files->number[files->got++] = count;
	if (files->got < files->n)
		return true;
	for (size_t i = 0; i < files->n; i++)
		*(files->expect[i] == AIO_FILE_MAX ? &import->aio.aio_max_nr
						   : &import->aio.aio_nr) =
		    value_of(files->number[i]);
	files->n = 0;
	met(import, line);
	return true;
}

/* "io_setup(4096, 0x7f...) = -1 EAGAIN (Resource temporarily unavailable)" */
static bool trace_line(struct import *import, const struct line *line)
{
	const char *end = line->p + line->n, *p = find(line->p, line->n, "io_setup(");
	double count = 0;

	if (!p)
		return false;
	p += strlen("io_setup(");
	const char *digits = p;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		count = count * 10 + (*p - '0');
	if (p == digits || !find(p, (size_t)(end - p), "EAGAIN"))
		return false;
	import->refused_slots = count;
	met(import, line);
	return true;
}

bool aio_line(struct import *import, const struct line *line)
{
	if (nameless_line(import, line))
		return true;
	if (line->numbers == line->nword)
		return false;
	return file_line(import, line) || slab_line(import, line) || trace_line(import, line) ||
	       named_line(import, line);
}
