/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world for the rules: frames whose device rows are what iostat prints.
 */
#ifndef TESTS_UNIT_WORLD_H
#define TESTS_UNIT_WORLD_H

#include "iotriage/diagnose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WORLD_MAX = 24, WORLD_TASKS = 4 };

/* One row as iostat -x prints it. */
struct numbers {
	double r, w, rkb, wkb, queue, await, svctm, util;
};

struct world {
	struct diagnosis *diagnosis;
	struct frame frame;
	struct device_row row[WORLD_MAX];
	struct device_info info[WORLD_MAX];
	char lower[WORLD_MAX][2][DEVICE_NAME_MAX];
	struct task_row task[WORLD_TASKS];
	struct task_sample sample[WORLD_TASKS];
	struct task_use use[WORLD_TASKS];
	struct file_use file[WORLD_TASKS];
};

static const struct numbers SERIAL = {0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7};
static const struct numbers DEEP = {2, 522, 8, 156856, 143.07, 277.58, 1.91, 100.1};
static const struct numbers FINE = {162, 0, 10380, 0, 1.13, 7.04, 2.01, 32.5};
static const struct numbers NOTHING = {0, 0, 0, 0, 0, 0, 0, 0};

static inline void world_numbers(struct world *world, int n, struct numbers is)
{
	struct device_row *row = &world->row[n];
	struct value idle = value_absent(ABSENT_IDLE), none = value_absent(ABSENT_UNSUPPORTED);
	bool any = is.r + is.w > 0;

	row->why = PRESENT;
	row->seconds = world->frame.seconds;
	row->ios = (is.r + is.w) * row->seconds;
	row->rrqm = row->wrqm = row->drqm = row->d = row->dkb = value_of(0);
	row->f = none;
	row->r = value_of(is.r);
	row->w = value_of(is.w);
	row->rkb = value_of(is.rkb);
	row->wkb = value_of(is.wkb);
	row->areq_sz = any ? value_of((is.rkb + is.wkb) / (is.r + is.w)) : idle;
	row->avgqu_sz = value_of(is.queue);
	row->await = any ? value_of(is.await) : idle;
	row->svctm = any ? value_of(is.svctm) : idle;
	row->r_await = row->w_await = row->d_await = row->f_await = row->depth = idle;
	row->util = value_of(is.util);
	row->inflight = value_of(0);
	row->inflight_was = 0;
}

static inline int world_add(struct world *world, const char *name, struct numbers is)
{
	int n = (int)world->frame.ndevice++;

	world->row[n].name = name;
	world->row[n].info = &world->info[n];
	world->row[n].diskseq = 1;
	snprintf(world->info[n].name, DEVICE_NAME_MAX, "%s", name);
	world->info[n].rotational = -1;
	world->info[n].lower = world->lower[n];
	world_numbers(world, n, is);
	return n;
}

static inline void world_stack(struct world *world, int upper, const char *lower)
{
	snprintf(world->lower[upper][world->info[upper].nlower++], DEVICE_NAME_MAX, "%s", lower);
}

/* A diagnosis that knows nothing yet. */
static inline void world_diagnosis(struct world *world, enum diagnosis_kind kind, unsigned frames)
{
	const struct diagnosis_setup setup = {.kind = kind, .frames = frames};

	diagnosis_free(world->diagnosis);
	world->diagnosis = diagnosis_new(&setup);
	assert_non_null(world->diagnosis);
}

static inline void world_start(struct world *world, unsigned frames)
{
	const struct slab_value unread = {.state = SLAB_UNREAD};
	const struct value none = value_absent(ABSENT_UNSUPPORTED);

	memset(world, 0, sizeof(*world));
	world_diagnosis(world, DIAGNOSIS_LIVE, frames);
	world->frame.seconds = 1;
	world->frame.epoch = 1000;
	world->frame.device = world->row;
	world->frame.tasks_state = ABSENT_OFF;
	world->frame.aio.kiocb = world->frame.aio.kioctx = world->frame.aio.io_kiocb = unread;
	world->frame.aio.aio_nr = world->frame.aio.aio_max_nr = none;
	world->frame.system.iowait = world->frame.system.blocked = none;
	world->frame.system.pswpin = world->frame.system.pswpout = none;
	world->frame.system.dirty_kib = world->frame.system.writeback_kib = none;
	world->frame.system.dirty_limit_kib = none;
}

