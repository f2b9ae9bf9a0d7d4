/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules, on rows as iostat prints them, and the stage that shows them.
 */
#include "iotriage/diagnose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WORLD_MAX = 6 };

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
	struct task_row task[2];
	struct task_sample sample[2];
};

static const struct numbers SERIAL = {0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7};
static const struct numbers DEEP = {2, 522, 8, 156856, 143.07, 277.58, 1.91, 100.1};
static const struct numbers FINE = {162, 0, 10380, 0, 1.13, 7.04, 2.01, 32.5};
static const struct numbers NOTHING = {0, 0, 0, 0, 0, 0, 0, 0};

static void world_numbers(struct world *world, int n, struct numbers is)
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

static int world_add(struct world *world, const char *name, struct numbers is)
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

static void world_stack(struct world *world, int upper, const char *lower)
{
	snprintf(world->lower[upper][world->info[upper].nlower++], DEVICE_NAME_MAX, "%s", lower);
}

static void world_start(struct world *world, unsigned frames)
{
	const struct slab_value unread = {.state = SLAB_UNREAD};

	memset(world, 0, sizeof(*world));
	world->diagnosis = diagnosis_new(frames);
	assert_non_null(world->diagnosis);
	world->frame.seconds = 1;
	world->frame.epoch = 1000;
	world->frame.device = world->row;
	world->frame.tasks_state = ABSENT_OFF;
	world->frame.aio.kiocb = world->frame.aio.kioctx = world->frame.aio.io_kiocb = unread;
	world->frame.aio.aio_nr = world->frame.aio.aio_max_nr = value_absent(ABSENT_UNSUPPORTED);
}

static void world_tick(struct world *world)
{
	world->frame.number++;
	world->frame.epoch += world->frame.seconds;
	assert_int_equal(diagnose(world->diagnosis, &world->frame), 0);
}

static void world_end(struct world *world)
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

/* A run of one frame with one device; the severity of the rule, -1 for none. */
static int severity_of(struct numbers is, const struct device_info *info, const char *rule)
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

