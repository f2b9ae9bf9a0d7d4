/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roles and their attributes. A colour always means a judged problem, and says
 * nothing that a letter or a word does not say too.
 */
#include "theme.h"

#include <curses.h>
#include <stdlib.h>

enum { PAIR_NONE, PAIR_AMBER, PAIR_RED };

/* An orange that can be read on white and on black; the eight colours have none. */
enum { AMBER_256 = 172 };

struct look {
	attr_t mono, colour;
	short pair;
};

static const struct look looks[ROLES] = {
    [ROLE_PLAIN] = {A_NORMAL, A_NORMAL, PAIR_NONE},
    [ROLE_TITLE] = {A_BOLD, A_BOLD, PAIR_NONE},
    [ROLE_FOCUS] = {A_REVERSE, A_REVERSE, PAIR_NONE},
    [ROLE_HEADER] = {A_BOLD, A_BOLD, PAIR_NONE},
    [ROLE_SORTED] = {A_REVERSE, A_REVERSE, PAIR_NONE},
    [ROLE_SELECTED] = {A_REVERSE, A_REVERSE, PAIR_NONE},
    [ROLE_MARK_LOW] = {A_BOLD, A_NORMAL, PAIR_AMBER},
    [ROLE_MARK_HIGH] = {A_BOLD, A_BOLD, PAIR_RED},
    [ROLE_INFO] = {A_NORMAL, A_NORMAL, PAIR_NONE},
    [ROLE_WARN] = {A_BOLD, A_BOLD, PAIR_AMBER},
    [ROLE_CRIT] = {A_BOLD, A_BOLD, PAIR_RED},
    [ROLE_DIM] = {A_NORMAL, A_DIM, PAIR_NONE},
    [ROLE_KEY] = {A_BOLD, A_BOLD, PAIR_NONE},
    [ROLE_TOTAL] = {A_BOLD, A_BOLD, PAIR_NONE},
};

static bool coloured;

static bool theme_colour_wanted(void)
{
	const char *no = getenv("NO_COLOR");
	return !(no && *no) && has_colors();
}

void theme_init(void)
{
	coloured = theme_colour_wanted() && start_color() == OK && COLOR_PAIRS > PAIR_RED;
	if (!coloured)
		return;
	short back = use_default_colors() == OK ? -1 : COLOR_BLACK;
	init_pair(PAIR_AMBER, COLORS >= 256 ? AMBER_256 : COLOR_YELLOW, back);
	init_pair(PAIR_RED, COLOR_RED, back);
}

void theme_use(enum role role)
{
	const struct look *look = &looks[role];
	if (coloured)
		(void)attr_set(look->colour, look->pair, NULL);
	else
		(void)attr_set(look->mono, 0, NULL);
}
