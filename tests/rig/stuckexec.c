/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that gets stuck on a file of a filesystem that does not answer:
 *
 * exec  opens it close-on-exec and executes /bin/true: the close happens inside
 *       execve, with the exec lock held
 * read  opens it and reads
 * map   dirties a shared mapping of it and maps something else in its place:
 *       the writing back happens inside mmap, with the memory map's lock held
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Replacing a dirty shared mapping closes it with the memory map's lock held,
 * and FUSE's close of a mapping writes back and waits for that. (Laying the
 * file over the command line does nothing: since 4.17 the kernel reads it from
 * anonymous memory only.)
 */
static int replace_mapping(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED) {
		perror("stuckexec: mmap");
		return 1;
	}
	map[0] = 'x';
	return mmap((void *)map, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	       MAP_FAILED;
}

static int usage(FILE *out, int status)
{
	fputs("Usage: stuckexec [-s seconds] [-m exec|read|map] FILE\n"
	      "  -s  sleep between the open and the rest\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	const char *mode = "exec";
	unsigned pause_s = 0;
	char byte;
	int opt;
	int fd;

	while ((opt = getopt(argc, argv, "s:m:h")) != -1) {
		switch (opt) {
		case 's':
			pause_s = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'm':
			mode = optarg;
			break;
		case 'h':
			return usage(stdout, 0);
		default:
			return usage(stderr, 2);
		}
	}
	if (optind + 1 != argc)
		return usage(stderr, 2);

	fd = open(argv[optind], O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[optind]);
		return 1;
	}
	if (pause_s)
		sleep(pause_s);
	if (strcmp(mode, "map") == 0)
		return replace_mapping(fd);
	if (strcmp(mode, "read") == 0)
		return read(fd, &byte, 1) < 0;
	if (strcmp(mode, "exec") != 0)
		return usage(stderr, 2);
	execl("/bin/true", "true", (char *)NULL);
	perror("stuckexec: /bin/true");
	return 1;
}
