/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys by name, and keys at random. The bytes of a named key are the emulator's: they
 * follow the cursor key mode the program has set.
 */

#include "ptyscreen.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct name {
	const char *name;
	VTermKey key; /* VTERM_KEY_NONE: the byte */
	char byte;
};

static const struct name names[] = {
    {"Up", VTERM_KEY_UP, 0},
    {"Down", VTERM_KEY_DOWN, 0},
    {"Left", VTERM_KEY_LEFT, 0},
    {"Right", VTERM_KEY_RIGHT, 0},
    {"PgUp", VTERM_KEY_PAGEUP, 0},
    {"PgDn", VTERM_KEY_PAGEDOWN, 0},
    {"Home", VTERM_KEY_HOME, 0},
    {"End", VTERM_KEY_END, 0},
    {"Del", VTERM_KEY_DEL, 0},
    {"F1", VTERM_KEY_FUNCTION(1), 0},
    {"F2", VTERM_KEY_FUNCTION(2), 0},
    {"F3", VTERM_KEY_FUNCTION(3), 0},
    {"F4", VTERM_KEY_FUNCTION(4), 0},
    {"F5", VTERM_KEY_FUNCTION(5), 0},
    {"F6", VTERM_KEY_FUNCTION(6), 0},
    {"F7", VTERM_KEY_FUNCTION(7), 0},
    {"F8", VTERM_KEY_FUNCTION(8), 0},
    {"F9", VTERM_KEY_FUNCTION(9), 0},
    {"F10", VTERM_KEY_FUNCTION(10), 0},
    {"Enter", VTERM_KEY_NONE, '\r'},
    {"Esc", VTERM_KEY_NONE, '\033'},
    {"Tab", VTERM_KEY_NONE, '\t'},
    {"Space", VTERM_KEY_NONE, ' '},
    {"Backspace", VTERM_KEY_NONE, '\177'},
};

enum { NNAMES = sizeof names / sizeof *names };

enum token { TOKEN_END, TOKEN_BYTE, TOKEN_KEY, TOKEN_BAD };

static enum token next_escape(const char **at, char *byte)
{
	static const char letters[] = "ertn\\", bytes[] = "\033\r\t\n\\";
	const char *p = *at + 1;
	const char *letter = *p ? strchr(letters, *p) : NULL;

	if (letter) {
		*byte = bytes[letter - letters];
		*at = p + 1;
		return TOKEN_BYTE;
	}
	if (*p != 'x' || !isxdigit((unsigned char)p[1]) || !isxdigit((unsigned char)p[2]))
		return TOKEN_BAD;
	*byte = (char)strtoul((char[]){p[1], p[2], '\0'}, NULL, 16);
	*at = p + 3;
	return TOKEN_BYTE;
}

/* "<" followed by anything but "Name>" is the key "<". */
static enum token next_name(const char **at, char *byte, VTermKey *key)
{
	const char *p = *at + 1;
	size_t n = 0;

	while (isalnum((unsigned char)p[n]))
		n++;
	if (!n || !isupper((unsigned char)*p) || p[n] != '>') {
		*byte = '<';
		*at = p;
		return TOKEN_BYTE;
	}
	for (size_t i = 0; i < NNAMES; i++) {
		if (strlen(names[i].name) != n || memcmp(names[i].name, p, n))
			continue;
		*byte = names[i].byte;
		*key = names[i].key;
		*at = p + n + 1;
		return *key == VTERM_KEY_NONE ? TOKEN_BYTE : TOKEN_KEY;
	}
	return TOKEN_BAD;
}

static enum token next_token(const char **at, char *byte, VTermKey *key)
{
	if (!**at)
		return TOKEN_END;
	if (**at == '\\')
		return next_escape(at, byte);
	if (**at == '<')
		return next_name(at, byte, key);
	*byte = *(*at)++;
	return TOKEN_BYTE;
}

