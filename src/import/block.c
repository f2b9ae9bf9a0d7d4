/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames from what the parsers find. */
#include "frame/system.h"
#include "importer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows in one block than any machine has are left out. */
enum { ROWS_MAX = 65536, TASKS_MAX = 20000 };

static uint64_t hash_name(const char *name, size_t n)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
	return hash ^ hash >> 32;
}

/* ---- rows ---- */

static int grow_slots(struct block *block)
{
	size_t slots = block->slots ? 2 * block->slots : 64;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < block->frame.ndevice; i++) {
		size_t at = hash_name(block->name[i], strlen(block->name[i])) & (slots - 1);
		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)(i + 1);
	}
	free(block->slot);
	block->slot = slot;
	block->slots = slots;
	return 0;
}

static int grow_rows(struct block *block)
{
	size_t cap = block->cap ? 2 * block->cap : 32;
	char(*name)[DEVICE_NAME_MAX] = reallocarray(block->name, cap, sizeof(*name));

	if (!name)
		return -ENOMEM;
	block->name = name;
	struct value(*field)[FIELDS] = reallocarray(block->field, cap, sizeof(*field));
	if (!field)
		return -ENOMEM;
	block->field = field;
	struct device_row *row = reallocarray(block->frame.device, cap, sizeof(*row));
	if (!row)
		return -ENOMEM;
	block->frame.device = row;
	block->cap = block->frame.device_cap = cap;
	return 0;
}

size_t block_find(const struct import *import, const char *name, size_t n)
{
	const struct block *block = &import->block;

	if (!block->slots || !block->has_devices)
		return SIZE_MAX;
	for (size_t at = hash_name(name, n);; at++) {
		uint32_t row = block->slot[at & (block->slots - 1)];
		if (!row)
			return SIZE_MAX;
		if (strncmp(block->name[row - 1], name, n) == 0 && !block->name[row - 1][n])
			return row - 1;
	}
}

size_t block_add(struct import *import, const char *name, size_t n, unsigned long line)
{
	struct block *block = &import->block;
	size_t row = block->frame.ndevice, at = hash_name(name, n);

	if (row == ROWS_MAX) {
		if (!import->summary.dropped++)
			import->summary.dropped_line = line;
		return SIZE_MAX;
	}
	if ((row == block->cap && grow_rows(block) < 0) ||
	    (2 * (row + 1) > block->slots && grow_slots(block) < 0)) {
		import->error = -ENOMEM;
		return SIZE_MAX;
	}
	while (block->slot[at & (block->slots - 1)])
		at++;
	block->slot[at & (block->slots - 1)] = (uint32_t)(row + 1);
	snprintf(block->name[row], DEVICE_NAME_MAX, "%.*s", (int)n, name);
	fields_clear(block->field[row]);
	/* whoever does not make it whole leaves a row without figures */
	block->frame.device[row] = (struct device_row){.name = block->name[row]};
	fields_row(&block->frame.device[row], block->field[row], 0, false);
	block->frame.ndevice++;
	block->has_devices = true;
	block->last_line = line;
	import_count_device(import, block->name[row]);
	return row;
}

static int grow_tasks(struct block *block)
{
	size_t cap = block->task_cap ? 2 * block->task_cap : 32;
	struct task_row *row = reallocarray(block->frame.task, cap, sizeof(*row));

	if (!row)
		return -ENOMEM;
	block->frame.task = row;
	struct task_sample *sample = reallocarray(block->sample, cap, sizeof(*sample));
	if (!sample)
		return -ENOMEM;
	block->sample = sample;
	char(*command)[512] = reallocarray(block->command, cap, sizeof(*command));
	if (!command)
		return -ENOMEM;
	block->command = command;
	char(*user)[64] = reallocarray(block->user, cap, sizeof(*user));
	if (!user)
		return -ENOMEM;
	block->user = user;
	block->task_cap = block->frame.task_cap = cap;
	return 0;
}

struct task_row *block_add_task(struct import *import, unsigned long line)
{
	struct block *block = &import->block;
	size_t at = block->frame.ntask;

	if (at == TASKS_MAX)
		return NULL;
	if (at == block->task_cap && grow_tasks(block) < 0) {
		import->error = -ENOMEM;
		return NULL;
	}
	block->frame.ntask++;
	block->has_tasks = true;
	block->last_line = line;
	memset(&block->sample[at], 0, sizeof(block->sample[at]));
	memset(&block->frame.task[at], 0, sizeof(block->frame.task[at]));
	return &block->frame.task[at];
}

/* ---- a block's beginning ---- */

static void clear_system(struct system_row *row)
{
	const struct value absent = value_absent(ABSENT_UNSUPPORTED);

	memset(row, 0, sizeof(*row));
	row->iowait = row->blocked = row->psi_some = row->psi_full = absent;
	row->psi_some_avg10 = row->psi_full_avg10 = absent;
	row->dirty_kib = row->writeback_kib = row->dirty_limit_kib = absent;
	row->pgpgin = row->pgpgout = row->pswpin = row->pswpout = absent;
	row->asked_rkb = row->asked_wkb = row->done_rkb = row->done_wkb = absent;
	row->tasks = row->unreadable = row->forks = absent;
	row->unattributed_rkb = row->unattributed_wkb = absent;
	row->delayacct = -1;
}

