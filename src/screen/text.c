/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place where foreign bytes become characters on the screen.
 */
#include "text.h"

#include <curses.h>
#include <langinfo.h>
#include <stdint.h>
#include <string.h>

static bool unicode;

void text_init(void)
{
	unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool text_unicode(void)
{
	return unicode;
}

/*
 * Characters that would move the cursor, turn the writing round or not be seen.
 * Beyond U+E0000 are only tags, variation selectors and private use.
 */
static bool text_odd(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
	       c >= 0xe0000;
}

/* The length of the UTF-8 character at s, 0 if it is none. Stops at the NUL. */
static size_t text_decode(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n == 0 || s[0] > 0xf4)
		return 0;
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

/* Cleans at most cap characters, each of one cell or two; *raw is then behind them. */
static size_t text_wide_from(wchar_t *out, size_t cap, const char **raw)
{
	const unsigned char *s = (const unsigned char *)*raw;
	size_t n = 0;
	while (*s && n < cap) {
		uint32_t c = 0;
		size_t len = text_decode(s, &c);
		bool shown = len && (c < 0x80 || unicode) && !text_odd(c);
		if (shown && c >= 0x80 && wcwidth((wchar_t)c) < 1)
			shown = false;
		out[n++] = shown ? (wchar_t)c : L'?';
		s += len ? len : 1;
	}
	*raw = (const char *)s;
	return n;
}

static size_t text_wide(wchar_t *out, size_t cap, const char *raw)
{
	return text_wide_from(out, cap, &raw);
}

static int text_cell(wchar_t c)
{
	return c < 0x80 ? 1 : wcwidth(c);
}

static int text_cells(const wchar_t *ws, size_t n)
{
	int cells = 0;
	for (size_t i = 0; i < n; i++)
		cells += text_cell(ws[i]);
	return cells;
}

/* How many characters from the start fit. */
static size_t text_head(const wchar_t *ws, size_t n, int cells)
{
	size_t i = 0;
	while (i < n && text_cell(ws[i]) <= cells)
		cells -= text_cell(ws[i++]);
	return i;
}

/* How many characters from the end fit. */
static size_t text_tail(const wchar_t *ws, size_t n, int cells)
{
	size_t i = n;
	while (i > 0 && text_cell(ws[i - 1]) <= cells)
		cells -= text_cell(ws[--i]);
	return n - i;
}

/* Shortens to `cells`; returns the new length. */
static size_t text_shorten(wchar_t *ws, size_t n, int cells, enum text_cut cut)
{
	if (text_cells(ws, n) <= cells)
		return n;
	int room = cells - 1;
	size_t head = text_head(ws, n, cut == TEXT_CUT_MIDDLE ? (room + 1) / 2 : room);
	size_t tail = 0;
	if (cut == TEXT_CUT_MIDDLE)
		tail = text_tail(ws + head, n - head, room - text_cells(ws, head));
	ws[head] = L'~';
	wmemmove(ws + head + 1, ws + n - tail, tail);
	return head + 1 + tail;
}

/* How much of `cells` is on the screen. */
static int text_clip(int y, int x, int cells)
{
	int height, width;
	getmaxyx(stdscr, height, width);
	if (y < 0 || y >= height || x < 0 || x >= width)
		return 0;
	return cells < width - x ? cells : width - x;
}

void text_blank(int y, int x, int cells)
{
	cells = text_clip(y, x, cells);
	if (cells > 0)
		mvhline(y, x, ' ' | getattrs(stdscr), cells);
}

void text_rule(int y, int x, int cells)
{
	cells = text_clip(y, x, cells);
	for (int i = 0; i < cells; i++)
		mvaddnwstr(y, x + i, unicode ? L"\u2500" : L"-", 1);
}

static void text_draw(int y, int x, int cells, const wchar_t *ws, size_t n, bool right)
{
	int used = text_cells(ws, n);
	int pad = cells > used ? cells - used : 0;
	if (n > 0)
		mvaddnwstr(y, right ? x + pad : x, ws, (int)n);
	int at = right ? x : x + used;
	for (int i = 0; i < pad; i++)
		mvaddnwstr(y, at + i, L" ", 1);
}

void text_put(int y, int x, int cells, const char *raw, enum text_cut cut)
{
	wchar_t ws[TEXT_MAX];
	cells = text_clip(y, x, cells);
	if (cells <= 0)
		return;
	size_t n = text_wide(ws, TEXT_MAX, raw);
	text_draw(y, x, cells, ws, text_shorten(ws, n, cells, cut), false);
}

void text_put_right(int y, int x, int cells, const char *raw)
{
	wchar_t ws[TEXT_MAX];
	cells = text_clip(y, x, cells);
	if (cells <= 0)
		return;
	size_t n = text_wide(ws, TEXT_MAX, raw);
	text_draw(y, x, cells, ws, text_shorten(ws, n, cells, TEXT_CUT_END), true);
}

int text_width(const char *raw)
{
	wchar_t ws[TEXT_MAX];
	return text_cells(ws, text_wide(ws, TEXT_MAX, raw));
}

void text_plain(char *out, size_t size, const char *raw)
{
	size_t n = 0;
	for (; raw[n] && n + 1 < size; n++)
		out[n] = raw[n] >= 0x20 && raw[n] < 0x7f ? raw[n] : '?';
	if (size > 0)
		out[n] = '\0';
}

void text_wrap_start(struct text_wrap *wrap, const char *raw)
{
	wrap->raw = raw;
	wrap->n = text_wide_from(wrap->ws, TEXT_MAX, &wrap->raw);
	wrap->at = 0;
}

/* Takes in more of a long text once half of what is there is drawn. */
static void text_wrap_fill(struct text_wrap *wrap)
{
	if (wrap->at < TEXT_MAX / 2 || !*wrap->raw)
		return;
	wrap->n -= wrap->at;
	wmemmove(wrap->ws, wrap->ws + wrap->at, wrap->n);
	wrap->at = 0;
	wrap->n += text_wide_from(wrap->ws + wrap->n, TEXT_MAX - wrap->n, &wrap->raw);
}

bool text_wrap_more(const struct text_wrap *wrap)
{
	return wrap->at < wrap->n;
}

/* Where the line from `at` ends: at a blank, or within a word longer than the line. */
static size_t text_wrap_end(const struct text_wrap *wrap, int cells)
{
	const wchar_t *ws = wrap->ws + wrap->at;
	size_t left = wrap->n - wrap->at;
	size_t fits = text_head(ws, left, cells);
	if (fits == left)
		return wrap->n;
	size_t end = fits;
	while (end > 0 && ws[end] != L' ')
		end--;
	if (end == 0)
		end = fits > 0 ? fits : 1;
	return wrap->at + end;
}

void text_wrap_line(struct text_wrap *wrap, int y, int x, int cells, bool last)
{
	text_wrap_fill(wrap);
	size_t end = text_wrap_end(wrap, cells);
	if (y >= 0 && text_clip(y, x, cells) > 0) {
		wchar_t ws[TEXT_MAX];
		size_t n = (last ? wrap->n : end) - wrap->at;
		wmemcpy(ws, wrap->ws + wrap->at, n);
		cells = text_clip(y, x, cells);
		text_draw(y, x, cells, ws, text_shorten(ws, n, cells, TEXT_CUT_END), false);
	}
	while (end < wrap->n && wrap->ws[end] == L' ')
		end++;
	wrap->at = end;
}
