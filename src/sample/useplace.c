/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts and devices by ID and name, and what a frame calls them. */
#include "useplace.h"
#include "iotriage/hash.h"
#include "mountinfo.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES_MAX = 16384, BUCKETS = 256 };

void places_release(struct use_places *places)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (places->bucket[i]) {
			struct use_place *next = places->bucket[i]->next;
			free(places->bucket[i]);
			places->bucket[i] = next;
		}
	free(places->device);
}

static struct use_place *add(struct use_places *places, uint64_t key, int32_t mnt_id)
{
	struct use_place *place = places->n < PLACES_MAX ? calloc(1, sizeof(*place)) : NULL;

	if (!place)
		return NULL;
	place->mnt_id = mnt_id;
	place->size_kib = value_absent(ABSENT_UNSUPPORTED);
	place->next = places->bucket[key % BUCKETS];
	places->bucket[key % BUCKETS] = place;
	places->n++;
	places->fresh = true;
	return place;
}

struct use_place *places_find(const struct use_places *places, int32_t mnt_id)
{
	struct use_place *place = mnt_id < 0 ? NULL : places->bucket[(uint32_t)mnt_id % BUCKETS];

	while (place && place->mnt_id != mnt_id)
		place = place->next;
	return place;
}

static void set(char *to, size_t size, const char *text, bool *changed)
{
	size_t n = strnlen(text, size - 1);

	if (strncmp(to, text, size - 1) == 0)
		return;
	memcpy(to, text, n);
	to[n] = '\0';
	*changed = true;
}

void places_mount(struct use_places *places, const struct look_mount *record)
{
	struct use_place *place = places_find(places, record->id);
	const char *type = record->text, *source = type + strlen(type) + 1;
	const char *point = source + strlen(source) + 1;
	bool changed = !place;

	if (!place)
		place = add(places, (uint32_t)record->id, record->id);
	if (!place)
		return;
	changed |= place->major != record->major || place->minor != record->minor;
	place->major = record->major;
	place->minor = record->minor;
	set(place->type, sizeof(place->type), type, &changed);
	set(place->source, sizeof(place->source), source, &changed);
	set(place->point, sizeof(place->point), point, &changed);
	place->memory = mount_is_memory(place->type) || mount_is_dev(place->type, place->point);
	places->fresh |= changed;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct use_place *places_device(struct use_places *places, const char *path)
{
	const char *name = strncmp(path, "/dev/", 5) == 0 ? path + 5 : "";
	uint64_t key = hash_text(name, 0);
	struct use_place *place = places->bucket[key % BUCKETS];

	if (places->ndevice == 0 ||
	    !bsearch(&key, places->device, places->ndevice, sizeof(key), compare))
		return NULL;
	while (place && (place->mnt_id >= 0 || strcmp(place->source, name) != 0))
		place = place->next;
	if (!place && (place = add(places, key, -1)))
		snprintf(place->source, sizeof(place->source), "%s", name);
	return place;
}

/* What sysfs says of a device may come later than the device. */
static uint64_t title_hash(const struct device_row *row)
{
	return row->info ? hash_text(row->info->title, 0) + row->info->size_sectors : 0;
}

/* True: there are other devices than last time, or they could not be taken in. */
static bool take_devices(struct use_places *places, const struct frame *frame)
{
	uint64_t sum = frame->ndevice;

	for (size_t i = 0; i < frame->ndevice; i++)
		sum = sum * 31 + hash_text(frame->device[i].name, 0) + title_hash(&frame->device[i]);
	if (sum == places->device_sum)
		return false;
	if (frame->ndevice > places->device_cap) {
		uint64_t *grown = reallocarray(places->device, frame->ndevice, sizeof(*grown));
		if (!grown)
			return true;
		places->device = grown;
		places->device_cap = frame->ndevice;
	}
	for (size_t i = 0; i < frame->ndevice; i++)
		places->device[i] = hash_text(frame->device[i].name, 0);
	places->ndevice = frame->ndevice;
	places->device_sum = sum;
	if (places->ndevice)
		qsort(places->device, places->ndevice, sizeof(*places->device), compare);
	return true;
}

const struct device_row *device_numbered(const struct frame *frame, unsigned major, unsigned minor)
{
	/* 0:0 is the number of every hidden path */
	for (size_t i = 0; major && i < frame->ndevice; i++)
		if (frame->device[i].major == major && frame->device[i].minor == minor)
			return &frame->device[i];
	return NULL;
}

static bool is_called(const struct device_row *row, const char *name, bool mapper)
{
	if (!mapper)
		return strcmp(row->name, name) == 0;
	return row->info && row->info->class == DEVICE_DM && strcmp(row->info->title, name) == 0;
}

/* By what was mounted: "/dev/sda2", "/dev/mapper/vg-data". */
static const struct device_row *device_called(const struct frame *frame, const char *source)
{
	bool mapper = strncmp(source, "/dev/mapper/", 12) == 0;

	if (strncmp(source, "/dev/", 5) != 0)
		return NULL;
	for (size_t i = 0; i < frame->ndevice; i++)
		if (is_called(&frame->device[i], source + (mapper ? 12 : 5), mapper))
			return &frame->device[i];
	return NULL;
}

static void name_device(struct use_place *place, const struct frame *frame)
{
	char path[sizeof(place->source) + 8];

	snprintf(path, sizeof(path), "/dev/%s", place->source);
	const struct device_row *row = device_called(frame, path);
	snprintf(place->device, sizeof(place->device), "%s", place->source);
	place->size_kib = row && row->info ? value_of((double)row->info->size_sectors / 2)
					   : value_absent(ABSENT_UNSUPPORTED);
}

/* btrfs and its like have a number of no device: what was mounted names one of theirs. */
static void name_mount(struct use_place *place, const struct frame *frame)
{
	const struct device_row *row = device_numbered(frame, place->major, place->minor);

	if (!row && !place->memory)
		row = device_called(frame, place->source);
	snprintf(place->device, sizeof(place->device), "%s", row ? row->name : place->type);
}

void places_name(struct use_places *places, const struct frame *frame)
{
	bool changed = take_devices(places, frame);

	if (!changed && !places->fresh)
		return;
	places->fresh = false;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct use_place *place = places->bucket[i]; place; place = place->next)
			if (place->mnt_id < 0)
				name_device(place, frame);
			else
				name_mount(place, frame);
}
