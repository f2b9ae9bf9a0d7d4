/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rankings at the end of a run, as text for people or as CSV. */
#include "summary.h"
#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELL_MAX = 4 * COMM_MAX, COLUMNS_MAX = 32 };

struct ranking {
	const struct frame *frame;
	enum total_by by;
	size_t top; /* rows; 0: all */
	bool text;  /* for people: without those that did nothing */
	const struct column *column[COLUMNS_MAX];
	size_t width[COLUMNS_MAX]; /* in characters */
	size_t ncolumn;
};

/* ---- text that may go to a terminal ---- */

/* Bytes of the UTF-8 character at p; 0: it is none. */
static size_t decode(const unsigned char *p, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;

	if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4)
		return 0;
	*character = n == 1 ? *p : *p & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (p[i] & 0x3f);
	}
	if (*character < least[n] || *character > 0x10ffff ||
	    (*character >= 0xd800 && *character < 0xe000))
		return 0;
	return n;
}

/* Controls, and what turns the direction of writing or breaks lines. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* A copy in which all that is no character to be seen is '?'. Returns the characters. */
static size_t make_safe(char safe[CELL_MAX], const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = 0, characters = 0;
	uint32_t character = 0;

	for (; *p && n + 5 < CELL_MAX; characters++) {
		size_t length = decode(p, &character);
		bool seen = length > 0 && !is_control(character);
		memcpy(safe + n, seen ? (const char *)p : "?", seen ? length : 1);
		n += seen ? length : 1;
		p += length ? length : 1;
	}
	safe[n] = '\0';
	return characters;
}

/* ---- one ranking ---- */

/* A row of what no task accounts for is always there. */
static bool is_wanted(const struct ranking *ranking, size_t i)
{
	const struct total_row *row = &ranking->frame->total[i];

	if (ranking->text && !total_table.active(row))
		return false;
	return ranking->top == 0 || i < ranking->top || row->tasks == 0;
}

/* A cell as text, sizes as people read them; absent: "-", of a mark "". Returns the characters. */
static size_t make_cell(char cell[CELL_MAX], const struct column *column, const void *row)
{
	char buf[CELL_MAX];

	if (column->number && strcmp(column->unit, "KiB") == 0)
		return size_fit(cell, column->number(row));
	if (column->number)
		return number_fit(cell, column->number(row), column->width, column->precision);
	const char *text = column->text(row, buf, sizeof(buf));
	return make_safe(cell, text ? text : column->width == 1 ? "" : "-");
}

/* There is something in it to be seen. */
static bool has_content(const struct ranking *ranking, const struct column *column)
{
	/* what is on no screen by default is worth a column where it is not 0 */
	double least = column->flags & COLUMN_SCREEN ? 0 : 1e-9;
	char buf[CELL_MAX];

	for (size_t i = 0; i < ranking->frame->ntotal; i++) {
		const void *row = &ranking->frame->total[i];
		if (!is_wanted(ranking, i))
			continue;
		if (!column->number && column->text(row, buf, sizeof(buf)))
			return true;
		if (column->number && value_or(column->number(row), -1) >= least)
			return true;
	}
	return false;
}

/* Inherited figures are in no other row, each apart; what else is not on screen follows from what is. */
static bool is_chosen(const struct ranking *ranking, const struct column *column)
{
	bool inherited = strncmp(column->name, "inh_", 4) == 0;

	if ((!(column->flags & COLUMN_SCREEN) && !inherited) || strcmp(column->name, "inhkB") == 0)
		return false;
	if (ranking->by == TOTAL_USERS && strcmp(column->name, "user") == 0)
		return false; /* it is the name */
	return has_content(ranking, column);
}

static void choose_columns(struct ranking *ranking)
{
	char cell[CELL_MAX];

	ranking->ncolumn = 0;
	for (size_t c = 0; c < total_table.ncolumn && ranking->ncolumn < COLUMNS_MAX; c++) {
		const struct column *column = &total_table.column[c];
		if (!is_chosen(ranking, column))
			continue;
		size_t width = strlen(column->header ? column->header : column->name);
		for (size_t i = 0; i < ranking->frame->ntotal; i++) {
			const void *row = &ranking->frame->total[i];
			size_t n = is_wanted(ranking, i) ? make_cell(cell, column, row) : 0;
			width = n > width ? n : width;
		}
		ranking->column[ranking->ncolumn] = column;
		ranking->width[ranking->ncolumn++] = width;
	}
}

static void put_blanks(struct writer *writer, size_t n)
{
	while (n-- > 0)
		writer_put(writer, " ", 1);
}

/* characters: how many of them there are in the cell. */
static void put_cell(struct writer *writer, const struct ranking *ranking, size_t c, const char *cell,
                     size_t characters)
{
	bool left = ranking->column[c]->flags & COLUMN_LEFT, last = c + 1 == ranking->ncolumn;
	size_t room = ranking->width[c] - characters;

	put_blanks(writer, left ? 0 : room);
	writer_puts(writer, cell);
	put_blanks(writer, left && !last ? room : 0);
	writer_puts(writer, last ? "\n" : " ");
}

