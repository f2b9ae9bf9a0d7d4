/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager GROUP MIB: joins the memory cgroup whose folder is GROUP, fills so much
 * memory, says so in a line, and then touches pages of it in no order until it
 * is killed. Where the cgroup may keep less than that, each touch is likely to
 * swap one page in and another out.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int join(const char *group)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages, words = page / sizeof(uint64_t);
	uint64_t *memory;

	if (argc != 3 || join(argv[1]) < 0)
		return 1;
	pages = strtoul(argv[2], NULL, 10) * (1 << 20) / page;
	memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED) {
		perror("pager: mmap");
		return 1;
	}
	/* in large pages a touch would move many at a time */
	(void)madvise(memory, pages * page, MADV_NOHUGEPAGE);
	/* nothing that a compressed swap could keep small */
	for (size_t i = 0; i < pages * words; i++)
		memory[i] = next_random();
	puts("touching");
	fflush(stdout);
	for (;;)
		memory[next_random() % pages * words]++;
}
