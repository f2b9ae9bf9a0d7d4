/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the watched process, a row each, and its sheet. */
#include "fdinfo.h"
#include "usestate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void watch_begin(struct use_watch *watch)
{
	watch->next.n = watch->next.npath = 0;
	watch->next.counts = (struct file_counts){0};
	watch->next.head[0] = watch->next.tail[0] = '\0';
}

static void release(struct watched_files *files)
{
	free(files->file);
	free(files->path);
}

void watch_release(struct use_watch *watch)
{
	release(&watch->now);
	release(&watch->next);
	free(watch->row);
}

/* ---- records ---- */

static size_t grown_to(size_t cap, size_t needed, size_t most)
{
	cap = cap ? 2 * cap : needed;
	if (cap < needed)
		cap = needed;
	return cap < most ? cap : most;
}

/* false: no room for one more, of memory or of what is kept. */
static bool room_for(struct watched_files *files, size_t length)
{
	if (files->n == ROWS_MAX || files->npath + length + 1 > PATHS_MAX)
		return false;
	if (files->n == files->cap) {
		size_t cap = grown_to(files->cap, 256, ROWS_MAX);
		struct watched_file *grown = reallocarray(files->file, cap, sizeof(*grown));
		if (!grown)
			return false;
		files->file = grown;
		files->cap = cap;
	}
	if (files->npath + length + 1 > files->path_cap) {
		size_t cap = grown_to(files->path_cap, files->npath + length + 16384, PATHS_MAX);
		char *grown = realloc(files->path, cap);
		if (!grown)
			return false;
		files->path = grown;
		files->path_cap = cap;
	}
	return true;
}

static bool has_position(enum file_kind kind)
{
	return kind == FILE_REGULAR || kind == FILE_BLOCK || kind == FILE_MEMFD;
}

static void set_row(struct file_row *row, const struct look_file *record, bool on_device)
{
	row->deleted = record->deleted;
	row->access = record->known ? fd_access(record->flags) : '?';
	row->append = record->known && fd_is_append(record->flags);
	use_letters(row->mode,
		    record->known ? file_letters(row->kind, record->flags, on_device) : 0);
	row->pos_kb = row->position = value_absent(ABSENT_UNSUPPORTED);
	row->size_kib = value_absent(ABSENT_UNSUPPORTED);
	if (!record->known || !has_position(row->kind) || row->access == 'p')
		return;
	row->position = value_of((double)record->position);
	row->pos_kb = value_absent(ABSENT_NEW);
}

void watch_take(struct uses *uses, const struct look_file *record, int64_t read_ns)
{
	struct watched_files *files = &uses->watch.next;
	size_t length = strlen(record->path);
	struct use_place *block =
	    record->kind == FILE_CHAR ? places_device(&uses->places, record->path) : NULL;
	struct use_place *place = block ? block : places_find(&uses->places, record->mnt_id);

	if (block) {
		files->counts.kind[FILE_CHAR]--;
		files->counts.kind[FILE_BLOCK]++;
	}
	if (!uses->watch.files || !room_for(files, length))
		return;
	struct watched_file *file = &files->file[files->n++];
	*file = (struct watched_file){
	    .row = {.pid = uses->watch.pid,
		    .fd = record->fd,
		    .kind = block ? FILE_BLOCK : (enum file_kind)record->kind},
	    .place = place,
	    .inode = record->inode,
	    .flags = record->flags,
	    .mnt_id = record->mnt_id,
	    .read_ns = read_ns,
	    .path_at = files->npath,
	};
	bool path = file->row.kind == FILE_REGULAR || file->row.kind == FILE_BLOCK;
	set_row(&file->row, record, path && !(place && place->memory));
	memcpy(files->path + files->npath, record->path, length + 1);
	files->npath += length + 1;
}

/* ---- a complete look ---- */

static void set_rate(struct watched_file *file, const struct watched_file *before)
{
	struct file_row *row = &file->row;
	double seconds = (double)(file->read_ns - before->read_ns) / 1e9;

	if (!value_known(row->position) || !value_known(before->row.position) || seconds <= 0)
		return;
	double moved = row->position.n - before->row.position.n;
	if (moved < 0)
		row->pos_kb = value_absent(ABSENT_RESET); /* it was set back: no rate */
	else if (moved == 0 && row->position.n == 0)
		row->pos_kb =
		    value_absent(ABSENT_UNSUPPORTED); /* pread and its like would leave it there */
	else
		row->pos_kb = value_of(moved / 1024 / seconds);
}

static int compare_fds(const void *a, const void *b)
{
	const struct watched_file *x = a, *y = b;

	return (x->row.fd > y->row.fd) - (x->row.fd < y->row.fd);
}

/* The kernel lists them by number; a copied tree need not. */
static void sort(struct watched_files *files)
{
	for (size_t i = 1; i < files->n; i++)
		if (files->file[i].row.fd < files->file[i - 1].row.fd) {
			qsort(files->file, files->n, sizeof(*files->file), compare_fds);
			return;
		}
}

