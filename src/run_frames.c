/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings, the frames made of them, and what the helper processes add. */
#include "run.h"
#include "frame/aio_activity.h"
#include "sample/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned needs_of(const struct options *options)
{
	const struct table *table = options->panel ? options->panel : &device_table;
	unsigned needs = (options->user ? NEED_UIDS : 0) | (options->choice.npid ? NEED_TASKS : 0);

	/* the screen adds up from the start what each user did */
	if (!options->batch)
		return needs | NEED_TASKS | NEED_SYSTEM | NEED_SLABS | NEED_UIDS;
	if (options->all_panels || table == &finding_table)
		return needs | NEED_TASKS | NEED_SYSTEM | NEED_SLABS;
	if (options->summary || table == &total_table)
		return needs | NEED_TASKS | NEED_SYSTEM | NEED_UIDS;
	if (table == &task_table || table == &system_table || table == &file_table)
		return needs | NEED_TASKS | NEED_SYSTEM;
	return table == &aio_table ? needs | NEED_TASKS | NEED_SLABS : needs;
}

/* Figures of another root, or of the past, are not this kernel's. RUNNING or an exit status. */
static int open_trace(struct run *run)
{
	const struct options *options = run->options;
	const char *demanded = options->sampler == SAMPLER_BPF    ? "--sampler bpf"
	                       : options->trace == TRACE_DEMANDED ? "--trace"
	                                                          : NULL;
	bool tasks = sampler_fd(run->sampler) >= 0 && options->sampler != SAMPLER_PROC;
	unsigned parts = (tasks ? TRACE_TASKS : 0) |
	                 (!options->batch || options->all_panels || options->panel == &aio_table ? TRACE_AIO : 0);

	if (options->trace == TRACE_NEVER)
		return RUNNING;
	if (!sampler_is_native(run->sampler))
		snprintf(run->trace_why, sizeof(run->trace_why), "only this machine can be traced, not what --procfs or --sysfs shows");
	else
		(void)trace_open(&run->trace, parts, run->trace_why);
	if (trace_has_tasks(run->trace))
		sampler_use_tasks(run->sampler, trace_tasks, run->trace);
	else if (tasks && run->trace && options->sampler == SAMPLER_BPF)
		snprintf(run->trace_why, sizeof(run->trace_why), "the kernel, or this PID namespace, cannot list tasks");
	if (!demanded || !*run->trace_why)
		return RUNNING;
	complain("%s: %s", demanded, run->trace_why);
	return EXIT_MISSING;
}

/* One by one, so that it is asked how they do I/O. */
static bool shows_tasks(const struct options *options)
{
	const struct table *panel = options->panel;

	return !options->batch || options->all_panels || panel == &task_table || panel == &aio_table ||
	       panel == &file_table || panel == &finding_table;
}

/* While the program is small: a helper has a copy of all that there is at its start. */
static int open_helpers(struct run *run)
{
	int error = names_open(&run->names, sampler_is_native(run->sampler));

	if (!error)
		error = uses_open(&run->uses, run->story);
	if (error)
		return error;
	if (sampler_is_native(run->sampler))
		uses_own(run->uses, getpid());
	if (shows_tasks(run->options)) {
		names_start(run->names);
		uses_start(run->uses);
	}
	return 0;
}

int run_open_sources(struct run *run)
{
	const struct options *options = run->options;
	const struct sampler_setup setup = {options->procfs, options->sysfs, needs_of(options)};
	int error = sampler_open(&run->sampler, &setup);

	if (error == -ENOMEM || error == -EAGAIN || error == -EMFILE || error == -ENFILE)
		return run_failed(error);
	if (error) {
		complain("%s: no usable /proc there: %s", options->procfs ? options->procfs : "/proc",
		         strerror(-error));
		return EXIT_NO_PROC;
	}
	run->story = sampler_is_story(run->sampler);
	unsigned frames = options->count;
	if (run->story && (!frames || sampler_steps(run->sampler) - 1 < frames))
		frames = sampler_steps(run->sampler) - 1;
	const struct diagnosis_setup diagnosis = {.kind = DIAGNOSIS_LIVE, .frames = frames};
	run->diagnosis = diagnosis_new(&diagnosis);
	if (run->diagnosis)
		conf_thresholds(run->conf, run->diagnosis);
	run->histories = histories_new();
	error = open_helpers(run);
	if (!error && (!options->batch || options->summary || options->panel == &total_table))
		error = (run->totals = totals_new()) ? 0 : -ENOMEM;
	run_set_threads(run, options->threads);
	return run->diagnosis && run->histories && !error ? open_trace(run) : run_failed(-ENOMEM);
}

void run_set_threads(struct run *run, bool threads)
{
	run->threads = threads;
	sampler_all_threads(run->sampler, threads);
}

