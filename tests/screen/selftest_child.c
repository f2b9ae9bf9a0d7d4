/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small ncurses program for selftest.sh. It does what its keys say, good or bad.
 */
#define _XOPEN_SOURCE_EXTENDED 1

#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void draw(int key)
{
	static const short colours[] = {COLOR_RED, COLOR_YELLOW};
	const char *name = key ? keyname(key) : "none";

	erase();
	mvprintw(0, 0, "child %dx%d key %s", COLS, LINES, name ? name : "?");
	mvaddstr(1, 0, "wide \xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81 |");
	mvhline(2, 0, ACS_HLINE, 12);
	for (int i = 0; i < 2; i++) {
		attrset(COLOR_PAIR(i + 1) | (i ? 0 : A_BOLD));
		mvaddstr(3 + i, 2, i ? "warm" : "hot");
	}
	for (short i = 0; i < 2; i++)
		init_pair((short)(i + 1), colours[i], -1);
	attrset(A_REVERSE);
	mvaddstr(5, 0, "bar");
	attrset(A_NORMAL);
	mvaddstr(6, 0, "plain -----------------");
	refresh();
}

static void obey(int key)
{
	if (key == 'q') {
		endwin();
		exit(0);
	}
	if (key == '3') /* leaves the terminal as it is */
		_exit(3);
	if (key == '!') {
		signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own */
		raise(SIGSEGV);
	}
	while (key == 'd') /* deaf */
		pause();
	if (key == 'm')
		mousemask(ALL_MOUSE_EVENTS, NULL);
}

/* With "spin" a lost terminal is asked for ever. */
int main(int argc, char **argv)
{
	bool spin = argc > 1 && !strcmp(argv[1], "spin");

	setlocale(LC_ALL, "");
	initscr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	start_color();
	use_default_colors();
	for (int key = 0; key != ERR || spin; key = getch()) {
		draw(key);
		obey(key);
	}
	endwin();
	return 1;
}
