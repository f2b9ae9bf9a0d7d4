/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/diskstats, in the layouts of every kernel. */
#include "parse.h"

#include <errno.h>
#include <stdlib.h>

static struct device_sample *device_add(struct device_snapshot *devices)
{
	if (devices->n == devices->cap) {
		size_t cap = devices->cap ? devices->cap * 2 : 16;
		struct device_sample *device = reallocarray(devices->device, cap, sizeof(*device));
		if (!device)
			return NULL;
		devices->device = device;
		devices->cap = cap;
	}
	return &devices->device[devices->n];
}

/* How many of the counters after the name belong to whole groups. */
static unsigned known_fields(unsigned fields)
{
	if (fields >= DISK_FLUSHES)
		return DISK_FLUSHES;
	if (fields >= DISK_DISCARDS)
		return DISK_DISCARDS;
	if (fields >= DISK_BASIC)
		return DISK_BASIC;
	return fields == DISK_PARTITION_OLD ? DISK_PARTITION_OLD : 0;
}

/* Kernels up to 2.6.24 gave partitions four counters: requests and sectors asked. */
static void place_old_partition(uint64_t counter[DISK_COUNTERS])
{
	uint64_t read_sectors = counter[1], writes = counter[2], write_sectors = counter[3];

	counter[RD_MERGES] = 0;
	counter[RD_SECTORS] = read_sectors;
	counter[RD_MS] = 0;
	counter[WR_IOS] = writes;
	counter[WR_SECTORS] = write_sectors;
}

static bool parse_line(struct text line, struct device_sample *device)
{
	struct text word;
	uint64_t major, minor, number;
	unsigned fields = 0;

	if (!text_word(&line, &word) || !text_u64(word, &major) || !text_word(&line, &word) ||
	    !text_u64(word, &minor) || !text_word(&line, &word))
		return false;
	size_t length = (size_t)(word.end - word.p);
	if (length >= sizeof(device->name))
		return false;
	memcpy(device->name, word.p, length);
	device->name[length] = '\0';
	device->major = (unsigned)major;
	device->minor = (unsigned)minor;
	while (text_word(&line, &word) && text_u64(word, &number))
		if (fields++ < DISK_COUNTERS)
			device->counter[fields - 1] = number;
	unsigned known = known_fields(fields);
	for (unsigned i = known; i < DISK_COUNTERS; i++)
		device->counter[i] = 0;
	if (known == DISK_PARTITION_OLD)
		place_old_partition(device->counter);
	device->layout = (enum disk_layout)known;
	return known > 0;
}

int diskstats_parse(const char *p, size_t n, struct device_snapshot *devices)
{
	struct text text = {p, p + n}, line;

	devices->n = 0;
	devices->skipped_lines = 0;
	while (text_line(&text, &line)) {
		struct device_sample *device = device_add(devices);
		if (!device)
			return -ENOMEM;
		device->info = NULL;
		device->diskseq = 0;
		if (parse_line(line, device))
			devices->n++;
		else
			devices->skipped_lines++;
	}
	return 0;
}
