/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that wait for the screen to show something.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a condition looks at. */
struct want {
	const regex_t *regex;
	const struct golden *golden;
	unsigned look;
	double since_s;
};

const char *pty_waited_text(const struct pty *pty, double s, char *buf, size_t size)
{
	char state[48];

	if (pty->state == CHILD_ENDED)
		snprintf(buf, size, "and the child %s", pty_state_text(pty, state, sizeof state));
	else
		snprintf(buf, size, "within %g s", s);
	return buf;
}

static bool fail_with_screen(struct script *script, const struct step *step, const char *what)
{
	struct pty *pty = &script->pty;
	char buf[96];

	script_say(script, step->line, "%s %s: %s, %s", step->verb->name, step->text, what,
		   pty_waited_text(pty, pty->patience_s, buf, sizeof buf));
	term_print(pty->term, stderr);
	return false;
}

/* ---- expect ---- */

static bool is_equal(struct pty *pty, void *arg)
{
	const struct want *want = arg;

	return golden_compare(want->golden, pty->term) == 0;
}

static bool is_quiet(struct pty *pty, void *arg)
{
	static const double quiet_s = 0.4;
	const struct want *want = arg;
	double last = pty->output_s > want->since_s ? pty->output_s : want->since_s;

	return clock_s() - last >= quiet_s;
}

static bool update_golden(struct script *script, const struct step *step, const char *path)
{
	struct want want = {.since_s = clock_s()};
	int e;

	if (!pty_wait(&script->pty, is_quiet, &want, script->pty.patience_s) &&
	    script->pty.state != CHILD_ENDED)
		return fail_with_screen(script, step, "the screen does not come to rest");
	e = golden_write(path, script->pty.term);
	if (e)
		return script_say(script, step->line, "%s: %s", path, strerror(-e));
	printf("ptyscreen: wrote %s\n", path);
	return true;
}

static bool compare_golden(struct script *script, const struct step *step, const char *path)
{
	struct pty *pty = &script->pty;
	struct golden golden;
	struct want want = {.golden = &golden};
	char buf[96];
	int e = golden_read(&golden, path);
	bool ok;

	if (e)
		return script_say(script, step->line, "%s: %s", path, strerror(-e));
	ok = pty_wait(pty, is_equal, &want, pty->patience_s);
	if (!ok) {
		script_say(script, step->line,
			   "the screen (%d rows) is not %s (%zu rows): %zu rows differ, %s",
			   pty->rows, step->text, golden.n, golden_compare(&golden, pty->term),
			   pty_waited_text(pty, pty->patience_s, buf, sizeof buf));
		golden_diff(&golden, pty->term, stderr);
	}
	golden_release(&golden);
	return ok;
}

bool run_expect(struct script *script, const struct step *step)
{
	char *path;
	bool ok;

	if (*step->text == '/')
		path = strdup(step->text);
	else if (asprintf(&path, "%s/%s", script->folder, step->text) < 0)
		path = NULL;
	if (!path)
		return script_say(script, step->line, "out of memory");
	ok =
	    script->update ? update_golden(script, step, path) : compare_golden(script, step, path);
	free(path);
	return ok;
}

/* ---- mouse ---- */

static bool is_mouse(struct pty *pty, void *arg)
{
	return (term_modes(pty->term).mouse != 0) == *(const bool *)arg;
}

bool run_mouse(struct script *script, const struct step *step)
{
	bool on = step->a;

	return pty_wait(&script->pty, is_mouse, &on, script->pty.patience_s) ||
	       fail_with_screen(script, step, on ? "it is off" : "it is on");
}

const char *parse_mouse(struct step *step)
{
	step->a = strcmp(step->text, "on") == 0;
	return step->a || strcmp(step->text, "off") == 0 ? NULL : "wants on or off";
}

/* ---- see, gone, attr ---- */

/* The first row that matches, or -1. */
static int find_row(struct term *term, const regex_t *regex)
{
	for (int row = 0; row < term_rows(term); row++)
		if (!regexec(regex, term_row(term, row), 0, NULL, 0))
			return row;
	return -1;
}

static bool is_seen(struct pty *pty, void *arg)
{
	return find_row(pty->term, ((struct want *)arg)->regex) >= 0;
}

static bool is_gone(struct pty *pty, void *arg)
{
	return !is_seen(pty, arg);
}

bool run_see(struct script *script, const struct step *step)
{
	struct want want = {.regex = &step->regex};

	return pty_wait(&script->pty, is_seen, &want, script->pty.patience_s) ||
	       fail_with_screen(script, step, "no row matches");
}

bool run_gone(struct script *script, const struct step *step)
{
	struct want want = {.regex = &step->regex};

	return pty_wait(&script->pty, is_gone, &want, script->pty.patience_s) ||
	       fail_with_screen(script, step, "a row still matches");
}

enum look_name { RED, YELLOW, GREEN, BLUE, MAGENTA, CYAN, BOLD, REVERSE, UNDERLINE, PLAIN };

static const char *const look_names[] = {"red",  "yellow", "green",   "blue",      "magenta",
					 "cyan", "bold",   "reverse", "underline", "plain"};

static bool has_look(const struct look *look, unsigned name)
{
	static const int colours[] = {
	    [RED] = 1, [YELLOW] = 3, [GREEN] = 2, [BLUE] = 4, [MAGENTA] = 5, [CYAN] = 6};
	enum { BRIGHT = 8 };

	switch (name) {
	case BOLD:
		return look->bold;
	case REVERSE:
		return look->reverse;
	case UNDERLINE:
		return look->underline;
	case PLAIN:
		return !look->bold && !look->reverse && !look->underline && !look->blink &&
		       look->fg == -1 && look->bg == -1;
	default:
		return look->fg == colours[name] || look->fg == colours[name] + BRIGHT;
	}
}

static bool is_looking(struct pty *pty, void *arg)
{
	const struct want *want = arg;
	int row = find_row(pty->term, want->regex);
	struct look look;

	return row >= 0 && term_look(pty->term, row, &look) && has_look(&look, want->look);
}

bool run_attr(struct script *script, const struct step *step)
{
	struct want want = {.regex = &step->regex, .look = (unsigned)step->a};
	struct pty *pty = &script->pty;
	struct look look = {0};
	char buf[160];
	int row;

	if (pty_wait(pty, is_looking, &want, pty->patience_s))
		return true;
	row = find_row(pty->term, &step->regex);
	if (row < 0 || !term_look(pty->term, row, &look))
		return fail_with_screen(script, step, "no row matches");
	snprintf(buf, sizeof buf, "row %d is not %s but foreground %d, background %d%s%s%s%s",
		 row + 1, look_names[step->a], look.fg, look.bg, look.bold ? ", bold" : "",
		 look.reverse ? ", reverse" : "", look.underline ? ", underline" : "",
		 look.blink ? ", blink" : "");
	return fail_with_screen(script, step, buf);
}

const char *parse_attr(struct step *step)
{
	char *what = strrchr(step->text, ' ');

	if (!what)
		return "wants a regex and a look";
	for (unsigned i = 0; i < sizeof look_names / sizeof *look_names; i++) {
		if (strcmp(look_names[i], what + 1))
			continue;
		while (what > step->text && what[-1] == ' ')
			what--;
		*what = '\0';
		step->a = (int)i;
		return NULL;
	}
	return "knows red yellow green blue magenta cyan bold reverse underline plain";
}
