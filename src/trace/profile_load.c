/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_load.h"
#include "iotriage/profile_calls.h"
#include "probe.h"
#include "profile.h"
#include "profile_path.h"
#include "profile_snapshot.h"
#include "trace/profile.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

struct profile_trace {
	struct profile_bpf *bpf;
	struct ring_buffer *ring; /* NULL: no events */
	profile_take_event *take;
	void *take_context;
	__u32 target[PROFILE_TARGETS_MAX]; /* as last listed */
	struct profile_name name; /* as last looked up */
	char text[PROFILE_TEXT_MAX];
};

/* ---- loading ---- */

/* The ways to read the kernel's structures, the quickest first. */
enum { WAYS = 3 };

static void choose_way(struct profile_bpf *bpf, int way)
{
	struct bpf_program *const program[WAYS][2] = {
		{bpf->progs.profile_enter, bpf->progs.profile_exit},
		{bpf->progs.profile_enter_typed, bpf->progs.profile_exit_typed},
		{bpf->progs.profile_enter_helped, bpf->progs.profile_exit_helped},
	};

	for (int i = 0; i < WAYS; i++) {
		bpf_program__set_autoload(program[i][0], i == way);
		bpf_program__set_autoload(program[i][1], i == way);
	}
}

static int choose_programs(struct profile_bpf *bpf, const struct probe *probe, bool events, int way)
{
	int complete = probe_tracepoint(probe, "io_uring_complete");
	bool ring = probe_tracepoint(probe, "io_uring_submit_req") == 1 && complete >= 3;

	if (probe_tracepoint(probe, "sys_enter") != 2 || probe_tracepoint(probe, "sys_exit") != 2 ||
	    probe_tracepoint(probe, "sched_process_fork") != 2 ||
	    probe_tracepoint(probe, "sched_process_exit") < 1)
		return -ENOENT;
	bpf->rodata->save = events;
	bpf->rodata->result_in_entry = complete == 3;
	choose_way(bpf, way);
	bpf_program__set_autoload(bpf->progs.profile_ring_submit, ring);
	bpf_program__set_autoload(bpf->progs.profile_ring_complete, ring);
	return events ? 0 : bpf_map__set_max_entries(bpf->maps.events, PROFILE_NO_EVENT_BYTES);
}

static void put_rule(struct profile_bpf *bpf, long number, enum profile_kind kind, int call,
		     int descriptor)
{
	if (number >= 0 && number < PROFILE_NUMBERS)
		bpf->rodata->rules[number] = (struct profile_rule){
			.kind = kind, .call = (__u8)call, .descriptor = (__s8)descriptor};
}

static void put_rules(struct profile_bpf *bpf)
{
	static const enum profile_kind kinds[] = {
		[PROFILE_RETURNS_STATUS] = PROFILE_PLAIN,
		[PROFILE_RETURNS_BYTES] = PROFILE_BYTES,
		[PROFILE_RETURNS_DESCRIPTOR] = PROFILE_OPENS,
	};

	for (int call = 0; call < PROFILE_CALLS; call++) {
		const struct profile_call_rule *rule = profile_call_rule((enum profile_call)call);
		put_rule(bpf, rule->number, kinds[rule->returns], call, rule->descriptor);
	}
	put_rule(bpf, SYS_io_submit, PROFILE_SUBMITS, 0, -1);
	put_rule(bpf, SYS_io_getevents, PROFILE_GETS, 0, -1);
	put_rule(bpf, SYS_io_pgetevents, PROFILE_GETS, 0, -1);
}

/* So that there is room for what finds none of its own. */
static int put_others(struct profile_bpf *bpf)
{
	const struct profile_amount nothing = {0};
	int error = 0;

	for (__u32 call = 0; !error && call < PROFILE_CALLS; call++) {
		struct profile_key other = {.file = {.mark = PROFILE_OTHER}, .call = call};
		error = bpf_map_update_elem(bpf_map__fd(bpf->maps.cells), &other, &nothing, BPF_ANY);
	}
	return error;
}

static int on_event(void *context, void *event, size_t size)
{
	struct profile_trace *trace = context;

	if (size >= sizeof(struct profile_event) && trace->take)
		trace->take(trace->take_context, event);
	return 0;
}

static int load_programs(struct profile_trace *trace, const struct probe *probe, bool events,
			 int way)
{
	int error;

	profile_bpf__destroy(trace->bpf);
	trace->bpf = profile_bpf__open();
	if (!trace->bpf)
		return -errno;
	put_rules(trace->bpf);
	error = choose_programs(trace->bpf, probe, events, way);
	return error ? error : profile_bpf__load(trace->bpf);
}

static int load(struct profile_trace *trace, const struct probe *probe, bool events)
{
	int error = -EINVAL;

	for (int way = 0; error && error != -EPERM && error != -ENOENT && way < WAYS; way++)
		error = load_programs(trace, probe, events, way);
	error = error ? error : put_others(trace->bpf);
	if (error || !events)
		return error;
	trace->ring = ring_buffer__new(bpf_map__fd(trace->bpf->maps.events), on_event, trace, NULL);
	return trace->ring ? 0 : -errno;
}