static void test_classical_rows(void **state)
{
	static const struct {
		struct numbers is;
		char mark;
		const char *verdict;
	} rows[] = {
	    {{155, 104, 18520, 20668, 3.13, 12.03, 3.67, 95.0}, 'w', "ok"},
	    {{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, ' ', "serial-io"},
	    {{2, 522, 8, 156856, 143.07, 277.58, 1.91, 100.1}, 'W', "queueing"},
	    {{162, 0, 10380, 0, 1.13, 7.04, 2.01, 32.5}, 'w', "ok"},
	    {{2, 186, 8, 2372, 1.13, 5.96, 5.30, 99.6}, ' ', "serial-io"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct world world;

		world_start(&world, 1);
		world_add(&world, "sda", rows[i].is);
		world_tick(&world);
		assert_int_equal(world.row[0].mark, rows[i].mark);
		assert_string_equal(world.row[0].verdict, rows[i].verdict);
		assert_int_equal(world.frame.nfinding, strcmp(rows[i].verdict, "ok") != 0);
		if (world.frame.nfinding)
			assert_true(world.frame.finding[0].severity >= SEVERITY_WARN);
		world_end(&world);
	}
}

static void test_marks(void **state)
{
	static const struct {
		double await, svctm;
		char mark;
	} cases[] = {{2, 1, 'w'},   {1.9, 0.5, ' '}, {4, 2.1, ' '}, {10, 2, 'W'},
		     {9.9, 1, 'w'}, {10, 2.1, 'w'},  {300, 0, ' '}, {300, 299, ' '}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;

		world_start(&world, 0);
		world_add(&world, "sda",
			  (struct numbers){9, 0, 36, 0, 2, cases[i].await, cases[i].svctm, 9});
		world_tick(&world);
		assert_int_equal(world.row[0].mark, cases[i].mark);
		world_end(&world);
	}
}

static void test_serial_words(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", SERIAL);
	world.frame.task = world.task;
	world.frame.ntask = 2;
	world.frame.tasks_state = PRESENT;
	for (int i = 0; i < 2; i++) {
		world.task[i].task = &world.sample[i];
		world.task[i].rkb = world.task[i].wkb = value_of(i == 1 ? 1304 : 3);
		world.sample[i].pid = 4710 + i;
		snprintf(world.sample[i].comm, COMM_MAX, "db\033[w%d", i);
	}
	world_tick(&world);
	finding = found(&world, "sda", "serial-io");
	assert_non_null(finding);
	assert_non_null(strstr(finding->text, "163 writes/s of 8 KiB is 1/6.13 ms"));
	assert_non_null(strstr(finding->text, "99.7 % busy"));
	assert_non_null(strstr(finding->text, "db?[w1 (pid 4711, 1304 KiB/s)"));
	assert_non_null(strstr(finding->evidence, "await=6.13 svctm=6.12"));
	world_end(&world);
}

static char members[2][DEVICE_NAME_MAX] = {"sdb", "sdc"};
static const struct device_info FLASH = {.rotational = 0}, SPINDLE = {.rotational = 1};
static const struct device_info LOOP = {.rotational = 1, .virtual_medium = true};
static const struct device_info ARRAY = {.rotational = 1, .nlower = 2, .lower = members};
static const struct device_info ZRAM = {.class = DEVICE_MEMORY};

enum { NO = -1, INFO = SEVERITY_INFO, WARN = SEVERITY_WARN, CRIT = SEVERITY_CRIT };

static const struct {
	struct numbers is;
	const struct device_info *info;
	const char *rule;
	int severity;
} LATENCY[] = {
	/* a %util of 8 against a queue and a concurrency of one: %util is wrong */
	{{82.6, 0, 330, 0, 0.96, 12.09, 1.02, 8.43}, NULL, "serial-io", WARN},
	/* but not if they only come near one */
	{{82.6, 0, 330, 0, 0.85, 10.5, 1.02, 8.43}, NULL, "serial-io", NO},
	/* an absurd %util takes no part */
	{{0, 163, 0, 1304, 0.80, 4.3, 9, 147}, NULL, "serial-io", NO},
	{{0, 950, 0, 7600, 1.00, 1.05, 1.05, 99.7}, NULL, "serial-io", WARN},
	{{0, 1050, 0, 8400, 1.00, 0.95, 0.95, 99.7}, NULL, "serial-io", INFO},
	{{0, 120, 0, 960, 0.72, 6.2, 4.7, 57}, NULL, "serial-io", NO},
	/* 100 % busy at 0.14 ms is no alarm */
	{{7100, 0, 28400, 0, 1.0, 0.14, 0.14, 100}, &FLASH, "serial-io", INFO},
	{{7100, 0, 28400, 0, 1.0, 0.14, 0.14, 100}, &FLASH, "queueing", NO},
	{{0, 120, 0, 960, 0.75, 6.2, 6.0, 72}, NULL, "serial-io", INFO}, /* pauses */
	{{0, 120, 0, 960, 1.2, 10, 6.0, 72}, NULL, "serial-io", NO},     /* overlap */
	{{0, 300, 0, 1304, 3.0, 10, 3.3, 99}, NULL, "serial-io", NO},    /* three */
	{{0, 12, 0, 96, 1.0, 83, 83, 99.7}, NULL, "serial-io", NO},      /* too few */
	{{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, &ZRAM, "serial-io", NO},

	{{150, 0, 600, 0, 12, 80, 6.6, 99}, &SPINDLE, "queueing", WARN},
	{{2, 522, 8, 156856, 143, 278, 1.9, 100}, &FLASH, "queueing", CRIT},
	/* many in flight and a small await: a parallel device doing well */
	{{56791, 0, 221848, 0, 23.3, 0.41, 0.02, 100}, &FLASH, "queueing", NO},
	/* 15 ms is long for flash, and fine for a spindle */
	{{450, 0, 1800, 0, 7, 15, 2.2, 99}, &FLASH, "queueing", WARN},
	{{450, 0, 1800, 0, 7, 15, 2.2, 99}, &SPINDLE, "queueing", NO},
	/* no spindle makes 600 requests a second */
	{{600, 0, 2400, 0, 9, 15, 1.6, 99}, &SPINDLE, "queueing", WARN},
	/* eleven requests over two members are no line */
	{{150, 0, 600, 0, 11, 80, 6.6, 99}, &SPINDLE, "queueing", WARN},
	{{150, 0, 600, 0, 11, 80, 6.6, 99}, &ARRAY, "queueing", NO},
	/* most of await is service */
	{{100, 0, 400, 0, 8, 80, 20, 99}, &SPINDLE, "queueing", NO},
	/* a burst of writes alone; with readers waiting; all the time */
	{{0, 47, 0, 15180, 7.74, 323, 6.47, 40}, NULL, "queueing", INFO},
	{{5, 47, 20, 15180, 7.74, 323, 6.47, 40}, NULL, "queueing", CRIT},
	{{0, 47, 0, 15180, 7.74, 323, 6.47, 99}, NULL, "queueing", CRIT},

	/* one read in fifty is no reader, one in thirty is */
	{{1, 49, 4, 15180, 7.74, 150, 6, 40}, NULL, "queueing", INFO},
	{{2, 58, 8, 15180, 7.74, 150, 6, 40}, NULL, "queueing", CRIT},

	{{20, 0, 80, 0, 0.50, 25, 25, 50}, &LOOP, "slow-device", WARN},
	{{20, 0, 80, 0, 0.50, 25, 25, 50}, &SPINDLE, "slow-device", WARN},
	/* virtual media are not rotating disks, whatever they say */
	{{30, 0, 120, 0, 0.45, 15, 15, 45}, &LOOP, "slow-device", WARN},
	{{30, 0, 120, 0, 0.45, 15, 15, 45}, &SPINDLE, "slow-device", NO},
	/* five requests prove nothing unless they take ten times the limit */
	{{5, 0, 20, 0, 0.2, 42, 42, 21}, NULL, "slow-device", NO},
	{{5, 0, 20, 0, 0.5, 102, 100, 50}, NULL, "slow-device", WARN},
	{{4, 0, 20, 0, 0.4, 102, 100, 40}, NULL, "slow-device", NO},
	{{25, 0, 100, 0, 0.75, 30, 24, 60}, NULL, "slow-device", NO}, /* some wait */
	{{25, 0, 100, 0, 0.25, 9.5, 9.5, 24}, NULL, "slow-device", NO},
	{{25, 0, 100, 0, 0.15, 5.5, 5.5, 14}, &FLASH, "slow-device", WARN},
	{{25, 0, 100, 0, 0.12, 4.5, 4.5, 11}, &FLASH, "slow-device", NO},
	/* writes that came together waited for each other */
	{{0, 25, 0, 400, 0.5, 22, 4, 10}, NULL, "slow-device", INFO},
	{{0, 163, 0, 1304, 1.00, 6.13, 6.12, 99.7}, &FLASH, "slow-device", NO},
};

static void test_latency_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(LATENCY) / sizeof(LATENCY[0]); i++) {
		int severity = severity_of(LATENCY[i].is, LATENCY[i].info, LATENCY[i].rule);

		if (severity != LATENCY[i].severity)
			fail_msg("case %zu: %s %d, not %d", i, LATENCY[i].rule, severity,
				 LATENCY[i].severity);
	}
}

static void world_stuck(struct world *world, int n, double requests)
{
	world_numbers(world, n, NOTHING);
	world->row[n].inflight = value_of(requests);
	world->row[n].inflight_was = (uint64_t)requests;
}

static void test_stalled_while_util_is_zero(void **state)
{
	struct world world;
	const struct finding *finding;

	(void)state;
	world_start(&world, 0);
	world_stuck(&world, world_add(&world, "sda", NOTHING), 4);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(world.frame.nfinding, 0);
		world_tick(&world);
	}
	finding = found(&world, "sda", "stalled");
	assert_non_null(finding);
	assert_int_equal(finding->severity, SEVERITY_CRIT);
	assert_non_null(strstr(finding->text, "4 requests, no completion for 3 s"));
	assert_string_equal(world.row[0].verdict, "stalled");
	assert_true(finding->since_epoch == 1000 && finding->lasted_s == 3);
	/* as many in flight, but 1000 completions */
	world_numbers(&world, 0, (struct numbers){1000, 0, 4000, 0, 0.9, 0.9, 0.5, 50});
	world.row[0].inflight = value_of(world.row[0].inflight_was = 4);
	for (int i = 0; i < 4; i++)
		world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_string_equal(world.row[0].verdict, "ok");
	world_end(&world);
}

