/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AIO view: the machine's figures in words, then the processes that use it.
 */
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>

enum {
	NAME_CELLS = 10,
	FIGURE_CELLS = 16,
	INDENT = 2,
	LINE_CELLS_MAX = 100,
	WORDS_LEAST = 30,
	ROWS_LEAST = 3, /* of processes, before the figures get their lines */
	LIST_PARTS = 2  /* title and header */
};

/* Lines of words: drawn up to `end`, counted beyond it. */
struct aio_words {
	int y, end;
};

static const char *aio_slab_words(enum slab_state state)
{
	switch (state) {
	case SLAB_COUNTED:
		return "counted in slabinfo";
	case SLAB_SHARED:
		return "~ shared with other caches, weak evidence";
	case SLAB_MERGED:
		return "merged into another slab cache: unknown, not 0";
	case SLAB_DENIED:
		return "needs root: /proc/slabinfo is refused";
	case SLAB_UNAVAILABLE:
		return "no slabinfo, or no such cache";
	case SLAB_UNREAD:
		return "not read yet";
	}
	return "";
}

static int aio_cells(int x)
{
	return (COLS < LINE_CELLS_MAX ? COLS : LINE_CELLS_MAX) - x;
}

static void aio_paragraph(struct aio_words *words, int x, const char *text)
{
	struct text_wrap wrap;
	text_wrap_start(&wrap, text);
	while (text_wrap_more(&wrap)) {
		text_wrap_line(&wrap, words->y < words->end ? words->y : -1, x, aio_cells(x),
			       words->y + 1 == words->end);
		words->y++;
	}
}

/* A paragraph is drawn whole, with a blank line before it, or not at all. */
static void aio_remark(struct aio_words *words, const char *text)
{
	struct aio_words tried = {.y = words->y + 1, .end = -1};
	aio_paragraph(&tried, INDENT, text);
	if (tried.y > words->end)
		return;
	words->y++;
	aio_paragraph(words, INDENT, text);
}

static void aio_figure(struct aio_words *words, const char *name, const char *figure,
		       const char *text)
{
	int x = INDENT + NAME_CELLS + FIGURE_CELLS + 2, y = words->y < words->end ? words->y : -1;
	theme_use(ROLE_TITLE);
	text_put(y, INDENT, NAME_CELLS, name, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	text_put(y, INDENT + NAME_CELLS + 1, FIGURE_CELLS, figure, TEXT_CUT_END);
	if (COLS - x >= WORDS_LEAST) {
		aio_paragraph(words, x, text);
		return;
	}
	words->y++;
	aio_paragraph(words, 2 * INDENT, text);
}

static void aio_slab(struct aio_words *words, const char *name, const struct slab_value *slab,
		     const char *what)
{
	char active[NUMBER_MAX], total[NUMBER_MAX], figure[3 * NUMBER_MAX], text[256];
	number_fit(active, slab->active, 7, 0);
	number_fit(total, slab->total, 7, 0);
	snprintf(figure, sizeof(figure), "%s%s of %s", slab->state == SLAB_SHARED ? "~" : "",
		 active, total);
	snprintf(text, sizeof(text), "%s: %s", what, aio_slab_words(slab->state));
	aio_figure(words, name, value_known(slab->active) ? figure : "-", text);
}

static void aio_number(struct aio_words *words, const char *name, struct value v, unsigned precision,
		       const char *text)
{
	char figure[NUMBER_MAX];
	number_fit(figure, v, FIGURE_CELLS, precision);
	aio_figure(words, name, figure, text);
}

/* How many there are, or why that is not known of every process. */
static void aio_sum(struct aio_words *words, const char *name, struct value v, const char *what)
{
	char text[256];
	if (value_known(v))
		snprintf(text, sizeof(text), "%s of all processes", what);
	else
		snprintf(text, sizeof(text), "%s: not of all processes (%s)", what, absent_name(v.why));
	aio_number(words, name, v, 0, text);
}

static void aio_machine(struct aio_words *words, const struct aio_row *aio)
{
	aio_number(words, "aio-nr", aio->aio_nr, 0, "slots reserved by io_setup(2): fs.aio-nr");
	aio_number(words, "aio-max-nr", aio->aio_max_nr, 0, "their limit: fs.aio-max-nr");
	aio_number(words, "%aio", aio->aio_pct, 1, "of the limit; at 100 io_setup(2) gets EAGAIN");
	aio_sum(words, "contexts", aio->contexts, "AIO contexts");
	aio_sum(words, "rings", aio->rings, "io_uring rings");
	aio_slab(words, "kioctx", &aio->kioctx, "contexts, active of all objects");
	aio_slab(words, "kiocb", &aio->kiocb, "libaio requests");
	aio_slab(words, "io_kiocb", &aio->io_kiocb, "io_uring requests");
	aio_remark(words,
		   "aio-nr counts the slots programs reserved with io_setup(2), system-wide. It is "
		   "not the number of requests in flight: a database may hold thousands of slots "
		   "and use none. 0 means that nobody uses libaio; io_uring needs no slots.");
	aio_remark(words,
		   "The slab figures are weak: caches keep objects of programs that have ended. "
		   "Active objects of kiocb that come and go under load show that AIO is in use.");
}

/* The lines for words: what the list leaves, and it needs few at first. */
static int aio_share(const struct screen *screen, int h)
{
	const struct list *list = &screen->list[LIST_AIO];
	struct aio_words all = {.y = 0, .end = 0};
	int rows = list->rows.n < (size_t)h ? (int)list->rows.n : h;
	aio_machine(&all, &screen->frame->aio); /* only the figures: remarks fit nowhere */
	int least = LIST_PARTS + (rows < ROWS_LEAST ? (rows > 0 ? rows : 1) : ROWS_LEAST);
	int words = h - least < all.y ? h - least : all.y;
	int spare = h - words - LIST_PARTS - (rows > 0 ? rows : 1) - 1;
	return words + (spare > 0 ? spare : 0);
}

/* Returns the lines taken, with the title. */
static int aio_draw_machine(const struct screen *screen, int y, int lines)
{
	struct aio_words words = {.y = y + 1, .end = y + 1 + lines};
	theme_use(ROLE_DIM);
	text_rule(y, 0, COLS);
	theme_use(ROLE_TITLE);
	text_put(y, 1, 16, "Asynchronous I/O", TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	aio_machine(&words, &screen->frame->aio);
	return words.y < words.end ? words.y - y : lines + 1;
}

void aio_draw(struct screen *screen, int y, int h)
{
	struct list *list = &screen->list[LIST_AIO];
	const struct aio_row *aio = &screen->frame->aio;
	int lines = aio_share(screen, h - 1), used = lines > 1 ? aio_draw_machine(screen, y, lines) : 0;
	list->nothing = value_known(aio->contexts) && value_known(aio->rings)
			    ? "none: no process has an AIO context or a ring"
			    : "none found so far";
	screen->names_wanted |= list_draw(list, screen->frame, y + used, h - used,
					  LIST_TITLE | LIST_HEADER | LIST_FOCUS);
}
