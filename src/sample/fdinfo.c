/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fdinfo and the links beside it, from bytes. */
#include "fdinfo.h"
#include "parse.h"

#include <fcntl.h>

/* flags are octal; a ring's tails decimal. */
static bool number_in(struct text word, unsigned base, uint64_t *number)
{
	*number = 0;
	for (const char *p = word.p; p < word.end; p++) {
		unsigned digit = (unsigned)(*p - '0');
		if (*p < '0' || digit >= base)
			return false;
		*number = *number * base + digit;
	}
	return word.p < word.end;
}

enum seen { SEEN_POS = 1, SEEN_FLAGS = 2, SEEN_SQ = 4, SEEN_CQ = 8 };

static unsigned take_line(struct text key, struct text value, struct fdinfo *info)
{
	uint64_t n;

	if (!number_in(value, text_is(key, "flags:") ? 8 : 10, &n))
		return 0;
	if (text_is(key, "pos:")) {
		info->position = n;
		return SEEN_POS;
	}
	if (text_is(key, "flags:")) {
		info->flags = (uint32_t)n;
		return SEEN_FLAGS;
	}
	if (text_is(key, "mnt_id:"))
		info->mnt_id = (int32_t)n;
	else if (text_is(key, "ino:"))
		info->inode = n;
	if (text_is(key, "SqTail:")) {
		info->sq_tail = (uint32_t)n;
		return SEEN_SQ;
	}
	if (text_is(key, "CqTail:")) {
		info->cq_tail = (uint32_t)n;
		return SEEN_CQ;
	}
	return 0;
}

bool fdinfo_parse(const char *p, size_t n, struct fdinfo *info)
{
	struct text text = {p, p + n}, line, key, value;
	unsigned seen = 0;

	*info = (struct fdinfo){.mnt_id = -1};
	while (text_line(&text, &line))
		if (text_word(&line, &key) && text_word(&line, &value))
			seen |= take_line(key, value, info);
	info->tails = (seen & SEEN_SQ) && (seen & SEEN_CQ);
	return (seen & SEEN_POS) && (seen & SEEN_FLAGS);
}

static bool starts(const char *link, size_t length, const char *with)
{
	size_t n = strlen(with);

	return length >= n && memcmp(link, with, n) == 0;
}

enum file_kind file_kind_of(const char *link, size_t *length, bool *deleted)
{
	static const char gone[] = " (deleted)";
	const size_t ending = sizeof(gone) - 1;

	*deleted = false;
	if (starts(link, *length, "socket:["))
		return FILE_SOCKET;
	if (starts(link, *length, "pipe:["))
		return FILE_PIPE;
	if (starts(link, *length, "anon_inode:[io_uring]"))
		return FILE_URING;
	if (!starts(link, *length, "/"))
		return FILE_ANON;
	*deleted = *length > ending && memcmp(link + *length - ending, gone, ending) == 0;
	if (*deleted)
		*length -= ending;
	return *deleted && starts(link, *length, "/memfd:") ? FILE_MEMFD : FILE_REGULAR;
}

char fd_access(uint32_t flags)
{
	if (flags & O_PATH)
		return 'p';
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return 'r';
	case O_WRONLY:
		return 'w';
	default:
		return 'u';
	}
}

bool fd_is_direct(uint32_t flags)
{
	return flags & O_DIRECT;
}

bool fd_is_sync(uint32_t flags)
{
	return flags & (O_SYNC | O_DSYNC); /* O_SYNC is O_DSYNC and a bit more */
}

bool fd_is_append(uint32_t flags)
{
	return flags & O_APPEND;
}

bool fd_is_folder(uint32_t flags)
{
	return flags & O_DIRECTORY;
}
