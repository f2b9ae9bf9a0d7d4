/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop that joins sampling, frames, findings and a sink. It blocks in
 * poll(2) only: on the clock, the terminal, signals, the task worker and the
 * helper processes.
 */
#include "monitor.h"
#include "output/summary.h"
#include "run.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first interval on screen, so that true figures are there at once. */
static const double first_interval_s = 0.25;

int run_failed(int error)
{
	complain("sampling: %s", strerror(-error));
	return EXIT_FAILED;
}

/* ---- batch ---- */

static const char *output_error(int error)
{
	return error == -ECANCELED ? "ended while nobody read it" : strerror(-error);
}

static int output_failed(const struct run *run, int error)
{
	if (error == -EPIPE)
		return EXIT_DONE;
	complain("%s: %s", run->options->output ? run->options->output : "stdout", output_error(error));
	return EXIT_FAILED;
}

/* The run has shown as many frames as were asked for. */
static int done_or_running(const struct run *run)
{
	return run->options->count && run->frames >= run->options->count ? EXIT_DONE : RUNNING;
}

/* An exit status, or RUNNING. */
static int write_batch(struct run *run)
{
	int error = batch_choose(run->batch, &run->frame);

	if (!error) {
		run_await_answers(run);
		/* what came may be new rows, or an order by what was not known */
		error = batch_choose(run->batch, &run->frame);
	}
	if (!error)
		error = batch_write(run->batch, &run->frame);
	run->saw_files |= run->frame.files_state == PRESENT;
	return error ? output_failed(run, error) : done_or_running(run);
}

/* What was asked for and came in no frame: an empty table alone would look like nothing to tell. */
static void complain_unseen(const struct run *run)
{
	const struct table *panel = run->options->panel;
	bool tasks = run->options->summary || panel == &task_table || panel == &total_table;

	if (!run->options->batch || run->frames == 0)
		return;
	if (tasks && !run->saw_tasks)
		complain("tasks: could not be read in time, or at all");
	/* a process that has gone just has no rows */
	enum absent why = run->frame.files_state;
	if (panel == &file_table && !run->saw_files && (why == ABSENT_DENIED || why == ABSENT_LATE))
		complain("-p %d: its files: %s", run->choice.pid[0], absent_help(why));
}

static int open_batch(struct run *run)
{
	const struct options *options = run->options;
	const struct batch_setup setup = {
		.table = options->all_panels ? NULL : options->panel ? options->panel : &device_table,
		.output = options->output,
		.sort = options->sort,
		.choice = run->choice,
		.stop_fd = run->events.signal_fd,
	};
	const char *what = "output";
	int error = batch_open(&run->batch, &setup, &what);

	if (!error)
		return RUNNING;
	complain("%s: %s", what, output_error(error));
	return EXIT_FAILED;
}

/* The averages since boot, from the first reading. */
static int write_since_boot(struct run *run)
{
	int error = run_build_frame(run, true);

	return error ? run_failed(error) : write_batch(run);
}

/* ---- ticks ---- */

/* Seconds since the last reading before this one, which a pause parted from it. */
static double unread_s(const struct run *run)
{
	int64_t now = run->snapshot[run->now].devices.mono_ns;
	int64_t before = run->snapshot[!run->now].devices.mono_ns;

	return before > 0 && now > before ? (double)(now - before) / 1e9 : 0;
}

/* One tick: a reading, and a frame where there is one before it. */
static int tick(struct run *run)
{
	int error = run_sample(run);

	if (error == -EAGAIN)
		return RUNNING;
	if (error == -ENODATA)
		return run->screen ? RUNNING : EXIT_DONE; /* the screen stays on a story's last frame */
	if (error)
		return run_failed(error);
	if (!run->have_before) {
		run->have_before = true;
		run->began_epoch = run->snapshot[run->now].epoch;
		diagnosis_gap(run->diagnosis, unread_s(run));
		return RUNNING;
	}
	error = run_build_frame(run, false);
	if (error)
		return run_failed(error);
	if (run->batch)
		return write_batch(run);
	if (run->screen)
		run_show(run);
	return done_or_running(run);
}

