/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a list looks: which columns fit, how wide they are, and their cells.
 */
#include "list.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum {
	NAME_MIN = 3,     /* a device's name is never shortened below this */
	FILL_LEAST = 10,  /* nor is a command or a path */
	LEAST_NUMBER = 5, /* cells a number keeps when columns are squeezed */
	LEAST_TEXT = 8,   /* and a device's title or mount point */
	CELL_MAX = 512
};

/* A column being laid out. */
struct list_cell {
	const struct column *column;
	int least, want, width;
	bool kept;
};

struct list_layout {
	struct list_cell cell[LIST_COLUMNS];
	size_t n;
	int sum; /* of the kept cells' least widths, with the blanks between */
};

static const char *list_column_header(const struct column *column)
{
	return column->header ? column->header : column->name;
}

static bool list_shows(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->nshown; i++)
		if (strcmp(list->shown[i]->name, name) == 0)
			return true;
	return false;
}

/* The reasons alone, where the name stands in a column of its own. */
static const char *list_reasons(const struct list *list, const struct task_row *row, const char *text)
{
	size_t name = strlen(row->task->comm);
	bool named = list_shows(list, "comm") && strncmp(text, row->task->comm, name) == 0;
	return !named ? text : text[name] ? text + name + 1 : "-";
}

/* What a row has in a column, as raw bytes. Absent is "-", a mark's absence nothing. */
static const char *list_cell_text(const struct list *list, const struct column *column,
				  const void *row, char *buf, size_t size)
{
	const char *text;
	if (list->names_only && list->table == &task_table && (column->flags & COLUMN_FILL))
		return ((const struct task_row *)row)->task->comm;
	text = column->text(row, buf, size);
	if (text && list->table == &task_table && (column->flags & COLUMN_FILL) &&
	    ((const struct task_row *)row)->kind == TASK_UNATTRIBUTED)
		text = list_reasons(list, row, text);
	return text ? text : column->width == 1 ? " " : "-";
}

/* How deep a row hangs in the tree of devices. */
static unsigned list_depth(const struct list *list, size_t i)
{
	return list->table == &device_table && list->choice.tree ? list->rows.depth[i] : 0;
}

/* What stands before a name in the tree: two cells for each step down. */
static void list_branch(char *out, size_t size, unsigned depth)
{
	int blanks = depth ? (int)(2 * depth - 1) : 0;
	snprintf(out, size, "%*s%s", blanks, "",
		 !depth ? "" : text_unicode() ? "\xe2\x94\x94" : "-");
}

static bool list_is_device_name(const struct list *list, const struct column *column)
{
	return list->table == &device_table && strcmp(column->name, "device") == 0;
}

/* The cells this column's longest content takes: only asked of names and PIDs. */
static int list_need(const struct list *list, const struct column *column)
{
	char buf[CELL_MAX];
	int need = 0;
	for (size_t i = 0; i < list->rows.n; i++) {
		int cells;
		if (column->number) {
			cells = (int)number_plain(
			    buf, value_or(column->number(list->rows.row[i]), 0), 0);
		} else {
			cells = text_width(
			    list_cell_text(list, column, list->rows.row[i], buf, sizeof(buf)));
			if (list_is_device_name(list, column))
				cells += 2 * (int)list_depth(list, i);
		}
		need = cells > need ? cells : need;
	}
	return need;
}