static void test_stalled_keeps_time(void **state)
{
	static const struct {
		double seconds;
		int ticks, severity;
	} cases[] = {{0.5, 2, NO}, {0.5, 3, INFO},   {0.5, 5, INFO}, {0.5, 6, CRIT},
		     {1, 2, NO},   {0.999, 3, CRIT}, {10, 1, CRIT}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;
		const struct finding *finding;

		world_start(&world, 0);
		world.frame.seconds = cases[i].seconds;
		world_stuck(&world, world_add(&world, "sda", NOTHING), 1);
		for (int tick = 0; tick < cases[i].ticks; tick++)
			world_tick(&world);
		finding = found(&world, "sda", "stalled");
		assert_int_equal(finding ? (int)finding->severity : NO, cases[i].severity);
		world_end(&world);
	}
}

/* A report has no in-flight figure, and says it in other ways. */
static void test_stalled_signatures(void **state)
{
	static const struct {
		struct numbers is;
		double inflight; /* -1: unknown */
		bool cut;        /* w/s is not in the report */
		int severity;
	} cases[] = {
	    {{.util = 100}, -1, false, WARN},  /* queue grows at completion only */
	    {{.queue = 217}, -1, false, WARN}, /* constant */
	    {{.queue = 4285.03, .util = 100}, -1, false, WARN},
	    {{.queue = 0.4, .util = 40}, -1, false, NO},
	    {{.util = 100}, 0, false, NO},
	    {{.util = 100}, 2, false, WARN},
	    {{.util = 20}, 2, false, NO}, /* just arrived */
	    {{.util = 100}, -1, true, NO},
	    {{.wkb = 500, .util = 100}, -1, false, NO}, /* something comes out */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world;
		const struct finding *finding;

		world_start(&world, 1);
		world_add(&world, "sda", cases[i].is);
		world.row[0].inflight = cases[i].inflight < 0 ? value_absent(ABSENT_UNSUPPORTED)
							      : value_of(cases[i].inflight);
		if (cases[i].cut)
			world.row[0].w = world.row[0].await = value_absent(ABSENT_UNSUPPORTED);
		world_tick(&world);
		finding = found(&world, "sda", "stalled");
		assert_int_equal(finding ? (int)finding->severity : NO, cases[i].severity);
		world_end(&world);
	}
}

