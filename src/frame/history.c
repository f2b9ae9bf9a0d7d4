/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last frames and the peaks of each device. A device that never did
 * anything has nothing to remember: its frames are not kept.
 */
#include "history.h"
#include "iotriage/hash.h"
#include "lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AWAIT, AVGQU_SZ, UTIL, FIGURES };

struct remembered {
	char name[DEVICE_NAME_MAX];
	uint64_t diskseq;
	unsigned long seen; /* the last frame it was in */
	struct value peak[FIGURES];
	struct device_history *history; /* NULL: none kept */
};

struct histories {
	struct remembered *device;
	size_t n, cap;
	struct lookup lookup;
	unsigned long frames;
};

struct histories *histories_new(void)
{
	return calloc(1, sizeof(struct histories));
}

void histories_free(struct histories *histories)
{
	if (!histories)
		return;
	for (size_t i = 0; i < histories->n; i++)
		free(histories->device[i].history);
	free(histories->device);
	lookup_release(&histories->lookup);
	free(histories);
}

static void forget_peaks(struct remembered *device)
{
	for (int f = 0; f < FIGURES; f++)
		device->peak[f] = value_absent(ABSENT_NEW);
}

/* ---- finding a device ---- */

static bool look_up_all(struct histories *histories, size_t room)
{
	if (lookup_reset(&histories->lookup, room) < 0)
		return false;
	for (size_t i = 0; i < histories->n; i++) {
		const struct remembered *device = &histories->device[i];
		lookup_put(&histories->lookup, hash_text(device->name, device->diskseq), i);
	}
	return true;
}

static struct remembered *find(struct histories *histories, const struct device_row *row)
{
	const struct lookup *lookup = &histories->lookup;
	uint64_t hash = hash_text(row->name, row->diskseq);
	uint32_t place;

	if (histories->n == 0)
		return NULL;
	for (size_t at = lookup_first(lookup, hash); (place = lookup_at(lookup, at));
	     at = lookup_next(lookup, at)) {
		struct remembered *device = &histories->device[place - 1];
		if (device->diskseq == row->diskseq && strcmp(device->name, row->name) == 0)
			return device;
	}
	return NULL;
}

static bool reserve(struct histories *histories, size_t n)
{
	if (n > histories->cap) {
		size_t cap = n + n / 2 + 16;
		struct remembered *device = reallocarray(histories->device, cap, sizeof(*device));
		if (!device)
			return false;
		histories->device = device;
		histories->cap = cap;
	}
	return lookup_fits(&histories->lookup, n) || look_up_all(histories, 2 * n);
}

static struct remembered *add(struct histories *histories, const struct device_row *row)
{
	size_t length = strlen(row->name);

	if (length >= DEVICE_NAME_MAX || !reserve(histories, histories->n + 1))
		return NULL;
	struct remembered *device = &histories->device[histories->n];
	*device = (struct remembered){.diskseq = row->diskseq, .seen = histories->frames};
	memcpy(device->name, row->name, length + 1);
	forget_peaks(device);
	lookup_put(&histories->lookup, hash_text(device->name, device->diskseq), histories->n++);
	return device;
}

/* Forgets those that are gone for as long as frames are kept. */
static void forget_gone(struct histories *histories)
{
	size_t kept = 0;

	for (size_t i = 0; i < histories->n; i++) {
		if (histories->frames - histories->device[i].seen > HISTORY_FRAMES)
			free(histories->device[i].history);
		else
			histories->device[kept++] = histories->device[i];
	}
	if (kept == histories->n)
		return;
	histories->n = kept;
	(void)look_up_all(histories, kept); /* fewer than before: there is room */
}

/* ---- adding a frame ---- */

static void push(struct device_history *history, const struct value figure[FIGURES])
{
	history->await_ms[history->at] = (float)value_or(figure[AWAIT], NAN);
	history->avgqu_sz[history->at] = (float)value_or(figure[AVGQU_SZ], NAN);
	history->util[history->at] = (float)value_or(figure[UTIL], NAN);
	history->at = (history->at + 1) % HISTORY_FRAMES;
	if (history->n < HISTORY_FRAMES)
		history->n++;
}

static void raise_peaks(struct remembered *device, const struct value figure[FIGURES])
{
	for (int f = 0; f < FIGURES; f++)
		if (!value_known(device->peak[f]) ||
		    (value_known(figure[f]) && figure[f].n > device->peak[f].n))
			device->peak[f] = figure[f]; /* or why there is none */
}

static void show(struct device_row *row, const struct remembered *device)
{
	row->peak_await = row->peak_avgqu_sz = row->peak_util = value_absent(ABSENT_NEW);
	row->history = device ? device->history : NULL;
	if (!device)
		return;
	row->peak_await = device->peak[AWAIT];
	row->peak_avgqu_sz = device->peak[AVGQU_SZ];
	row->peak_util = device->peak[UTIL];
}

/*
 * Frames it was not in are gaps. Without a diskseq, counters that went back are
 * another device's.
 */
static void begin_frame(struct histories *histories, struct remembered *device,
                        const struct device_row *row)
{
	const struct value new = value_absent(ABSENT_NEW), none[FIGURES] = {new, new, new};
	bool begun = device->history && device->history->n > 0;

	if (row->used && !device->history)
		device->history = calloc(1, sizeof(*device->history));
	for (unsigned long n = device->seen + 1; begun && n < histories->frames; n++)
		push(device->history, none);
	if (row->why == ABSENT_RESET && row->diskseq == 0) {
		forget_peaks(device);
		if (device->history)
			*device->history = (struct device_history){0};
	}
	device->seen = histories->frames;
}

static void add_row(struct histories *histories, struct device_row *row)
{
	struct remembered *device = find(histories, row);

	if (!device)
		device = add(histories, row);
	if (!device) {
		show(row, NULL);
		return;
	}
	begin_frame(histories, device, row);
	struct value figure[FIGURES] = {
		[AWAIT] = row->await, [AVGQU_SZ] = row->avgqu_sz, [UTIL] = row->util};
	for (int f = 0; row->why != PRESENT && f < FIGURES; f++)
		figure[f] = value_absent(row->why);
	raise_peaks(device, figure);
	if (device->history)
		push(device->history, figure);
	show(row, device);
}

void histories_add(struct histories *histories, struct frame *frame)
{
	if (frame->since_boot) {
		for (size_t i = 0; i < frame->ndevice; i++)
			show(&frame->device[i], find(histories, &frame->device[i]));
		return;
	}
	histories->frames++;
	for (size_t i = 0; i < frame->ndevice; i++)
		add_row(histories, &frame->device[i]);
	forget_gone(histories);
}

void histories_reset_peaks(struct histories *histories, struct frame *frame)
{
	for (size_t i = 0; i < histories->n; i++)
		forget_peaks(&histories->device[i]);
	for (size_t i = 0; i < frame->ndevice; i++)
		show(&frame->device[i], find(histories, &frame->device[i]));
}
