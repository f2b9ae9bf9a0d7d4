/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of asynchronous I/O: slabinfo lines, aio-nr and aio-max-nr as sysctl,
 * grep or cat print them, and an io_setup that was refused in a trace.
 */
#include "importer.h"
#include "sample/parse.h"

#include <stdio.h>
#include <string.h>

static void met(struct import *import, const struct line *line)
{
	import_met(import, IMPORT_AIO, line->number);
	import->aio_line = line->number;
	import->summary.met[IMPORT_AIO].rows++;
	import->summary.have_aio = import->aio_news = true;
}

/* "kiocb 165 165 256 15 1 : tunables ..." */
static bool slab_line(struct import *import, const struct line *line)
{
	static const char *const names[] = {"kioctx", "kiocb", "aio_kiocb", "io_kiocb"};
	struct word name = word_bare(&line->word[0]);

	if (line->nword < 3 || line->word[1].kind != WORD_NUMBER ||
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

/* " 420 338 80% 0.25K 28 15 112K kiocb" of slabtop: all of them first, then those in use */
static bool slabtop_line(struct import *import, const struct line *line)
{
	char text[128];
	const struct word *name = &line->word[line->nword - 1];
	int n;

	if (line->nword < 6 || line->word[2].suffix != '%' || name->n > 16)
		return false;
	n = snprintf(text, sizeof(text), "%.*s %.0f %.0f", (int)name->n, name->p,
		     line->word[1].number, line->word[0].number);
	struct line slab = {.p = text, .n = (size_t)n, .number = line->number};
	struct number_style style = {0};
	line_words(&slab, &style);
	return slab_line(import, &slab);
}

/* ---- aio-nr ---- */

static const char *find(const char *p, size_t n, const char *text)
{
	return memmem(p, n, text, strlen(text));
}

static bool begins(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(end - p) >= n && memcmp(p, text, n) == 0;
}

static bool read_count(const char *p, const char *end, double *count)
{
	const char *digits = p;

	for (*count = 0; p < end && *p >= '0' && *p <= '9'; p++)
		*count = *count * 10 + (*p - '0');
	return p > digits && (p == end || *p == ' ' || *p == '\t');
}

/* "aio-max-nr=1048576 in /etc/sysctl.conf": what somebody advises is no figure of the machine. */
static bool is_advice(const char *p, const char *end)
{
	while (p < end && ((*p >= '0' && *p <= '9') || *p == ' ' || *p == '\t'))
		p++;
	return p < end && *p >= 'a' && *p <= 'z' && !begins(p, end, "fs.") &&
	       !begins(p, end, "aio");
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
	if (!read_count(at, end, &count) || is_advice(at, end))
		return false;
	*value = value_of(count);
	return true;
}

static bool named_line(struct import *import, const struct line *line)
{
	const char *p = line->p, *end = line->p + line->n;
	bool any = false;

	if (find(line->p, line->n, "sysctl -w")) /* what it becomes */
		return false;
	while (p < end)
		any |= take_named(import, &p, end);
	if (any)
		met(import, line);
	return any;
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
	static const char folder[] = "fs/aio", name[] = "fs.aio"; /* of sysctl -n */
	struct aio_files *files = &import->aio_files;

	files->n = files->got = 0;
	for (size_t i = 0; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		const char *p = find(word->p, word->n, folder);

		p = p ? p : find(word->p, word->n, name);
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

	if (!p && find(line->p, line->n, "io_setup resumed>") &&
	    find(line->p, line->n, "-1 EAGAIN")) {
		import->refused = true;
		met(import, line);
		return true;
	}
	if (!p)
		return false;
	p += strlen("io_setup(");
	const char *digits = p;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		count = count * 10 + (*p - '0');
	if (p == digits || !find(p, (size_t)(end - p), "EAGAIN"))
		return false;
	import->refused = true;
	import->refused_slots = count;
	met(import, line);
	return true;
}

/* Prose that tells of a message has no time, no tag and no name of a program in front. */
static bool is_logged(const struct line *line, const char *message)
{
	enum { HEAD = 3 };

	if (memchr(line->p, '`', (size_t)(message - line->p)))
		return false;
	if (message == line->word[0].p)
		return true;
	for (size_t i = 0; i < line->nword && i < HEAD; i++)
		for (const char *p = line->word[i].p; p < line->word[i].p + line->word[i].n; p++)
			if (*p == ':' || *p == '[' || (*p >= '0' && *p <= '9'))
				return true;
	return false;
}

/* What programs log when the kernel has no slot left for them. */
static bool log_line(struct import *import, const struct line *line)
{
	static const struct {
		const char *begins, *has;
	} messages[] = {
	    {"io_setup() failed with EAGAIN", ""}, /* MySQL, MariaDB and others */
	    {"func=io_queue_init", "Resource temporarily unavailable"},        /* fio */
	    {"Could not setup Async I/O", "Resource temporarily unavailable"}, /* Seastar */
	    {"Unable to create a new asynchronous I/O context", ""},           /* SQL Server */
	};
	const char *at = NULL;

	/* Oracle; the error number it prints below is not always io_setup's own */
	if (line->nword > 1 && word_is(&line->word[0], "ORA-27090:"))
		at = line->word[0].p;
	for (size_t i = 0; !at && i < sizeof(messages) / sizeof(*messages); i++)
		if (find(line->p, line->n, messages[i].has))
			at = find(line->p, line->n, messages[i].begins);
	if (!at || !is_logged(line, at))
		return false;
	import->refused = true;
	met(import, line);
	return true;
}

bool aio_line(struct import *import, const struct line *line)
{
	if (nameless_line(import, line))
		return true;
	if (line->numbers == line->nword)
		return false;
	return file_line(import, line) || slab_line(import, line) || slabtop_line(import, line) ||
	       trace_line(import, line) || log_line(import, line) || named_line(import, line);
}