static void list_measure(const struct list *list, struct list_cell *cell, int width)
{
	const struct column *column = cell->column;
	int header = (int)strlen(list_column_header(column));
	cell->want = column->width > header ? column->width : header;
	cell->least = cell->want;
	if ((column->flags & COLUMN_FILL) && cell->want > FILL_LEAST)
		cell->least = width / 3 < FILL_LEAST ? FILL_LEAST
			      : width / 3 < cell->want ? width / 3
						       : cell->want;
	if (list_is_device_name(list, column)) {
		int need = list_need(list, column);
		cell->least = need < cell->want ? (need > NAME_MIN ? need : NAME_MIN) : cell->want;
		if (need > cell->want && width >= LIST_ROOMY)
			cell->want = need < 2 * cell->want ? need : 2 * cell->want;
	} else if (strcmp(column->name, "pid") == 0 || strcmp(column->name, "tid") == 0) {
		int need = list_need(list, column);
		cell->want = cell->least = need > cell->want ? need : cell->want;
	} else if (list->table == &device_table && column->text &&
		   !(column->flags & COLUMN_SCREEN)) {
		int need = list_need(list, column), most = cell->want + cell->want / 4;
		cell->want = need < header ? header : need < most ? need : most;
		cell->least = cell->want < LEAST_TEXT ? cell->want : LEAST_TEXT;
	} else if (column->number && cell->want > LEAST_NUMBER) {
		cell->least = header >= cell->want ? header : cell->want - 1;
	} else if (column->text && !(column->flags & COLUMN_FILL) && cell->want > 12) {
		cell->least = cell->want * 3 / 4;
		if (width >= LIST_ROOMY)
			cell->want += cell->want / 4;
	}
}

static unsigned list_rank(const struct list *list, const struct list_cell *cell)
{
	if (cell->column == list->choice.sort)
		return 0;
	return list_column_bit(list, cell->column) & list->forced ? 1 : cell->column->rank;
}

/* The kept cell that goes first on a narrow screen, NULL if only one is left. */
static struct list_cell *list_least_wanted(const struct list *list, struct list_layout *layout)
{
	struct list_cell *found = NULL;
	size_t kept = 0;
	for (size_t i = 0; i < layout->n; i++) {
		struct list_cell *cell = &layout->cell[i];
		if (!cell->kept)
			continue;
		kept++;
		if (!found || list_rank(list, cell) >= list_rank(list, found))
			found = cell;
	}
	return kept > 1 ? found : NULL;
}

/* The column not shown yet that comes first on a wide screen; none where they were chosen. */
static struct list_cell *list_most_wanted(const struct list *list, struct list_layout *layout,
					  int width)
{
	struct list_cell *found = NULL;
	if (list->chosen)
		return NULL;
	for (size_t i = 0; i < layout->n; i++) {
		struct list_cell *cell = &layout->cell[i];
		if (cell->kept || list_yields_column(list, cell->column, width))
			continue;
		if (!found || cell->column->rank < found->column->rank)
			found = cell;
	}
	return found;
}

/* Whether it fits into these cells: as it wants to be, or text shortened. */
static bool list_squeeze_in(struct list_cell *cell, int room)
{
	if (cell->want > room && (!cell->column->text || cell->least > room))
		return false;
	cell->least = cell->want < room ? cell->want : room;
	return true;
}

/* Chooses the columns: drops while they do not fit, adds while more would. */
static void list_choose_columns(const struct list *list, struct list_layout *layout, int width)
{
	struct list_cell *cell;
	int spare = 0;
	layout->sum = -1;
	for (size_t i = 0; i < layout->n; i++) {
		cell = &layout->cell[i];
		cell->kept = list_wants_column(list, cell->column, width);
		layout->sum += cell->kept ? cell->least + 1 : 0;
	}
	while (layout->sum > width && (cell = list_least_wanted(list, layout))) {
		cell->kept = false;
		layout->sum -= cell->least + 1;
		spare = 1;
	}
	if (spare)
		return;
	for (size_t i = 0; i < layout->n; i++) {
		cell = &layout->cell[i];
		if (cell->kept) /* what it wants, and a command line worth reading */
			spare += cell->column->flags & COLUMN_FILL ? 3 * cell->want
								   : cell->want - cell->least;
	}
	while ((cell = list_most_wanted(list, layout, width)) &&
	       list_squeeze_in(cell, width - layout->sum - spare - 1)) {
		cell->kept = true;
		layout->sum += cell->least + 1;
	}
}

