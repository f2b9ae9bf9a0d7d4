/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen shows, and what it asks for. */
#include "run.h"
#include "sample/ioprio.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *chosen_columns(const struct table *table, void *context)
{
	const struct run *run = context;

	return conf_columns(run->conf, table);
}

int run_open_screen(struct run *run)
{
	const struct options *options = run->options;
	const struct screen_setup setup = {
		.view = options->panel ? options->panel->name : NULL,
		.sort = options->sort,
		.choice = run->choice,
		.interval_s = run->interval_s,
		.source = options->procfs ? options->procfs : "/proc",
		.native = sampler_is_native(run->sampler),
		.story = run->story,
		.read_only = options->read_only,
		.threads = options->threads,
		.accumulated = options->accumulated,
		.mouse = conf_mouse(run->conf),
		.diagnosis = run->diagnosis,
		.columns = chosen_columns,
		.context = run,
	};
	const char *why = "";

	if (screen_open(&run->screen, &setup, &why) < 0) {
		complain("%s", why);
		return EXIT_NO_TERMINAL;
	}
	if (*conf_note(run->conf))
		screen_error(run->screen, "%s", conf_note(run->conf));
	return RUNNING;
}

void run_show(struct run *run)
{
	screen_frame(run->screen, &run->frame);
	run_ask(run);
	if (run->story)
		screen_refresh(run->screen);
}

/* ---- what it asks for ---- */

static void show_answers(struct run *run)
{
	run_ask(run);
	if (run->story)
		screen_refresh(run->screen);
}

static void show_totals(struct run *run)
{
	enum total_by by;

	if (!screen_totals(run->screen, &by))
		return;
	if (totals_attach(run->totals, &run->frame, by) < 0)
		screen_error(run->screen, "totals: %s", strerror(ENOMEM));
	else
		screen_refresh(run->screen);
}

static void keep_columns(struct run *run)
{
	char columns[1024];
	const struct table *table = screen_columns(run->screen, columns, sizeof(columns));
	int error = table ? conf_keep_columns(run->conf, table, columns) : 0;

	if (error)
		screen_error(run->screen, "%s: %s: the columns are kept until the end only",
		             conf_path(run->conf), strerror(-error));
}

static void switch_delayacct(struct run *run)
{
	int error = run->delayacct ? 0 : delayacct_on(&run->delayacct);

	if (error)
		screen_error(run->screen, "kernel.task_delayacct: %s", strerror(-error));
	else
		screen_notice(run->screen, "delay accounting is on until iotriage ends, for tasks started from now on");
}

static void change_ioprio(struct run *run)
{
	static const char *const classes[] = {"none", "real-time", "best-effort", "idle"};
	struct screen_ioprio wish = screen_ioprio(run->screen);
	enum ioprio_class class = (enum ioprio_class)wish.class;
	int id = wish.tid ? wish.tid : wish.pid;
	int error = ioprio_change(wish.pid, wish.start_ticks, wish.tid, class, wish.level);

	if (error)
		screen_error(run->screen, "I/O priority of %d: %s", id, strerror(-error));
	else if (class == IOPRIO_REALTIME || class == IOPRIO_BEST_EFFORT)
		screen_notice(run->screen, "I/O priority of %d is now %s/%d", id, classes[class], wish.level);
	else
		screen_notice(run->screen, "I/O priority of %d is now %s", id, classes[class]);
}

int run_screen_input(struct run *run)
{
	switch (screen_input(run->screen)) {
	case SCREEN_QUIT:
		return EXIT_DONE;
	case SCREEN_LOST:
		return EXIT_FAILED;
	case SCREEN_INTERVAL:
		run->interval_s = screen_interval(run->screen);
		events_clock(&run->events, run->interval_s, run->interval_s);
		break;
	case SCREEN_RESUMED:
		return run_start_again(run);
	case SCREEN_THREADS:
		run_set_threads(run, screen_threads(run->screen));
		break;
	case SCREEN_TOTALS:
		show_totals(run);
		break;
	case SCREEN_DELAYACCT:
		switch_delayacct(run);
		break;
	case SCREEN_IOPRIO:
		change_ioprio(run);
		break;
	case SCREEN_PEAKS:
		histories_reset_peaks(run->histories, &run->frame);
		screen_refresh(run->screen);
		break;
	case SCREEN_COLUMNS:
		keep_columns(run);
		break;
	case SCREEN_NOTHING:
	case SCREEN_NAMES:
	case SCREEN_WATCH:
		show_answers(run);
		break;
	}
	return RUNNING;
}

/* ---- signals ---- */

/* After a stop, ours or somebody else's (SIGSTOP): the shell has used the terminal. */
static int go_on(struct run *run)
{
	screen_resume(run->screen);
	return screen_paused(run->screen) ? RUNNING : run_start_again(run);
}

/* Stops as any program would, and takes a new first reading when it goes on. */
static int stop(struct run *run)
{
	screen_suspend(run->screen);
	events_stop_here();
	return go_on(run);
}

/* SIGHUP is also sent where the terminal is still there. */
static bool terminal_gone(const struct run *run)
{
	struct pollfd fd = {.fd = screen_input_fd(run->screen), .events = POLLIN};

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR));
}

int run_screen_signal(struct run *run, int number)
{
	switch (number) {
	case SIGWINCH:
		screen_resize(run->screen);
		return RUNNING;
	case SIGTSTP:
		return stop(run);
	case SIGCONT:
		return go_on(run);
	case SIGHUP:
		return terminal_gone(run) ? EXIT_FAILED : EXIT_DONE;
	default:
		return EXIT_DONE;
	}
}
