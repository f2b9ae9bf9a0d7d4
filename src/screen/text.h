/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text on its way to the terminal. Names, commands and messages are raw bytes
 * from anywhere; here they become cells that cannot harm the terminal.
 */
#ifndef IOTRIAGE_SCREEN_TEXT_H
#define IOTRIAGE_SCREEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum text_cut { TEXT_CUT_END, TEXT_CUT_MIDDLE };

enum { TEXT_MAX = 1024 };

/* Text being wrapped over lines, of any length; it must stay where it is meanwhile. */
struct text_wrap {
	const char *raw; /* what is not taken in yet */
	wchar_t ws[TEXT_MAX];
	size_t n, at;
};

/* After setlocale(): asks whether the codeset is UTF-8. */
void text_init(void);

/* Whether characters beyond ASCII may be drawn. */
bool text_unicode(void);

/* The cells a text takes. */
int text_width(const char *raw);

/* Draws in exactly `cells` cells, or up to the edge of the screen, padded. */
void text_put(int y, int x, int cells, const char *raw, enum text_cut cut);
void text_put_right(int y, int x, int cells, const char *raw);

/* Fills a stretch of a line: a rule, or blanks. */
void text_rule(int y, int x, int cells);
void text_blank(int y, int x, int cells);

/* printable ASCII only, for messages that do not pass through curses */
void text_plain(char *out, size_t size, const char *raw);

void text_wrap_start(struct text_wrap *wrap, const char *raw);
bool text_wrap_more(const struct text_wrap *wrap);

/* Draws the next line, cut with a mark if it is the last there is room for. y < 0: skips it. */
void text_wrap_line(struct text_wrap *wrap, int y, int x, int cells, bool last);

#endif
