/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps about how the child stops and ends, and how it leaves the terminal.
 */

#include "ptyscreen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* "SIGTERM" or "TERM"; 0: no such signal. */
static int signal_number(const char *name)
{
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (int sig = 1; sig < NSIG; sig++) {
		const char *known = sigabbrev_np(sig);

		if (known && !strcmp(known, name))
			return sig;
	}
	return 0;
}

static bool is_alive(const struct pty *pty)
{
	return pty->state == CHILD_RUNNING || pty->state == CHILD_STOPPED;
}

static bool is_stopped(struct pty *pty, void *arg)
{
	(void)arg;
	return pty->state == CHILD_STOPPED;
}

static bool has_ended(struct pty *pty, void *arg)
{
	(void)arg;
	return pty->state == CHILD_ENDED;
}

static bool is_read_up(struct pty *pty, void *arg)
{
	(void)arg;
	return pty->eof || pty->master < 0;
}

const char *parse_signal(struct step *step)
{
	step->a = signal_number(step->text);
	return step->a ? NULL : "no such signal";
}

bool run_signal(struct script *script, const struct step *step)
{
	char buf[48];

	pty_settle(&script->pty);
	if (!is_alive(&script->pty))
		return script_say(script, step->line, "signal: the child %s",
				  pty_state_text(&script->pty, buf, sizeof buf));
	pty_signal(&script->pty, step->a);
	return true;
}

bool run_stopped(struct script *script, const struct step *step)
{
	struct pty *pty = &script->pty;
	char buf[96];

	if (pty_wait(pty, is_stopped, NULL, pty->patience_s))
		return true;
	return script_say(script, step->line, "the child does not stop, %s",
			  pty_waited_text(pty, pty->patience_s, buf, sizeof buf));
}

bool run_close(struct script *script, const struct step *step)
{
	char buf[48];

	pty_settle(&script->pty);
	if (!is_alive(&script->pty))
		return script_say(script, step->line, "close: the child %s",
				  pty_state_text(&script->pty, buf, sizeof buf));
	if (script->pty.master < 0)
		return script_say(script, step->line, "close: is closed");
	pty_hang_up(&script->pty);
	return true;
}

/* ---- exit ---- */

enum exit_kind { EXIT_STATUS, EXIT_SIGNAL, EXIT_NONZERO };

const char *parse_exit(struct step *step)
{
	enum { STATUS_MAX = 255 };
	char *end;

	if (!strcmp(step->text, "nonzero")) {
		step->a = EXIT_NONZERO;
		return NULL;
	}
	if (!strncmp(step->text, "signal ", strlen("signal "))) {
		step->a = EXIT_SIGNAL;
		step->b = signal_number(step->text + strlen("signal "));
		return step->b ? NULL : "no such signal";
	}
	step->a = EXIT_STATUS;
	step->b = (int)strtol(step->text, &end, 10);
	if (end == step->text || *end || step->b < 0 || step->b > STATUS_MAX)
		return "wants a status, \"nonzero\" or \"signal NAME\"";
	return NULL;
}

static bool is_exit(const struct step *step, int status)
{
	if (step->a == EXIT_SIGNAL)
		return WIFSIGNALED(status) && WTERMSIG(status) == step->b;
	if (step->a == EXIT_STATUS)
		return WIFEXITED(status) && WEXITSTATUS(status) == step->b;
	/* killed by the hangup is an end too; by anything else it is a crash */
	return WIFEXITED(status) ? WEXITSTATUS(status) != 0 : WTERMSIG(status) == SIGHUP;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* What it took since the close: what it did before is not at issue. */
static bool check_cpu(const struct script *script, const struct step *step)
{
	static const double most_s = 0.2;
	const struct pty *pty = &script->pty;
	double all = seconds(pty->usage.ru_utime) + seconds(pty->usage.ru_stime);
	double cpu = all - pty->cpu_at_close_s;
	char buf[48];

	if (cpu > most_s)
		return script_say(script, step->line, "exit: %.3f s of CPU, more than %g s", cpu,
				  most_s);
	printf("ptyscreen: %s:%u: %s, %.3f s of CPU (%.3f s in all)\n", script->name, step->line,
	       pty_state_text(pty, buf, sizeof buf), cpu > 0 ? cpu : 0, all);
	return true;
}

bool run_exit(struct script *script, const struct step *step)
{
	static const double nonzero_s = 2, rest_s = 0.5;
	struct pty *pty = &script->pty;
	double s = step->a == EXIT_NONZERO ? nonzero_s : pty->patience_s;
	char buf[48];

	if (!pty_wait(pty, has_ended, NULL, s))
		return script_say(script, step->line, "exit: the child %s after %g s",
				  pty_state_text(pty, buf, sizeof buf), s);
	pty_wait(pty, is_read_up, NULL, rest_s);
	if (!is_exit(step, pty->status))
		return script_say(script, step->line, "exit %s: the child %s", step->text,
				  pty_state_text(pty, buf, sizeof buf));
	return step->a != EXIT_NONZERO || check_cpu(script, step);
}

/* ---- restored, noescape ---- */

static bool is_same_termios(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && !memcmp(a->c_cc, b->c_cc, sizeof a->c_cc);
}

/* NULL: all is as it was. */
static const char *not_restored(const struct pty *pty)
{
	struct modes modes = term_modes(pty->term);
	struct termios now;

	if (pty->master < 0 || tcgetattr(pty->master, &now))
		return "there is no terminal";
	if (pty->state == CHILD_RUNNING)
		return "the child is running";
	if (!is_same_termios(&pty->before, &now))
		return "the termios differs";
	if (modes.altscreen)
		return "the alternate screen is on";
	if (!modes.cursor_visible)
		return "the cursor is hidden";
	return modes.mouse ? "the mouse is on" : NULL;
}

static bool is_restored(struct pty *pty, void *arg)
{
	(void)arg;
	return !not_restored(pty);
}

bool run_restored(struct script *script, const struct step *step)
{
	if (pty_wait(&script->pty, is_restored, NULL, script->pty.patience_s))
		return true;
	return script_say(script, step->line, "restored: %s", not_restored(&script->pty));
}

bool run_noescape(struct script *script, const struct step *step)
{
	static const double rest_s = 0.5;
	struct pty *pty = &script->pty;

	pty_turn(pty, 0);
	if (pty->state == CHILD_ENDED)
		pty_wait(pty, is_read_up, NULL, rest_s);
	return !pty->escape || script_say(script, step->line, "noescape: there was an ESC");
}
