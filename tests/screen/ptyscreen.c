/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command on a pty behind a terminal emulator, follows a script of steps and
 * compares the cells of the screen.
 *
 *	ptyscreen [-c] [-s COLSxROWS] [-t TERM] [-w SECONDS] SCRIPT -- COMMAND [ARGS...]
 *
 *	-c  close: after the last step the terminal vanishes, as by the two steps
 *	    "close" and "exit nonzero"
 *	-s  size at the start, 80x24 if not given
 *	-t  TERM of the child, xterm-256color if not given
 *	-w  how long a step waits for what it wants, 5 s if not given
 *
 * Exit status: 0 all steps held, 1 one did not ("ptyscreen: SCRIPT:LINE: ..." and the
 * screen on stderr), 2 wrong usage or a wrong script.
 *
 * SCRIPT is a file, or "-" for standard input; one step a line, blanks around it do
 * not count, a line that begins with "#" is a comment. Steps that want something wait
 * for it while output comes; size, signal and close first let the child come to rest.
 *
 *	size COLSxROWS	resizes the pty and the emulator. At the top, before any step but
 *			ignorehup, it is the size the child starts with
 *	key TEXT	sends TEXT. \e \r \t \n \\ \xNN are bytes; <Up> <Down> <Left> <Right>
 *			<PgUp> <PgDn> <Home> <End> <Del> <Enter> <Esc> <Tab> <Space>
 *			<Backspace> <F1>...<F10> are keys, with xterm's bytes for the cursor
 *			key mode the program has set; any other "<" is itself. After a TEXT
 *			that ends in Esc 100 ms pass, so that the next step's key stays one
 *	expect FILE	the screen equals FILE: a line for each row, trailing blanks trimmed.
 *			FILE is found from the folder of SCRIPT. With UPDATE_GOLDEN=1 in the
 *			environment FILE is written, once the screen was quiet for 400 ms
 *	see REGEX	some row matches the extended regular expression
 *	gone REGEX	no row matches
 *	attr REGEX LOOK	the first cell that is not blank of the first row that matches is red
 *			yellow green blue magenta cyan (foreground, dark or bright), bold,
 *			reverse, underline, or plain (none of these, default colours)
 *	mouse on|off	the program has asked for reports of the mouse, or has not
 *	signal NAME	sends SIGTERM, SIGTSTP, SIGCONT, ... to the child
 *	stopped		the child is stopped
 *	exit STATUS	the child has exited with STATUS
 *	exit signal NAME	the child was killed by that signal
 *	exit nonzero	the child has exited within 2 s, not with 0, or was killed by SIGHUP,
 *			and took at most 0.2 s of CPU (since "close", where there was one)
 *	close		closes the master: the terminal vanishes, the child gets SIGHUP
 *	ignorehup	only at the top: the child starts with SIGHUP ignored, as by nohup
 *	restored	the child has ended or is stopped, and left the pty's termios as it was,
 *			the alternate screen off, the cursor visible, the mouse off
 *	noescape	no ESC was in the output so far
 *	random N SEED [NEVER]	sends N random keys, every tenth a resize between 1x1 and
 *			200x60. The child must go on reading them; where it exits with 0 it is
 *			started again. Not sent are ^C ^S ^Z ^\ and i I (they ask for an I/O
 *			priority), nor the keys of NEVER, written as in key; but random bytes
 *			can add up to the sequence of a function key. Run it only on a program
 *			that can do no harm: never on one that kills or renices as root. Ends
 *			with a living child and the size from before
 *	sleep MS	waits, reading output
 *	dump		prints the screen
 *
 * The child's environment has TERM, LC_ALL (C.UTF-8, or PTY_LC_ALL), TZ=UTC, and
 * neither LINES, COLUMNS nor LANGUAGE. No child is left behind.
 */

#include "ptyscreen.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct options {
	int rows, cols;
	bool then_close;
};

static int usage(void)
{
	fputs("usage: ptyscreen [-c] [-s COLSxROWS] [-t TERM] [-w SECONDS]"
	      " SCRIPT -- COMMAND [ARGS...]\n",
	      stderr);
	return EXIT_USAGE;
}

static bool read_size(struct options *options, const char *text)
{
	enum { MOST = 1000 };
	int n = 0;

	return sscanf(text, "%4dx%4d%n", &options->cols, &options->rows, &n) == 2 && !text[n] &&
	       options->rows > 0 && options->cols > 0 && options->rows <= MOST &&
	       options->cols <= MOST;
}

static bool read_seconds(double *s, const char *text)
{
	char *end;

	*s = strtod(text, &end);
	return end != text && !*end && *s >= 0;
}

/* The index of SCRIPT, or 0. */
static int read_options(struct script *script, struct options *options, int argc, char **argv)
{
	int c, at;

	while ((c = getopt(argc, argv, "+cs:t:w:")) != -1) {
		if (c == 'c')
			options->then_close = true;
		else if (c == 's' && !read_size(options, optarg))
			return 0;
		else if (c == 't')
			script->pty.term_name = optarg;
		else if (c == 'w' && !read_seconds(&script->pty.patience_s, optarg))
			return 0;
		else if (c == '?')
			return 0;
	}
	at = optind;
	if (argc - at < 3 || strcmp(argv[at + 1], "--"))
		return 0;
	script->pty.command = &argv[at + 2];
	return at;
}

/* In a process of its own: it takes the pty as its terminal. */
static int work(struct script *script, const struct options *options)
{
	int e = pty_open(&script->pty, options->rows, options->cols);
	bool ok = false;

	if (e)
		fprintf(stderr, "ptyscreen: no pty: %s\n", strerror(-e));
	else
		ok = script_run(script);
	pty_end(&script->pty);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static volatile sig_atomic_t worker;

static void pass_on(int sig)
{
	(void)sig;
	kill((pid_t)worker, SIGTERM);
}

/* Waits for the worker, whose end is ours too. libvterm may crash on odd output. */
static int await_worker(const struct script *script, pid_t pid)
{
	struct sigaction action = {.sa_handler = pass_on};
	static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	int status;

	worker = pid;
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		sigaction(deadly[i], &action, NULL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILURE;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "ptyscreen: %s: the driver was killed by signal %d\n", script->name,
		WTERMSIG(status));
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct script script = {
	    .pty = {.master = -1, .slave = -1, .term_name = "xterm-256color", .patience_s = 5},
	};
	struct options options = {.rows = 24, .cols = 80};
	const char *update = getenv("UPDATE_GOLDEN");
	int at = read_options(&script, &options, argc, argv);
	int status = EXIT_USAGE;
	pid_t pid;

	if (!at)
		return usage();
	setlocale(LC_CTYPE, "C.UTF-8");
	script.update = update && !strcmp(update, "1");
	if (script_read(&script, argv[at], options.then_close)) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			status = work(&script, &options);
		} else {
			status = pid < 0 ? EXIT_FAILURE : await_worker(&script, pid);
		}
	}
	script_release(&script);
	return status;
}
