/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task_load.h"
#include "probe.h"
#include "task_merge.h"
#include "trace/tasks.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a pass reads at a time, at least: the kernel hands out 32 KiB. */
enum { READ_ROOM = 64 * 1024 };

struct task_trace {
	struct tasks_bpf *bpf;
	struct bpf_link *list;
	struct ring_buffer *ring;
	struct task_merge *merge;
	char *record;
	size_t record_cap;
	struct task_exit *exit;
	size_t nexit, exit_cap;
	bool no_memory; /* for an exit */
	bool failed;    /* the pass before */
	bool crowded;   /* more ran than task_ran has room for, since the last complete pass */
	unsigned passes;
	uint64_t lost;  /* exits, as last seen */
};

static int on_exit_event(void *data, void *event, size_t size)
{
	struct task_trace *trace = data;

	if (size < sizeof(*trace->exit))
		return 0;
	if (trace->nexit == trace->exit_cap) {
		size_t cap = trace->exit_cap ? 2 * trace->exit_cap : 256;
		struct task_exit *more = reallocarray(trace->exit, cap, sizeof(*more));
		trace->no_memory = trace->no_memory || !more;
		if (!more)
			return 0;
		trace->exit = more;
		trace->exit_cap = cap;
	}
	memcpy(&trace->exit[trace->nexit++], event, sizeof(*trace->exit));
	return 0;
}

static struct tasks_bpf *load_programs(bool iterates)
{
	struct tasks_bpf *bpf = tasks_bpf__open();

	if (!bpf)
		return NULL;
	(void)bpf_program__set_autoload(bpf->progs.task_ran, iterates);
	if (tasks_bpf__load(bpf) == 0)
		return bpf;
	int error = errno;
	tasks_bpf__destroy(bpf);
	errno = error;
	return NULL;
}

/* With the program that goes over the tasks itself, where the kernel has what that calls and lets it. */
static struct tasks_bpf *load(const struct probe *probe)
{
	struct tasks_bpf *bpf = load_programs(probe->iterates_tasks);

	return bpf || !probe->iterates_tasks ? bpf : load_programs(false);
}

static int start(struct task_trace *trace)
{
	trace->bpf->links.task_exits = bpf_program__attach(trace->bpf->progs.task_exits);
	if (!trace->bpf->links.task_exits)
		return -errno;
	trace->list = bpf_program__attach_iter(trace->bpf->progs.task_list, NULL);
	if (!trace->list)
		return -errno;
	trace->ring = ring_buffer__new(bpf_map__fd(trace->bpf->maps.exits), on_exit_event, trace, NULL);
	return trace->ring ? 0 : -errno;
}

int task_trace_open(struct task_trace **ret, const struct probe *probe)
{
	struct task_trace *trace;
	int error = -ENOMEM;

	if (probe_tracepoint(probe, "sched_process_exit") < 1 || !probe_first_namespace())
		return -ENOENT;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return -ENOMEM;
	trace->merge = task_merge_new((unsigned)sysconf(_SC_CLK_TCK));
	if (trace->merge)
		trace->bpf = load(probe);
	if (trace->bpf)
		error = start(trace);
	else if (trace->merge)
		error = -errno;
	if (error) {
		task_trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void task_trace_close(struct task_trace *trace)
{
	if (!trace)
		return;
	ring_buffer__free(trace->ring);
	bpf_link__destroy(trace->list);
	tasks_bpf__destroy(trace->bpf);
	task_merge_free(trace->merge);
	free(trace->record);
	free(trace->exit);
	free(trace);
}

/* All records into trace->record: their length, or -errno. */
static ssize_t read_all(struct task_trace *trace)
{
	int fd = bpf_iter_create(bpf_link__fd(trace->list));
	size_t at = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0) {
		if (trace->record_cap - at < READ_ROOM) {
			size_t cap = 2 * trace->record_cap + READ_ROOM;
			char *more = realloc(trace->record, cap);
			if (!more) {
				close(fd);
				return -ENOMEM;
			}
			trace->record = more;
			trace->record_cap = cap;
		}
		n = read(fd, trace->record + at, trace->record_cap - at);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1; /* nothing was read */
		else if (n > 0)
			at += (size_t)n;
	}
	int error = n < 0 ? -errno : 0;
	close(fd);
	return error ? error : (ssize_t)at;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Everything now and then, and where exits or those that ran were missed. */
static bool wants_all(struct task_trace *trace)
{
	enum { COMPLETE_EVERY = 60 };
	uint64_t lost = trace->bpf->bss->exits_lost;
	bool all = trace->passes++ % COMPLETE_EVERY == 0 || lost != trace->lost || trace->failed ||
		   trace->bpf->bss->running_lost;

	trace->lost = lost;
	trace->crowded = trace->crowded && !all;
	return all;
}

/* false: it cannot, or it had not the room, and what it found is to be found again. */
static bool read_ran(struct task_trace *trace, struct task_pass *pass, int64_t *mono_ns)
{
	const struct tasks_bpf__bss *bss = trace->bpf->bss;
	int fd = bpf_program__fd(trace->bpf->progs.task_ran);

	if (fd < 0 || pass->complete || trace->crowded)
		return false;
	LIBBPF_OPTS(bpf_test_run_opts, run);
	trace->bpf->data->list_all = false;
	if (bpf_prog_test_run_opts(fd, &run) == 0 && !bss->ran_more) {
		pass->record = bss->ran;
		pass->bytes = bss->ran_bytes;
		*mono_ns = (int64_t)bss->ran_ns;
		return true;
	}
	trace->crowded = pass->complete = true;
	return false;
}

/* Tasks that ended on a CPU stay among those that ran until then. */
static void forget_running(struct task_trace *trace)
{
	int fd = bpf_map__fd(trace->bpf->maps.running);
	uint64_t key;

	while (bpf_map_get_next_key(fd, NULL, &key) == 0 && bpf_map_delete_elem(fd, &key) == 0)
		;
	memset(trace->bpf->bss->running_bits, 0, sizeof(trace->bpf->bss->running_bits));
	trace->bpf->bss->running_lost = 0;
}

static int read_tasks(struct task_trace *trace, struct task_pass *pass, int64_t *mono_ns)
{
	struct tasks_bpf__bss *bss = trace->bpf->bss;

	bss->since_ns = bss->begun_ns;
	if (read_ran(trace, pass, mono_ns))
		return 0;
	trace->bpf->data->list_all = pass->complete;
	if (pass->complete)
		forget_running(trace);
	ssize_t bytes = read_all(trace);
	*mono_ns = now_ns(CLOCK_MONOTONIC);
	pass->record = trace->record;
	pass->bytes = bytes > 0 ? (size_t)bytes : 0;
	return bytes < 0 ? (int)bytes : 0;
}

int task_trace_read(struct task_trace *trace, struct task_snapshot *tasks)
{
	struct task_pass pass = {.complete = wants_all(trace), .boot_ns = now_ns(CLOCK_BOOTTIME)};
	int error = read_tasks(trace, &pass, &tasks->mono_ns);

	trace->nexit = 0;
	trace->no_memory = false;
	(void)ring_buffer__consume(trace->ring);
	pass.exit = trace->exit;
	pass.nexit = trace->nexit;
	tasks->unreadable = 0;
	if (!error && trace->no_memory)
		error = -ENOMEM;
	if (!error)
		error = task_merge_pass(trace->merge, &pass, tasks);
	trace->failed = error != 0;
	tasks->state = error ? ABSENT_LATE : PRESENT;
	return error;
}
