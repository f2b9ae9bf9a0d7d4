/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What things look like, by the part they play.
 */
#ifndef IOTRIAGE_SCREEN_THEME_H
#define IOTRIAGE_SCREEN_THEME_H

enum role {
	ROLE_PLAIN,
	ROLE_TITLE,     /* section titles, the program's name */
	ROLE_FOCUS,     /* the title of the section that gets the keys */
	ROLE_HEADER,    /* column headers */
	ROLE_SORTED,    /* the header of the sort column */
	ROLE_SELECTED,  /* the selected row */
	ROLE_MARK_LOW,  /* a device marked w */
	ROLE_MARK_HIGH, /* a device marked W */
	ROLE_INFO,
	ROLE_WARN,
	ROLE_CRIT,
	ROLE_DIM,
	ROLE_KEY,
	ROLE_TOTAL,
	ROLES
};

/* After newterm(): colours, or none for NO_COLOR and monochrome terminals. */
void theme_init(void);

/* What is drawn from here on looks like this. */
void theme_use(enum role role);

#endif
