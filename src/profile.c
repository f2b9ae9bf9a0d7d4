/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iotriage profile: whom to watch, for how long, and what came of it. */
#include "profile.h"
#include "events.h"
#include "output/profile_output.h"
#include "output/profile_save.h"
#include "profile/command.h"
#include "profile/storage.h"
#include "profile/targets.h"
#include "profile_options.h"
#include "trace/profile_load.h"
#include "trace/profile_snapshot.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNNING = -1 };

struct profile {
	struct profile_options options;
	struct profile_trace *trace;
	struct profile_save *save;
	struct events events;
	struct command command;
	bool commanded;      /* it waits, or runs */
	bool command_gone;   /* it has ended, */
	int command_status;  /* as wait(2) says */
	size_t targets;
	int target_error;
	struct profile_storage before, after;
	double began_s, seconds;
	bool unsaved;        /* not all could be saved */
	bool progress;       /* a line of it is on the terminal */
	long progress_s;     /* the second it shows */
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- whom ---- */

static void add_target(void *context, pid_t pid)
{
	struct profile *profile = context;
	int error = profile_trace_target(profile->trace, pid);

	if (error && !profile->target_error)
		profile->target_error = error;
	profile->targets += !error;
}

static int find_targets(struct profile *profile)
{
	const struct profile_options *options = &profile->options;

	for (size_t i = 0; i < options->npid; i++) {
		pid_t pid = profile_process_of(options->pid[i]);
		if (pid == 0) {
			complain("-p %d: no such process", (int)options->pid[i]);
			return EXIT_USAGE;
		}
		add_target(profile, pid);
	}
	if (options->name && profile_processes_named(options->name, add_target, profile) < 1) {
		complain("-c %s: no process of this name", options->name);
		return EXIT_USAGE;
	}
	if (options->command) {
		int error = command_prepare(&profile->command, options->command);
		if (error) {
			complain("%s: %s", options->command[0], strerror(-error));
			return EXIT_FAILED;
		}
		profile->commanded = true;
		add_target(profile, profile->command.pid);
	}
	if (profile->target_error) {
		complain("profile: too many processes");
		return EXIT_FAILED;
	}
	return RUNNING;
}

/* ---- the run ---- */

static void add_before(void *context, pid_t pid)
{
	profile_storage_add(&((struct profile *)context)->before, pid);
}

static void add_after(void *context, pid_t pid)
{
	profile_storage_add(&((struct profile *)context)->after, pid);
}

static int start(struct profile *profile)
{
	char why[TRACE_WHY_MAX];
	int error;

	profile->before.known = profile->after.known = true;
	(void)profile_trace_living(profile->trace, add_before, profile);
	if (profile_trace_start(profile->trace, why) < 0) {
		complain("profile: %s", why);
		return EXIT_MISSING;
	}
	profile->began_s = now_s();
	if (!profile->commanded)
		return RUNNING;
	error = command_start(&profile->command);
	if (!error)
		return RUNNING;
	profile->commanded = false;
	complain("%s: %s", profile->options.command[0], strerror(-error));
	return EXIT_USAGE;
}

static void show_progress(struct profile *profile, size_t living)
{
	long second = (long)(now_s() - profile->began_s);

	if (profile->commanded || !isatty(STDERR_FILENO) ||
	    (profile->progress && second == profile->progress_s))
		return;
	fprintf(stderr, "\rprofiling %zu process%s: %ld of %.0f s\033[K", living,
		living == 1 ? "" : "es", second, profile->options.seconds);
	profile->progress = true;
	profile->progress_s = second;
}

/* Nothing is left to watch, or the time is over. */
static bool is_over(struct profile *profile)
{
	double seconds = profile->options.seconds;
	size_t living;

	if (profile->commanded && !profile->command_gone)
		profile->command_gone = command_ended(&profile->command, &profile->command_status);
	if (profile->command_gone || (seconds > 0 && now_s() - profile->began_s >= seconds))
		return true;
	living = profile_trace_living(profile->trace, NULL, NULL);
	show_progress(profile, living);
	return !profile->commanded && living == 0;
}

static const char *save_why(int error)
{
	return error == -ECANCELED ? "ended while nobody read it" : strerror(-error);
}

static const char *path_of(void *profile, const struct profile_file *file)
{
	return profile_trace_path(((struct profile *)profile)->trace, file);
}

/* What cannot be saved is still counted in the kernel: the run goes on without the file. */
static void save_events(struct profile *profile)
{
	int error;

	if (!profile->options.save)
		return;
	profile_trace_events(profile->trace, profile->save ? profile_save_event : NULL, profile->save);
	error = profile->save ? profile_save_flush(profile->save) : 0;
	if (!error)
		return;
	complain("%s: %s: no more calls are saved", profile->options.save, save_why(error));
	profile_save_close(profile->save);
	profile->save = NULL;
	profile->unsaved = true;
}

/* Looks ten times a second. */
static int wait_for_end(struct profile *profile)
{
	struct pollfd fd[] = {
		{.fd = profile->events.signal_fd, .events = POLLIN},
		{.fd = profile->events.clock_fd, .events = POLLIN},
		{.fd = profile_trace_fd(profile->trace), .events = POLLIN},
	};

	events_clock(&profile->events, 0.1, 0.1);
	for (;;) {
		if (poll(fd, sizeof(fd) / sizeof(*fd), -1) < 0 && errno != EINTR)
			return EXIT_FAILED;
		if (fd[1].revents)
			events_clock_read(&profile->events);
		save_events(profile);
		if (fd[0].revents && events_signal(&profile->events))
			return RUNNING;
		if (fd[1].revents && is_over(profile))
			return RUNNING;
	}
}

static void stop(struct profile *profile)
{
	__u64 read, written;

	profile->seconds = now_s() - profile->began_s;
	/* in this order none that ends now is counted twice */
	profile_trace_ended(profile->trace, &read, &written);
	(void)profile_trace_living(profile->trace, add_after, profile);
	profile_trace_stop(profile->trace);
	profile->after.read += read;
	profile->after.written += written;
	if (profile->progress)
		fputs("\r\033[K", stderr);
}

/* ---- the result ---- */

static struct profile_storage storage_of_run(const struct profile *profile)
{
	const struct profile_storage *before = &profile->before, *after = &profile->after;

