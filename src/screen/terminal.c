/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening, leaving and losing the terminal, and the bytes that come from it.
 */
#include "terminal.h"
#include "text.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* Reports of presses and the wheel, where possible with numbers instead of bytes. */
static const char mouse_on[] = "\033[?1000h\033[?1006h", mouse_off[] = "\033[?1006l\033[?1000l";

enum { ESCAPE_DELAY_MS = 25, WHY_MAX = 256, RESET_MAX = 256 };

/* Signals for which newterm() installs handlers of its own. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
enum { CURSES_SIGNALS = sizeof(curses_signals) / sizeof(curses_signals[0]) };

static struct {
	SCREEN *screen;
	FILE *in;     /* /dev/tty if we opened it, else NULL */
	WINDOW *keys; /* a pad: reading from it refreshes nothing */
	bool mouse;   /* it is ours while the screen is */
	char why[WHY_MAX];
} terminal;

/* What a signal handler needs; written before `ready`. */
static struct {
	char reset[RESET_MAX];
	size_t len;
	struct termios saved;
	int fd;
} rescue;
static volatile sig_atomic_t rescue_ready;

static int terminal_refuse(const char **why, int error, const char *what)
{
	snprintf(terminal.why, sizeof(terminal.why), "%s; -b (batch) works without a terminal",
		 what);
	*why = terminal.why;
	return -error;
}

static int terminal_refuse_type(const char **why, const char *name, const char *fault)
{
	char clean[64], what[128];
	text_plain(clean, sizeof(clean), name);
	snprintf(what, sizeof(what), "TERM is '%s': %s", clean, fault);
	return terminal_refuse(why, EINVAL, what);
}

/* newterm() may exit or write on a bad TERM, hence asked before. */
static int terminal_check(const char **why)
{
	const char *name = getenv("TERM");
	int error = 0;
	if (!isatty(STDOUT_FILENO))
		return terminal_refuse(why, ENOTTY, "standard output is no terminal");
	if (!name)
		return terminal_refuse(why, EINVAL, "TERM is not set");
	if (!*name)
		return terminal_refuse_type(why, name, "it is empty");
	if (setupterm(name, STDOUT_FILENO, &error) != OK)
		return terminal_refuse_type(
		    why, name, error < 0 ? "no terminfo database" : "no such terminal is known");
	const char *move = tigetstr("cup"), *clear = tigetstr("clear");
	bool usable = move && move != (char *)-1 && clear && clear != (char *)-1;
	del_curterm(cur_term);
	return usable ? 0 : terminal_refuse_type(why, name, "it cannot move the cursor");
}

static FILE *terminal_input(void)
{
	if (isatty(STDIN_FILENO))
		return stdin;
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return NULL;
	terminal.in = fdopen(fd, "r+");
	if (!terminal.in)
		close(fd);
	return terminal.in;
}

static int terminal_collect(int c)
{
	if (rescue.len < sizeof(rescue.reset))
		rescue.reset[rescue.len++] = (char)c;
	return c;
}

static void terminal_prepare_rescue(int in)
{
	static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
	rescue.len = 0;
	rescue.fd = in;
	for (const char *c = mouse_off; terminal.mouse && *c; c++)
		terminal_collect(*c);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = tigetstr(names[i]);
		if (s && s != (char *)-1)
			tputs(s, 1, terminal_collect);
	}
	rescue_ready = 1;
}

/*
 * Writing to a terminal blocks while its output is held back (Ctrl-S, a reader
 * that stopped), and signals are only looked at between two drawings. So while
 * we write, a timer asks whether somebody wants the program to end.
 */
static volatile sig_atomic_t closing;

static void guard_look(int number)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t pending;
	bool wanted = closing;

	(void)number;
	sigemptyset(&pending);
	sigpending(&pending);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		wanted = wanted || sigismember(&pending, ends[i]) == 1;
	if (!wanted)
		return;
	(void)tcflush(STDOUT_FILENO, TCOFLUSH);
	(void)tcflow(STDOUT_FILENO, TCOON);
	terminal_rescue();
	_exit(0);
}

