/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of a task's open files, drawn from a copy of the frame's rows.
 */
#include "files.h"
#include "draw.h"
#include "subject.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From so many lines on the counts have one of their own. */
enum { NOTE_FROM = 5 };

void files_release(struct files *files)
{
	free(files->row);
	free(files->text);
}

static size_t files_text_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/* Room for the frame's rows and their texts; grows only. */
static bool files_reserve(struct files *files, const struct frame *frame)
{
	size_t size = 0;
	for (size_t i = 0; i < frame->nfile; i++) {
		const struct file_row *row = &frame->file[i];
		size += files_text_size(row->device) + files_text_size(row->mount) +
			files_text_size(row->path);
	}
	if (frame->nfile > files->cap) {
		size_t cap = frame->nfile + frame->nfile / 4 + 16;
		struct file_row *row = reallocarray(files->row, cap, sizeof(*row));
		if (!row)
			return false;
		files->row = row;
		files->cap = cap;
	}
	if (size > files->text_cap) {
		char *text = realloc(files->text, size + size / 4);
		if (!text)
			return false;
		files->text = text;
		files->text_cap = size + size / 4;
	}
	return true;
}

static const char *files_copy_text(char **at, const char *text)
{
	char *copy = *at;
	if (!text)
		return NULL;
	memcpy(copy, text, strlen(text) + 1);
	*at += strlen(text) + 1;
	return copy;
}

static void files_copy(struct files *files, const struct frame *frame)
{
	char *at = files->text;
	for (size_t i = 0; i < frame->nfile; i++) {
		struct file_row *row = &files->row[i];
		*row = frame->file[i];
		row->device = files_copy_text(&at, row->device);
		row->mount = files_copy_text(&at, row->mount);
		row->path = files_copy_text(&at, row->path);
	}
	files->frame.file = files->row;
	files->frame.nfile = frame->nfile;
	files->frame.file_counts = frame->file_counts;
}

static void files_forget(struct files *files, const struct subject *subject)
{
	if (files->frame.files_pid == subject->pid && files->start_ticks == subject->start_ticks)
		return;
	files->frame.files_pid = subject->pid;
	files->start_ticks = subject->start_ticks;
	files->frame.nfile = 0;
	files->frame.file_counts = (struct file_counts){0};
	files->frame.files_state = ABSENT_NEW;
}

void files_keep(struct screen *screen)
{
	struct files *files = &screen->files;
	const struct frame *frame = screen->frame;
	files_forget(files, &screen->subject);
	if (screen->view != VIEW_FILES || !frame || screen->subject.pid == 0 ||
	    frame->files_pid != screen->subject.pid || subject_gone(screen))
		return;
	files->frame.files_state = frame->files_state;
	if (frame->files_state == PRESENT && files_reserve(files, frame))
		files_copy(files, frame);
}

static void files_add_count(char *line, size_t size, size_t n, const char *one, const char *many)
{
	size_t len = strlen(line);
	if (n > 0)
		snprintf(line + len, size - len, "%s%zu %s", strchr(line, ':')[1] ? ", " : " ", n,
			 n == 1 ? one : many);
}

/* "18012 open: 12 files, 3 block, 17990 sockets, 2 deleted" */
static void files_counts(const struct file_counts *counts, char *line, size_t size)
{
	static const char *const words[FILE_KINDS][2] = {
	    [FILE_REGULAR] = {"file", "files"},	  [FILE_BLOCK] = {"block", "block"},
	    [FILE_CHAR] = {"char", "char"},	  [FILE_PIPE] = {"pipe", "pipes"},
	    [FILE_SOCKET] = {"socket", "sockets"}, [FILE_MEMFD] = {"memfd", "memfds"},
	    [FILE_URING] = {"io_uring", "io_uring"}, [FILE_ANON] = {"anon", "anon"},
	};
	snprintf(line, size, "%zu open:", counts->all);
	for (size_t i = 0; i < FILE_KINDS; i++)
		files_add_count(line, size, counts->kind[i], words[i][0], words[i][1]);
	files_add_count(line, size, counts->deleted, "deleted", "deleted");
}

/* Why there is not one row. */
static void files_nothing(const struct screen *screen, char *line, size_t size)
{
	enum absent state = screen->files.frame.files_state;
	if (screen->subject.pid == 0)
		snprintf(line, size, "select a task first: 3, then up and down");
	else if (subject_gone(screen))
		snprintf(line, size, "it has ended before its files were known");
	else if (state == ABSENT_NEW)
		snprintf(line, size, "not looked at yet: the answer comes in a moment");
	else if (state != PRESENT)
		snprintf(line, size, "%s: %s", absent_name(state), absent_help(state));
	else
		snprintf(line, size, "it has no open files");
}

/* The line under the title. */
static void files_note(const struct screen *screen, char *line, size_t size)
{
	const struct files *files = &screen->files;
	enum absent state = files->frame.files_state;
	size_t len;
	line[0] = '\0';
	if (files->frame.file_counts.all == 0)
		return;
	files_counts(&files->frame.file_counts, line, size);
	len = strlen(line);
	if (subject_gone(screen))
		snprintf(line, size, "it has ended; its files as last seen");
	else if (state != PRESENT)
		snprintf(line + len, size - len, "; now %s", absent_name(state));
}

void files_update(struct screen *screen, bool keep_order)
{
	struct list *list = &screen->list[LIST_FILES];
	struct files *files = &screen->files;
	const struct subject *subject = &screen->subject;
	bool gone = subject_gone(screen);

	if (subject->pid)
		snprintf(files->title, sizeof(files->title), "Files of %d %s%s", (int)subject->pid,
			 subject->comm, gone ? " (ended)" : "");
	else
		snprintf(files->title, sizeof(files->title), "Files");
	files_note(screen, files->note, sizeof(files->note));
	files_nothing(screen, files->nothing, sizeof(files->nothing));
	list->title = files->title;
	list->nothing = files->nothing;
	list->dimmed = gone;
	list_update(list, &files->frame, keep_order);
}

void files_draw(struct screen *screen, int y, int h)
{
	struct list *list = &screen->list[LIST_FILES];
	const struct files *files = &screen->files;
	if (h >= NOTE_FROM && *files->note) {
		list_draw_title(list, y, true);
		theme_use(list->dimmed ? ROLE_TITLE : ROLE_PLAIN);
		text_put(y + 1, 2, COLS - 2, files->note, TEXT_CUT_END);
		theme_use(ROLE_PLAIN);
		list_draw(list, &files->frame, y + 2, h - 2, LIST_HEADER);
	} else {
		list_draw(list, &files->frame, y, h, LIST_TITLE | LIST_HEADER | LIST_FOCUS);
	}
}
