/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --save: a row for each call. Names are asked for once and kept. */
#include "profile_save.h"
#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More than the kernel's side keeps names of, by a factor that hashing needs. */
enum { SLOTS = 65536, FLUSH_BYTES = 256 * 1024 };

struct slot {
	struct profile_file file;
	char *text; /* NULL: free */
};

struct profile_save {
	struct writer writer;
	profile_path_of *path_of;
	void *context; /* of path_of */
	double epoch_less_monotonic;
	int error;
	size_t used;
	struct slot slot[SLOTS];
};

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int profile_save_open(struct profile_save **ret, const char *path, int stop_fd,
		      profile_path_of *path_of, void *context)
{
	struct profile_save *save = calloc(1, sizeof(*save));
	int fd = save ? writer_open(path, stop_fd) : -ENOMEM;

	if (fd < 0) {
		free(save);
		return fd;
	}
	save->writer = (struct writer){.fd = fd, .stop_fd = stop_fd};
	save->path_of = path_of;
	save->context = context;
	save->epoch_less_monotonic = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_MONOTONIC);
	writer_puts(&save->writer, "epoch,pid,tid,call,file,seconds,bytes,error\n");
	*ret = save;
	return 0;
}

static struct slot *slot_of(struct profile_save *save, const struct profile_file *file)
{
	__u64 hash = (file->ino ^ ((__u64)file->dev << 32) ^ file->mark) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 48);

	while (save->slot[at].text && profile_file_compare(&save->slot[at].file, file) != 0)
		at = (at + 1) % SLOTS;
	return &save->slot[at];
}

static const char *name_of(struct profile_save *save, const struct profile_file *file, char buf[64])
{
	static const struct profile_snapshot none;
	struct slot *slot = slot_of(save, file);
	const char *text;

	if (slot->text)
		return slot->text;
	text = save->path_of(save->context, file);
	if (!text || save->used == SLOTS / 2)
		return text ? text : profile_file_name(&none, file, buf);
	slot->file = *file;
	slot->text = strdup(text);
	save->used += slot->text != NULL;
	return slot->text ? slot->text : text;
}

static void put_result(struct profile_save *save, const struct profile_event *event)
{
	enum profile_call call = (enum profile_call)event->key.call;
	bool bytes = profile_call_reads(call) || profile_call_writes(call);
	char text[48] = ",,\n";

	if (event->result < 0)
		snprintf(text, sizeof(text), ",,%lld\n", -(long long)event->result);
	else if (bytes)
		snprintf(text, sizeof(text), ",%lld,\n", (long long)event->result);
	writer_puts(&save->writer, text);
}

void profile_save_event(void *context, const struct profile_event *event)
{
	struct profile_save *save = context;
	double began = save->epoch_less_monotonic + (double)(event->end_ns - event->ns) / 1e9;
	char buf[64], text[128];

	if (event->key.call >= PROFILE_CALLS || save->error)
		return;
	snprintf(text, sizeof(text), "%.6f,%u,%u,%s,", began, event->key.tgid, event->tid,
		 profile_call_name((enum profile_call)event->key.call));
	writer_puts(&save->writer, text);
	csv_text(&save->writer, name_of(save, &event->key.file, buf));
	snprintf(text, sizeof(text), ",%.9f", (double)event->ns / 1e9);
	writer_puts(&save->writer, text);
	put_result(save, event);
	if (save->writer.n > FLUSH_BYTES)
		save->error = writer_flush(&save->writer);
}

int profile_save_flush(struct profile_save *save)
{
	if (!save->error)
		save->error = writer_flush(&save->writer);
	return save->error;
}

void profile_save_close(struct profile_save *save)
{
	if (!save)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		free(save->slot[i].text);
	close(save->writer.fd);
	writer_release(&save->writer);
	free(save);
}
