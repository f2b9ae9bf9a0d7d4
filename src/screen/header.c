/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two lines at the top: when, how much the machine waits, asked and done.
 */
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PIECES_MAX = 12, PIECE_MAX = 160, GAP = 2, TWO_LINES_FROM = 8 };

struct header_piece {
	char text[PIECE_MAX];
	enum role role;
	unsigned rank; /* 1 stays longest on a narrow screen */
	bool right;    /* stands at the right edge, where it is the last */
};

struct header_line {
	struct header_piece piece[PIECES_MAX];
	size_t n;
};

__attribute__((format(printf, 4, 5))) static void header_add(struct header_line *line,
							     unsigned rank, enum role role,
							     const char *format, ...)
{
	va_list args;
	if (line->n == PIECES_MAX)
		return;
	struct header_piece *piece = &line->piece[line->n];
	piece->role = role;
	piece->rank = rank;
	piece->right = false;
	va_start(args, format);
	vsnprintf(piece->text, sizeof(piece->text), format, args);
	va_end(args);
	line->n += *piece->text != '\0';
}

static int header_width(const struct header_line *line)
{
	int width = -GAP;
	for (size_t i = 0; i < line->n; i++)
		width += text_width(line->piece[i].text) + GAP;
	return width;
}

static void header_drop_one(struct header_line *line)
{
	size_t worst = 0;
	for (size_t i = 0; i < line->n; i++)
		if (line->piece[i].rank >= line->piece[worst].rank)
			worst = i;
	line->n--;
	memmove(&line->piece[worst], &line->piece[worst + 1],
		(line->n - worst) * sizeof(line->piece[0]));
}

static void header_to_the_right(struct header_line *line)
{
	if (line->n > 0)
		line->piece[line->n - 1].right = true;
}

/* Draws what fits. */
static void header_put(struct header_line *line, int y)
{
	int x = 0;
	while (line->n > 1 && header_width(line) > COLS)
		header_drop_one(line);
	for (size_t i = 0; i < line->n; i++) {
		const struct header_piece *piece = &line->piece[i];
		int width = text_width(piece->text);
		if (i > 0 && piece->right && i + 1 == line->n && COLS - width > x)
			x = COLS - width;
		theme_use(piece->role);
		text_put(y, x, width, piece->text, TEXT_CUT_END);
		x += width + GAP;
	}
	theme_use(ROLE_PLAIN);
}

/* What is out of the ordinary with these figures. */
static void header_add_state(struct header_line *line, const struct screen *screen)
{
	const struct frame *frame = screen->frame;
	if (screen->paused)
		header_add(line, 1, ROLE_FOCUS, "paused");
	if (!frame) {
		header_add(line, 1, ROLE_TITLE, "sampling...");
		return;
	}
	if (frame->since_boot)
		header_add(line, 1, ROLE_TITLE, "since boot");
	if (frame->suspended)
		header_add(line, 1, ROLE_TITLE, "suspended");
	if (frame->tasks_state == ABSENT_LATE)
		header_add(line, 1, ROLE_TITLE, "tasks late");
	if (frame->devices_state != PRESENT)
		header_add(line, 1, ROLE_TITLE, "devices %s", absent_name(frame->devices_state));
}

static void header_add_waiting(struct header_line *line, const struct system_row *system)
{
	char a[NUMBER_MAX], b[NUMBER_MAX];
	number_fit(a, system->iowait, 5, 0);
	header_add(line, 2, ROLE_PLAIN, "iowait %s%s", a, value_known(system->iowait) ? "%" : "");
	number_fit(a, system->blocked, 6, 0);
	header_add(line, 4, ROLE_PLAIN, "blocked %s", a);
	number_fit(a, system->psi_some, 5, 0);
	number_fit(b, system->psi_full, 5, 0);
	if (value_known(system->psi_some) || value_known(system->psi_full))
		header_add(line, 3, ROLE_PLAIN, "stall %s/%s%%", a, b);
	else
		header_add(line, 3, ROLE_PLAIN, "stall %s", a);
}

static void header_add_findings(struct header_line *line, const struct frame *frame)
{
	static const enum role roles[] = {ROLE_INFO, ROLE_WARN, ROLE_CRIT};
	enum severity worst = SEVERITY_INFO;
	for (size_t i = 0; i < frame->nfinding; i++)
		if (frame->finding[i].severity > worst)
			worst = frame->finding[i].severity;
	if (frame->nfinding == 0)
		header_add(line, 1, ROLE_PLAIN, "%s",
			   frame->devices_state == PRESENT ? "no findings" : "not judged");
	else
		header_add(line, 1, roles[worst], "%zu finding%s", frame->nfinding,
			   frame->nfinding == 1 ? "" : "s");
}

static void header_first(const struct screen *screen, int y)
{
	struct header_line line = {.n = 0};
	const struct frame *frame = screen->frame;
	char clock[32] = "";
	struct tm tm;
	header_add(&line, 6, ROLE_TITLE, "iotriage");
	if (frame) {
		time_t now = (time_t)frame->epoch;
		if (localtime_r(&now, &tm))
			strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
		header_add(&line, 7, ROLE_PLAIN, "%s", frame->host);
		header_add(&line, 4, ROLE_PLAIN, "%s", clock);
		header_add(&line, 5, ROLE_PLAIN, "+%.1fs", frame->seconds);
	}
	header_add_state(&line, screen);
	if (frame) {
		header_add_waiting(&line, &frame->system);
		header_add_findings(&line, frame);
	}
	header_to_the_right(&line);
	header_put(&line, y);
}

static void header_add_pair(struct header_line *line, unsigned rank, const char *what,
			    struct value reads, struct value writes)
{
	char r[NUMBER_MAX], w[NUMBER_MAX];
	size_fit(r, reads);
	size_fit(w, writes);
	header_add(line, rank, ROLE_TOTAL, "%s r %4s w %4s/s", what, r, w);
}

/* Figures as wide as they can get: a place stays a place from tick to tick. */
static void header_second(const struct screen *screen, int y)
{
	struct header_line line = {.n = 0};
	char a[NUMBER_MAX], b[NUMBER_MAX];
	if (screen->frame) {
		const struct system_row *system = &screen->frame->system;
		const struct aio_row *aio = &screen->frame->aio;
		header_add_pair(&line, 3, "asked", system->asked_rkb, system->asked_wkb);
		header_add_pair(&line, 1, "done", system->done_rkb, system->done_wkb);
		size_fit(a, system->dirty_kib);
		size_fit(b, system->writeback_kib);
		header_add(&line, 2, ROLE_PLAIN, "dirty %4s wb %4s", a, b);
		number_fit(a, aio->aio_nr, 5, 0);
		number_fit(b, aio->aio_max_nr, 5, 0);
		header_add(&line, 4, ROLE_PLAIN, "aio %5s/%-5s", a, b);
	}
	bool traced = screen->frame && screen->frame->tasks_traced;
	if (screen->native && screen->frame && screen->frame->untraced)
		header_add(&line, 6, ROLE_DIM, "untraced: %s", screen->frame->untraced);
	header_add(&line, 5, ROLE_DIM, "%s", traced ? "bpf" : screen->source);
	header_to_the_right(&line);
	header_put(&line, y);
}

int header_lines(int height)
{
	return height >= TWO_LINES_FROM ? 2 : 1;
}

void header_draw(const struct screen *screen, int y, int h)
{
	header_first(screen, y);
	if (h > 1)
		header_second(screen, y + 1);
}
