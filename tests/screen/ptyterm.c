/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal emulator: libvterm, its cells as rows of UTF-8, its modes.
 */

#include "ptyscreen.h"

#include <stdlib.h>
#include <string.h>

struct term {
	VTerm *vterm;
	VTermScreen *screen;
	int rows, cols; /* of the terminal; the emulator may have one column more */
	struct modes modes;
	VTermPos saved; /* where the cursor was when it was saved, or the alternate screen came */
	bool escape;    /* the last byte was an ESC */
	char answer[4096];
	size_t nanswer;
	char *row; /* for term_row() */
	size_t row_size;
};

/* libvterm 0.1.4 crashes on a character of width 2 in a screen of one column. */
enum { COLS_MIN = 2 };

static int emulator_cols(int cols)
{
	return cols < COLS_MIN ? COLS_MIN : cols;
}

static int on_termprop(VTermProp prop, VTermValue *value, void *user)
{
	struct term *term = user;

	if (prop == VTERM_PROP_ALTSCREEN) {
		term->modes.altscreen = value->boolean;
		if (value->boolean && term->vterm)
			vterm_state_get_cursorpos(vterm_obtain_state(term->vterm), &term->saved);
	}
	if (prop == VTERM_PROP_CURSORVISIBLE)
		term->modes.cursor_visible = value->boolean;
	if (prop == VTERM_PROP_MOUSE)
		term->modes.mouse = value->number;
	return 1;
}

static void on_answer(const char *bytes, size_t n, void *user)
{
	struct term *term = user;

	if (n > sizeof term->answer - term->nanswer)
		n = sizeof term->answer - term->nanswer;
	memcpy(term->answer + term->nanswer, bytes, n);
	term->nanswer += n;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_termprop};

static void feed_text(struct term *term, const char *text)
{
	vterm_input_write(term->vterm, text, strlen(text));
}

struct term *term_new(int rows, int cols)
{
	struct term *term = calloc(1, sizeof *term);

	if (!term)
		abort();
	term->rows = rows;
	term->cols = cols;
	term->vterm = vterm_new(rows, emulator_cols(cols));
	vterm_set_utf8(term->vterm, 1);
	vterm_output_set_callback(term->vterm, on_answer, term);
	term->screen = vterm_obtain_screen(term->vterm);
	vterm_screen_set_callbacks(term->screen, &callbacks, term);
	vterm_screen_enable_altscreen(term->screen, 1);
	vterm_screen_reset(term->screen, 1);
	feed_text(term, " \r"); /* it hangs repeating (REP) a character where there was none */
	return term;
}

void term_free(struct term *term)
{
	if (!term)
		return;
	vterm_free(term->vterm);
	free(term->row);
	free(term);
}

static void feed_cursor(struct term *term, int row, int col)
{
	char buf[40];

	snprintf(buf, sizeof buf, "\033[%d;%dH", row + 1, col + 1);
	feed_text(term, buf);
}

/*
 * Saves the cursor. libvterm saves, and later restores, whether it shows too, also
 * when the alternate screen goes; in a terminal that is no part of it.
 */
static void save_cursor(struct term *term)
{
	bool visible = term->modes.cursor_visible;

	feed_text(term, "\033[?25h\0337");
	if (!visible)
		feed_text(term, "\033[?25l");
	vterm_state_get_cursorpos(vterm_obtain_state(term->vterm), &term->saved);
}

/*
 * When libvterm 0.1.4 loses rows it scrolls until the last row with text fits, and
 * crashes when the cursor, the margins or the saved cursor end up outside. A terminal
 * cuts at the bottom, drops the margins and moves the cursors in: done here beforehand.
 */
static void make_room(struct term *term, int rows, int cols)
{
	VTermPos at;

	vterm_state_get_cursorpos(vterm_obtain_state(term->vterm), &at);
	at.row = at.row < rows ? at.row : rows - 1;
	at.col = at.col < cols ? at.col : cols - 1;
	feed_text(term, "\033[r");
	if (rows < term->rows) {
		feed_cursor(term, rows, 0);
		feed_text(term, "\033[J");
	}
	feed_cursor(term, at.row, at.col);
	if (term->saved.row >= rows || term->saved.col >= cols)
		save_cursor(term);
}