const char *keys_check(const char *text)
{
	enum token token;
	VTermKey key;
	char byte;

	while ((token = next_token(&text, &byte, &key)) != TOKEN_END)
		if (token == TOKEN_BAD)
			return "unknown key or escape";
	return NULL;
}

int keys_send(struct pty *pty, const char *text)
{
	enum { ESCAPE_MS = 100 }; /* else the next key would make one with it */
	enum token token;
	VTermKey key;
	char byte = 0;
	int e = 0;

	while (!e && (token = next_token(&text, &byte, &key)) != TOKEN_END) {
		if (token == TOKEN_KEY) {
			byte = 0;
			term_press(pty->term, key);
			e = pty_send(pty, NULL, 0);
		} else {
			e = pty_send(pty, &byte, 1);
		}
	}
	for (int ms = 0; !e && byte == '\033' && ms < ESCAPE_MS; ms++)
		pty_turn(pty, 1);
	return e;
}

/* ---- at random ---- */

enum { LAST = 16, PRESS_MAX = 32 };

struct random {
	struct pty *pty;
	uint64_t state;
	const char *never;          /* keys */
	char last[LAST][PRESS_MAX]; /* what was sent last, to be read by people */
	size_t nlast;
};

/* splitmix64 */
static unsigned draw(struct random *r, unsigned below)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return (unsigned)((z ^ (z >> 31)) % below);
}

/* Whether a key step of that text would send the byte, or the key. */
static bool has_key(const char *text, char c, VTermKey key)
{
	enum token token;
	VTermKey k = VTERM_KEY_NONE;
	char byte = 0;

	while ((token = next_token(&text, &byte, &k)) == TOKEN_BYTE || token == TOKEN_KEY)
		if (token == TOKEN_KEY ? k == key : key == VTERM_KEY_NONE && byte == c)
			return true;
	return false;
}

/*
 * Keys that reach beyond the program: the tty's interrupt, stop output, suspend and
 * quit, and "i", which asks for another I/O priority of somebody's task.
 */
static bool is_harmful(const struct random *r, char c, VTermKey key)
{
	static const char harmful[] = "\\x03\\x13\\x1a\\x1ciI";

	return has_key(harmful, c, key) || has_key(r->never, c, key);
}

static char draw_byte(struct random *r, unsigned first, unsigned n)
{
	char c;

	do
		c = (char)(first + draw(r, n));
	while (is_harmful(r, c, VTERM_KEY_NONE));
	return c;
}

static const char *const prefixes[] = {
    "\033",      "\033[",     "\033O",   "\033[1;5", "\033[<0;3;2M", "\033[<64;9;5M",
    "\033[M !!", "\033[200~", "\033]0;", "\033\033", "\033[?",       "\033[999999999",
};

static int press_name(struct random *r, char *said)
{
	const struct name *name;

	do
		name = &names[draw(r, NNAMES)];
	while (is_harmful(r, name->byte, name->key));
	snprintf(said, PRESS_MAX, "<%s>", name->name);
	if (name->key == VTERM_KEY_NONE)
		return pty_send(r->pty, &name->byte, 1);
	term_press(r->pty->term, name->key);
	return pty_send(r->pty, NULL, 0);
}

static int press_byte(struct random *r, char c, char *said)
{
	bool plain = c > ' ' && c != '\\' && c != '\177';

	snprintf(said, PRESS_MAX, plain ? "%c" : "\\x%02x", (unsigned char)c);
	return pty_send(r->pty, &c, 1);
}

