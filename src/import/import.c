/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An import as a whole, and each line to the parser whose it is. */
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_COUNTED = 2 * IMPORT_DEVICES_MAX };

struct import *import_new(import_sink *sink, void *context)
{
	struct import *import = calloc(1, sizeof(*import));

	if (!import)
		return NULL;
	import->sink = sink;
	import->sink_context = context;
	import->held = malloc(LINE_BYTES_MAX);
	import->joined = malloc(LINE_BYTES_MAX);
	import->clean = malloc(LINE_BYTES_MAX);
	import->device_set = calloc(DEVICES_COUNTED, sizeof(*import->device_set));
	if (!import->held || !import->joined || !import->clean || !import->device_set) {
		import_free(import);
		return NULL;
	}
	import->aio.aio_nr = import->aio.aio_max_nr = value_absent(ABSENT_OFF);
	import->aio.kioctx.state = import->aio.kiocb.state = import->aio.io_kiocb.state =
	    SLAB_UNREAD;
	import->context.hint = BOOT_TRY;
	return import;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	block_release(&import->block);
	diskstats_release(&import->snapshots);
	free(import->json.p);
	free(import->held);
	free(import->joined);
	free(import->clean);
	free(import->device_set);
	free(import);
}

const struct import_summary *import_summary(const struct import *import)
{
	return &import->summary;
}

const char *import_format_name(enum import_format format)
{
	static const char *const names[IMPORT_FORMATS] = {
	    [IMPORT_IOSTAT] = "iostat",
	    [IMPORT_IOSTAT_JSON] = "iostat JSON",
	    [IMPORT_SAR] = "sar -d",
	    [IMPORT_AIX_IOSTAT] = "AIX iostat",
	    [IMPORT_AIX_SAR] = "AIX sar -d",
	    [IMPORT_DISKSTATS] = "/proc/diskstats",
	    [IMPORT_AIO] = "AIO figures",
	    [IMPORT_VMSTAT] = "vmstat",
	    [IMPORT_CPU] = "avg-cpu",
	    [IMPORT_MEMINFO] = "/proc/meminfo",
	    [IMPORT_IOTOP] = "iotop",
	    [IMPORT_OWN_CSV] = "iotriage CSV",
	    [IMPORT_OWN_JSON] = "iotriage JSON",
	};
	return names[format];
}

void import_met(struct import *import, enum import_format format, unsigned long line)
{
	if (!import->summary.met[format].line)
		import->summary.met[format].line = line;
}

void import_count_device(struct import *import, const char *name)
{
	uint64_t hash = 1469598103934665603u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	hash |= 1;
	if (import->ndevice_set == IMPORT_DEVICES_MAX)
		return;
	for (size_t at = hash >> 20;; at++) {
		uint64_t *slot = &import->device_set[at % DEVICES_COUNTED];
		if (*slot == hash)
			return;
		if (*slot)
			continue;
		*slot = hash;
		import->summary.devices = ++import->ndevice_set;
		return;
	}
}

/* ---- a line ---- */

static void blank_line(struct import *import)
{
	grid_blank(import);
	diskstats_pause(import);
	import->foreign = false;
	import->cpu.columns = 0;
	import->iotop.active = false;
	import->vmstat.ncell = 0;
	import->aio_files.n = 0;
}

/* The parsers of tables whose lines say by themselves what they are. */
static bool known_line(struct import *import, const struct line *line)
{
	return aix_line(import, line) || foreign_line(import, line) || cpu_line(import, line) ||
	       vmstat_line(import, line) || iotop_line(import, line) || aio_line(import, line);
}

static void words_line(struct import *import, const struct line *line)
{
	/* a row is over before what follows it is looked at: the next block has its own time */
	if (line->numbers < line->nword)
		grid_end_row(import);
	if (context_line(import, line) || known_line(import, line))
		return;
	if (grid_header(import, line) || (line->numbers && grid_flat(import, line)))
		return;
	if (diskstats_line(import, line))
		return;
	diskstats_pause(import);
	if (meminfo_line(import, line))
		return;
	(void)grid_line(import, line);
}

void import_line(struct import *import, struct line *line)
{
	import->summary.lines = line->number;
	prefix_strip(import, line);
	if (json_line(import, line) || csv_line(import, line))
		return;
	line_words(line, &import->style);
	if (import->style.ambiguous > import->summary.ambiguous) {
		import->summary.ambiguous = import->style.ambiguous;
		if (!import->summary.ambiguous_line)
			import->summary.ambiguous_line = line->number;
	}
	if (line->nword == 0)
		blank_line(import);
	else
		words_line(import, line);
}

int import_end(struct import *import)
{
	bytes_end(import);
	json_end(import);
	grid_close(import);
	diskstats_end(import);
	(void)block_flush(import);
	/* figures of AIO that stand beside no report */
	if (import->aio_news &&
	    !block_begin(import, IMPORT_AIO, import->summary.met[IMPORT_AIO].line, BOOT_NEVER)) {
		import->block.has_system = true;
		import->block.last_line = import->aio_line;
		(void)block_flush(import);
	}
	return import->error;
}
