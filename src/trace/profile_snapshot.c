/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a reading. */
#include "profile_snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int profile_snapshot_cell(struct profile_snapshot *snapshot, const struct profile_key *key,
			  const struct profile_amount *amount)
{
	size_t n = snapshot->ncell;

	if ((n & (n - 1)) == 0) { /* full at every power of two */
		struct profile_cell *more =
			reallocarray(snapshot->cell, n ? 2 * n : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		snapshot->cell = more;
	}
	snapshot->cell[snapshot->ncell++] = (struct profile_cell){*key, *amount};
	return 0;
}

int profile_snapshot_path(struct profile_snapshot *snapshot, const struct profile_file *file,
			  bool stored, const char *text)
{
	size_t n = snapshot->npath;
	char *copy = strdup(text);

	if (copy && (n & (n - 1)) == 0) {
		struct profile_path *more =
			reallocarray(snapshot->path, n ? 2 * n : 1, sizeof(*more));
		if (!more) {
			free(copy);
			return -ENOMEM;
		}
		snapshot->path = more;
	}
	if (!copy)
		return -ENOMEM;
	snapshot->path[snapshot->npath++] = (struct profile_path){*file, stored, copy};
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return profile_file_compare(&((const struct profile_path *)a)->file,
				    &((const struct profile_path *)b)->file);
}

void profile_snapshot_sort(struct profile_snapshot *snapshot)
{
	if (snapshot->npath)
		qsort(snapshot->path, snapshot->npath, sizeof(*snapshot->path), compare_paths);
}

void profile_snapshot_release(struct profile_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->npath; i++)
		free((char *)snapshot->path[i].text);
	free(snapshot->path);
	free(snapshot->cell);
	*snapshot = (struct profile_snapshot){.cell = NULL};
}