static void put_table(struct writer *writer, struct ranking *ranking)
{
	char cell[CELL_MAX];

	choose_columns(ranking);
	for (size_t c = 0; c < ranking->ncolumn; c++) {
		const struct column *column = ranking->column[c];
		size_t characters = make_safe(cell, column->header ? column->header : column->name);
		put_cell(writer, ranking, c, cell, characters);
	}
	for (size_t i = 0; i < ranking->frame->ntotal; i++) {
		for (size_t c = 0; is_wanted(ranking, i) && c < ranking->ncolumn; c++) {
			size_t characters = make_cell(cell, ranking->column[c], &ranking->frame->total[i]);
			put_cell(writer, ranking, c, cell, characters);
		}
	}
}

static void put_clock(struct writer *writer, double epoch, bool date)
{
	time_t seconds = (time_t)epoch;
	char text[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	writer_puts(writer, text);
}

/* "By program, 60.0 s, 14:03:07 to 14:04:07"; with dates where it lasted for a day. */
static void put_heading(struct writer *writer, const struct ranking *ranking, double from, double to)
{
	static const char *const by[] = {[TOTAL_TASKS] = "By task, ",
	                                 [TOTAL_PROGRAMS] = "By program, ",
	                                 [TOTAL_USERS] = "By user, "};
	static const double day = 86400;
	const struct frame *frame = ranking->frame;
	char number[NUMBER_MAX];

	writer_puts(writer, by[ranking->by]);
	number_plain(number, frame->ntotal ? frame->total[0].seconds : 0, 1);
	writer_puts(writer, number);
	writer_puts(writer, " s, ");
	put_clock(writer, from, to - from >= day);
	writer_puts(writer, " to ");
	put_clock(writer, to > from ? to : from, to - from >= day);
	writer_puts(writer, "\n");
}

/* "and 7 more", where there are any. */
static void put_count(struct writer *writer, const char *before, size_t n, const char *after)
{
	char line[64];

	snprintf(line, sizeof(line), "%s%zu%s\n", before, n, after);
	writer_puts(writer, n > 0 ? line : "");
}

/* What was not measured is not said to have done nothing. */
static void put_text(struct writer *writer, struct ranking *ranking, double from, double to)
{
	const struct column *both = column_find(&total_table, "kB");
	size_t shown = 0, unmeasured = 0, all = ranking->frame->ntotal;

	for (size_t i = 0; i < all; i++) {
		bool wanted = is_wanted(ranking, i);
		shown += wanted;
		unmeasured += !wanted && !value_known(both->number(&ranking->frame->total[i]));
	}
	put_heading(writer, ranking, from, to);
	if (shown > 0)
		put_table(writer, ranking);
	else if (unmeasured < all)
		writer_puts(writer, "nothing was read or written\n");
	put_count(writer, "and ", shown ? all - shown - unmeasured : 0, " more");
	put_count(writer, "", unmeasured, " could not be measured");
	if (all == 0)
		writer_puts(writer, "nothing was measured\n");
}

static void put_csv(struct writer *writer, const struct ranking *ranking, double epoch)
{
	char stamp[CSV_STAMP_MAX];

	csv_stamp(stamp, epoch);
	for (size_t i = 0; i < ranking->frame->ntotal; i++)
		if (is_wanted(ranking, i))
			csv_row(writer, &total_table, stamp, &ranking->frame->total[i]);
}

int summary_write(const struct summary_setup *setup, struct totals *totals, struct frame *frame)
{
	static const enum total_by rankings[] = {TOTAL_PROGRAMS, TOTAL_USERS};
	struct writer writer = {.fd = STDOUT_FILENO, .stop_fd = setup->stop_fd};
	int error = 0;

	if (setup->output)
		writer.fd = writer_open(setup->output, setup->stop_fd);
	if (writer.fd < 0)
		return writer.fd;
	if (setup->csv)
		csv_header(&writer, &total_table);
	for (size_t i = 0; i < sizeof(rankings) / sizeof(*rankings) && !error; i++) {
		struct ranking ranking = {
			.frame = frame, .by = rankings[i], .top = setup->top, .text = !setup->csv};
		error = totals_attach(totals, frame, ranking.by);
		if (!error && setup->csv)
			put_csv(&writer, &ranking, frame->epoch);
		if (!error && !setup->csv && i > 0)
			writer_puts(&writer, "\n");
		if (!error && !setup->csv)
			put_text(&writer, &ranking, setup->from_epoch, frame->epoch);
	}
	if (!error)
		error = writer_flush(&writer);
	if (setup->output && close(writer.fd) < 0 && !error)
		error = -errno;
	writer_release(&writer);
	return error;
}
