/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop that joins sampling, frames, findings and a sink. It blocks in
 * poll(2) only: on the clock, the terminal, signals, the task worker and the
 * helper process.
 */
#include "monitor.h"
#include "events.h"
#include "frame/build.h"
#include "iotriage/diagnose.h"
#include "iotriage/names.h"
#include "iotriage/screen.h"
#include "output/batch.h"
#include "sample/clock.h"
#include "sample/sampler.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNNING = -1 };

/* The first interval on screen, so that true figures are there at once. */
static const double first_interval_s = 0.25;

struct monitor {
	const struct options *options;
	struct choice choice;
	struct sampler *sampler;
	struct names *names;
	struct diagnosis *diagnosis;
	struct screen *screen; /* one of these two is the sink */
	struct batch *batch;
	struct events events;
	struct snapshot snapshot[2];
	unsigned now;      /* which of them is the newest */
	bool have_before;  /* the other is a reading to subtract */
	struct task_snapshot walk_before, walk_now;
	bool have_walk;    /* walk_now holds one */
	bool walk_paired;  /* so does walk_before */
	bool walk_fresh;   /* it was taken after the last frame */
	struct frame frame;
	bool framed;       /* it is built, of the present readings */
	unsigned frames;   /* shown so far */
	bool story;
	double interval_s;
};

static unsigned needs_of(const struct options *options)
{
	const struct table *table = options->panel ? options->panel : &device_table;
	unsigned needs = (options->user ? NEED_UIDS : 0) | (options->choice.npid ? NEED_TASKS : 0);

	if (!options->batch || options->all_panels || table == &finding_table)
		return needs | NEED_TASKS | NEED_SYSTEM | NEED_SLABS;
	if (table == &task_table)
		return needs | NEED_TASKS;
	if (table == &system_table)
		return needs | NEED_TASKS | NEED_SYSTEM;
	return table == &aio_table ? needs | NEED_SLABS : needs;
}

/* ---- making frames ---- */

/* Takes a walk that has ended; the one before it becomes the reading to subtract. */
static bool take_walk(struct monitor *m, int timeout_ms)
{
	struct task_snapshot newest = m->walk_before;

	if (!sampler_tasks(m->sampler, &newest, timeout_ms)) {
		m->walk_before = newest;
		return false;
	}
	m->walk_before = m->walk_now;
	m->walk_now = newest;
	m->walk_paired = m->have_walk;
	m->have_walk = m->walk_fresh = true;
	return true;
}

static int build_tasks(struct monitor *m, bool late)
{
	int error = frame_build_tasks(&m->frame, m->walk_paired ? &m->walk_before : NULL, &m->walk_now, late, false);

	if (!error)
		names_attach(m->names, &m->frame);
	return error;
}

static int build_frame(struct monitor *m, bool since_boot)
{
	const struct snapshot *now = &m->snapshot[m->now], *before = &m->snapshot[!m->now];
	int error = frame_build(&m->frame, since_boot ? NULL : before, now);

	if (error)
		return error;
	m->framed = true;
	m->frame.number = since_boot ? 0 : ++m->frames;
	snprintf(m->frame.host, sizeof(m->frame.host), "%s", sampler_host(m->sampler));
	if (sampler_fd(m->sampler) >= 0 && !since_boot)
		error = build_tasks(m, !m->walk_fresh);
	m->walk_fresh = false;
	return error ? error : diagnose(m->diagnosis, &m->frame);
}

/* In batch every row is written with its names, if they come within a fifth of the interval. */
static void await_names(struct monitor *m)
{
	int64_t end = clock_mono_ns() + (int64_t)(m->interval_s * 0.2e9);
	bool news = false;

	for (;;) {
		names_ask(m->names, &m->frame, false);
		int64_t left = (end - clock_mono_ns()) / 1000000;
		if (!names_pending(m->names) || left <= 0)
			break;
		int timeout = names_timeout_ms(m->names);
		struct pollfd fd = {.fd = names_fd(m->names), .events = POLLIN};
		(void)poll(&fd, 1, timeout >= 0 && timeout < left ? timeout : (int)left);
		news |= names_tend(m->names);
	}
	if (news)
		names_attach(m->names, &m->frame);
}

static const char *output_error(int error)
{
	return error == -ECANCELED ? "ended while nobody read it" : strerror(-error);
}

