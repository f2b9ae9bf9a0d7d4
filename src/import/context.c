/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands around the tables and tells how to read them: banners, command
 * lines, what was left out, sar's restarts.
 */
#include "importer.h"

#include <stdio.h>
#include <string.h>

void context_break(struct import *import)
{
	struct context *context = &import->context;

	context->segment++;
	if (context->hint == BOOT_INTERVAL)
		context->hint = context->said_interval ? BOOT_INTERVAL : BOOT_TRY;
	context->last_stamp.known = false;
	context->have_iowait = false;
}

enum boot_hint context_take_hint(struct import *import)
{
	enum boot_hint hint = import->context.hint;

	import->context.hint = BOOT_INTERVAL;
	return hint;
}

/* ---- banners ---- */

/* "(db01)", "(8 CPU)" */
static bool has_bracket(const struct line *line)
{
	for (size_t i = 2; i < line->nword; i++)
		if (*line->word[i].p == '(')
			return true;
	return false;
}

static bool banner_line(struct import *import, const struct line *line)
{
	struct context *context = &import->context;
	const struct word *first = &line->word[0];
	bool number = line->nword > 2 && line->word[1].n && *line->word[1].p >= '0' &&
		      *line->word[1].p <= '9';

	if (word_is(first, "Linux") && number && has_bracket(line)) {
		context_break(import);
		context->hint = context->said_interval ? BOOT_INTERVAL : BOOT_LIKELY;
		context->other_system = NULL;
		context->clocked_rows = false;
	} else if (word_is(first, "AIX") && line->nword >= 4) {
		context_break(import);
		context->other_system = NULL;
	} else if (word_is(first, "SunOS") && line->nword >= 3) {
		context_break(import);
		context->other_system = "Solaris or illumos";
	} else if (word_is(first, "HP-UX") && line->nword >= 3) {
		context_break(import);
		context->other_system = "HP-UX";
	} else {
		return false;
	}
	grid_close(import);
	return true;
}

/* ---- command lines ---- */

