/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file an identity is, and what to call it. */
#include "iotriage/profile.h"

#include <stdio.h>
#include <stdlib.h>

int profile_file_compare(const struct profile_file *a, const struct profile_file *b)
{
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->mark < b->mark ? -1 : a->mark > b->mark;
}

static int compare_to_path(const void *file, const void *path)
{
	return profile_file_compare(file, &((const struct profile_path *)path)->file);
}

const struct profile_path *profile_path_find(const struct profile_snapshot *snapshot,
					     const struct profile_file *file)
{
	if (snapshot->npath == 0)
		return NULL;
	return bsearch(file, snapshot->path, snapshot->npath, sizeof(*snapshot->path),
		       compare_to_path);
}

const char *profile_file_name(const struct profile_snapshot *snapshot,
			      const struct profile_file *file, char buf[64])
{
	const struct profile_path *path = profile_path_find(snapshot, file);

	if (path)
		return path->text;
	if (file->dev == 0)
		return file->mark == PROFILE_OTHER ? "(other)" : "(no file)";
	/* the kernel numbers devices with 20 bits of minor */
	snprintf(buf, 64, "(device %u:%u, inode %llu)", file->dev >> 20, file->dev & 0xfffff,
		 (unsigned long long)file->ino);
	return buf;
}
