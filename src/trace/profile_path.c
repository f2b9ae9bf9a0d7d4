/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths: the kernel gives their parts, the last one first. */
#include "profile_path.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the character at p of which there are n; 0: it is none to be shown. */
static size_t character(const unsigned char *p, size_t n)
{
	size_t more = p[0] < 0x80 ? 0 : p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : 1;

	if (p[0] < ' ' || p[0] == 0x7f || (p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4 || more >= n)
		return 0;
	for (size_t i = 1; i <= more; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* controls again; too long; surrogates; beyond the last */
	if ((p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xe0 && p[1] < 0xa0) ||
	    (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	return more + 1;
}

static void clean(char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0, step; i < n; i += step ? step : 1) {
		step = character((const unsigned char *)text + i, n - i);
		if (!step)
			text[i] = '?';
	}
}

static const char *kind_text(const struct profile_name *name)
{
	switch (name->kind) {
	case PROFILE_SOCKET:
		return "socket";
	case PROFILE_PIPE:
		return "pipe";
	case PROFILE_ANONYMOUS:
		return "anon_inode:";
	default:
		return name->rooted ? "/" : name->cut ? ".../" : "";
	}
}

/* The parts in their order, with slashes between them. */
static size_t join(char *text, size_t size, const struct profile_name *name)
{
	size_t end = name->length < sizeof(name->text) ? name->length : sizeof(name->text);
	size_t n = 0;

	while (end > 0) {
		size_t start = end - 1; /* of the part's NUL */
		while (start > 0 && name->text[start - 1])
			start--;
		n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? "/" : "",
				      (int)(end - 1 - start), name->text + start);
		end = start;
	}
	return n;
}

size_t profile_path_text(char text[PROFILE_TEXT_MAX], const struct profile_name *name)
{
	size_t n = (size_t)snprintf(text, PROFILE_TEXT_MAX, "%s", kind_text(name));

	if (name->kind == PROFILE_FILE || name->kind == PROFILE_ANONYMOUS)
		n += join(text + n, PROFILE_TEXT_MAX - n, name);
	/* outside of all folders nothing hangs in one */
	if (name->kind == PROFILE_FILE && name->deleted && (name->rooted || name->cut))
		n += (size_t)snprintf(text + n, PROFILE_TEXT_MAX - n, " (deleted)");
	clean(text);
	return n;
}