/* An exit status, or RUNNING. */
static int write_batch(struct monitor *m)
{
	int error = batch_choose(m->batch, &m->frame);

	if (!error) {
		await_names(m);
		error = batch_write(m->batch, &m->frame);
	}
	if (error == -EPIPE)
		return EXIT_DONE;
	if (error) {
		complain("%s: %s", m->options->output ? m->options->output : "stdout", output_error(error));
		return EXIT_FAILED;
	}
	return m->options->count && m->frames >= m->options->count ? EXIT_DONE : RUNNING;
}

static int show(struct monitor *m)
{
	if (m->batch)
		return write_batch(m);
	screen_frame(m->screen, &m->frame);
	names_ask(m->names, &m->frame, screen_wants_all_names(m->screen));
	return m->options->count && m->frames >= m->options->count ? EXIT_DONE : RUNNING;
}

static int failed(int error)
{
	complain("sampling: %s", strerror(-error));
	return EXIT_FAILED;
}

/*
 * A fifth of the interval, after which devices go out without tasks. Batch gives
 * the first walk, which opens every file, more; the screen does not wait for it,
 * as long as nobody asked for a process that must be there.
 */
static int walk_patience_ms(const struct monitor *m)
{
	enum { LEAST = 50, FIRST = 1000 };
	const int most = m->options->batch ? 900 : 500; /* signals and keys wait meanwhile */
	bool first_on_screen = !m->options->batch && m->frames == 0;
	int fifth = first_on_screen ? LEAST : (int)(m->interval_s * 200);

	if (!m->have_before)
		return m->options->batch || m->choice.npid ? FIRST : 0;
	if (fifth > most)
		return most;
	return fifth > LEAST ? fifth : LEAST;
}

/* Reads everything once. 0, -ENODATA at a story's end, -errno. */
static int sample(struct monitor *m)
{
	int timeout_ms = walk_patience_ms(m);
	sampler_watch_slabs(m->sampler, m->screen && screen_shows_aio(m->screen));
	int error = sampler_tick(m->sampler, &m->snapshot[!m->now]);

	if (error)
		return error;
	m->now = !m->now;
	if (sampler_fd(m->sampler) >= 0)
		(void)take_walk(m, timeout_ms); /* one that came between two ticks will do */
	return 0;
}

/* One tick: a reading, and a frame where there is one before it. */
static int tick(struct monitor *m)
{
	const struct snapshot *now, *before;
	int error = sample(m);

	if (error == -ENODATA)
		return m->screen ? RUNNING : EXIT_DONE; /* the screen stays on a story's last frame */
	if (error)
		return failed(error);
	now = &m->snapshot[m->now];
	before = &m->snapshot[!m->now];
	/* two readings at the same time make no rate */
	if (m->have_before && now->devices.mono_ns <= before->devices.mono_ns) {
		m->now = !m->now;
		return RUNNING;
	}
	if (!m->have_before) {
		m->have_before = true;
		return RUNNING;
	}
	error = build_frame(m, false);
	return error ? failed(error) : show(m);
}

/* The averages since boot, from the first reading. */
static int write_since_boot(struct monitor *m)
{
	int error = build_frame(m, true);

	return error ? failed(error) : write_batch(m);
}

/* ---- what must hold at the start ---- */

static bool check_devices(struct monitor *m)
{
	const struct device_snapshot *devices = &m->snapshot[m->now].devices;
	char known[400] = "";
	size_t length = 0;

	for (size_t i = 0; i < m->choice.nglob; i++) {
		bool found = false;
		for (size_t j = 0; j < devices->n && !found; j++)
			found = fnmatch(m->choice.glob[i], devices->device[j].name, 0) == 0;
		if (found)
			continue;
		for (size_t j = 0; j < devices->n && length < sizeof(known); j++)
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", j ? ", " : "",
			                           devices->device[j].name);
		complain("--device %s: no such device; there are %s", m->choice.glob[i],
		         devices->n ? known : "none");
		return false;
	}
	return true;
}

static bool check_pids(struct monitor *m)
{
	for (size_t i = 0; i < m->choice.npid; i++) {
		bool found = !m->have_walk; /* a walk that is late proves nothing */
		for (size_t j = 0; j < m->walk_now.n && !found; j++)
			found = m->walk_now.task[j].pid == m->choice.pid[i];
		if (found)
			continue;
		complain("-p %d: no such process", m->choice.pid[i]);
		return false;
	}
	return true;
}

static bool find_user(struct monitor *m)
{
	if (!m->options->user)
		return true;
	int error = names_uid(m->names, m->options->user, &m->choice.uid);
	if (error) {
		complain("-u %s: %s", m->options->user,
		         error == -ENOENT       ? "no such user"
		         : error == -EOPNOTSUPP ? "users of another root have no names here; give a number"
		                                : "users cannot be looked up now; give a number");
		return false;
	}
	m->choice.by_uid = true;
	return true;
}

