/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the pty test driver: a terminal emulator, a child behind a pty,
 * a script of steps. The script language is described in ptyscreen.c.
 */
#ifndef PTYSCREEN_H
#define PTYSCREEN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <termios.h>

#include <vterm.h>

/* ---- ptyterm.c: the emulator ---- */

struct term;

/* How one cell looks. Colours are ANSI indices, -1: the default, -2: any other. */
struct look {
	bool bold, reverse, underline, blink;
	int fg, bg;
};

/* What a program may have left switched on. */
struct modes {
	bool altscreen, cursor_visible;
	int mouse;
};

struct term *term_new(int rows, int cols);
void term_free(struct term *term);
void term_resize(struct term *term, int rows, int cols);
int term_rows(const struct term *term);

/* Output of the program. Answers to its questions come out of term_answer(). */
void term_feed(struct term *term, const char *bytes, size_t n);

/* Presses a key; its bytes come out of term_answer(). */
void term_press(struct term *term, VTermKey key);

/* Takes what the terminal has to send; returns the length. */
size_t term_answer(struct term *term, char *buf, size_t size);

/* A row as UTF-8, trailing blanks trimmed; owned by the emulator until the next call. */
const char *term_row(struct term *term, int row);

/* The first cell of a row that is not blank. False: there is none. */
bool term_look(struct term *term, int row, struct look *look);

struct modes term_modes(const struct term *term);

/* All rows, numbered, in a frame. */
void term_print(struct term *term, FILE *file);

/* ---- ptychild.c: the child on its pty ---- */

enum child_state { CHILD_NONE, CHILD_RUNNING, CHILD_STOPPED, CHILD_ENDED };

struct pty {
	char *const *command;
	const char *term_name;
	bool ignore_hangup;
	double patience_s;

	int master, slave; /* -1: closed. The slave is ours while the child lives */
	int rows, cols;
	struct term *term;
	struct termios before; /* as it was before the child */

	pid_t child; /* leads its process group */
	enum child_state state;
	int status; /* of wait4(2), when it has ended */
	struct rusage usage;
	double cpu_at_close_s;

	bool eof;        /* all output has been read */
	bool escape;     /* an ESC was among it */
	double output_s; /* when output came last */
};

double clock_s(void);

/*
 * Makes the calling process leader of a new session whose terminal is the pty: the
 * child can then be stopped, as under a shell. 0 or -errno.
 */
int pty_open(struct pty *pty, int rows, int cols);

/* Starts the command, for the first time or again. 0 or -errno. */
int pty_start(struct pty *pty);

/* Reads what has come, waiting at most ms for it, and looks after the child. */
void pty_turn(struct pty *pty, int ms);

/* Turns until done() says so. False: too late, or the child ended and nothing more comes. */
bool pty_wait(struct pty *pty, bool (*done)(struct pty *pty, void *arg), void *arg, double s);

/*
 * Lets the child come to rest: quiet and asleep, for at most a second. ncurses loses a
 * SIGTSTP that comes while it draws, and a SIGWINCH just before it reads.
 */
void pty_settle(struct pty *pty);

/* Sends bytes, then what the emulator has to say. 0, -EPIPE (no child), -ETIMEDOUT. */
int pty_send(struct pty *pty, const char *bytes, size_t n);

void pty_resize(struct pty *pty, int rows, int cols);
void pty_signal(struct pty *pty, int sig);

/* The terminal vanishes: the child gets SIGHUP and its descriptors are dead. */
void pty_hang_up(struct pty *pty);

/* Bytes sent that the child has not read yet. */
int pty_unread(const struct pty *pty);

/* "exited with status 1", "was killed by SIGTERM", "is running". */
const char *pty_state_text(const struct pty *pty, char *buf, size_t size);

/* Leaves nothing behind: kills the group, waits, closes. */
void pty_end(struct pty *pty);

/* ---- ptyscript.c: reading a script; ptysteps.c: what the steps do ---- */

struct script;

struct step {
	unsigned line;
	const struct verb *verb;
	char *owned; /* the line */
	char *text;  /* in it, what stood behind the verb; parse() may cut it */
	regex_t regex;
	bool has_regex;
	int a, b; /* numbers of the verb */
	uint64_t seed;
};

struct verb {
	const char *name;
	bool early;                              /* can go before the child is started */
	bool regex;                              /* the text parse() left is one */
	const char *(*parse)(struct step *step); /* NULL or what is wrong */
	bool (*run)(struct script *script, const struct step *step);
};

struct script {
	const char *name;
	char *folder; /* golden files are found from here */
	struct step *step;
	size_t nstep;
	bool update; /* write golden files */
	struct pty pty;
};

/* Reads and checks all of it. False: said why. */
bool script_read(struct script *script, const char *name, bool then_close);
void script_release(struct script *script);

/* Runs all steps. False: one failed and said why. */
bool script_run(struct script *script);

/* "ptyscreen: SCRIPT:LINE: ..." on stderr; returns false. */
__attribute__((format(printf, 3, 4))) bool script_say(const struct script *script, unsigned line,
						      const char *format, ...);

/* NULL where there is none of that name. */
const struct verb *verb_find(const char *name);

/* ---- ptywait.c: steps that wait for the screen ---- */

const char *parse_attr(struct step *step);
bool run_expect(struct script *script, const struct step *step);
bool run_see(struct script *script, const struct step *step);
bool run_gone(struct script *script, const struct step *step);
bool run_attr(struct script *script, const struct step *step);
const char *parse_mouse(struct step *step);
bool run_mouse(struct script *script, const struct step *step);

/* "within 5 s", or how the child ended. */
const char *pty_waited_text(const struct pty *pty, double s, char *buf, size_t size);

/* ---- ptyend.c: steps about how the child stops and ends, and what it leaves ---- */

const char *parse_signal(struct step *step);
const char *parse_exit(struct step *step);
bool run_signal(struct script *script, const struct step *step);
bool run_stopped(struct script *script, const struct step *step);
bool run_exit(struct script *script, const struct step *step);
bool run_restored(struct script *script, const struct step *step);
bool run_noescape(struct script *script, const struct step *step);
bool run_close(struct script *script, const struct step *step);

/* ---- ptykeys.c: keys by name, and keys at random ---- */

/* NULL or what is wrong with the text. */
const char *keys_check(const char *text);

/* Sends the text of a key step. As pty_send(). */
int keys_send(struct pty *pty, const char *text);

const char *parse_random(struct step *step);
bool run_random(struct script *script, const struct step *step);

/* ---- ptygolden.c: golden files ---- */

struct golden {
	char **row; /* trailing blanks trimmed */
	size_t n;
};

/* 0 or -errno. */
int golden_read(struct golden *golden, const char *path);
int golden_write(const char *path, struct term *term);
void golden_release(struct golden *golden);

/* How many rows differ. */
size_t golden_compare(const struct golden *golden, struct term *term);

/* Both, row by row; a caret under the first cell that differs. */
void golden_diff(const struct golden *golden, struct term *term, FILE *file);

#endif