/* Gives the room that is left: first to what was squeezed, then to the last text. */
static void list_share_room(struct list_layout *layout, int width)
{
	int room = width - layout->sum;
	for (unsigned rank = 0; rank < 256 && room > 0; rank++) {
		for (size_t i = 0; i < layout->n; i++) {
			struct list_cell *cell = &layout->cell[i];
			if (!cell->kept || cell->column->rank != rank)
				continue;
			int more = cell->want - cell->least;
			more = more < room ? more : room;
			if (more > 0) {
				cell->least += more;
				room -= more;
			}
		}
	}
	for (size_t i = 0; i < layout->n; i++) {
		struct list_cell *cell = &layout->cell[i];
		cell->width = cell->least;
		if (cell->kept && (cell->column->flags & COLUMN_FILL) && room > 0)
			cell->width += room;
	}
}

static void list_lay_out(struct list *list, struct list_layout *layout, int width)
{
	const struct table *table = list->table;
	size_t columns = list_columns(table);
	layout->n = columns < LIST_COLUMNS ? columns : LIST_COLUMNS;
	for (size_t i = 0; i < layout->n; i++) {
		layout->cell[i] = (struct list_cell){.column = &table->column[i]};
		list_measure(list, &layout->cell[i], width);
	}
	list_choose_columns(list, layout, width);
	list_share_room(layout, width);
	int x = 0;
	list->nshown = 0;
	for (size_t i = 0; i < layout->n; i++) {
		if (!layout->cell[i].kept)
			continue;
		list->place.column[list->nshown] = x;
		list->shown[list->nshown++] = layout->cell[i].column;
		x += layout->cell[i].width + 1;
	}
}

void list_fit(struct list *list)
{
	struct list_layout layout;
	list_lay_out(list, &layout, COLS);
}

static void list_draw_header(const struct list *list, const struct list_layout *layout, int y)
{
	int x = 0;
	for (size_t i = 0; i < layout->n; i++) {
		const struct list_cell *cell = &layout->cell[i];
		const char *header = list_column_header(cell->column);
		int len = (int)strlen(header), at = x;
		if (!cell->kept)
			continue;
		theme_use(ROLE_HEADER);
		text_blank(y, x, cell->width + 1);
		if (!(cell->column->flags & COLUMN_LEFT) && len < cell->width)
			at += cell->width - len;
		theme_use(cell->column == list->choice.sort ? ROLE_SORTED : ROLE_HEADER);
		text_put(y, at, len < cell->width ? len : cell->width, header, TEXT_CUT_END);
		x += cell->width + 1;
	}
	theme_use(ROLE_PLAIN);
}

static void list_draw_cell(const struct list *list, const struct list_cell *cell, size_t i, int y,
			   int x)
{
	char buf[CELL_MAX], branch[2 * TREE_DEPTH + 4], named[CELL_MAX + sizeof(branch)];
	const struct column *column = cell->column;
	if (column->number) {
		struct value v = column->number(list->rows.row[i]);
		if (strncmp(column->unit, "KiB", 3) == 0)
			kib_fit(buf, v, (unsigned)cell->width, column->precision);
		else
			number_fit(buf, v, (unsigned)cell->width, column->precision);
		text_put_right(y, x, cell->width, buf);
		return;
	}
	const char *text = list_cell_text(list, column, list->rows.row[i], buf, sizeof(buf));
	enum text_cut cut = TEXT_CUT_END;
	if (list_is_device_name(list, column)) {
		list_branch(branch, sizeof(branch), list_depth(list, i));
		snprintf(named, sizeof(named), "%s%s", branch, text);
		text = named;
		cut = TEXT_CUT_MIDDLE;
	}
	if (list->table == &file_table) /* a path's end says most */
		cut = TEXT_CUT_MIDDLE;
	text_put(y, x, cell->width, text, cut);
}