/* The frame on show points into the readings that the next ones overwrite: it goes. */
int run_start_again(struct run *run)
{
	if (run->story)
		return RUNNING; /* its last frame stays */
	run->have_before = run->walk_paired = run->have_walk = run->framed = false;
	run->frame.ndevice = run->frame.ntask = run->frame.naio_task = 0;
	screen_frame(run->screen, NULL);
	events_clock(&run->events, first_interval_s, run->interval_s);
	return tick(run);
}

/* ---- what must hold at the start ---- */

static bool check_devices(struct run *run)
{
	const struct device_snapshot *devices = &run->snapshot[run->now].devices;
	char known[400] = "";
	size_t length = 0;

	for (size_t i = 0; i < run->choice.nglob; i++) {
		bool found = false;
		for (size_t j = 0; j < devices->n && !found; j++)
			found = fnmatch(run->choice.glob[i], devices->device[j].name, 0) == 0;
		if (found)
			continue;
		for (size_t j = 0; j < devices->n && length < sizeof(known); j++)
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", j ? ", " : "",
			                           devices->device[j].name);
		complain("--device %s: no such device; there are %s", run->choice.glob[i],
		         devices->n ? known : "none");
		return false;
	}
	return true;
}

static bool check_pids(struct run *run)
{
	for (size_t i = 0; i < run->choice.npid; i++) {
		bool found = !run->have_walk; /* a walk that is late proves nothing */
		for (size_t j = 0; j < run->walk_now.n && !found; j++)
			found = run->walk_now.task[j].pid == run->choice.pid[i];
		if (found)
			continue;
		complain("-p %d: no such process", run->choice.pid[i]);
		return false;
	}
	return true;
}

static bool find_user(struct run *run)
{
	if (!run->options->user)
		return true;
	int error = names_uid(run->names, run->options->user, &run->choice.uid);
	if (error) {
		complain("-u %s: %s", run->options->user,
		         error == -ENOENT       ? "no such user"
		         : error == -EOPNOTSUPP ? "users of another root have no names here; give a number"
		                                : "users cannot be looked up now; give a number");
		return false;
	}
	run->choice.by_uid = true;
	return true;
}

/* ---- events ---- */

static int on_signal(struct run *run, int number)
{
	if (number == 0)
		return RUNNING;
	if (run->screen)
		return run_screen_signal(run, number);
	return number == SIGWINCH || number == SIGTSTP || number == SIGCONT ? RUNNING : EXIT_DONE;
}

static void on_answers(struct run *run)
{
	if (!run_tend(run) || !run->screen)
		return;
	screen_refresh(run->screen);
	run_ask(run);
}

static void on_late_walk(struct run *run)
{
	if (!run_late_walk(run) || !run->screen)
		return;
	screen_refresh(run->screen);
	run_ask(run);
}

static int on_clock(struct run *run)
{
	events_clock_read(&run->events);
	return run->screen && screen_paused(run->screen) ? RUNNING : tick(run);
}

static int loop(struct run *run)
{
	enum { CLOCK, SIGNAL, KEYS, NAMES, USES, WALK, OUTPUT, EVENTS };
	int status = RUNNING;

	while (status == RUNNING) {
		struct pollfd fd[EVENTS] = {
			[CLOCK] = {.fd = run->events.clock_fd, .events = POLLIN},
			[SIGNAL] = {.fd = run->events.signal_fd, .events = POLLIN},
			[KEYS] = {.fd = run->screen ? screen_input_fd(run->screen) : -1, .events = POLLIN},
			[NAMES] = {.fd = names_fd(run->names), .events = POLLIN},
			[USES] = {.fd = uses_fd(run->uses), .events = POLLIN},
			[WALK] = {.fd = sampler_fd(run->sampler), .events = POLLIN},
			[OUTPUT] = {.fd = run->batch ? batch_fd(run->batch) : -1}, /* errors only */
		};
		int timeout_ms = run_timeout_ms(run);
		if (poll(fd, EVENTS, timeout_ms) < 0 && errno != EINTR)
			return run_failed(-errno);
		if (fd[NAMES].revents || fd[USES].revents || timeout_ms >= 0)
			on_answers(run);
		if (fd[WALK].revents)
			on_late_walk(run);
		if (fd[SIGNAL].revents)
			status = on_signal(run, events_signal(&run->events));
		if (status == RUNNING && fd[KEYS].revents)
			status = run_screen_input(run);
		if (status == RUNNING && fd[OUTPUT].revents)
			status = EXIT_DONE; /* the reader has gone */
		if (status == RUNNING && fd[CLOCK].revents)
			status = on_clock(run);
	}
	return status;
}

