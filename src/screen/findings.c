/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings, told in full: who, which rule, how long, the sentence, the advice.
 */
#include "draw.h"
#include "text.h"
#include "theme.h"
#include "words.h"

#include <curses.h>
#include <stdio.h>

enum { HEAD_MAX = SUBJECT_MAX + 96, NARROW = 60, TEXT_LEAST = 30 };

/* A block of lines being drawn, or only counted (y < 0). */
struct findings_block {
	int y, used, room;
};

static char findings_letter(enum severity severity)
{
	return severity == SEVERITY_CRIT ? 'C' : severity == SEVERITY_WARN ? 'w' : 'i';
}

/* Puts wrapped text at x; its first line begins at `first`, on the line drawn last. */
static void findings_paragraph(struct findings_block *block, int first, int x, const char *raw)
{
	struct text_wrap wrap;
	text_wrap_start(&wrap, raw);
	if (first > 0 && text_wrap_more(&wrap))
		text_wrap_line(&wrap, block->y < 0 ? -1 : block->y + block->used - 1, first,
			       COLS - first, block->used == block->room);
	while (text_wrap_more(&wrap) && block->used < block->room) {
		block->used++;
		text_wrap_line(&wrap, block->y < 0 ? -1 : block->y + block->used - 1, x, COLS - x,
			       block->used == block->room);
	}
}

/* Lines used, at most `room`. y < 0: counts only. */
static int findings_put(const struct finding *finding, bool selected, int y, int room)
{
	static const enum role roles[] = {ROLE_INFO, ROLE_WARN, ROLE_CRIT};
	struct findings_block block = {.y = y, .used = 1, .room = room};
	int indent = COLS < NARROW ? 2 : 4;
	char head[HEAD_MAX], lasted[32];
	words_duration(finding->lasted_s, lasted, sizeof(lasted));
	snprintf(head, sizeof(head), "%c %s %s %s", findings_letter(finding->severity),
		 finding->subject, finding->rule, lasted);
	int width = text_width(head);
	width = width < COLS ? width : COLS;
	if (y >= 0) {
		theme_use(selected ? ROLE_SELECTED : roles[finding->severity]);
		text_put(y, 0, width, head, TEXT_CUT_END);
		theme_use(ROLE_PLAIN);
	}
	findings_paragraph(&block, COLS - width - 2 >= TEXT_LEAST ? width + 2 : 0, indent,
			   finding->text);
	if (*finding->advice && block.used < room) {
		if (y >= 0)
			text_put(y + block.used, indent - 2, 1, ">", TEXT_CUT_END);
		findings_paragraph(&block, 0, indent, finding->advice);
	}
	return block.used;
}

int findings_lines(const struct list *list, int enough)
{
	int lines = 0;
	for (size_t i = 0; i < list->rows.n && lines < enough; i++)
		lines += findings_put(list->rows.row[i], false, -1, enough);
	return lines > 0 ? (lines < enough ? lines : enough) : 1;
}

/* Scrolls back from the selected finding over as many whole blocks as fit before it. */
static void findings_scroll(struct list *list, int h)
{
	size_t first = list->cursor;
	int left;
	list->page = 1;
	if (list->top >= list->rows.n)
		list->top = list->rows.n > 0 ? list->rows.n - 1 : 0;
	if (!list_selected(list) || list->loose)
		return;
	left = h - findings_put(list->rows.row[first], false, -1, h);
	while (first > 0 && left > 0) {
		left -= findings_put(list->rows.row[first - 1], false, -1, h);
		if (left >= 0)
			first--;
	}
	if (list->top < first)
		list->top = first;
	if (list->top > list->cursor)
		list->top = list->cursor;
}

/* Under `fair` the findings share the lines: one each, the first ones what is left. */
static void findings_draw_blocks(struct list *list, int y, int end, bool fair)
{
	size_t n = list->rows.n;
	if (fair)
		list_scroll(list, end > y ? (size_t)(end - y) : 0);
	else
		findings_scroll(list, end - y);
	for (size_t i = list->top; i < n && y < end; i++) {
		size_t after = n - i - 1;
		int room = end - y, others = after < (size_t)room ? (int)after : room - 1;
		list_place_row(list, y);
		bool selected = list_selected(list) == list->rows.row[i];
		y += findings_put(list->rows.row[i], selected, y, fair ? room - others : room);
	}
}

/* Nothing found is not "all is well" where figures were missing. */
static const char *findings_none(const struct list *list, const struct frame *frame)
{
	if (list->rows.hidden > 0)
		return "none to show: all hidden by the filter (Esc removes it)";
	if (frame->since_boot)
		return "an average since boot: nothing can be said of the present";
	if (frame->devices_state != PRESENT)
		return "none, but devices could not be judged: their figures are absent";
	if (frame->tasks_state == ABSENT_LATE)
		return "none, but tasks were not read in time: who drives a device is unknown";
	/* a few refused tasks are the rule, most of them are not */
	if (frame->tasks_state != PRESENT || frame->system.others_hidden ||
	    2 * value_or(frame->system.unreadable, 0) > value_or(frame->system.tasks, 0))
		return "none, but most tasks are unreadable: who drives a device is unknown";
	return "none: no rule held for the last ticks";
}

void findings_draw(struct list *list, const struct frame *frame, int y, int h, unsigned parts,
		   bool fair)
{
	int end = y + h;
	if (h <= 0)
		return;
	list_place(list, y, end);
	if (parts & LIST_TITLE)
		list_draw_title(list, y++, parts & LIST_FOCUS);
	if (list->rows.n > 0) {
		findings_draw_blocks(list, y, end, fair);
	} else if (y < end) {
		theme_use(ROLE_DIM);
		text_put(y, 2, COLS - 2, findings_none(list, frame), TEXT_CUT_END);
		theme_use(ROLE_PLAIN);
	}
}