/* What is no task of now, or no task at all. */
static bool list_is_dim(const struct list *list, const void *row)
{
	if (list->table == &task_table)
		return ((const struct task_row *)row)->kind == TASK_UNATTRIBUTED;
	if (list->table == &total_table)
		return ((const struct total_row *)row)->ended;
	return list->dimmed;
}

static enum role list_row_role(const struct list *list, size_t i)
{
	if (list->selected && list->present && list->cursor == i)
		return ROLE_SELECTED;
	if (list_is_dim(list, list->rows.row[i]))
		return ROLE_DIM;
	if (list->table != &device_table)
		return ROLE_PLAIN;
	char mark = ((const struct device_row *)list->rows.row[i])->mark;
	return mark == 'W' ? ROLE_MARK_HIGH : mark == 'w' ? ROLE_MARK_LOW : ROLE_PLAIN;
}

static void list_draw_row(const struct list *list, const struct list_layout *layout, size_t i,
			  int y)
{
	int x = 0;
	theme_use(list_row_role(list, i));
	text_blank(y, 0, COLS);
	for (size_t c = 0; c < layout->n; c++) {
		if (!layout->cell[c].kept)
			continue;
		list_draw_cell(list, &layout->cell[c], i, y, x);
		x += layout->cell[c].width + 1;
	}
	theme_use(ROLE_PLAIN);
}

/* True if its name is wanted now and was not before. */
static bool list_mark_on_show(const struct list *list, void *data)
{
	bool *on_show = NULL, wanted = false;
	if (list->table == &device_table) {
		on_show = &((struct device_row *)data)->on_show;
	} else if (list->table == &task_table || list->table == &aio_table) {
		struct task_row *row = list->table == &aio_table
					   ? (struct task_row *)((struct aio_row *)data)->task
					   : data;
		on_show = &row->on_show;
		wanted = !row->on_show && row->names == TASK_NAMES_WANTED;
	}
	if (on_show)
		*on_show = true;
	return wanted;
}

void list_draw_nothing(const struct list *list, const struct frame *frame, int y)
{
	char line[CELL_MAX];
	enum absent state = list->table == &device_table ? frame->devices_state
			    : list->table == &task_table ? frame->tasks_state
							 : PRESENT;
	if (list->rows.hidden > 0)
		snprintf(line, sizeof(line), "none to show: %zu hidden%s", list->rows.hidden,
			 list->choice.filter || *list->user ? " by the filter (Esc removes it)"
			 : list->table == &file_table ? ", no files or devices (o shows them)"
			 : list->choice.active        ? " as inactive (o shows them)"
					       : " that never did anything (U shows them)");
	else if (state != PRESENT)
		snprintf(line, sizeof(line), "%s: %s", absent_name(state), absent_help(state));
	else
		snprintf(line, sizeof(line), "%s", list->nothing ? list->nothing : "none");
	theme_use(ROLE_DIM);
	text_put(y, 2, COLS - 2, line, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}

bool list_draw(struct list *list, const struct frame *frame, int y, int h, unsigned parts)
{
	struct list_layout layout;
	bool wanted = false;
	int end = y + h;
	if (h <= 0)
		return false;
	list_place(list, y, end);
	if (parts & LIST_TITLE)
		list_draw_title(list, y++, parts & LIST_FOCUS);
	list_lay_out(list, &layout, COLS);
	if ((parts & LIST_HEADER) && y < end) {
		list->place.header = y;
		list_draw_header(list, &layout, y++);
	}
	list_scroll(list, end > y ? (size_t)(end - y) : 0);
	if (list->rows.n == 0 && y < end)
		list_draw_nothing(list, frame, y);
	for (size_t i = list->top; i < list->rows.n && y < end; i++, y++) {
		list_place_row(list, y);
		list_draw_row(list, &layout, i, y);
		wanted |= list_mark_on_show(list, list->rows.row[i]);
	}
	return wanted;
}
