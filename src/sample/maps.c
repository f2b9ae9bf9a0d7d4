/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "7fa85e5d6000-7fa85e5d7000 rw-s 00000000 00:13 1065789    /[aio] (deleted)" */
#include "maps.h"

#include <stdio.h>

/*
 * The ring of an AIO context is a file of a file system of the kernel's own, at
 * its beginning, so a mapping that was split counts once.
 */
static bool is_ring(struct text offset, struct text path, unsigned major)
{
	return major == 0 && text_is(offset, "00000000") && text_is(path, "/[aio] (deleted)");
}

static bool starts(struct text path, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(path.end - path.p) >= n && memcmp(path.p, with, n) == 0;
}

/* Shared memory has paths, too: /dev/zero, /dev/shm/x, /SYSV00000000, /memfd:x. */
static bool is_file(struct text path)
{
	return starts(path, "/") && !starts(path, "/dev/") && !starts(path, "/SYSV") &&
	       !starts(path, "/memfd:");
}

void maps_line(struct text line, struct map *map)
{
	struct text range, permissions, offset, device, inode;
	char number[32];

	map->kind = MAP_OTHER;
	if (!text_word(&line, &range) || !text_word(&line, &permissions))
		return;
	if (permissions.end - permissions.p != 4 || permissions.p[3] != 's')
		return;
	if (!text_word(&line, &offset) || !text_word(&line, &device) || !text_word(&line, &inode))
		return;
	snprintf(number, sizeof(number), "%.*s", (int)(device.end - device.p), device.p);
	if (sscanf(number, "%x:%x", &map->major, &map->minor) != 2)
		return;
	while (line.p < line.end && *line.p == ' ')
		line.p++;
	if (is_ring(offset, line, map->major))
		map->kind = MAP_AIO;
	else if (permissions.p[1] == 'w' && is_file(line))
		map->kind = MAP_SHARED;
}
