/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One tick: the sources in turn, devices first so that they stay on the clock. */
#include "sampler.h"
#include "blockdev.h"
#include "clock.h"
#include "parse.h"
#include "root.h"
#include "slab.h"
#include "sysstat.h"
#include "tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum source { SOURCE_DISKSTATS, SOURCE_STAT, SOURCE_VMSTAT, SOURCE_MEMINFO, SOURCE_PRESSURE,
	      SOURCE_AIO_NR, SOURCE_AIO_MAX, SOURCES };

static const char *const source_paths[SOURCES] = {
	[SOURCE_DISKSTATS] = "diskstats",
	[SOURCE_STAT] = "stat",
	[SOURCE_VMSTAT] = "vmstat",
	[SOURCE_MEMINFO] = "meminfo",
	[SOURCE_PRESSURE] = "pressure/io",
	[SOURCE_AIO_NR] = "sys/fs/aio-nr",
	[SOURCE_AIO_MAX] = "sys/fs/aio-max-nr",
};

struct sampler {
	struct root root;
	unsigned needs;
	struct kept_file file[SOURCES];
	struct bytes bytes[SOURCES]; /* each source's own, so that its size is known */
	struct blockdevs devs;
	struct slabs slabs;
	struct tasks *tasks;
	int delayacct; /* the switch, at the last tick */
	bool delayacct_seen;
	uint64_t delayacct_since_ticks;
	double uptime_s; /* at the first tick */
	char host[65];
};

int sampler_open(struct sampler **ret, const struct sampler_setup *setup)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int error;

	if (!sampler)
		return -ENOMEM;
	for (size_t i = 0; i < SOURCES; i++)
		sampler->file[i] = (struct kept_file){.path = source_paths[i], .fd = -1};
	sampler->needs = setup->needs;
	error = root_open(&sampler->root, setup->procfs ? setup->procfs : "/proc", setup->sysfs);
	if (!error && (sampler->needs & NEED_TASKS)) {
		bool uids = (sampler->needs & NEED_UIDS) || !sampler->root.native;
		error = tasks_open(&sampler->tasks, &sampler->root, uids);
	}
	if (error) {
		(void)sampler_close(sampler);
		return error;
	}
	*ret = sampler;
	return 0;
}

bool sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return true;
	if (!tasks_close(sampler->tasks))
		return false;
	for (size_t i = 0; i < SOURCES; i++) {
		kept_close(&sampler->file[i]);
		bytes_release(&sampler->bytes[i]);
	}
	blockdevs_release(&sampler->devs);
	slabs_release(&sampler->slabs);
	root_close(&sampler->root);
	free(sampler);
	return true;
}

void snapshot_release(struct snapshot *snapshot)
{
	free(snapshot->devices.device);
	free(snapshot->latency.sample);
	free(snapshot->pairs.sample);
	free(snapshot->aio_activity.sample);
	*snapshot = (struct snapshot){0};
}

/* 0 or -errno, with the text in bytes[source]. */
static int read_source(struct sampler *sampler, enum source source)
{
	return kept_read(&sampler->root, &sampler->file[source], &sampler->bytes[source]);
}

static enum absent absence(int error)
{
	if (error == -EACCES || error == -EPERM)
		return ABSENT_DENIED;
	return ABSENT_UNSUPPORTED;
}

static int tick_devices(struct sampler *sampler, struct snapshot *snapshot)
{
	struct device_snapshot *devices = &snapshot->devices;
	struct bytes *bytes = &sampler->bytes[SOURCE_DISKSTATS];
	int error = read_source(sampler, SOURCE_DISKSTATS);

	devices->mono_ns = root_now_ns(&sampler->root);
	if (error)
		error = sysstat_gather(&sampler->root, bytes) == 0 ? 0 : error;
	devices->n = 0;
	devices->state = error ? absence(error) : PRESENT;
	if (error)
		return 0;
	error = diskstats_parse(bytes->p, bytes->n, devices);
	if (!error)
		error = blockdevs_describe(&sampler->devs, &sampler->root, devices, devices->mono_ns);
	return error;
}

static struct value read_count(struct sampler *sampler, enum source source)
{
	int error = read_source(sampler, source);
	struct bytes *bytes = &sampler->bytes[source];
	struct text text, word;
	uint64_t number;