/* "$", "#", "[root@db data]#", "mysql>", "sudo": what stands before a command. */
static bool is_prompt(const struct word *word)
{
	static const char *const before[] = {"sudo",   "time",  "watch", "LC_ALL=C",
					     "LANG=C", "nohup", "--"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (word_is(word, before[i]))
			return true;
	return memchr("#$%>", word->p[word->n - 1], 4) != NULL;
}

static struct word tool_name(const struct word *word)
{
	struct word name = *word;

	while (name.n && (*name.p == '#' || *name.p == '$' || *name.p == '%')) {
		name.p++;
		name.n--;
	}
	for (const char *p = name.p + name.n; p-- > name.p;)
		if (*p == '/') {
			name.n -= (size_t)(p + 1 - name.p);
			name.p = p + 1;
			break;
		}
	return name;
}

/* "-o", "-j", "-g", "-f": what follows is the option's own. */
static bool takes_argument(const struct word *option)
{
	return option->n >= 2 && option->p[0] == '-' && option->p[1] != '-' &&
	       memchr("ojgf", option->p[option->n - 1], 4);
}

static bool is_device_argument(const struct word *word)
{
	static const char *const begins[] = {"/dev/", "sd", "hd",     "vd",  "xvd", "nvme",
					     "dm-",   "md", "mmcblk", "ALL", "JSON"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (word_begins(word, begins[i]))
			return true;
	return false;
}

/* "~", "`": what a prompt or a page puts behind a command. */
static bool has_letter(const struct word *word)
{
	for (size_t i = 0; i < word->n; i++)
		if ((word->p[i] | 0x20) >= 'a' && (word->p[i] | 0x20) <= 'z')
			return true;
	return false;
}

/* Prose that begins with a tool's name has words that are no arguments. */
static bool are_arguments(const struct line *line, size_t from)
{
	for (size_t i = from; i < line->nword; i++) {
		const struct word *word = &line->word[i];

		if (memchr("|>;&", *word->p, 4) || word_begins(word, "2>"))
			return true;
		if (*word->p != '-' && word->kind == WORD_TEXT && !is_device_argument(word) &&
		    !takes_argument(word - 1) && has_letter(word))
			return false;
	}
	return true;
}

static bool has_y(const struct line *line, size_t from)
{
	for (size_t i = from; i < line->nword; i++) {
		const struct word *word = &line->word[i];
		if (*word->p == '-' && word->n > 1 && word->p[1] != '-' &&
		    memchr(word->p, 'y', word->n))
			return true;
	}
	return false;
}

/* "iostat -x 5 10": the first number that is no option's. */
static double asked_seconds(const struct line *line, size_t from)
{
	enum { LONGEST = 86400 };

	for (size_t i = from; i < line->nword && !memchr("|>;&", *line->word[i].p, 4); i++) {
		const struct word *word = &line->word[i];
		if (word->kind == WORD_NUMBER && !word->suffix)
			return word->number >= 1 && word->number <= LONGEST ? word->number : 0;
	}
	return 0;
}

static void iostat_command(struct import *import, const struct line *line, size_t from)
{
	context_break(import);
	import->context.asked = asked_seconds(line, from);
	import->context.said_interval = has_y(line, from);
	import->context.hint = import->context.said_interval ? BOOT_INTERVAL : BOOT_LIKELY;
	grid_close(import);
}

static bool mentions(const struct line *line, size_t from, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = from; i < line->nword; i++)
		for (size_t at = 0; at + n <= line->word[i].n; at++)
			if (memcmp(line->word[i].p + at, text, n) == 0)
				return true;
	return false;
}

/* The same file read again is the next snapshot; another command begins anew. */
static void diskstats_command(struct import *import, const struct line *line,
			      const struct word *tool)
{
	char command[COMMAND_MAX];

	snprintf(command, sizeof(command), "%.*s", (int)(line->p + line->n - tool->p), tool->p);
	if (strcmp(command, import->context.command) != 0 && *import->context.command)
		context_break(import);
	memcpy(import->context.command, command, sizeof(command));
}

static bool command_line(struct import *import, const struct line *line)
{
	enum { PROMPT_MAX = 6 };
	static const char *const readers[] = {"cat",  "grep", "egrep", "head",
					      "tail", "more", "less",  "sysctl"};

	for (size_t i = 0; i < line->nword && i < PROMPT_MAX; i++) {
		struct word tool = tool_name(&line->word[i]);

		if (i > 0 && !is_prompt(&line->word[i - 1]))
			continue;
		bool iostat = word_is(&tool, "iostat");
		if (iostat || word_is(&tool, "sar") || word_is(&tool, "vmstat") ||
		    word_is(&tool, "iotop")) {
			if (!are_arguments(line, i + 1))
				return false;
			if (iostat)
				iostat_command(import, line, i + 1);
			import->vmstat.active = import->vmstat.seen = false;
			grid_close(import);
			return true;
		}
		for (size_t k = 0; k < sizeof(readers) / sizeof(*readers); k++) {
			if (!word_is(&tool, readers[k]) || i + 1 >= line->nword)
				continue;
			if (mentions(line, i + 1, "diskstats") ||
			    mentions(line, i + 1, "/proc/partitions"))
				diskstats_command(import, line, &tool);
			aio_command(import, line);
			diskstats_pause(import);
			grid_close(import);
			return true;
		}
	}
	return false;
}

/* ---- what was left out ---- */

/* "...", "[...]", "--- snip ---", "<cut>": dots alone, or such a word in marks. */
static bool is_elision(const struct line *line)
{
	static const char *const words[] = {"snip",    "snipped", "cut",
					    "omitted", "skipped", "deleted"};
	static const char ellipsis[] = "\xe2\x80\xa6";
	char letters[16] = "";
	size_t n = 0, dots = 0, marks = 0;

	for (size_t i = 0; i < line->n; i++) {
		char c = line->p[i];

		if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z' && n + 1 < sizeof(letters))
			letters[n++] = (char)(c | 0x20);
		else if (line->n - i >= 3 && memcmp(line->p + i, ellipsis, 3) == 0)
			dots += 3, i += 2;
		else if (c == '.')
			dots++;
		else if (memchr("[](){}<>-*=~ \t", c, 14))
			marks += c != ' ' && c != '\t';
		else
			return false;
	}
	if (n == 0)
		return dots >= 3;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(letters, words[i]) == 0)
			return dots + marks >= 2;
	return false;
}

static bool elision_line(struct import *import, const struct line *line)
{
	enum { LONGEST = 64 };

	if (line->numbers || line->n > LONGEST || !is_elision(line))
		return false;
	if (import->context.hint == BOOT_LIKELY)
		import->context.hint = BOOT_INTERVAL;
	return true;
}

static bool read_time(const struct line *line, struct stamp *stamp)
{
	enum { LONGEST = 8 }; /* rows of sar begin with a clock too, but go on */

	/* "10:00:00 up 12 days" of uptime and top, "Every 1.0s: ... 10:00:00" of watch */
	bool watch = word_is(&line->word[0], "Every");

	for (size_t i = 0; i < line->nword && (watch || i < 3); i++) {
		if (!word_is_clock(&line->word[i]) ||
		    !(watch || (i + 1 < line->nword && word_is(&line->word[i + 1], "up"))))
			continue;
		struct line clock = {.n = line->word[i].n, .nword = 1};
		clock.word[0] = line->word[i];
		return stamp_read(&clock, stamp);
	}
	return line->nword <= LONGEST && stamp_read(line, stamp);
}

static bool stamp_line(struct import *import, const struct line *line)
{
	struct context *context = &import->context;
	struct stamp stamp;

	if (import->aio_files.n || !read_time(line, &stamp))
		return false;
	if (stamp_difference(&context->last_stamp, &stamp) < 0)
		context_break(import);
	context->stamp = stamp;
	return true;
}

bool context_line(struct import *import, const struct line *line)
{
	return banner_line(import, line) || elision_line(import, line) ||
	       sar_restart(import, line) || stamp_line(import, line) || command_line(import, line);
}