static void test_counter_fault(void **state)
{
	struct world world;

	(void)state;
	/* jitter is no fault; an accounting artefact is, and hides nothing else */
	assert_int_equal(
	    severity_of((struct numbers){9, 0, 36, 0, 0.1, 9, 9, 101.6}, NULL, "counter-fault"),
	    NO);
	world_start(&world, 1);
	world_add(&world, "sda", (struct numbers){150, 0, 600, 0, 12, 80, 9.8, 147});
	world_tick(&world);
	assert_non_null(strstr(found(&world, "sda", "counter-fault")->text, "%util of 147"));
	assert_non_null(found(&world, "sda", "queueing"));
	assert_string_equal(world.row[0].verdict, "queueing");
	world_end(&world);
	/* at a quarter of a second 105 % is one clock tick */
	world_start(&world, 1);
	world.frame.seconds = 0.25;
	world_add(&world, "sda", (struct numbers){9, 0, 36, 0, 0.1, 9, 9, 105.5});
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
	/* bytes without requests: no other rule, also in the next frames */
	world_start(&world, 0);
	world_add(&world, "sda", (struct numbers){.wkb = 340288, .queue = 760, .util = 102});
	for (int i = 0; i < 3; i++)
		world_tick(&world);
	assert_non_null(found(&world, "sda", "counter-fault"));
	world_stuck(&world, 0, 31860);
	world_tick(&world);
	assert_null(found(&world, "sda", "stalled"));
	world_end(&world);
}