/* ---- events ---- */

/*
 * A new first reading. The frame on show points into the readings that the next
 * ones overwrite: it goes.
 */
static int start_again(struct monitor *m)
{
	if (m->story)
		return RUNNING; /* its last frame stays */
	m->have_before = m->walk_paired = m->have_walk = m->framed = false;
	m->frame.ndevice = m->frame.ntask = 0;
	screen_frame(m->screen, NULL);
	events_clock(&m->events, first_interval_s, m->interval_s);
	return tick(m);
}

static int on_screen_input(struct monitor *m)
{
	switch (screen_input(m->screen)) {
	case SCREEN_QUIT:
		return EXIT_DONE;
	case SCREEN_LOST:
		return EXIT_FAILED;
	case SCREEN_INTERVAL:
		m->interval_s = screen_interval(m->screen);
		events_clock(&m->events, m->interval_s, m->interval_s);
		break;
	case SCREEN_RESUMED:
		return start_again(m);
	default:
		names_ask(m->names, &m->frame, screen_wants_all_names(m->screen));
		break;
	}
	return RUNNING;
}

/* After a stop, ours or somebody else's (SIGSTOP): the shell has used the terminal. */
static int go_on(struct monitor *m)
{
	screen_resume(m->screen);
	return screen_paused(m->screen) ? RUNNING : start_again(m);
}

/* Stops as any program would, and takes a new first reading when it goes on. */
static int stop(struct monitor *m)
{
	screen_suspend(m->screen);
	events_stop_here();
	return go_on(m);
}

/* SIGHUP is also sent where the terminal is still there. */
static bool terminal_gone(const struct monitor *m)
{
	struct pollfd fd = {.fd = screen_input_fd(m->screen), .events = POLLIN};

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR));
}

static int on_signal(struct monitor *m, int number)
{
	switch (number) {
	case SIGWINCH:
		if (m->screen)
			screen_resize(m->screen);
		return RUNNING;
	case SIGTSTP:
		return m->screen ? stop(m) : RUNNING;
	case 0:
		return RUNNING;
	case SIGCONT:
		return m->screen ? go_on(m) : RUNNING;
	case SIGHUP:
		return m->screen && terminal_gone(m) ? EXIT_FAILED : EXIT_DONE;
	default:
		return EXIT_DONE;
	}
}

/* A walk that was late for its tick: its figures come on the screen now. */
static void on_late_walk(struct monitor *m)
{
	if (!take_walk(m, 0) || m->batch || !m->framed)
		return;
	if (build_tasks(m, false) < 0)
		return;
	screen_refresh(m->screen);
	names_ask(m->names, &m->frame, screen_wants_all_names(m->screen));
}

static void on_names(struct monitor *m)
{
	if (!names_tend(m->names))
		return;
	names_attach(m->names, &m->frame);
	if (!m->screen)
		return;
	screen_refresh(m->screen);
	names_ask(m->names, &m->frame, screen_wants_all_names(m->screen));
}

static int on_clock(struct monitor *m)
{
	events_clock_read(&m->events);
	return m->screen && screen_paused(m->screen) ? RUNNING : tick(m);
}

static int loop(struct monitor *m)
{
	enum { CLOCK, SIGNAL, KEYS, NAMES, WALK, OUTPUT, EVENTS };
	int status = RUNNING;

	while (status == RUNNING) {
		struct pollfd fd[EVENTS] = {
			[CLOCK] = {.fd = m->events.clock_fd, .events = POLLIN},
			[SIGNAL] = {.fd = m->events.signal_fd, .events = POLLIN},
			[KEYS] = {.fd = m->screen ? screen_input_fd(m->screen) : -1, .events = POLLIN},
			[NAMES] = {.fd = names_fd(m->names), .events = POLLIN},
			[WALK] = {.fd = sampler_fd(m->sampler), .events = POLLIN},
			[OUTPUT] = {.fd = m->batch ? batch_fd(m->batch) : -1}, /* errors only */
		};
		int timeout = names_timeout_ms(m->names);
		if (poll(fd, EVENTS, timeout) < 0 && errno != EINTR)
			return failed(-errno);
		if (fd[NAMES].revents || timeout >= 0)
			on_names(m);
		if (fd[WALK].revents)
			on_late_walk(m);
		if (fd[SIGNAL].revents)
			status = on_signal(m, events_signal(&m->events));
		if (status == RUNNING && fd[KEYS].revents)
			status = on_screen_input(m);
		if (status == RUNNING && fd[OUTPUT].revents)
			status = EXIT_DONE; /* the reader has gone */
		if (status == RUNNING && fd[CLOCK].revents)
			status = on_clock(m);
	}
	return status;
}

