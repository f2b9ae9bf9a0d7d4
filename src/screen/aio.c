/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's AIO figures in words, each with where it came from.
 */
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>

enum { NAME_CELLS = 10, FIGURE_CELLS = 16, INDENT = 2, LINE_CELLS_MAX = 100 };

static const char *aio_slab_words(enum slab_state state)
{
	switch (state) {
	case SLAB_COUNTED:
		return "counted in /proc/slabinfo, a line of its own";
	case SLAB_SHARED:
		return "~ shared: this slabinfo line counts other caches too, weak evidence";
	case SLAB_MERGED:
		return "merged into another slab cache: its count is unknown, not 0";
	case SLAB_DENIED:
		return "needs root: /proc/slabinfo is refused";
	case SLAB_UNAVAILABLE:
		return "unavailable: no slabinfo, or this kernel has no such cache";
	case SLAB_UNREAD:
		return "not read yet";
	}
	return "";
}

/* Wrapped text from y on; returns the line after it. */
static int aio_paragraph(int y, int end, int x, const char *text)
{
	struct text_wrap wrap;
	int cells = COLS - x < LINE_CELLS_MAX ? COLS - x : LINE_CELLS_MAX;
	text_wrap_start(&wrap, text);
	while (text_wrap_more(&wrap) && y < end) {
		text_wrap_line(&wrap, y, x, cells, y + 1 == end);
		y++;
	}
	return y;
}

static int aio_figure(int y, int end, const char *name, const char *figure, const char *words)
{
	if (y >= end)
		return y;
	theme_use(ROLE_TITLE);
	text_put(y, INDENT, NAME_CELLS, name, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	text_put(y, INDENT + NAME_CELLS + 1, FIGURE_CELLS, figure, TEXT_CUT_END);
	int x = INDENT + NAME_CELLS + FIGURE_CELLS + 2;
	if (COLS - x >= 30)
		return aio_paragraph(y, end, x, words);
	return aio_paragraph(y + 1, end, 2 * INDENT, words);
}

static int aio_slab(int y, int end, const char *name, const struct slab_value *slab,
		    const char *what)
{
	char active[NUMBER_MAX], total[NUMBER_MAX], figure[3 * NUMBER_MAX], words[256];
	number_fit(active, slab->active, 7, 0);
	number_fit(total, slab->total, 7, 0);
	snprintf(figure, sizeof(figure), "%s%s of %s", slab->state == SLAB_SHARED ? "~" : "",
		 active, total);
	snprintf(words, sizeof(words), "%s: %s", what, aio_slab_words(slab->state));
	return aio_figure(y, end, name, value_known(slab->active) ? figure : "-", words);
}

void aio_draw(const struct screen *screen, int y, int h)
{
	const struct aio_row *aio = &screen->frame->aio;
	char figure[NUMBER_MAX];
	int end = y + h;

	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(ROLE_FOCUS);
	text_put(y++, 1, 16, "Asynchronous I/O", TEXT_CUT_END);
	number_fit(figure, aio->aio_nr, FIGURE_CELLS, 0);
	y = aio_figure(y, end, "aio-nr", figure,
		       "slots reserved by io_setup(2), from /proc/sys/fs/aio-nr");
	number_fit(figure, aio->aio_max_nr, FIGURE_CELLS, 0);
	y = aio_figure(y, end, "aio-max-nr", figure, "their limit, from /proc/sys/fs/aio-max-nr");
	number_fit(figure, aio->aio_pct, FIGURE_CELLS, 1);
	y = aio_figure(y, end, "%aio", figure,
		       "of the limit; at 100 io_setup(2) fails with EAGAIN");
	y = aio_slab(y, end, "kioctx", &aio->kioctx, "AIO contexts, active of all objects");
	y = aio_slab(y, end, "kiocb", &aio->kiocb, "libaio requests (kiocb or aio_kiocb)");
	y = aio_slab(y, end, "io_kiocb", &aio->io_kiocb, "io_uring requests");
	y = aio_paragraph(
	    y + 1, end, INDENT,
	    "aio-nr counts the slots programs reserved with io_setup(2), system-wide. It is "
	    "not the number of requests in flight: a database may hold thousands of slots "
	    "and use none. 0 means that nobody uses libaio; io_uring needs no slots.");
	aio_paragraph(
	    y + 1, end, INDENT,
	    "The slab figures are weak: caches keep objects of programs that have ended. "
	    "Active objects of kiocb that come and go under load show that AIO is in use.");
}