	return (struct profile_storage){
		.known = before->known && after->known && after->read >= before->read &&
			 after->written >= before->written,
		.read = after->read - before->read,
		.written = after->written - before->written,
	};
}

static void note_command(struct profile_table *table, const struct profile *profile)
{
	int status = profile->command_status;

	if (!profile->command_gone)
		return;
	if (WIFSIGNALED(status))
		profile_table_note(table, "the command was ended by signal %d", WTERMSIG(status));
	else
		profile_table_note(table, "the command's exit status is %d", WEXITSTATUS(status));
}

static int write_table(const struct profile *profile, const struct profile_table *table)
{
	struct writer writer = {.fd = STDOUT_FILENO, .stop_fd = -1};
	int error = 0;

	switch (profile->options.format) {
	case PROFILE_FORMAT_TABLE:
		profile_table_text(&writer, table);
		break;
	case PROFILE_FORMAT_CSV:
		profile_table_csv(&writer, table);
		for (size_t i = 0; i < table->nnote; i++)
			complain("profile: %s", table->note[i]);
		break;
	case PROFILE_FORMAT_JSON:
		error = profile_table_json(&writer, table);
		break;
	}
	error = error ? error : writer_flush(&writer);
	writer_release(&writer);
	if (error == 0 || error == -EPIPE)
		return EXIT_DONE;
	complain("stdout: %s", strerror(-error));
	return EXIT_FAILED;
}

static int report(struct profile *profile)
{
	struct profile_storage storage = storage_of_run(profile);
	struct profile_snapshot snapshot;
	struct profile_table table;
	int status = EXIT_FAILED;
	int error = profile_trace_read(profile->trace, &snapshot);

	table = (struct profile_table){.store = NULL};
	error = error ? error : profile_table_build(&table, &profile->options.view, &snapshot);
	if (error) {
		complain("profile: %s", strerror(-error));
	} else {
		table.seconds = profile->seconds;
		profile_table_notes(&table, &snapshot, &storage);
		note_command(&table, profile);
		status = write_table(profile, &table);
	}
	profile_table_release(&table);
	profile_snapshot_release(&snapshot);
	return status;
}

static int run(struct profile *profile)
{
	int status = find_targets(profile);

	if (status == RUNNING && profile->options.save) {
		int error = profile_save_open(&profile->save, profile->options.save,
					      profile->events.signal_fd, path_of, profile);
		if (error) {
			complain("%s: %s", profile->options.save, save_why(error));
			status = EXIT_FAILED;
		}
	}
	bool waiting = profile->commanded && status != RUNNING;
	if (waiting)
		command_drop(&profile->command);
	if (status == RUNNING)
		status = start(profile);
	if (status == RUNNING)
		status = wait_for_end(profile);
	if (status != RUNNING)
		return status;
	stop(profile);
	save_events(profile);
	status = report(profile);
	return profile->unsaved ? EXIT_FAILED : status;
}

int profile_run(int argc, char **argv)
{
	static struct profile profile;
	char why[TRACE_WHY_MAX];
	enum options_result result = profile_options_parse(&profile.options, argc, argv);
	int status;

	if (result == OPTIONS_WRONG)
		return EXIT_USAGE;
	if (result == OPTIONS_HELP)
		return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
	if (profile_trace_open(&profile.trace, profile.options.save != NULL, why) < 0) {
		complain("profile: %s", why);
		return EXIT_MISSING;
	}
	if (events_open(&profile.events, false) < 0) {
		complain("profile: %s", strerror(errno));
		status = EXIT_FAILED;
	} else {
		status = run(&profile);
	}
	events_close(&profile.events);
	profile_save_close(profile.save);
	profile_trace_close(profile.trace);
	return status;
}