int block_begin(struct import *import, enum import_format format, unsigned long line,
		enum boot_hint hint)
{
	struct block *block = &import->block;

	if (format == IMPORT_SAR && block->average)
		block->pending = false; /* here they are */
	if (block_flush(import))
		return import->error;
	block->pending = true;
	block->average = block->halves = false;
	block->has_devices = block->has_cpu = block->has_system = block->has_tasks = block->made =
	    block->in_parts = false;
	block->format = format;
	block->hint = hint;
	block->asked = import->context.asked;
	block->first_line = block->last_line = line;
	block->segment = import->context.segment;
	block->seconds = 0;
	block->seen = 0;
	block->stamp = (struct stamp){0};
	block->frame.ndevice = block->frame.ntask = 0;
	if (block->slots)
		memset(block->slot, 0, block->slots * sizeof(*block->slot));
	clear_system(&block->frame.system);
	import_met(import, format, line);
	return 0;
}

/* ---- and its end ---- */

static bool judge_boot(const struct block *block)
{
	if (block->hint == BOOT_CERTAIN)
		return true;
	if (block->hint < BOOT_TRY || block->made || boot_whole(block) || boot_as_asked(block))
		return false;
	return block->hint == BOOT_LIKELY || boot_by_rates(block);
}

/* Of a cut row the rest is missing; of a table in parts the last ones may be. */
static bool is_whole(const struct block *block, const struct value field[FIELDS])
{
	if (value_known(field[FIELD_NONE]))
		return false;
	return !block->in_parts || (value_known(field[FIELD_R]) && value_known(field[FIELD_W]) &&
				    value_known(field[FIELD_D]) && value_known(field[FIELD_UTIL]));
}

static void finish_devices(struct block *block, bool since_boot)
{
	struct frame *frame = &block->frame;

	for (size_t i = 0; i < frame->ndevice; i++) {
		struct device_row *row = &frame->device[i];

		if (!block->made) {
			memset(row, 0, sizeof(*row));
			fields_row(row, block->field[i], block->seconds,
				   is_whole(block, block->field[i]));
		}
		row->name = block->name[i];
		row->since_boot = since_boot;
		row->info = NULL; /* a report has no sysfs */
	}
}

static void finish_tasks(struct block *block)
{
	struct frame *frame = &block->frame;

	frame->tasks_state = block->has_tasks ? PRESENT : ABSENT_OFF;
	for (size_t i = 0; i < frame->ntask; i++) {
		frame->task[i].task = &block->sample[i];
		frame->task[i].command = block->command[i];
		frame->task[i].user = block->user[i];
		frame->task[i].names = TASK_NAMES_KNOWN;
	}
}

static void finish_frame(struct import *import, bool since_boot)
{
	struct block *block = &import->block;
	struct frame *frame = &block->frame;

	frame->number = since_boot ? 0 : ++block->intervals;
	frame->seconds = block->seconds;
	frame->since_boot = frame->system.since_boot = since_boot;
	frame->system.seconds = block->seconds;
	frame->aix = block->format == IMPORT_AIX_IOSTAT || block->format == IMPORT_AIX_SAR;
	frame->devices_state = block->has_devices ? PRESENT : ABSENT_UNSUPPORTED;
	frame->epoch = block->stamp.known && block->stamp.dated ? block->stamp.seconds : 0;
	frame->finding = frame->ended = NULL;
	frame->nfinding = frame->nended = 0;
	frame->naio_task = 0;
	finish_devices(block, since_boot);
	finish_tasks(block);
	aio_build(&frame->aio, &import->aio);
	frame->aio.eagain = import->refused;
	frame->aio.eagain_slots = import->refused_slots;
	import->aio_news = false;
}

static void count_block(struct import *import, bool since_boot)
{
	struct block *block = &import->block;
	struct import_met *met = &import->summary.met[block->format];

	met->blocks++;
	met->since_boot += since_boot;
	met->rows += block->frame.ndevice + block->frame.ntask;
	if (since_boot && !import->summary.boot_line)
		import->summary.boot_line = block->first_line;
	import->summary.aio = block->frame.aio;
}

int block_flush(struct import *import)
{
	struct block *block = &import->block;

	if (!block->pending || import->error)
		return import->error;
	block->pending = false;
	if (!block->has_devices && !block->has_system && !block->has_tasks)
		return 0;
	bool since_boot = judge_boot(block);
	import->summary.only_averages |= block->average;
	finish_frame(import, since_boot);
	count_block(import, since_boot);
	const struct import_block out = {
	    .frame = &block->frame,
	    .format = block->format,
	    .first_line = block->first_line,
	    .last_line = block->last_line,
	    .segment = block->segment,
	    .clock = block->stamp.text,
	    .timed = block->frame.epoch > 0,
	};
	import->error = import->sink(import->sink_context, &out);
	return import->error;
}

void block_release(struct block *block)
{
	free(block->frame.device);
	free(block->frame.task);
	free(block->name);
	free(block->field);
	free(block->slot);
	free(block->sample);
	free(block->command);
	free(block->user);
}