static int press_random(struct random *r, char *said)
{
	enum { NPREFIXES = sizeof prefixes / sizeof *prefixes };
	enum { PRINTABLE = 60, NAMED = 80, PREFIX = 88, CONTROL = 95, ALL = 100 };
	unsigned kind = draw(r, ALL);
	const char *prefix;

	if (kind < PRINTABLE)
		return press_byte(r, draw_byte(r, ' ', 95), said);
	if (kind < NAMED)
		return press_name(r, said);
	if (kind >= CONTROL)
		return press_byte(r, draw_byte(r, 128, 128), said);
	if (kind >= PREFIX)
		return press_byte(r, draw_byte(r, 1, 31), said);
	prefix = prefixes[draw(r, NPREFIXES)];
	for (const char *p = prefix; *p; p++)
		if (is_harmful(r, *p, VTERM_KEY_NONE))
			prefix = "\033";
	snprintf(said, PRESS_MAX, "\\e%s", prefix + 1);
	return pty_send(r->pty, prefix, strlen(prefix));
}

static bool has_output(struct pty *pty, void *arg)
{
	return pty->output_s > *(double *)arg || pty->state == CHILD_ENDED;
}

/* Keys of the time before it draws would only reach the tty. */
static int start_again(struct pty *pty)
{
	double start;
	int e = pty_start(pty);

	start = pty->output_s;
	if (!e)
		pty_wait(pty, has_output, &start, 1);
	return e;
}

static bool is_read(struct pty *pty, void *arg)
{
	(void)arg;
	return pty->state == CHILD_ENDED || pty_unread(pty) == 0;
}

/* NULL, or what is wrong. */
static const char *check_alive(struct random *r, char *buf, size_t size)
{
	struct pty *pty = r->pty;

	if (pty->state == CHILD_RUNNING)
		return NULL;
	if (pty->state == CHILD_ENDED && WIFEXITED(pty->status) && !WEXITSTATUS(pty->status))
		return start_again(pty) ? "cannot be started again" : NULL;
	return pty_state_text(pty, buf, size);
}

static const char *do_random(struct random *r, const struct step *step, char *buf, size_t size)
{
	enum { EVERY = 10, ROWS = 60, COLS = 200 };
	struct pty *pty = r->pty;
	const char *why = NULL;

	for (int i = 1; !why && i <= step->a; i++) {
		char *said = r->last[r->nlast++ % LAST];

		if (i % EVERY == 0) {
			int rows = 1 + (int)draw(r, ROWS), cols = 1 + (int)draw(r, COLS);

			snprintf(said, PRESS_MAX, "size %dx%d", cols, rows);
			pty_resize(pty, rows, cols);
		} else if (press_random(r, said) == -ETIMEDOUT) {
			return "does not read its keys";
		}
		pty_turn(pty, 1);
		pty_turn(pty, 1);
		why = check_alive(r, buf, size);
	}
	if (why)
		return why;
	if (!pty_wait(pty, is_read, NULL, pty->patience_s))
		return "does not read its keys";
	return check_alive(r, buf, size);
}

bool run_random(struct script *script, const struct step *step)
{
	struct random r = {.pty = &script->pty, .state = step->seed, .never = step->text};
	int rows = script->pty.rows, cols = script->pty.cols;
	char buf[64];
	const char *why = do_random(&r, step, buf, sizeof buf);

	if (!why) {
		pty_resize(&script->pty, rows, cols);
		return true;
	}
	script_say(script, step->line, "random: the child %s after %zu keys", why, r.nlast);
	fputs("the last of them:", stderr);
	for (size_t i = r.nlast > LAST ? r.nlast - LAST : 0; i < r.nlast; i++)
		fprintf(stderr, "  %s", r.last[i % LAST]);
	fputc('\n', stderr);
	term_print(script->pty.term, stderr);
	return false;
}

const char *parse_random(struct step *step)
{
	unsigned long long seed;
	int n = 0;

	if (sscanf(step->text, "%9d %llu%n", &step->a, &seed, &n) < 2 || step->a < 1)
		return "wants a number of keys and a seed";
	step->seed = seed;
	step->text += n;
	if (*step->text && *step->text != ' ')
		return "wants a number of keys and a seed";
	step->text += strspn(step->text, " ");
	return keys_check(step->text);
}
