/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drawing: every part composes into the one window; draw_all() shows it.
 */
#ifndef IOTRIAGE_SCREEN_DRAW_H
#define IOTRIAGE_SCREEN_DRAW_H

#include "state.h"
#include "theme.h"

void draw_all(struct screen *screen);

/* Each draws in h lines from line y. */
int header_lines(int height);
void header_draw(const struct screen *screen, int y, int h);
void overview_draw(struct screen *screen, int y, int h);
void aio_draw(struct screen *screen, int y, int h);
void files_draw(struct screen *screen, int y, int h);
void task_view_draw(struct screen *screen, int y, int h);
void device_view_draw(struct screen *screen, int y, int h);
void finding_view_draw(struct screen *screen, int y, int h);
void help_draw(struct screen *screen, int y, int h);
void menu_draw(struct screen *screen, int y, int h);
void chooser_draw(struct screen *screen, int y, int h);

/* The findings: title, then blocks of lines. fair: each at least one line before any has more. */
void findings_draw(struct list *list, const struct frame *frame, int y, int h, unsigned parts,
		   bool fair);

/* The lines that the findings that hold would take, without the title. */
int findings_lines(const struct list *list, const struct frame *frame, int enough);

/* How many rows are findings that have ended: each takes a line. */
int findings_ended(const struct list *list);

/* What would make unreadable tasks readable, for this user. */
const char *draw_remedy(void);

/* One line on the selected row. False: no row is selected. */
bool detail_draw(const struct screen *screen, int y);

/* The line being typed. */
void prompt_draw(const struct screen *screen, int y);

/* A question or a notice: the lines it takes, and those from y on. */
int question_lines(const char *text);
void question_draw(const char *text, int y, enum role role);

/* The keys that work here. */
void keys_draw(const struct screen *screen, int y);

#endif