/* ---- the run ---- */

/* A story has its own clock: all of it at once; the screen stays on the last frame. */
static int run_story(struct run *run)
{
	int status = RUNNING;

	for (unsigned i = 1; i < sampler_steps(run->sampler) && status == RUNNING; i++)
		status = tick(run);
	if (status != RUNNING)
		return status;
	return run->screen ? loop(run) : EXIT_DONE;
}

static int open_sink(struct run *run)
{
	int status = RUNNING;

	if (run->options->summary)
		return RUNNING;
	if (!run->options->batch)
		return run_open_screen(run);
	status = open_batch(run); /* truncates: only now that all is right */
	if (status == RUNNING && run->options->since_boot)
		status = write_since_boot(run);
	return status;
}

/* Of what is wrong in them the screen tells when it is there. */
static int open_settings(struct run *run)
{
	int status = conf_open(&run->conf, run->options->config);

	if (status != EXIT_DONE)
		return status;
	if (run->options->batch)
		conf_tell(run->conf);
	return RUNNING;
}

static int start(struct run *run)
{
	int status = open_settings(run);

	if (status == RUNNING)
		status = run_open_sources(run);
	if (status == RUNNING && !find_user(run))
		status = EXIT_USAGE;
	if (status == RUNNING)
		status = tick(run); /* the reading that the first frame subtracts */
	if (status == RUNNING && (!check_devices(run) || !check_pids(run)))
		status = EXIT_USAGE;
	return status == RUNNING ? open_sink(run) : status;
}

static void end(struct run *run)
{
	screen_close(run->screen);
	delayacct_restore(run->delayacct);
	batch_close(run->batch);
	uses_close(run->uses);
	names_close(run->names);
	totals_free(run->totals);
	histories_free(run->histories);
	diagnosis_free(run->diagnosis);
	if (sampler_close(run->sampler))
		trace_close(run->trace);
	conf_close(run->conf);
	events_close(&run->events);
	snapshot_release(&run->snapshot[0]);
	snapshot_release(&run->snapshot[1]);
	free(run->walk_before.task);
	free(run->walk_before.thread);
	free(run->walk_now.task);
	free(run->walk_now.thread);
	frame_release(&run->frame);
}

static int run_live(struct run *run)
{
	double first = run->screen && first_interval_s < run->interval_s ? first_interval_s : run->interval_s;

	events_clock(&run->events, first, run->interval_s);
	if (run->screen)
		screen_frame(run->screen, NULL);
	return loop(run);
}

/* What a summary's run has added up. */
static int write_summary(struct run *run)
{
	const struct options *options = run->options;
	const struct summary_setup setup = {
		.output = options->output,
		.csv = options->csv,
		.top = run->choice.top,
		.from_epoch = run->began_epoch,
		.stop_fd = run->events.signal_fd,
	};
	int error = summary_write(&setup, run->totals, &run->frame);

	return error ? output_failed(run, error) : EXIT_DONE;
}

int monitor_run(const struct options *options)
{
	struct run run = {.options = options, .choice = options->choice, .interval_s = options->interval_s};
	int status;

	/* signals first: threads and helpers inherit what is blocked */
	if (events_open(&run.events, !options->batch) < 0)
		return run_failed(-errno);
	status = start(&run);
	if (status == RUNNING)
		status = run.story ? run_story(&run) : run_live(&run);
	if (status == EXIT_DONE && options->summary)
		status = write_summary(&run);
	if (status == EXIT_DONE)
		complain_unseen(&run);
	end(&run);
	return status;
}
