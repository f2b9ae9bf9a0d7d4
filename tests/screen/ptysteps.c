/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of steps, and running them one after the other.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool script_say(const struct script *script, unsigned line, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "ptyscreen: %s:%u: ", script->name, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

static const char *parse_nothing(struct step *step)
{
	return *step->text ? "takes nothing" : NULL;
}

static const char *parse_text(struct step *step)
{
	return *step->text ? NULL : "wants something";
}

static const char *parse_keys(struct step *step)
{
	return *step->text ? keys_check(step->text) : "wants keys";
}

static const char *parse_size(struct step *step)
{
	enum { MOST = 1000 };
	int n = 0;

	if (sscanf(step->text, "%4dx%4d%n", &step->b, &step->a, &n) != 2 || step->text[n])
		return "wants COLSxROWS";
	return step->a < 1 || step->b < 1 || step->a > MOST || step->b > MOST
		   ? "wants 1 to 1000 columns and rows"
		   : NULL;
}

static const char *parse_sleep(struct step *step)
{
	int n = 0;

	if (sscanf(step->text, "%5d%n", &step->a, &n) != 1 || step->text[n] || step->a < 0)
		return "wants milliseconds";
	return NULL;
}

static bool run_size(struct script *script, const struct step *step)
{
	if (script->pty.master < 0)
		return script_say(script, step->line, "size: the terminal is closed");
	if (script->pty.state != CHILD_NONE)
		pty_settle(&script->pty);
	pty_resize(&script->pty, step->a, step->b);
	return true;
}

static bool run_ignorehup(struct script *script, const struct step *step)
{
	(void)step;
	script->pty.ignore_hangup = true;
	return true;
}

static bool run_key(struct script *script, const struct step *step)
{
	struct pty *pty = &script->pty;
	char buf[48];
	int e;

	pty_turn(pty, 0);
	e = keys_send(pty, step->text);
	if (e == -ETIMEDOUT)
		return script_say(script, step->line, "key: the child does not read its keys");
	if (e && pty->master < 0)
		return script_say(script, step->line, "key: the terminal is closed");
	if (e)
		return script_say(script, step->line, "key: the child %s",
				  pty_state_text(pty, buf, sizeof buf));
	return true;
}

static bool never(struct pty *pty, void *arg)
{
	(void)pty;
	(void)arg;
	return false;
}

static bool run_sleep(struct script *script, const struct step *step)
{
	pty_wait(&script->pty, never, NULL, step->a / 1000.0);
	return true;
}

static bool run_dump(struct script *script, const struct step *step)
{
	(void)step;
	pty_turn(&script->pty, 0);
	term_print(script->pty.term, stdout);
	return true;
}

static const struct verb verbs[] = {
    {"ignorehup", true, false, parse_nothing, run_ignorehup},
    {"size", true, false, parse_size, run_size},
    {"key", false, false, parse_keys, run_key},
    {"expect", false, false, parse_text, run_expect},
    {"see", false, true, parse_text, run_see},
    {"gone", false, true, parse_text, run_gone},
    {"attr", false, true, parse_attr, run_attr},
    {"mouse", false, false, parse_mouse, run_mouse},
    {"signal", false, false, parse_signal, run_signal},
    {"stopped", false, false, parse_nothing, run_stopped},
    {"exit", false, false, parse_exit, run_exit},
    {"close", false, false, parse_nothing, run_close},
    {"restored", false, false, parse_nothing, run_restored},
    {"noescape", false, false, parse_nothing, run_noescape},
    {"random", false, false, parse_random, run_random},
    {"sleep", false, false, parse_sleep, run_sleep},
    {"dump", false, false, parse_nothing, run_dump},
};

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

bool script_run(struct script *script)
{
	struct pty *pty = &script->pty;
	int e = 0;

	for (size_t i = 0; i < script->nstep; i++) {
		const struct step *step = &script->step[i];

		if (!step->verb->early && pty->state == CHILD_NONE)
			e = pty_start(pty);
		if (e)
			return script_say(script, step->line, "cannot start the child: %s",
					  strerror(-e));
		if (!step->verb->run(script, step))
			return false;
	}
	return true;
}
