/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The overview: devices, tasks and findings share one screen.
 */
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>

/*
 * TITLES_FROM, HEADERS_FROM: lines below which titles, then column headers,
 * give way to rows.
 */
enum { TITLES_FROM = 12, HEADERS_FROM = 5, TITLE_LINES = 3, HEADER_LINES = 2 };

/* Lines of rows each section gets. */
struct overview_share {
	int devices, tasks, findings;
};

static int overview_least(int a, int b)
{
	return a < b ? a : b;
}

static int overview_rows(const struct list *list)
{
	return list->rows.n > 0 ? overview_least((int)list->rows.n, 1 << 14) : 1;
}

/* The devices up to the last that does something, and one more. */
static int overview_active(const struct list *list)
{
	size_t n = list->rows.n;
	while (n > 0 && !list->table->active(list->rows.row[n - 1]))
		n--;
	return overview_least((int)(n < 1 << 14 ? n : 1 << 14) + 1, overview_rows(list));
}

/* Takes up to `wish` of what is left. */
static int overview_take(int *left, int wish)
{
	int got = overview_least(*left, wish > 0 ? wish : 0);
	*left -= got;
	return got;
}

/*
 * Each gets a third at first, rounded in favour of devices and findings; what
 * one does not need goes to the tasks, then back to the others: devices that are
 * idle come as far as there is room left, and after them findings that have ended.
 */
static struct overview_share overview_divide(const struct screen *screen, int lines)
{
	const struct list *list = screen->list;
	int devices = overview_rows(&list[LIST_DEVICES]), active = overview_active(&list[LIST_DEVICES]);
	int tasks = overview_rows(&list[screen->totals ? LIST_TOTALS : LIST_TASKS]);
	int findings = findings_lines(&list[LIST_FINDINGS], screen->frame, lines);
	struct overview_share share = {0};
	int left = lines;
	share.devices = overview_take(
	    &left, overview_least(active, lines < 3 ? 1 : lines / 3 + lines % 3 / 2));
	share.findings =
	    overview_take(&left, overview_least(findings, lines < 3 ? 1 : lines / 3 + 1));
	if (left == 0 && lines > 2)
		left += overview_take(share.findings > 1 ? &share.findings : &share.devices, 1);
	share.tasks = overview_take(&left, tasks);
	share.findings += overview_take(&left, findings - share.findings);
	share.devices += overview_take(&left, devices - share.devices);
	share.findings += overview_take(&left, findings_ended(&list[LIST_FINDINGS]));
	share.tasks += left;
	return share;
}

static unsigned overview_parts(const struct screen *screen, unsigned which, int h)
{
	return (h >= TITLES_FROM ? LIST_TITLE : 0u) | (h >= HEADERS_FROM ? LIST_HEADER : 0u) |
	       (screen->focus == which ? LIST_FOCUS : 0u);
}

void overview_draw(struct screen *screen, int y, int h)
{
	struct list *list = screen->list;
	int extra = (h >= HEADERS_FROM ? 1 : 0) + (h >= TITLES_FROM ? 1 : 0);
	int around = (h >= HEADERS_FROM ? HEADER_LINES : 0) + (h >= TITLES_FROM ? TITLE_LINES : 0);
	struct overview_share share = overview_divide(screen, h - around);
	const struct frame *frame = screen->frame;

	screen->names_wanted |= list_draw(&list[LIST_DEVICES], frame, y, share.devices + extra,
					  overview_parts(screen, LIST_DEVICES, h));
	y += share.devices + extra;
	if (share.tasks > 0)
		screen->names_wanted |= list_draw(state_tasks(screen), frame, y, share.tasks + extra,
						  overview_parts(screen, LIST_TASKS, h));
	y += share.tasks > 0 ? share.tasks + extra : 0;
	findings_draw(&list[LIST_FINDINGS], frame, y, share.findings + (h >= TITLES_FROM ? 1 : 0),
		      overview_parts(screen, LIST_FINDINGS, h), h >= TITLES_FROM);
}