static void guard_begin(void)
{
	const struct itimerval often = {{0, 300000}, {0, 300000}};
	struct sigaction look = {.sa_handler = guard_look, .sa_flags = SA_RESTART};

	sigemptyset(&look.sa_mask);
	(void)sigaction(SIGALRM, &look, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
}

static void guard_end(void)
{
	const struct itimerval never = {{0, 0}, {0, 0}};

	(void)setitimer(ITIMER_REAL, &never, NULL);
}

/* Past curses, whose buffer for this is flushed at the end only. */
static void terminal_ask_mouse(const char *bytes, size_t n)
{
	if (!terminal.mouse)
		return;
	guard_begin();
	ssize_t ignored = write(STDOUT_FILENO, bytes, n);
	(void)ignored;
	guard_end();
}

static void terminal_set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	set_escdelay(ESCAPE_DELAY_MS);
	typeahead(-1); /* waiting keys must not cut a drawing short */
	terminal.keys = newpad(1, 1);
	if (terminal.keys) {
		keypad(terminal.keys, TRUE);
		nodelay(terminal.keys, TRUE);
		meta(terminal.keys, TRUE);
	}
	define_key(NULL, KEY_MOUSE); /* reports are read by us, whatever their form */
}

static bool terminal_has_mouse(void)
{
	const char *report = tigetstr("kmous");
	return report && report != (char *)-1;
}

int terminal_open(const char **why, bool mouse)
{
	struct sigaction before[CURSES_SIGNALS];
	int error = terminal_check(why);
	if (error)
		return error;
	FILE *in = terminal_input();
	if (!in)
		return terminal_refuse(why, ENXIO, "no terminal to read keys from");
	if (tcgetattr(fileno(in), &rescue.saved) < 0)
		return terminal_refuse(why, errno, "the terminal does not answer");
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], NULL, &before[i]);
	terminal.screen = newterm(NULL, stdout, in);
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &before[i], NULL);
	if (!terminal.screen)
		return terminal_refuse_type(why, getenv("TERM"), "the terminal cannot be used");
	terminal.mouse = mouse && terminal_has_mouse();
	terminal_prepare_rescue(fileno(in));
	terminal_set_modes();
	if (!terminal.keys) {
		terminal_close();
		return terminal_refuse(why, ENOMEM, "no memory");
	}
	terminal_ask_mouse(mouse_on, sizeof(mouse_on) - 1);
	return 0;
}

int terminal_fd(void)
{
	return rescue.fd;
}

/*
 * No key, although poll() has something to read, is how an end of file and a
 * terminal that went away look: twice, since bytes may come in between.
 */
int terminal_key(void)
{
	for (int attempt = 0; attempt < 2; attempt++) {
		errno = 0;
		int key = wgetch(terminal.keys);
		if (key != ERR)
			return key;
		struct pollfd ready = {.fd = rescue.fd, .events = POLLIN};
		if (poll(&ready, 1, 0) <= 0)
			return TERMINAL_NO_KEY;
		if (ready.revents & (POLLHUP | POLLERR | POLLNVAL))
			return TERMINAL_GONE;
	}
	return TERMINAL_GONE;
}

void terminal_resize(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE); /* what the terminal did to the old cells is unknown */
}

/* Async-signal-safe, and does not wait for a terminal whose output is held back. */
void terminal_rescue(void)
{
	if (!rescue_ready)
		return;
	rescue_ready = 0;
	struct termios flowing = rescue.saved;
	flowing.c_iflag &= ~(tcflag_t)IXON; /* lets go of output held by Ctrl-S */
	(void)tcsetattr(rescue.fd, TCSANOW, &flowing);
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	(void)fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	ssize_t ignored = write(STDOUT_FILENO, rescue.reset, rescue.len);
	(void)ignored;
	(void)fcntl(STDOUT_FILENO, F_SETFL, flags);
	(void)tcsetattr(rescue.fd, TCSANOW, &rescue.saved);
}

void terminal_draw(void)
{
	guard_begin();
	doupdate();
	guard_end();
}

static void terminal_end(void)
{
	terminal_ask_mouse(mouse_off, sizeof(mouse_off) - 1);
	guard_begin();
	endwin();
	guard_end();
}

void terminal_close(void)
{
	if (!terminal.screen)
		return;
	closing = 1;
	terminal_end();
	closing = 0;
	rescue_ready = 0;
	if (terminal.keys)
		delwin(terminal.keys);
	delscreen(terminal.screen);
	(void)tcsetattr(rescue.fd, TCSANOW, &rescue.saved);
	if (terminal.in)
		fclose(terminal.in);
	terminal.screen = NULL;
	terminal.keys = NULL;
	terminal.in = NULL;
}

void terminal_suspend(void)
{
	terminal_end();
	rescue_ready = 0;
}

void terminal_resume(void)
{
	/* the shell may have changed it meanwhile; after a stop from outside it may still be as we set it */
	if (!rescue_ready) {
		def_shell_mode();
		(void)tcgetattr(rescue.fd, &rescue.saved);
	}
	reset_prog_mode();
	rescue_ready = 1;
	terminal_ask_mouse(mouse_on, sizeof(mouse_on) - 1);
	terminal_resize();
}