	if (error)
		return value_absent(absence(error));
	text = (struct text){bytes->p, bytes->p + bytes->n};
	while (text.end > text.p && text.end[-1] == '\n')
		text.end--;
	if (!text_word(&text, &word) || !text_u64(word, &number))
		return value_absent(ABSENT_UNSUPPORTED);
	return value_of((double)number);
}

static void tick_aio(struct sampler *sampler, struct snapshot *snapshot)
{
	struct aio_snapshot *aio = &snapshot->aio;

	*aio = (struct aio_snapshot){.kioctx = {.state = SLAB_UNREAD},
	                             .kiocb = {.state = SLAB_UNREAD},
	                             .io_kiocb = {.state = SLAB_UNREAD}};
	aio->aio_nr = read_count(sampler, SOURCE_AIO_NR);
	aio->aio_max_nr = read_count(sampler, SOURCE_AIO_MAX);
	if (sampler->needs & NEED_SLABS)
		slabs_read(&sampler->slabs, &sampler->root, aio);
}

static void parse_source(struct sampler *sampler, enum source source, struct system_snapshot *system,
                         void (*parse)(const char *, size_t, struct system_snapshot *))
{
	if (read_source(sampler, source) == 0)
		parse(sampler->bytes[source].p, sampler->bytes[source].n, system);
}

static void tick_pressure(struct sampler *sampler, struct system_snapshot *system)
{
	int error = read_source(sampler, SOURCE_PRESSURE);

	/* compiled in but switched off: opening succeeds, reading does not */
	system->psi_state = error == -EOPNOTSUPP ? ABSENT_OFF : ABSENT_UNSUPPORTED;
	if (error == 0)
		pressure_parse(sampler->bytes[SOURCE_PRESSURE].p, sampler->bytes[SOURCE_PRESSURE].n, system);
}

/* The kernel was told to keep accounts from the start. */
static bool booted_with_delayacct(const struct root *root)
{
	char line[4096];
	struct text text, word;

	if (root_line(root->proc_fd, "cmdline", line, sizeof(line)) < 0)
		return false;
	text = (struct text){line, line + strlen(line)};
	while (text_word(&text, &word))
		if (text_is(word, "delayacct"))
			return true;
	return false;
}

/* Tasks that were there when the switch went on are not accounted for. */
static void tick_delayacct(struct sampler *sampler, struct system_snapshot *system)
{
	const struct root *root = &sampler->root;
	int was = sampler->delayacct;
	bool first = !sampler->delayacct_seen;

	system->delayacct = (int)root_number(root->proc_fd, "sys/kernel/task_delayacct", -1);
	if (system->delayacct == 1 && first && booted_with_delayacct(root))
		sampler->delayacct_since_ticks = 0;
	else if (system->delayacct == 1 && (first || was == 0))
		sampler->delayacct_since_ticks = root_now_ticks(root);
	sampler->delayacct = system->delayacct;
	sampler->delayacct_seen = true;
	system->delayacct_since_ticks = system->delayacct == 1 ? sampler->delayacct_since_ticks : 0;
}

/* What has to be known before the walk begins. */
static void begin_system(struct sampler *sampler, struct system_snapshot *system)
{
	*system = (struct system_snapshot){
		.cpu_state = ABSENT_UNSUPPORTED,
		.vm_state = ABSENT_UNSUPPORTED,
		.swap_state = ABSENT_UNSUPPORTED,
		.psi_state = ABSENT_UNSUPPORTED,
		.procs_blocked = value_absent(ABSENT_UNSUPPORTED),
		.dirty_kib = value_absent(ABSENT_UNSUPPORTED),
		.writeback_kib = value_absent(ABSENT_UNSUPPORTED),
		.dirty_limit_kib = value_absent(ABSENT_UNSUPPORTED),
		.delayacct = -1,
	};
	/* process 1 is always there, so where it is not seen others are not either */
	system->others_hidden = sampler->root.native &&
				faccessat(sampler->root.proc_fd, "1", F_OK, 0) < 0;
	system->stat_ns = root_now_ns(&sampler->root);
	if (sampler->needs & NEED_SYSTEM)
		parse_source(sampler, SOURCE_STAT, system, stat_parse);
}

/*
 * The walk begins first, so that it is under way while the rest is read; and before
 * that it is known how many processes there were so far. Hidden ones may come in sight
 * without being new.
 */
