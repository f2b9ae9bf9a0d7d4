/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/task/TID/io: what a thread did itself. */
#include "profile/storage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void thread_add(struct profile_storage *storage, const char *folder, const char *tid)
{
	unsigned long long bytes;
	char path[128], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%.20s/io", folder, tid);
	file = fopen(path, "re");
	if (!file) {
		storage->known = storage->known && errno == ENOENT;
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "read_bytes: %llu", &bytes) == 1)
			storage->read += bytes;
		else if (sscanf(line, "write_bytes: %llu", &bytes) == 1)
			storage->written += bytes;
	}
	/* ESRCH: it ended under our eyes */
	storage->known = storage->known && (!ferror(file) || errno == ESRCH);
	fclose(file);
}

void profile_storage_add(struct profile_storage *storage, pid_t pid)
{
	struct dirent *entry;
	char folder[64];
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid);
	dir = opendir(folder);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			thread_add(storage, folder, entry->d_name);
	closedir(dir);
}
