/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing of the system is changed without a question that "y" answers; and the
 * one thing that is most often missing, delay accounting.
 */
#include "confirm.h"
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>

enum { QUESTION_LINES = 4 };

void confirm_open(struct screen *screen, enum screen_event event, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(screen->question.text, sizeof(screen->question.text), format, args);
	va_end(args);
	screen->question.event = event;
	screen->mode = MODE_CONFIRM;
}

enum screen_event confirm_key(struct screen *screen, int key)
{
	bool yes = key == 'y' || key == 'Y';
	screen->mode = MODE_VIEW;
	if (yes && !screen->story)
		return screen->question.event;
	state_say(screen, yes ? "a recorded tree: nothing of this machine is changed"
			      : "not confirmed: nothing was changed");
	return SCREEN_NOTHING;
}

bool confirm_refuses(struct screen *screen)
{
	if (screen->read_only)
		state_say(screen, "--read-only: nothing is changed");
	return screen->read_only;
}

enum screen_event action_delayacct(struct screen *screen)
{
	if (confirm_refuses(screen))
		return SCREEN_NOTHING;
	if (!screen->frame)
		state_say(screen, "wait for the first figures");
	else if (screen->frame->system.delayacct < 0)
		state_say(screen, "this kernel has no kernel.task_delayacct to switch");
	else if (screen->frame->system.delayacct > 0)
		state_say(screen, "kernel.task_delayacct is on already; "
				  "if by somebody else, it may end");
	else
		confirm_open(screen, SCREEN_DELAYACCT,
			     "Switch kernel.task_delayacct on until iotriage ends? (tasks started "
			     "before stay unmeasured) y/n");
	return SCREEN_NOTHING;
}

void confirm_tell_delayacct(struct screen *screen)
{
	if (screen->notice_frames > 0 && --screen->notice_frames == 0)
		screen->notice[0] = '\0';
	if (!screen->frame || screen->delayacct_told)
		return;
	screen->delayacct_told = true;
	if (screen->frame->system.delayacct != 0 || *screen->notice)
		return;
	state_say(screen, "IO%% needs kernel.task_delayacct=1%s",
		  screen->read_only ? "" : ": D switches it on while iotriage runs");
}

int question_lines(const char *text)
{
	struct text_wrap wrap;
	int lines = 0;
	text_wrap_start(&wrap, text);
	for (; text_wrap_more(&wrap) && lines < QUESTION_LINES; lines++)
		text_wrap_line(&wrap, -1, 0, COLS, false);
	return lines;
}

void question_draw(const char *text, int y, enum role role)
{
	struct text_wrap wrap;
	text_wrap_start(&wrap, text);
	theme_use(role);
	for (int left = QUESTION_LINES; text_wrap_more(&wrap) && left > 0; left--)
		text_wrap_line(&wrap, y++, 0, COLS, left == 1);
	theme_use(ROLE_PLAIN);
}
