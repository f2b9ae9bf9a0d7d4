/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of a task's open files. */
#include "columns.h"

#include <stdio.h>

COLUMN_NUMBER(position, struct file_row, position)
COLUMN_NUMBER(pos_kb, struct file_row, pos_kb)
COLUMN_NUMBER(size_kib, struct file_row, size_kib)

static struct value file_pid(const void *data)
{
	return value_of(((const struct file_row *)data)->pid);
}

static struct value file_fd(const void *data)
{
	return value_of(((const struct file_row *)data)->fd);
}

static const char *file_kind(const void *data, char *buf, size_t size)
{
	static const char *const names[FILE_KINDS] = {
		[FILE_REGULAR] = "file",   [FILE_BLOCK] = "block", [FILE_CHAR] = "char",      [FILE_PIPE] = "pipe",
		[FILE_SOCKET] = "socket",  [FILE_MEMFD] = "memfd", [FILE_URING] = "io_uring", [FILE_ANON] = "anon",
	};
	const struct file_row *row = data;

	if (!row->deleted)
		return names[row->kind];
	snprintf(buf, size, "%s, deleted%s", names[row->kind], row->kind == FILE_REGULAR ? "?" : "");
	return buf;
}

/* Access, then how: "rD", "uS", "wa". */
static const char *file_mode(const void *data, char *buf, size_t size)
{
	const struct file_row *row = data;

	snprintf(buf, size, "%c%s%s", row->access, row->append ? "a" : "", row->mode);
	return buf;
}

static const char *text_or_none(const char *text)
{
	return text && *text ? text : NULL;
}

static const char *file_device(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return text_or_none(((const struct file_row *)data)->device);
}

static const char *file_mount(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return text_or_none(((const struct file_row *)data)->mount);
}

static const char *file_path(const void *data, char *buf, size_t size)
{
	(void)buf, (void)size;
	return text_or_none(((const struct file_row *)data)->path);
}

static const struct column columns[] = {
	{"pid", "PID", "", "process", 7, 0, 9, COLUMN_ASCENDING, file_pid, NULL},
	{"fd", "FD", "", "descriptor", 6, 0, 1, COLUMN_SCREEN | COLUMN_ASCENDING, file_fd, NULL},
	{"kind", "KIND", "", "file, block, char, pipe, socket, memfd, io_uring, anon; deleted?: its name is gone, or ends so", 8, 0, 4,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, file_kind},
	{"mode", "MODE", "", "r read, w write, u both, p path only; a append; D O_DIRECT, S O_SYNC or O_DSYNC, B buffered, U io_uring",
	 5, 0, 2, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, file_mode},
	{"position", "POS", "bytes", "where the next read or write call begins", 12, 0, 5, COLUMN_SCREEN, position, NULL},
	{"pos_kB/s", NULL, "KiB/s", "how fast that moves; pread, pwrite, AIO and mmap leave it alone: -", 8, 1, 3,
	 COLUMN_SCREEN, pos_kb, NULL},
	{"size", "SIZE", "KiB", "known without touching the file: of block devices", 8, 0, 7, 0, size_kib, NULL},
	{"device", "DEVICE", "", "block device it is on, or the type of its file system", 8, 0, 3,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING, NULL, file_device},
	{"mount", "MOUNT", "", "mount point of its file system", 12, 0, 6, COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING,
	 NULL, file_mount},
	{"path", "PATH", "", "what its link says", 27, 0, 1,
	 COLUMN_SCREEN | COLUMN_LEFT | COLUMN_ASCENDING | COLUMN_FILL, NULL, file_path},
};

static size_t file_count(const struct frame *frame)
{
	return frame->nfile;
}

static void *file_at(const struct frame *frame, size_t i)
{
	return (void *)&frame->file[i];
}

/* A file, a device or a ring; not what only passes data on. */
static bool file_active(const void *data)
{
	const struct file_row *row = data;

	return row->kind == FILE_REGULAR || row->kind == FILE_BLOCK || row->kind == FILE_URING;
}

static uint64_t file_identity(const void *data)
{
	const struct file_row *row = data;

	return hash_text(row->path ? row->path : "", (uint64_t)row->fd << 32 ^ (uint64_t)row->pid);
}

const struct table file_table = {
	.name = "files",
	.help = "the open files of one process (-p PID)",
	.column = columns,
	.ncolumn = COUNT_OF(columns),
	.sort = "pos_kB/s",
	.then = "",
	.count = file_count,
	.row = file_at,
	.active = file_active,
	.identity = file_identity,
	.apart = true,
};