void watch_end(struct use_watch *watch)
{
	const struct watched_files *now = &watch->now;
	size_t j = 0;

	sort(&watch->next);
	for (size_t i = 0; i < watch->next.n; i++) {
		struct watched_file *file = &watch->next.file[i];
		while (j < now->n && now->file[j].row.fd < file->row.fd)
			j++;
		if (j < now->n && now->file[j].row.fd == file->row.fd &&
		    now->file[j].inode == file->inode && now->file[j].mnt_id == file->mnt_id)
			set_rate(file, &now->file[j]);
	}
	watch->ready = true;
}

/* ---- the frame ---- */

static void set_places(struct use_watch *watch)
{
	for (size_t i = 0; i < watch->nrow; i++) {
		const struct watched_file *file = &watch->now.file[i];
		struct file_row *row = &watch->row[i];
		*row = file->row;
		row->path = watch->now.path + file->path_at;
		row->device = file->place ? file->place->device : "";
		row->mount = file->place ? file->place->point : "";
		if (row->kind == FILE_BLOCK && file->place)
			row->size_kib = file->place->size_kib;
	}
}

static void show_files(struct use_watch *watch)
{
	if (watch->now.n > watch->row_cap) {
		struct file_row *grown = reallocarray(watch->row, watch->now.cap, sizeof(*grown));
		if (!grown) {
			watch->nrow = 0;
			return;
		}
		watch->row = grown;
		watch->row_cap = watch->now.cap;
	}
	watch->nrow = watch->now.n;
	set_places(watch);
}

/* ---- the sheet ---- */

/* "8:16 rest": a limit's device by its name, where the frame has it. */
static void add_limit(char *text, size_t size, size_t *n, const struct frame *frame,
		      const char *line, size_t length)
{
	const char *value = memchr(line, '\t', length);
	const struct device_row *row = NULL;
	unsigned major, minor;
	int digits = 0;

	if (frame && value && sscanf(value + 1, "%u:%u%n", &major, &minor, &digits) == 2)
		row = device_numbered(frame, major, minor);
	size_t room = size - *n;
	int written;
	if (row)
		written = snprintf(text + *n, room, "%.*s%s%.*s", (int)(value + 1 - line), line,
				   row->name, (int)(line + length - value - 1 - digits),
				   value + 1 + digits);
	else
		written = snprintf(text + *n, room, "%.*s", (int)length, line);
	if (written > 0 && (size_t)written < room)
		*n += (size_t)written;
	text[*n] = '\0';
}

static void add_lines(char *text, size_t size, size_t *n, const struct frame *frame,
		      const char *lines)
{
	while (*lines) {
		const char *newline = strchr(lines, '\n');
		size_t length = newline ? (size_t)(newline + 1 - lines) : strlen(lines);
		add_limit(text, size, n,
			  strncmp(lines, "io.", 3) == 0 || strncmp(lines, "blkio.", 6) == 0 ? frame
											    : NULL,
			  lines, length);
		lines += length;
	}
}

static void add_count(char *text, size_t size, size_t *n, const char *name, struct value v)
{
	char line[64];

	if (!value_known(v))
		return;
	snprintf(line, sizeof(line), "%s\t%.0f\n", name, v.n);
	add_lines(text, size, n, NULL, line);
}

static void show_sheet(struct use_watch *watch, const struct frame *frame)
{
	size_t n = 0, size = sizeof(watch->text);

	watch->text[0] = '\0';
	add_lines(watch->text, size, &n, frame, watch->now.head);
	if (watch->of) {
		add_count(watch->text, size, &n, "AIO contexts", watch->of->use.contexts);
		add_count(watch->text, size, &n, "io_uring rings", watch->of->use.rings);
	}
	add_lines(watch->text, size, &n, frame, watch->now.tail);
}

void watch_attach(struct uses *uses, struct frame *frame)
{
	struct use_watch *watch = &uses->watch;

	if (watch->ready) {
		struct watched_files shown = watch->now;
		watch->now = watch->next;
		watch->next = shown;
		watch->ready = false;
		watch->state = watch->of ? watch->of->why : ABSENT_NEW;
	}
	if (watch->files)
		show_files(watch);
	if (watch->sheet)
		show_sheet(watch, frame);
	bool files = watch->pid && watch->files, known = files && watch->state == PRESENT;
	frame->files_pid = files ? watch->pid : 0;
	frame->files_state = files ? watch->state : ABSENT_OFF;
	frame->file = known ? watch->row : NULL;
	frame->nfile = known ? watch->nrow : 0;
	frame->file_counts = known ? watch->now.counts : (struct file_counts){0};
	frame->sheet = watch->pid && watch->sheet && *watch->text ? watch->text : NULL;
}