void term_resize(struct term *term, int rows, int cols)
{
	if (rows < term->rows || cols < term->cols)
		make_room(term, rows, cols);
	term->rows = rows;
	term->cols = cols;
	vterm_set_size(term->vterm, rows, emulator_cols(cols));
}

int term_rows(const struct term *term)
{
	return term->rows;
}

void term_feed(struct term *term, const char *bytes, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		bool saves = term->escape && bytes[i] == '7';

		term->escape = bytes[i] == '\033';
		if (!saves)
			continue;
		vterm_input_write(term->vterm, bytes + done, i + 1 - done);
		done = i + 1;
		save_cursor(term);
	}
	vterm_input_write(term->vterm, bytes + done, n - done);
}

void term_press(struct term *term, VTermKey key)
{
	vterm_keyboard_key(term->vterm, key, VTERM_MOD_NONE);
}

size_t term_answer(struct term *term, char *buf, size_t size)
{
	size_t n = term->nanswer < size ? term->nanswer : size;

	memcpy(buf, term->answer, n);
	memmove(term->answer, term->answer + n, term->nanswer - n);
	term->nanswer -= n;
	return n;
}

static size_t put_utf8(char *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[n] | c);
	return n;
}

static size_t put_cell(char *to, const VTermScreenCell *cell)
{
	size_t n = 0;

	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		n += put_utf8(to + n, cell->chars[i]);
	return n;
}

/*
 * The second cell of a wide character says -1. It stays when the first is overwritten
 * with a narrow one, where a real terminal would show a blank.
 */
static bool is_second_half(const VTermScreenCell *cell, uint32_t before)
{
	static const uint32_t first_wide = 0x1100;

	return cell->chars[0] == UINT32_MAX && before >= first_wide;
}

static bool is_blank(const VTermScreenCell *cell)
{
	return cell->chars[0] == 0 || cell->chars[0] == ' ' || cell->chars[0] == UINT32_MAX;
}

static char *row_buffer(struct term *term)
{
	size_t want = (size_t)term->cols * VTERM_MAX_CHARS_PER_CELL * 4 + 1;

	if (want > term->row_size) {
		free(term->row);
		term->row = malloc(want);
		term->row_size = want;
		if (!term->row)
			abort();
	}
	return term->row;
}

const char *term_row(struct term *term, int row)
{
	char *text = row_buffer(term);
	size_t n = 0, end = 0;
	uint32_t before = 0;

	for (int col = 0; col < term->cols; col++) {
		VTermScreenCell cell;

		if (!vterm_screen_get_cell(term->screen, (VTermPos){row, col}, &cell))
			break;
		if (!is_second_half(&cell, before)) {
			if (is_blank(&cell)) {
				text[n++] = ' ';
			} else {
				n += put_cell(text + n, &cell);
				end = n;
			}
		}
		before = cell.chars[0];
	}
	text[end] = '\0';
	return text;
}

static int colour(const VTermColor *c)
{
	if (VTERM_COLOR_IS_DEFAULT_FG(c) || VTERM_COLOR_IS_DEFAULT_BG(c))
		return -1;
	return VTERM_COLOR_IS_INDEXED(c) ? c->indexed.idx : -2;
}

bool term_look(struct term *term, int row, struct look *look)
{
	for (int col = 0; col < term->cols; col++) {
		VTermScreenCell cell;

		if (!vterm_screen_get_cell(term->screen, (VTermPos){row, col}, &cell))
			break;
		if (is_blank(&cell))
			continue;
		*look = (struct look){
		    .bold = cell.attrs.bold,
		    .reverse = cell.attrs.reverse,
		    .underline = cell.attrs.underline != 0,
		    .blink = cell.attrs.blink,
		    .fg = colour(&cell.fg),
		    .bg = colour(&cell.bg),
		};
		return true;
	}
	return false;
}

struct modes term_modes(const struct term *term)
{
	return term->modes;
}

void term_print(struct term *term, FILE *file)
{
	fprintf(file, "screen %dx%d:\n", term->cols, term->rows);
	for (int row = 0; row < term->rows; row++)
		fprintf(file, "%4d |%s|\n", row + 1, term_row(term, row));
}