/* Takes a walk that has ended; the one before it becomes the reading to subtract. */
static bool take_walk(struct run *run, int timeout_ms)
{
	struct task_snapshot newest = run->walk_before;

	if (!sampler_tasks(run->sampler, &newest, timeout_ms)) {
		run->walk_before = newest;
		return false;
	}
	run->walk_before = run->walk_now;
	run->walk_now = newest;
	run->walk_paired = run->have_walk;
	run->have_walk = run->walk_fresh = true;
	return true;
}

/* What the helper found out, and what was counted for the rows that makes. */
static void attach_uses(struct run *run)
{
	const struct aio_activity *before = &run->snapshot[!run->now].aio_activity;

	uses_attach(run->uses, &run->frame);
	aio_activity_attach(&run->frame, run->have_before ? before : NULL,
			    &run->snapshot[run->now].aio_activity);
}

static void attach(struct run *run)
{
	names_attach(run->names, &run->frame);
	attach_uses(run);
}

/* A frame whose tasks are late is added once more when they have come. */
static int attach_totals(struct run *run)
{
	if (!run->totals)
		return 0;
	enum total_by by = TOTAL_TASKS;
	totals_add(run->totals, &run->frame, &run->choice);
	if (run->screen ? !screen_totals(run->screen, &by) : run->options->summary)
		return 0; /* nobody looks at them now */
	return totals_attach(run->totals, &run->frame, by);
}

/* On screen rows stay as they were while a walk is late; what is written is of its time. */
static enum walk_age walk_age(const struct run *run)
{
	if (run->walk_fresh)
		return WALK_FRESH;
	return run->screen && run->walk_paired ? WALK_KEPT : WALK_LATE;
}

static int build_tasks(struct run *run)
{
	const struct task_snapshot *before = run->walk_paired ? &run->walk_before : NULL;
	bool threads = run->threads && run->walk_now.all_threads && (!before || before->all_threads);
	int error = frame_build_tasks(&run->frame, before, &run->walk_now, walk_age(run), threads);

	run->walk_fresh = false;
	if (error)
		return error;
	run->saw_tasks |= run->frame.tasks_state == PRESENT && run->frame.ntask > 0;
	attach(run);
	if (run->options->summary) /* users whose tasks may have ended by the next frame */
		run_await_answers(run);
	return attach_totals(run);
}

int run_build_frame(struct run *run, bool since_boot)
{
	const struct snapshot *now = &run->snapshot[run->now], *before = &run->snapshot[!run->now];
	int error = frame_build(&run->frame, since_boot ? NULL : before, now);

	if (error)
		return error;
	run->framed = true;
	run->frame.number = since_boot ? 0 : ++run->frames;
	run->frame.untraced = *run->trace_why ? run->trace_why : NULL;
	snprintf(run->frame.host, sizeof(run->frame.host), "%s", sampler_host(run->sampler));
	histories_add(run->histories, &run->frame);
	if (sampler_fd(run->sampler) >= 0 && !since_boot)
		error = build_tasks(run);
	return error ? error : diagnose(run->diagnosis, &run->frame);
}

/*
 * A fifth of the interval, after which devices go out without tasks. The first
 * walk, which opens every file, gets more, and the last one of a batch, after
 * which none comes. The screen does not wait for the first, as long as nobody
 * asked for a process that must be there.
 */
static int walk_patience_ms(const struct run *run)
{
	enum { LEAST = 50, FIRST = 5000, FIRST_OF_SCREEN = 1000, LAST = 2000 };
	const int most = run->options->batch ? 900 : 500; /* keys wait meanwhile */
	const struct options *options = run->options;
	bool first_on_screen = !options->batch && run->frames == 0;
	int fifth = first_on_screen ? LEAST : (int)(run->interval_s * 200);

	if (!run->have_before)
		return options->batch ? FIRST : run->choice.npid ? FIRST_OF_SCREEN : 0;
	if (options->batch && options->count && run->frames + 1 >= options->count)
		return LAST;
	if (fifth > most)
		return most;
	return fifth > LEAST ? fifth : LEAST;
}