static void test_counter_fault_taints(void **state)
{
	struct world world;

	(void)state;
	for (int i = 0; i < 3; i++) {
		world_start(&world, 1);
		world_add(&world, "sda", DEEP);
		world.row[0].rkb = i == 0   ? value_absent(ABSENT_IMPLAUSIBLE)
				   : i == 1 ? value_of(-1)
					    : value_of(9223372036854775808.0);
		world_tick(&world);
		assert_int_equal(world.frame.nfinding, 1);
		assert_non_null(strstr(found(&world, "sda", "counter-fault")->text, "rkB/s"));
		world_end(&world);
	}
}

static int aio_severity(struct aio_row aio, struct numbers is, const char *rule, const char *says)
{
	struct world world;
	const struct finding *finding;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	world.frame.aio = aio;
	world_tick(&world);
	finding = found(&world, "system", rule);
	severity = finding ? (int)finding->severity : NO;
	if (finding && !strstr(finding->text, says))
		fail_msg("\"%s\" is not in: %s", says, finding->text);
	world_end(&world);
	return severity;
}

static struct aio_row aio_slots(double nr, double max)
{
	const struct slab_value unread = {.state = SLAB_UNREAD};

	return (struct aio_row){.aio_nr = value_of(nr),
				.aio_max_nr = value_of(max),
				.kioctx = unread,
				.kiocb = unread,
				.io_kiocb = unread};
}

static void test_aio_exhausted(void **state)
{
	static const struct {
		double nr, max;
		int severity;
		const char *says;
	} cases[] = {
	    {65000, 65536, WARN, "65000 of 65536 AIO slots are reserved (99.2 % of fs.aio-max-nr)"},
	    {39322, 65536, NO, ""},
	    {2561, 65536, NO, ""},
	    {62260, 65536, WARN, ""},
	    {62259, 65536, NO, ""},
	    {65536, 65536, CRIT, ""},
	    {81920, 65536, CRIT, "125.0 %"},
	    {0, 0, NO, ""},
	    {5, 0, NO, ""},
	    {9223372036854775808.0, 65536, CRIT, "9223372036854775808 of 65536"},
	};
	struct aio_row unknown = aio_slots(65536, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(aio_severity(aio_slots(cases[i].nr, cases[i].max), FINE,
					      "aio-exhausted", cases[i].says),
				 cases[i].severity);
	unknown.aio_max_nr = value_absent(ABSENT_DENIED);
	assert_int_equal(aio_severity(unknown, FINE, "aio-exhausted", ""), NO);
}

#define COUNTED(a, t)                                                                              \
	{                                                                                          \
		{(a), PRESENT}, {(t), PRESENT}, SLAB_COUNTED                                       \
	}
#define SHARED(a)                                                                                  \
	{                                                                                          \
		{(a), PRESENT}, {(a), PRESENT}, SLAB_SHARED                                        \
	}
#define WITHOUT(state)                                                                             \
	{                                                                                          \
		{0, ABSENT_MERGED}, {0, ABSENT_MERGED}, (state)                                    \
	}
#define SLOTS(n)                                                                                   \
	{(n), PRESENT}, {65536, PRESENT},                                                          \
	{                                                                                          \
		0, PRESENT                                                                         \
	}

static void test_aio_unused(void **state)
{
	static const struct {
		struct aio_row aio; /* aio-nr, kioctx, kiocb, io_kiocb */
		int severity;
		const char *says;
	} cases[] = {
	    {{SLOTS(512), COUNTED(35, 84), COUNTED(0, 0), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "contexts exist but nothing is in flight in them (kiocb 0 of 0, aio-nr 512 of 65536, "
	     "kioctx 35 of 84) while sda"},
	    {{SLOTS(0), COUNTED(0, 0), COUNTED(0, 0), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "No AIO context"},
	    {{SLOTS(512), COUNTED(35, 84), COUNTED(165, 165), WITHOUT(SLAB_UNAVAILABLE)}, NO, ""},
	    /* whole slabs count as active for a while after AIO has ended */
	    {{SLOTS(0), COUNTED(28, 28), COUNTED(125, 125), COUNTED(0, 0)}, NO, ""},
	    /* a shared count is no evidence, aio-nr is */
	    {{SLOTS(0), SHARED(28), SHARED(28), COUNTED(0, 0)}, INFO, "unknown (counted with"},
	    {{SLOTS(512), SHARED(0), SHARED(0), COUNTED(0, 0)}, NO, ""},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "merged"},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), WITHOUT(SLAB_MERGED)}, NO, ""},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), COUNTED(64, 64)}, NO, ""},
	    {{SLOTS(0), WITHOUT(SLAB_DENIED), WITHOUT(SLAB_DENIED), WITHOUT(SLAB_DENIED)}, NO, ""},
	    {{SLOTS(0), WITHOUT(SLAB_UNREAD), WITHOUT(SLAB_UNREAD), WITHOUT(SLAB_UNREAD)}, NO, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int severity = aio_severity(cases[i].aio, SERIAL, "aio-unused", cases[i].says);

		if (severity != cases[i].severity)
			fail_msg("case %zu: %d", i, severity);
		/* never without serial work */
		assert_int_equal(aio_severity(cases[i].aio, DEEP, "aio-unused", ""), NO);
	}
}

