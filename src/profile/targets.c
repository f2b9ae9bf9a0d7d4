/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to profile, from /proc. */
#include "profile/targets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pid_t profile_process_of(pid_t pid)
{
	char path[64], line[256];
	int tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	fclose(file);
	return tgid;
}

static int is_named(const char *pid, const char *name)
{
	char path[64], comm[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	size_t n = fread(comm, 1, sizeof(comm) - 1, file);
	fclose(file);
	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return strcmp(comm, name) == 0;
}

int profile_processes_named(const char *name, void (*each)(void *context, pid_t pid), void *context)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int n = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0 || pid == getpid() || !is_named(entry->d_name, name))
			continue;
		each(context, pid);
		n++;
	}
	closedir(dir);
	return n;
}
