/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes through the importer, in pieces. The first byte chooses a preamble, so
 * that every parser is reached soon; the second one the size of the pieces.
 */
#include "iotriage/import.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const preambles[] = {
    "",
    "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util\n",
    "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n",
    "06:43:44 PM DEV tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util\n",
    "12:27:11 tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util DEV\n",
    "10:09:58 device %busy avque r+w/s Kbs/s avwait avserv\n",
    "hdisk4 xfer: %tm_act bps tps bread bwrtn\n",
    ("%tm bps tps bread bwrtn rps avg min max time fail "
     "wps avg min max time fail avg min max avg avg serv\n"),
    "8 0 sda 1000 10 8000 5000 2000 20 16000 9000 0 6000 14000 0 0 0 0 100 50\n",
    "$ cat /proc/sys/fs/aio-*\n",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa\n",
    "  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n",
    "{\"sysstat\": {\"hosts\": [{\"statistics\": [\n",
    "time,epoch,device,r/s,w/s,await,avgqu-sz,%util,interval,since_boot\n",
    "Linux 5.10.0 (db01) \t11/30/2020 \t_x86_64_\t(8 CPU)\n",
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n",
};

/* Reads every byte of what is handed out, for the sanitizers. */
static int look(void *context, const struct import_block *block)
{
	const struct frame *frame = block->frame;
	size_t *sum = context;

	*sum += strlen(block->clock) + (size_t)block->format;
	for (size_t i = 0; i < frame->ndevice; i++)
		*sum += strlen(frame->device[i].name) + value_known(frame->device[i].await);
	for (size_t i = 0; i < frame->ntask; i++)
		*sum += strlen(frame->task[i].command) + strlen(frame->task[i].task->comm) +
			strlen(frame->task[i].user);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t sum = 0, piece;
	const char *preamble;

	if (n < 2)
		return 0;
	preamble = preambles[data[0] % (sizeof(preambles) / sizeof(*preambles))];
	piece = (size_t)data[1] + 1;
	struct import *import = import_new(look, &sum);
	if (!import)
		abort();
	int error = import_bytes(import, preamble, strlen(preamble));
	for (size_t at = 2; at < n && !error; at += piece)
		error =
		    import_bytes(import, (const char *)data + at, n - at < piece ? n - at : piece);
	if (error || import_end(import))
		abort();
	import_free(import);
	return 0;
}