/* Await of reads and writes apart, and the flushes. */
static inline void world_kinds(struct world *world, int n, double r_await, double w_await, double f,
			       double f_await)
{
	struct device_row *row = &world->row[n];
	struct value idle = value_absent(ABSENT_IDLE);

	row->r_await = row->r.n > 0 ? value_of(r_await) : idle;
	row->w_await = row->w.n > 0 ? value_of(w_await) : idle;
	row->f = value_of(f);
	row->f_await = f > 0 ? value_of(f_await) : idle;
}

/* A task with no figures yet; it is looked at, has no modes and no files. */
static inline struct task_row *world_task(struct world *world, int pid, const char *comm)
{
	size_t n = world->frame.ntask++;
	struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct task_row *task = &world->task[n];

	world->frame.task = world->task;
	world->frame.tasks_state = PRESENT;
	world->sample[n].pid = pid;
	world->sample[n].start_ticks = 100;
	snprintf(world->sample[n].comm, COMM_MAX, "%s", comm);
	*task = (struct task_row){.task = &world->sample[n], .state = 'S', .seconds = 1};
	task->rkb = task->wkb = task->rchar = task->wchar = task->syscr = task->syscw = value_of(0);
	task->blocked_threads = task->io_pct = task->inh_rkb = task->inh_wkb = none;
	world->use[n] = (struct task_use){.contexts = value_of(0), .rings = value_of(0)};
	task->use = &world->use[n];
	return task;
}

/* One file of the n-th task. */
static inline struct file_use *world_file(struct world *world, int n, const char *path,
					  unsigned mode, char access)
{
	world->file[n] = (struct file_use){.file = 7, .path = path, .mode = mode, .access = access,
					   .pos_kb = value_absent(ABSENT_UNSUPPORTED)};
	world->use[n].file = &world->file[n];
	world->use[n].nfile = 1;
	return &world->file[n];
}

/* Whatever is found says what was compared, in figures. */
static inline void world_formulas(const struct finding *finding, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *formula = finding[i].formula;

		if (!strpbrk(formula, "0123456789") || strlen(formula) + 1 >= FORMULA_MAX ||
		    !finding[i].meaning)
			fail_msg("%s: %s", finding[i].rule, formula);
	}
}

static inline void world_tick(struct world *world)
{
	world->frame.number++;
	world->frame.epoch += world->frame.seconds;
	assert_int_equal(diagnose(world->diagnosis, &world->frame), 0);
	world_formulas(world->frame.finding, world->frame.nfinding);
}

static inline void world_end(struct world *world)
{
	diagnosis_free(world->diagnosis);
}

static const struct finding *found(const struct world *world, const char *subject, const char *rule)
{
	for (size_t i = 0; i < world->frame.nfinding; i++)
		if (strcmp(world->frame.finding[i].subject, subject) == 0 &&
		    strcmp(world->frame.finding[i].rule, rule) == 0)
			return &world->frame.finding[i];
	return NULL;
}

static inline void world_stuck(struct world *world, int n, double requests)
{
	world_numbers(world, n, NOTHING);
	world->row[n].inflight = value_of(requests);
	world->row[n].inflight_was = (uint64_t)requests;
}

/* How often the rule could not judge for want of an input. */
static inline unsigned long lacking(const struct world *world, const char *rule)
{
	for (size_t i = 0; rule_infos()[i].name; i++)
		if (strcmp(rule_infos()[i].name, rule) == 0)
			return diagnosis_check(world->diagnosis, i)->lacking;
	fail_msg("no rule %s", rule);
	return 0;
}

static inline int severity_found(const struct world *world, const char *subject, const char *rule)
{
	const struct finding *finding = found(world, subject, rule);

	return finding ? (int)finding->severity : -1;
}

/* What severity_of and the tables of cases say: no finding, or its severity. */
enum { NO = -1, INFO = SEVERITY_INFO, WARN = SEVERITY_WARN, CRIT = SEVERITY_CRIT };

/* A run of one frame with one device; the severity of the rule, -1 for none. */
static inline int severity_of(struct numbers is, const struct device_info *info, const char *rule)
{
	struct world world;
	const struct finding *finding;
	int severity, n;

	world_start(&world, 1);
	n = world_add(&world, "sda", is);
	if (info)
		world.info[n] = *info;
	world_tick(&world);
	finding = found(&world, "sda", rule);
	severity = finding ? (int)finding->severity : -1;
	world_end(&world);
	return severity;
}

#endif
