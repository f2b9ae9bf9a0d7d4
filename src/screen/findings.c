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

enum { HEAD_MAX = SUBJECT_MAX + 128, NARROW = 60, TEXT_LEAST = 30 };

/* A block of lines being drawn, or only counted (y < 0). */
struct findings_block {
	double now; /* wall clock of the frame */
	bool selected;
	int y, used, room;
};

static char findings_letter(const struct finding *finding)
{
	static const char letters[] = {'i', 'w', 'C'};
	return finding->ended ? 'e' : letters[finding->severity];
}

/* When it held, and how long: as much as there is room for. */
static void findings_times(const struct finding *finding, double now, int room, char out[HEAD_MAX])
{
	char since[32], until[32], lasted[32];
	const char *ended = finding->ended ? " ended" : "";
	words_clock(finding->since_epoch, now, since, sizeof(since));
	words_clock(finding->ended_epoch, now, until, sizeof(until));
	words_duration(finding->lasted_s, lasted, sizeof(lasted));
	if (COLS < NARROW)
		snprintf(out, HEAD_MAX, "%s %s%s", since, lasted, ended);
	else if (finding->ended)
		snprintf(out, HEAD_MAX, "%s-%s %s%s", since, until, lasted, ended);
	else
		snprintf(out, HEAD_MAX, "since %s, %s", since, lasted);
	if (text_width(out) > room)
		snprintf(out, HEAD_MAX, "%s%s", lasted, ended);
}

/* Who, which rule, when; returns its cells. */
static int findings_head(const struct finding *finding, const struct findings_block *block)
{
	static const enum role roles[] = {ROLE_INFO, ROLE_WARN, ROLE_CRIT};
	char head[2 * HEAD_MAX], times[HEAD_MAX];
	int n = snprintf(head, HEAD_MAX, "%c %s %s ", findings_letter(finding), finding->subject,
			 finding->rule);
	findings_times(finding, block->now, COLS - text_width(head), times);
	snprintf(head + n, sizeof(head) - (size_t)n, "%s", times);
	int width = text_width(head);
	width = width < COLS ? width : COLS;
	if (block->y >= 0) {
		theme_use(block->selected  ? ROLE_SELECTED
			  : finding->ended ? ROLE_DIM
					   : roles[finding->severity]);
		text_put(block->y, 0, width, head, TEXT_CUT_END);
		theme_use(finding->ended ? ROLE_DIM : ROLE_PLAIN);
	}
	return width;
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

/* Lines used, at most block->room; one that has ended takes one. */
static int findings_put(const struct finding *finding, struct findings_block block)
{
	int indent = COLS < NARROW ? 2 : 4;
	block.used = 1;
	if (finding->ended)
		block.room = 1;
	int width = findings_head(finding, &block);
	findings_paragraph(&block, COLS - width - 2 >= TEXT_LEAST ? width + 2 : 0, indent,
			   finding->text);
	theme_use(ROLE_PLAIN);
	if (*finding->advice && block.used < block.room) {
		if (block.y >= 0)
			text_put(block.y + block.used, indent - 2, 1, ">", TEXT_CUT_END);
		findings_paragraph(&block, 0, indent, finding->advice);
	}
	return block.used;
}

/* The lines of a row, were there so much room. */
static int findings_count(const struct list *list, size_t at, double now, int room)
{
	return findings_put(list->rows.row[at],
			    (struct findings_block){.now = now, .y = -1, .room = room});
}

/* How many rows are findings that hold: they come first. */
static size_t findings_holding(const struct list *list)
{
	size_t n = 0;
	while (n < list->rows.n && list->table->active(list->rows.row[n]))
		n++;
	return n;
}

int findings_ended(const struct list *list)
{
	return (int)(list->rows.n - findings_holding(list));
}

int findings_lines(const struct list *list, const struct frame *frame, int enough)
{
	size_t n = findings_holding(list);
	int lines = 0;
	for (size_t i = 0; i < n && lines < enough; i++)
		lines += findings_count(list, i, frame->epoch, enough);
	return lines > 0 ? (lines < enough ? lines : enough) : 1;
}

/* Scrolls back from the selected finding over as many whole blocks as fit before it. */
static void findings_scroll(struct list *list, double now, int h)
{
	size_t first = list->cursor;
	int left;
	if (list->top >= list->rows.n)
		list->top = list->rows.n > 0 ? list->rows.n - 1 : 0;
	if (!list_selected(list) || list->loose)
		return;
	left = h - findings_count(list, first, now, h);
	while (first > 0 && left > 0) {
		left -= findings_count(list, first - 1, now, h);
		if (left >= 0)
			first--;
	}
	if (list->top < first)
		list->top = first;
	if (list->top > list->cursor)
		list->top = list->cursor;
}

/*
 * Under `fair` the findings share the lines: one each, the first ones what is left.
 * Those that have ended get a line where one is left, or up to the selected one.
 */
static void findings_draw_blocks(struct list *list, double now, int y, int end, bool fair)
{
	size_t n = list->rows.n, least = findings_holding(list);
	if (list_selected(list) && least <= list->cursor)
		least = list->cursor + 1;
	if (fair)
		list_scroll(list, end > y ? (size_t)(end - y) : 0);
	else
		findings_scroll(list, now, end - y);
	list->page = 0;
	for (size_t i = list->top; i < n && y < end; i++) {
		size_t after = least > i + 1 ? least - i - 1 : 0;
		int room = end - y, others = after < (size_t)room ? (int)after : room - 1;
		list_place_row(list, y);
		bool selected = list_selected(list) == list->rows.row[i];
		y += findings_put(list->rows.row[i],
				  (struct findings_block){.now = now,
							  .selected = selected,
							  .y = y,
							  .room = fair ? room - others : room});
		list->page++;
	}
}

/* Nothing found is not "all is well" where figures were missing. */
static const char *findings_none(const struct frame *frame)
{
	if (frame->nfinding > 0)
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
	if (findings_holding(list) == 0 && y < end) {
		theme_use(ROLE_DIM);
		text_put(y++, 2, COLS - 2, findings_none(frame), TEXT_CUT_END);
		theme_use(ROLE_PLAIN);
	}
	findings_draw_blocks(list, frame->epoch, y, end, fair);
}
