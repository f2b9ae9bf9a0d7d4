/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of the monitor: what its parts share. Only src/monitor.c and src/run_*.c include it. */
#ifndef IOTRIAGE_RUN_H
#define IOTRIAGE_RUN_H

#include "conf.h"
#include "events.h"
#include "frame/build.h"
#include "frame/history.h"
#include "frame/totals.h"
#include "iotriage/diagnose.h"
#include "iotriage/names.h"
#include "iotriage/screen.h"
#include "iotriage/uses.h"
#include "options.h"
#include "output/batch.h"
#include "sample/delayacct.h"
#include "sample/sampler.h"
#include "trace/trace.h"

enum { RUNNING = -1 };

struct run {
	const struct options *options;
	struct choice choice;
	struct conf *conf;
	struct sampler *sampler;
	struct trace *trace; /* NULL: nothing is traced, for the reason trace_why */
	char trace_why[TRACE_WHY_MAX];
	struct names *names;
	struct uses *uses;
	struct diagnosis *diagnosis;
	struct histories *histories;
	struct totals *totals;       /* NULL: nobody asked */
	struct delayacct *delayacct; /* what this run switched on */
	struct screen *screen; /* one of these two is the sink; of a summary there is none until its end */
	struct batch *batch;
	struct events events;
	struct snapshot snapshot[2];
	unsigned now;      /* which of them is the newest */
	bool have_before;  /* the other is a reading to subtract */
	struct task_snapshot walk_before, walk_now;
	bool have_walk;    /* walk_now holds one */
	bool walk_paired;  /* so does walk_before */
	bool walk_fresh;   /* it is in no frame yet */
	struct frame frame;
	uint64_t watched_start; /* of the process whose files batch writes; 0: not seen yet */
	bool framed;       /* it is built, of the present readings */
	bool threads;      /* rows of threads are wanted */
	unsigned frames;   /* shown so far */
	bool saw_tasks, saw_files; /* in some frame: else batch says so at its end */
	bool story;
	double interval_s;
	double began_epoch; /* wall clock of the first reading */
};

/* One line for people; an exit status. */
int run_failed(int error);

/* ---- run_frames.c: readings and frames ---- */

/* Opens the sources that the options call for. RUNNING or an exit status. */
int run_open_sources(struct run *run);

/* Reads everything once. 0, -ENODATA at a story's end, -EAGAIN: too soon, or -errno. */
int run_sample(struct run *run);

/* A frame of the newest readings. 0 or -errno. */
int run_build_frame(struct run *run, bool since_boot);

/* Takes a walk that has ended, into the frame on show. True: that has changed. */
bool run_late_walk(struct run *run);

/* Asks the helpers about what the frame shows. */
void run_ask(struct run *run);

/* Takes in what they have answered, into the frame. True: there is something new. */
bool run_tend(struct run *run);

/* Milliseconds until run_tend must be called; -1: not before an answer comes. */
int run_timeout_ms(const struct run *run);

/* Waits for their answers, for a fifth of the interval and 0.9 s at most, or until a signal. */
void run_await_answers(struct run *run);

/* Shows threads or processes, from the next frame that can on. */
void run_set_threads(struct run *run, bool threads);

/* ---- run_screen.c: what the screen asks for ---- */

int run_open_screen(struct run *run);

void run_show(struct run *run);
int run_screen_input(struct run *run);
int run_screen_signal(struct run *run, int number);

/* A new first reading: after a pause or a stop. Defined in monitor.c. */
int run_start_again(struct run *run);

#endif