static void start_walk(struct sampler *sampler, const struct system_snapshot *system)
{
	const struct root *root = &sampler->root;
	bool counted = root->live && root->native && !system->others_hidden;

	if (sampler->tasks)
		(void)tasks_start(sampler->tasks, counted ? system->forks : 0);
}

static void tick_system(struct sampler *sampler, struct system_snapshot *system)
{
	system->mono_ns = root_now_ns(&sampler->root);
	if (sampler->needs & NEED_SYSTEM) {
		parse_source(sampler, SOURCE_VMSTAT, system, vmstat_parse);
		parse_source(sampler, SOURCE_MEMINFO, system, meminfo_parse);
		tick_pressure(sampler, system);
	}
	if (sampler->needs & NEED_TASKS)
		tick_delayacct(sampler, system);
}

static void tick_clocks(struct sampler *sampler, struct snapshot *snapshot)
{
	const struct root *root = &sampler->root;
	char line[64];

	snapshot->mono_ns = root_now_ns(root);
	snapshot->boot_ns = root->live ? clock_ns(CLOCK_BOOTTIME) : root->boot_ns;
	snapshot->epoch = root->live ? (double)clock_ns(CLOCK_REALTIME) / 1e9 : root->epoch;
	if (sampler->host[0] == '\0') {
		struct text text, word, seconds;
		uint64_t whole;
		if (root_line(root->proc_fd, "sys/kernel/hostname", sampler->host, sizeof(sampler->host)) < 0)
			snprintf(sampler->host, sizeof(sampler->host), "-");
		if (root_line(root->proc_fd, "uptime", line, sizeof(line)) == 0) {
			text = (struct text){line, line + strcspn(line, ".")};
			seconds = text;
			if (text_word(&seconds, &word) && text_u64(word, &whole))
				sampler->uptime_s = (double)whole;
		}
	}
	snapshot->uptime_s = sampler->uptime_s;
}

int sampler_tick(struct sampler *sampler, struct snapshot *snapshot)
{
	int error = root_next(&sampler->root);

	if (error)
		return error;
	tick_clocks(sampler, snapshot);
	begin_system(sampler, &snapshot->system);
	start_walk(sampler, &snapshot->system);
	error = tick_devices(sampler, snapshot);
	if (error)
		return error;
	tick_aio(sampler, snapshot);
	tick_system(sampler, &snapshot->system);
	return 0;
}

bool sampler_tasks(struct sampler *sampler, struct task_snapshot *tasks, int timeout_ms)
{
	enum { SLICE_MS = 100 };

	for (;;) {
		if (tasks_done(sampler->tasks)) {
			tasks_take(sampler->tasks, tasks);
			return true;
		}
		int slice = !sampler->root.live || timeout_ms > SLICE_MS ? SLICE_MS : timeout_ms;
		if (slice <= 0)
			return false;
		struct pollfd fd = {.fd = tasks_fd(sampler->tasks), .events = POLLIN};
		(void)poll(&fd, 1, slice);
		timeout_ms -= slice;
		if (timeout_ms < 0)
			timeout_ms = 0;
	}
}

void sampler_use_tasks(struct sampler *sampler, int (*source)(void *data, struct task_snapshot *tasks),
                       void *data)
{
	if (sampler->tasks)
		tasks_use(sampler->tasks, source, data);
}

int sampler_fd(const struct sampler *sampler)
{
	return sampler->tasks ? tasks_fd(sampler->tasks) : -1;
}

void sampler_watch_slabs(struct sampler *sampler, bool watch)
{
	sampler->slabs.watched = watch;
}

void sampler_all_threads(struct sampler *sampler, bool all)
{
	if (sampler->tasks)
		tasks_all_threads(sampler->tasks, all);
}

const char *sampler_proc_path(const struct sampler *sampler)
{
	const struct root *root = &sampler->root;

	return *root->step_path ? root->step_path : root->proc_path;
}

bool sampler_is_story(const struct sampler *sampler)
{
	return !sampler->root.live;
}

bool sampler_is_native(const struct sampler *sampler)
{
	return sampler->root.native;
}

unsigned sampler_steps(const struct sampler *sampler)
{
	return sampler->root.steps;
}

const char *sampler_host(const struct sampler *sampler)
{
	return sampler->host;
}