/* A signal that ends the wait is waiting. */
static bool signalled(const struct run *run)
{
	struct pollfd fd = {.fd = run->events.signal_fd, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

/* Takes the walk if it ends in time. */
static void await_walk(struct run *run, int timeout_ms)
{
	enum { SLICE_MS = 100 };

	while (!take_walk(run, timeout_ms < SLICE_MS ? timeout_ms : SLICE_MS) && timeout_ms > SLICE_MS &&
	       !signalled(run))
		timeout_ms -= SLICE_MS;
}

/* Whoever looks at AIO wants to know of every process. */
static bool wants_aio(const struct run *run)
{
	const struct options *options = run->options;

	return run->screen ? screen_shows_aio(run->screen)
			   : options->all_panels || options->panel == &aio_table;
}

static int read_trace(struct run *run, struct snapshot *snapshot)
{
	int error = trace_requests(run->trace, &snapshot->latency, &snapshot->pairs);

	return error ? error : trace_aio(run->trace, wants_aio(run), &snapshot->aio_activity);
}

int run_sample(struct run *run)
{
	const struct snapshot *now = &run->snapshot[!run->now], *before = &run->snapshot[run->now];
	int timeout_ms = walk_patience_ms(run);

	sampler_watch_slabs(run->sampler, run->screen && screen_shows_aio(run->screen));
	int error = sampler_tick(run->sampler, &run->snapshot[!run->now]);
	if (!error)
		error = read_trace(run, &run->snapshot[!run->now]);
	if (error)
		return error;
	/* two readings at the same time make no rate */
	if (run->have_before && now->devices.mono_ns <= before->devices.mono_ns)
		return -EAGAIN;
	run->now = !run->now;
	uses_root(run->uses, sampler_proc_path(run->sampler));
	if (sampler_fd(run->sampler) >= 0)
		await_walk(run, timeout_ms); /* one that came between two ticks will do */
	return 0;
}

bool run_late_walk(struct run *run)
{
	/* what batch has written stays, but what is added up misses nothing */
	if (!take_walk(run, 0) || (run->batch && !run->totals) || !run->framed)
		return false;
	return build_tasks(run) == 0;
}

/* ---- the helpers ---- */

static unsigned uses_wants(const struct run *run)
{
	return wants_aio(run) ? USES_ALL_AIO : 0;
}

static void watch(struct run *run)
{
	struct screen_watched watched = {0};

	if (run->screen) {
		watched = screen_watched(run->screen);
	} else if (run->options->panel == &file_table) {
		watched = (struct screen_watched){run->choice.pid[0], run->watched_start, true, false};
	}
	/* the process that had the number first, not one that has it later */
	for (size_t i = 0; !run->screen && !watched.start_ticks && i < run->walk_now.n; i++)
		if (run->walk_now.task[i].pid == watched.pid)
			watched.start_ticks = run->watched_start = run->walk_now.task[i].start_ticks;
	uses_watch(run->uses, watched.pid, watched.start_ticks, watched.files, watched.sheet);
}

static bool needs_uses(const struct run *run)
{
	return sampler_fd(run->sampler) >= 0 && run->framed && !run->frame.since_boot &&
	       shows_tasks(run->options);
}

void run_ask(struct run *run)
{
	names_ask(run->names, &run->frame, run->screen && screen_wants_all_names(run->screen));
	if (!needs_uses(run))
		return;
	watch(run);
	uses_ask(run->uses, &run->frame, uses_wants(run));
	if (run->story) /* all is answered */
		attach_uses(run);
}

/* What the helpers have answered since: whose answers must be attached. */
struct news {
	bool names, uses;
};

static void tend(struct run *run, struct news *news)
{
	news->names |= names_tend(run->names);
	news->uses |= uses_tend(run->uses);
}

static bool attach_news(struct run *run, const struct news *news)
{
	if (news->names)
		names_attach(run->names, &run->frame);
	if (news->uses)
		attach_uses(run);
	return news->names || news->uses;
}

bool run_tend(struct run *run)
{
	struct news news = {0};

	tend(run, &news);
	return attach_news(run, &news);
}

/* The sooner of two waits, of which -1 is for ever. */
static int sooner(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

int run_timeout_ms(const struct run *run)
{
	return sooner(names_timeout_ms(run->names), uses_timeout_ms(run->uses));
}

void run_await_answers(struct run *run)
{
	static const int64_t most_ns = 900 * 1000000LL;
	int64_t fifth_ns = (int64_t)(run->interval_s * 0.2e9);
	int64_t end = clock_mono_ns() + (fifth_ns < most_ns ? fifth_ns : most_ns);
	struct news news = {0};

	for (;;) {
		run_ask(run);
		int left_ms = (int)((end - clock_mono_ns()) / 1000000);
		if (left_ms <= 0 || signalled(run) ||
		    (!names_pending(run->names) && !uses_pending(run->uses)))
			break;
		struct pollfd fd[] = {{.fd = names_fd(run->names), .events = POLLIN},
		                      {.fd = uses_fd(run->uses), .events = POLLIN},
		                      {.fd = run->events.signal_fd, .events = POLLIN}};
		(void)poll(fd, 3, sooner(run_timeout_ms(run), left_ms));
		tend(run, &news);
	}
	/* also what was not worth telling while more was to come */
	news.uses = needs_uses(run) && uses_is_new(run->uses);
	(void)attach_news(run, &news);
}
