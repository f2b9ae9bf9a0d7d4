/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a script. All of it is checked before anything is started.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

static struct step *new_step(struct script *script)
{
	struct step *step = reallocarray(script->step, script->nstep + 1, sizeof *step);

	if (!step)
		return NULL;
	script->step = step;
	step += script->nstep++;
	*step = (struct step){0};
	return step;
}

static bool has_started(const struct script *script)
{
	for (size_t i = 0; i < script->nstep; i++)
		if (!script->step[i].verb->early)
			return true;
	return false;
}

static const char *parse_step(struct step *step, char *line)
{
	static char buf[160];
	const char *why;
	size_t n = strcspn(line, blanks);
	int e;

	step->text = line + n + strspn(line + n, blanks);
	line[n] = '\0';
	step->verb = verb_find(line);
	if (!step->verb)
		return "no such step";
	why = step->verb->parse(step);
	if (why || !step->verb->regex)
		return why;
	e = regcomp(&step->regex, step->text, REG_EXTENDED | REG_NOSUB);
	if (e)
		regerror(e, &step->regex, buf, sizeof buf);
	step->has_regex = !e;
	return e ? buf : NULL;
}

static bool add_line(struct script *script, const char *line, unsigned number)
{
	bool started = has_started(script);
	struct step *step;
	const char *why;
	size_t n;

	line += strspn(line, blanks);
	if (!*line || *line == '#')
		return true;
	step = new_step(script);
	if (step)
		step->owned = strdup(line);
	if (!step || !step->owned)
		return script_say(script, number, "out of memory");
	for (n = strlen(line); n && strchr(blanks, line[n - 1]); n--)
		;
	step->owned[n] = '\0';
	step->line = number;
	why = parse_step(step, step->owned);
	if (!why && started && !strcmp(step->verb->name, "ignorehup"))
		why = "belongs at the top";
	return !why || script_say(script, number, "%s: %s", step->owned, why);
}

static bool add_lines(struct script *script, FILE *file, bool then_close)
{
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	bool ok = true;

	while (ok && getline(&line, &size, file) >= 0)
		ok = add_line(script, line, ++number);
	free(line);
	if (ok && ferror(file))
		return script_say(script, number, "cannot be read");
	if (ok && then_close)
		ok = add_line(script, "close", number + 1) &&
		     add_line(script, "exit nonzero", number + 1);
	if (ok && !has_started(script))
		return script_say(script, number, "there are no steps");
	return ok;
}

static char *folder_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
}

bool script_read(struct script *script, const char *name, bool then_close)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	bool ok;

	script->name = name;
	script->folder = folder_of(name);
	if (!file || !script->folder) {
		fprintf(stderr, "ptyscreen: %s: %s\n", name, strerror(errno));
		return false;
	}
	ok = add_lines(script, file, then_close);
	if (file != stdin)
		fclose(file);
	return ok;
}

void script_release(struct script *script)
{
	for (size_t i = 0; i < script->nstep; i++) {
		if (script->step[i].has_regex)
			regfree(&script->step[i].regex);
		free(script->step[i].owned);
	}
	free(script->step);
	free(script->folder);
}