static void test_stack_has_one_finding(void **state)
{
	struct world world;
	const struct numbers slow = {40, 0, 160, 0, 0.6, 80, 14, 56};

	(void)state;
	world_start(&world, 1);
	world_add(&world, "sda", slow);
	world_add(&world, "sda1", slow);
	world_stack(&world, world_add(&world, "md0", slow), "sda1"); /* over the partition */
	world_stack(&world, world_add(&world, "dm-0", slow), "md0");
	world_add(&world, "sdb", SERIAL);
	world.info[1].class = DEVICE_PARTITION;
	snprintf(world.info[1].parent, DEVICE_NAME_MAX, "sda");
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 2);
	assert_non_null(strstr(found(&world, "sda", "slow-device")->text, "carries md0, dm-0."));
	assert_non_null(strstr(found(&world, "sda", "slow-device")->evidence, "carries=md0,dm-0"));
	assert_null(strstr(found(&world, "sdb", "serial-io")->text, "carries"));
	assert_string_equal(world.row[0].verdict, "slow-device");
	for (int i = 1; i < 4; i++)
		assert_string_equal(world.row[i].verdict, "");
	/* where the disk does well the layer has the finding, and a stall is not mere slowness */
	world_numbers(&world, 0, FINE);
	diagnosis_free(world.diagnosis);
	world.diagnosis = diagnosis_new(1);
	world_tick(&world);
	assert_non_null(found(&world, "md0", "slow-device"));
	assert_null(found(&world, "dm-0", "slow-device"));
	world_numbers(&world, 0, slow);
	world_stuck(&world, 3, 9);
	diagnosis_free(world.diagnosis);
	world.diagnosis = diagnosis_new(1);
	world_tick(&world);
	assert_non_null(found(&world, "dm-0", "stalled"));
	world_end(&world);
}

/* Held and shown, one character a frame: '#' or '.'. */
static void persistence_case(unsigned frames, const char *held, const char *shown)
{
	struct world world;

	world_start(&world, frames);
	world_add(&world, "sda", SERIAL);
	for (size_t i = 0; held[i]; i++) {
		world_numbers(&world, 0, held[i] == '#' ? SERIAL : NOTHING);
		if (held[i] == 'n')
			world.row[0].why = ABSENT_LATE;
		world_tick(&world);
		if ((found(&world, "sda", "serial-io") != NULL) != (shown[i] == '#'))
			fail_msg("%s shows %s, but not in frame %zu", held, shown, i + 1);
	}
	world_end(&world);
}

