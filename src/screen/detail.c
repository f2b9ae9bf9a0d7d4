/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line on the selected row: its full name and what the columns have no room for.
 */
#include "draw.h"
#include "subject.h"
#include "text.h"
#include "theme.h"
#include "words.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DETAIL_MAX = 1024 };

__attribute__((format(printf, 2, 3))) static void detail_add(char *line, const char *format, ...)
{
	size_t len = strlen(line);
	va_list args;
	va_start(args, format);
	vsnprintf(line + len, DETAIL_MAX - len, format, args);
	va_end(args);
}

static void detail_info(char *line, const struct device_info *info)
{
	char size[NUMBER_MAX];
	if (*info->title)
		detail_add(line, "  %s", info->title);
	size_fit(size, value_of((double)info->size_sectors / 2));
	if (info->size_sectors > 0)
		detail_add(line, "  %s", size);
	if (info->rotational >= 0 && !info->virtual_medium)
		detail_add(line, "  %s", info->rotational ? "rotational" : "not rotational");
	if (*info->scheduler)
		detail_add(line, "  scheduler %s", info->scheduler);
	if (info->nr_requests > 0)
		detail_add(line, "  nr_requests %d", info->nr_requests);
	if (info->queue_depth > 0)
		detail_add(line, "  queue_depth %d", info->queue_depth);
	if (*info->write_cache)
		detail_add(line, "  cache %s", info->write_cache);
	for (size_t i = 0; i < info->nlower; i++)
		detail_add(line, "%s%s", i ? " " : "  on ", info->lower[i]);
}

static void detail_device(char *line, const struct device_row *row)
{
	detail_add(line, "%s", row->name);
	if (row->why != PRESENT)
		detail_add(line, "  %s: %s", absent_name(row->why), absent_help(row->why));
	if (row->info)
		detail_info(line, row->info);
}

/* How it does I/O, where it waits, what its children did. */
static void detail_io(char *line, const struct task_row *row)
{
	char mode[160], size[NUMBER_MAX];
	if (row->use && row->use->why == PRESENT) {
		words_mode(row->use->mode, mode, sizeof(mode));
		detail_add(line, "%s%s", *mode ? "  " : "", mode);
	}
	if (*row->task->wchan)
		detail_add(line, "  waits in %s", row->task->wchan);
	double inherited = value_or(row->inh_rkb, 0) + value_or(row->inh_wkb, 0);
	size_fit(size, value_of(inherited));
	if (inherited > 0)
		detail_add(line, "  inherited %s/s", size);
}

static void detail_task(char *line, const struct task_row *row)
{
	const struct task_sample *task = row->task;
	enum absent io = (enum absent)task->io_state;
	if (row->kind == TASK_UNATTRIBUTED) {
		subject_nobody(row, line, DETAIL_MAX);
		return;
	}
	detail_add(line, "pid %d  ", (int)task->pid);
	if (row->kind == TASK_THREAD)
		detail_add(line, "tid %d  ", (int)task->tid);
	detail_add(line, "%s", task->comm);
	if (row->blocked)
		detail_add(line, "  %s: %s", absent_name(ABSENT_BLOCKED),
			   absent_help(ABSENT_BLOCKED));
	else if (row->late)
		detail_add(line, "  %s: %s", absent_name(ABSENT_LATE), absent_help(ABSENT_LATE));
	else if (io != PRESENT)
		detail_add(line, "  %s: %s", absent_name(io), absent_help(io));
	detail_io(line, row);
	if (task->threads > 1)
		detail_add(line, "  %u threads", (unsigned)task->threads);
	if (row->command)
		detail_add(line, "  %s", row->command);
}

static void detail_file(char *line, const struct file_row *row)
{
	char mode[160];
	words_mode(row->mode, mode, sizeof(mode));
	const char *deleted = row->kind == FILE_REGULAR ? "  deleted?" : "  deleted";
	detail_add(line, "fd %d%s%s%s", (int)row->fd, row->deleted ? deleted : "",
		   *mode ? "  " : "", mode);
	if (row->mount && *row->mount)
		detail_add(line, "  on %s", row->mount);
	if (row->path)
		detail_add(line, "  %s", row->path);
}

static void detail_total(char *line, const struct total_row *row)
{
	char r[NUMBER_MAX], w[NUMBER_MAX];
	size_fit(r, value_of(row->rkib));
	size_fit(w, value_of(row->wkib));
	if (row->pid)
		detail_add(line, "pid %d  ", (int)row->pid);
	detail_add(line, "%s%s  read %s, written %s in %.0f s", row->name, row->ended ? "  ended" : "", r, w,
		   row->seconds);
}

bool detail_draw(const struct screen *screen, int y)
{
	char line[DETAIL_MAX] = "";
	const struct list *list = state_list((struct screen *)screen);
	const void *row = list && screen->frame ? list_selected(list) : NULL;
	if (!row || list->table == &finding_table)
		return false;
	if (list->table == &device_table)
		detail_device(line, row);
	else if (list->table == &file_table)
		detail_file(line, row);
	else if (list->table == &total_table)
		detail_total(line, row);
	else if (list->table == &aio_table)
		detail_task(line, ((const struct aio_row *)row)->task);
	else
		detail_task(line, row);
	theme_use(ROLE_TITLE);
	text_put(y, 0, COLS, line, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	return true;
}
