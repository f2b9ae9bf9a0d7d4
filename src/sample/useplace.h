/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where files are: mounts and block devices, and the devices' names in a frame. */
#ifndef IOTRIAGE_SAMPLE_USEPLACE_H
#define IOTRIAGE_SAMPLE_USEPLACE_H

#include "look.h"

/* A mount that files are on, or a block device that is open itself. */
struct use_place {
	struct use_place *next; /* in its bucket */
	int32_t mnt_id;         /* -1: a device */
	unsigned major, minor;
	bool memory;                            /* nothing of it is on a device */
	char type[32], source[128], point[256]; /* of a device: its name is the source */
	char device[DEVICE_NAME_MAX]; /* its name, or the file system's type; "": unknown */
	struct value size_kib;        /* of a device */
};

/* They stay for the whole run: a mount's ID that is used again is given its new sense. */
struct use_places {
	struct use_place *bucket[256];
	size_t n;
	bool fresh;       /* some are new since places_name */
	uint64_t *device; /* hashes of the names of block devices, ascending */
	size_t ndevice, device_cap;
	uint64_t device_sum; /* of the frame they are of */
};

void places_release(struct use_places *places);

/* From a mount's record. */
void places_mount(struct use_places *places, const struct look_mount *record);

/* NULL: of no mount that was told of. */
struct use_place *places_find(const struct use_places *places, int32_t mnt_id);

/* The block device this path is the file of; NULL: of none. */
struct use_place *places_device(struct use_places *places, const char *path);

/* Takes the devices of the frame: their names, and so those of places. */
void places_name(struct use_places *places, const struct frame *frame);

/* A device by its number; NULL: none. */
const struct device_row *device_numbered(const struct frame *frame, unsigned major, unsigned minor);

#endif