/* ---- the run ---- */

static int open_screen(struct monitor *m)
{
	const struct options *options = m->options;
	const struct screen_setup setup = {
		.view = options->panel ? options->panel->name : NULL,
		.sort = options->sort,
		.choice = m->choice,
		.interval_s = m->interval_s,
		.source = options->procfs ? options->procfs : "/proc",
		.story = m->story,
	};
	const char *why = "";

	if (screen_open(&m->screen, &setup, &why) == 0)
		return RUNNING;
	complain("%s", why);
	return EXIT_NO_TERMINAL;
}

static int open_batch(struct monitor *m)
{
	const struct options *options = m->options;
	const struct batch_setup setup = {
		.table = options->all_panels ? NULL : options->panel ? options->panel : &device_table,
		.output = options->output,
		.sort = options->sort,
		.choice = m->choice,
		.stop_fd = m->events.signal_fd,
	};
	const char *what = "output";
	int error = batch_open(&m->batch, &setup, &what);

	if (!error)
		return RUNNING;
	complain("%s: %s", what, output_error(error));
	return EXIT_FAILED;
}

static int open_sources(struct monitor *m)
{
	const struct options *options = m->options;
	const struct sampler_setup setup = {options->procfs, options->sysfs, needs_of(options)};
	int error = sampler_open(&m->sampler, &setup);

	if (error == -ENOMEM || error == -EAGAIN || error == -EMFILE || error == -ENFILE)
		return failed(error);
	if (error) {
		complain("%s: no usable /proc there: %s", options->procfs ? options->procfs : "/proc",
		         strerror(-error));
		return EXIT_NO_PROC;
	}
	m->story = sampler_is_story(m->sampler);
	unsigned frames = options->count;
	if (m->story && (!frames || sampler_steps(m->sampler) - 1 < frames))
		frames = sampler_steps(m->sampler) - 1;
	m->diagnosis = diagnosis_new(frames);
	error = names_open(&m->names, sampler_is_native(m->sampler));
	return m->diagnosis && !error ? RUNNING : failed(-ENOMEM);
}

/* A story has its own clock: all of it at once; the screen stays on the last frame. */
static int run_story(struct monitor *m)
{
	int status = RUNNING;

	for (unsigned i = 1; i < sampler_steps(m->sampler) && status == RUNNING; i++)
		status = tick(m);
	if (status != RUNNING)
		return status;
	return m->screen ? loop(m) : EXIT_DONE;
}

static int start(struct monitor *m)
{
	int status = open_sources(m);

	if (status == RUNNING && !find_user(m))
		status = EXIT_USAGE;
	if (status == RUNNING)
		status = tick(m); /* the reading that the first frame subtracts */
	if (status == RUNNING && (!check_devices(m) || !check_pids(m)))
		status = EXIT_USAGE;
	if (status == RUNNING && m->options->batch) /* truncates: only now that all is right */
		status = open_batch(m);
	if (status == RUNNING && m->batch && m->options->since_boot)
		status = write_since_boot(m);
	if (status == RUNNING && !m->options->batch)
		status = open_screen(m);
	return status;
}

static void end(struct monitor *m)
{
	screen_close(m->screen);
	batch_close(m->batch);
	names_close(m->names);
	diagnosis_free(m->diagnosis);
	sampler_close(m->sampler);
	events_close(&m->events);
	snapshot_release(&m->snapshot[0]);
	snapshot_release(&m->snapshot[1]);
	free(m->walk_before.task);
	free(m->walk_now.task);
	frame_release(&m->frame);
}

int monitor_run(const struct options *options)
{
	struct monitor m = {.options = options, .choice = options->choice, .interval_s = options->interval_s};
	int status;

	/* signals first: threads and the helper inherit what is blocked */
	if (events_open(&m.events, !options->batch) < 0)
		return failed(-errno);
	status = start(&m);
	if (status == RUNNING && m.story) {
		status = run_story(&m);
	} else if (status == RUNNING) {
		double first = m.screen && first_interval_s < m.interval_s ? first_interval_s : m.interval_s;
		events_clock(&m.events, first, m.interval_s);
		if (m.screen)
			screen_frame(m.screen, NULL);
		status = loop(&m);
	}
	end(&m);
	return status;
}