static void test_persistence(void **state)
{
	(void)state;
	persistence_case(0, "###.....", "..###...");
	persistence_case(0, "##.#....", "...##...");
	persistence_case(0, "#.#.#.#.", "........");
	persistence_case(0, "###.....", "..###...");
	persistence_case(0, "###nnn", "..###.");
	persistence_case(10, "###", "..#");
	persistence_case(1, "#", "#");
	persistence_case(2, "##", ".#");
	persistence_case(2, "#.", "..");
	persistence_case(2, ".#", "..");
}

static void test_shown_findings(void **state)
{
	struct world world;

	(void)state;
	world_start(&world, 0);
	world_add(&world, "sda", SERIAL);
	world_add(&world, "sdb", DEEP);
	world_add(&world, "sdc", NOTHING);
	world_add(&world, "sdd", FINE);
	world_add(&world, "sde", NOTHING);
	world.row[4].why = ABSENT_NEW;
	world.frame.since_boot = true;
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	assert_int_equal(world.row[1].mark, 'W');
	assert_string_equal(world.row[1].verdict, "-");
	world.frame.since_boot = false;
	for (int i = 0; i < 6; i++)
		world_tick(&world);
	assert_int_equal(world.frame.nfinding, 2); /* crit before warn */
	assert_string_equal(world.frame.finding[0].subject, "sdb");
	assert_true(world.frame.finding[1].since_epoch == 1001);
	assert_true(world.frame.finding[1].lasted_s == 6);
	assert_string_equal(world.row[2].verdict, "idle");
	assert_string_equal(world.row[3].verdict, "ok");
	assert_string_equal(world.row[4].verdict, "-");
	/* another disk under the same name, and one that is gone */
	world.row[0].diskseq = 2;
	world.row[0].why = ABSENT_NEW;
	world.row[1].name = "sdz";
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

static void test_absent_figures_prove_nothing(void **state)
{
	const enum absent why = ABSENT_UNSUPPORTED;
	struct world world;

	(void)state;
	world_start(&world, 1);
	for (int i = 0; i < 3; i++)
		world_add(&world, i == 0 ? "sda" : i == 1 ? "sdb" : "sdc", i ? DEEP : SERIAL);
	world.row[0].info = NULL; /* no sysfs: the kind is unknown, the rest stands */
	world.row[1].await = value_absent(why);
	world.row[2].avgqu_sz = value_absent(why);
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 1);
	assert_non_null(found(&world, "sda", "serial-io"));
	world.row[0].util = value_absent(why);
	diagnosis_free(world.diagnosis);
	world.diagnosis = diagnosis_new(1);
	world_tick(&world);
	assert_int_equal(world.frame.nfinding, 0);
	world_end(&world);
}

static void test_rule_table(void **state)
{
	const struct rule_info *info = rule_infos();

	(void)state;
	assert_string_equal(info->name, "stalled");
	for (; info->name; info++)
		assert_true(strlen(info->meaning) > 40 && info->worst <= SEVERITY_CRIT);
	assert_int_equal(info - rule_infos(), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_classical_rows),
	    cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_serial_words),
	    cmocka_unit_test(test_latency_rules),
	    cmocka_unit_test(test_stalled_while_util_is_zero),
	    cmocka_unit_test(test_stalled_keeps_time),
	    cmocka_unit_test(test_stalled_signatures),
	    cmocka_unit_test(test_counter_fault),
	    cmocka_unit_test(test_counter_fault_taints),
	    cmocka_unit_test(test_aio_exhausted),
	    cmocka_unit_test(test_aio_unused),
	    cmocka_unit_test(test_stack_has_one_finding),
	    cmocka_unit_test(test_persistence),
	    cmocka_unit_test(test_shown_findings),
	    cmocka_unit_test(test_absent_figures_prove_nothing),
	    cmocka_unit_test(test_rule_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
