/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prompts. A filter acts while it is typed; a user when it is complete.
 */
#include "prompt.h"
#include "draw.h"
#include "text.h"
#include "theme.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum { KEY_CTRL_H = 8, KEY_CTRL_U = 21, KEY_ESC = 27, KEY_DEL = 127 };

void prompt_open(struct screen *screen, enum mode mode, struct list *list)
{
	struct prompt *prompt = &screen->prompt;
	if (!list)
		return;
	*prompt = (struct prompt){.list = list};
	snprintf(prompt->text, sizeof(prompt->text), "%s",
		 mode == MODE_USER ? list->user : list->filter);
	screen->mode = mode;
}

/* Takes the last character away, all bytes of it. */
static void prompt_erase(struct prompt *prompt)
{
	size_t n = strlen(prompt->text);
	while (n > 0 && ((unsigned char)prompt->text[n - 1] & 0xc0) == 0x80)
		n--;
	prompt->text[n > 0 ? n - 1 : 0] = '\0';
}

static void prompt_apply_filter(struct screen *screen)
{
	struct prompt *prompt = &screen->prompt;
	prompt->why[0] = '\0';
	if (list_set_filter(prompt->list, prompt->text, prompt->why, sizeof(prompt->why)))
		state_update(screen);
}

static void prompt_apply_user(struct screen *screen)
{
	struct list *list = screen->prompt.list;
	snprintf(list->user, sizeof(list->user), "%s", screen->prompt.text);
	list->resort = true;
	state_update(screen);
	if (*list->user && screen->frame && list->rows.n == 0)
		state_say(screen, "no task of user %s now", list->user);
}

static void prompt_accept(struct screen *screen)
{
	if (screen->mode == MODE_FILTER && *screen->prompt.why)
		return; /* it cannot be kept; what is wrong stays on show */
	bool user = screen->mode == MODE_USER;
	screen->mode = MODE_VIEW;
	if (user)
		prompt_apply_user(screen);
}

static void prompt_remove(struct screen *screen)
{
	bool user = screen->mode == MODE_USER;
	screen->prompt.text[0] = '\0';
	screen->mode = MODE_VIEW;
	if (user)
		prompt_apply_user(screen);
	else
		prompt_apply_filter(screen);
}

bool prompt_key(struct screen *screen, int key)
{
	struct prompt *prompt = &screen->prompt;
	size_t n = strlen(prompt->text);
	if (key == KEY_ESC) {
		prompt_remove(screen);
		return true;
	}
	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		prompt_accept(screen);
		return true;
	}
	if (key == KEY_BACKSPACE || key == KEY_CTRL_H || key == KEY_DEL)
		prompt_erase(prompt);
	else if (key == KEY_CTRL_U)
		prompt->text[0] = '\0';
	else if (key >= ' ' && key < 256 && n + 1 < sizeof(prompt->text))
		prompt->text[n] = (char)key, prompt->text[n + 1] = '\0';
	else
		return key < 256;
	if (screen->mode == MODE_FILTER)
		prompt_apply_filter(screen);
	return true;
}

void prompt_draw(const struct screen *screen, int y)
{
	const struct prompt *prompt = &screen->prompt;
	char label[64], hint[160];
	if (screen->mode == MODE_FILTER)
		snprintf(label, sizeof(label), "filter %s: ", prompt->list->table->name);
	else
		snprintf(label, sizeof(label), "tasks of user (name or number): ");
	if (*prompt->why)
		snprintf(hint, sizeof(hint), "bad expression: %s", prompt->why);
	else
		snprintf(hint, sizeof(hint), "Enter keeps  Esc removes");
	if (COLS < 60 && screen->mode == MODE_USER)
		snprintf(label, sizeof(label), "user: ");
	int x = text_width(label), width = text_width(prompt->text);
	theme_use(ROLE_KEY);
	text_put(y, 0, x, label, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
	int room = COLS - x - 1;
	width = width < room ? width : room > 0 ? room : 0;
	text_put(y, x, width, prompt->text, TEXT_CUT_MIDDLE);
	x += width;
	theme_use(ROLE_SELECTED);
	text_put(y, x, 1, " ", TEXT_CUT_END);
	theme_use(*prompt->why ? ROLE_WARN : ROLE_DIM);
	x += 3;
	if (COLS - x > 8)
		text_put(y, x, COLS - x, hint, TEXT_CUT_END);
	theme_use(ROLE_PLAIN);
}