int profile_trace_open(struct profile_trace **ret, bool events, char why[TRACE_WHY_MAX])
{
	struct profile_trace *trace;
	struct probe probe;
	int error;

	if (!probe_kernel(&probe, why))
		return -EOPNOTSUPP;
	if (!probe_first_namespace()) {
		snprintf(why, TRACE_WHY_MAX, "processes have other numbers in the kernel than in this container");
		return -EOPNOTSUPP;
	}
	trace = calloc(1, sizeof(*trace));
	error = trace ? load(trace, &probe, events) : -ENOMEM;
	if (error) {
		probe_failure(why, error);
		profile_trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void profile_trace_close(struct profile_trace *trace)
{
	if (!trace)
		return;
	ring_buffer__free(trace->ring);
	profile_bpf__destroy(trace->bpf);
	free(trace);
}

/* ---- running ---- */

int profile_trace_target(struct profile_trace *trace, pid_t pid)
{
	__u32 key = (__u32)pid;
	__u8 yes = 1;
	int error = bpf_map_update_elem(bpf_map__fd(trace->bpf->maps.targets), &key, &yes,
					BPF_NOEXIST);

	if (!error)
		trace->bpf->bss->watched[key % PROFILE_WATCHED]++;
	return error == -EEXIST ? 0 : error;
}

int profile_trace_start(struct profile_trace *trace, char why[TRACE_WHY_MAX])
{
	int error = profile_bpf__attach(trace->bpf);

	if (error)
		probe_failure(why, error);
	return error;
}

void profile_trace_stop(struct profile_trace *trace)
{
	profile_bpf__detach(trace->bpf);
}

static int compare_numbers(const void *a, const void *b)
{
	__u32 left = *(const __u32 *)a, right = *(const __u32 *)b;

	return left < right ? -1 : left > right;
}

/* A key that is removed meanwhile makes the walk begin again: it is bounded, and sorted. */
static size_t list_targets(struct profile_trace *trace)
{
	int map = bpf_map__fd(trace->bpf->maps.targets);
	__u32 *key = trace->target, *last = NULL;
	size_t n = 0;

	while (n < PROFILE_TARGETS_MAX && bpf_map_get_next_key(map, last, &key[n]) == 0)
		last = &key[n++];
	qsort(key, n, sizeof(*key), compare_numbers);
	return n;
}

size_t profile_trace_living(struct profile_trace *trace, void (*each)(void *context, pid_t pid),
			    void *context)
{
	size_t all = list_targets(trace), n = 0;

	for (size_t i = 0; i < all; i++) {
		pid_t pid = (pid_t)trace->target[i];

		if ((i && trace->target[i] == trace->target[i - 1]) ||
		    (kill(pid, 0) < 0 && errno == ESRCH))
			continue;
		n++;
		if (each)
			each(context, pid);
	}
	return n;
}

void profile_trace_ended(const struct profile_trace *trace, __u64 *read, __u64 *written)
{
	*read = trace->bpf->bss->ended_read;
	*written = trace->bpf->bss->ended_written;
}

int profile_trace_fd(const struct profile_trace *trace)
{
	return trace->ring ? ring_buffer__epoll_fd(trace->ring) : -1;
}

void profile_trace_events(struct profile_trace *trace, profile_take_event *take, void *context)
{
	trace->take = take;
	trace->take_context = context;
	if (trace->ring)
		(void)ring_buffer__consume(trace->ring);
	trace->take = NULL;
}

/* ---- reading ---- */

const char *profile_trace_path(struct profile_trace *trace, const struct profile_file *file)
{
	if (bpf_map_lookup_elem(bpf_map__fd(trace->bpf->maps.names), file, &trace->name) < 0)
		return NULL;
	profile_path_text(trace->text, &trace->name);
	return trace->text;
}

static int read_cells(struct profile_trace *trace, struct profile_snapshot *snapshot)
{
	int map = bpf_map__fd(trace->bpf->maps.cells), error = 0;
	struct profile_key key, *last = NULL;
	struct profile_amount amount;

	while (!error && bpf_map_get_next_key(map, last, &key) == 0) {
		last = &key;
		if (bpf_map_lookup_elem(map, &key, &amount) == 0)
			error = profile_snapshot_cell(snapshot, &key, &amount);
	}
	return error;
}

static int read_sums(const struct profile_thread *thread, struct profile_snapshot *snapshot)
{
	int error = 0;

	for (int i = 0; !error && i < PROFILE_SUMS; i++)
		if (thread->sum[i].amount.count)
			error = profile_snapshot_cell(snapshot, &thread->sum[i].key,
						      &thread->sum[i].amount);
	return error;
}

/* What living threads have not handed over. */
static int read_threads(struct profile_trace *trace, struct profile_snapshot *snapshot)
{
	int map = bpf_map__fd(trace->bpf->maps.others), error = 0;
	struct profile_thread thread;
	__u64 key, *last = NULL;

	for (size_t i = 0; !error && i < PROFILE_SLOTS; i++)
		error = read_sums(&trace->bpf->bss->slots[i], snapshot);
	while (!error && bpf_map_get_next_key(map, last, &key) == 0) {
		last = &key;
		if (bpf_map_lookup_elem(map, &key, &thread) == 0)
			error = read_sums(&thread, snapshot);
	}
	return error;
}

static int read_paths(struct profile_trace *trace, struct profile_snapshot *snapshot)
{
	int map = bpf_map__fd(trace->bpf->maps.names), error = 0;
	struct profile_file key, *last = NULL;

	while (!error && bpf_map_get_next_key(map, last, &key) == 0) {
		last = &key;
		const char *text = profile_trace_path(trace, &key);
		if (text)
			error = profile_snapshot_path(snapshot, &key,
						      trace->name.kind == PROFILE_FILE, text);
	}
	return error;
}

int profile_trace_read(struct profile_trace *trace, struct profile_snapshot *snapshot)
{
	int error;

	*snapshot = (struct profile_snapshot){
		.losses = trace->bpf->bss->losses,
		.rings = bpf_program__autoload(trace->bpf->progs.profile_ring_submit)};
	error = read_cells(trace, snapshot);
	error = error ? error : read_threads(trace, snapshot);
	error = error ? error : read_paths(trace, snapshot);
	profile_snapshot_sort(snapshot);
	return error;
}
