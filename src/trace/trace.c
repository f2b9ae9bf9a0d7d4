/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is traced, each part on its own. */
#include "trace.h"
#include "block_load.h"
#include "probe.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct trace {
	struct block_trace *block;
};

/* libbpf's own reports would land in the middle of the screen. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

int trace_open(struct trace **ret, char why[TRACE_WHY_MAX])
{
	struct trace *trace;
	struct btf *btf;
	int error;

	*ret = NULL;
	libbpf_set_print(say_nothing);
	btf = probe_kernel(why);
	if (!btf)
		return -EOPNOTSUPP;
	trace = calloc(1, sizeof(*trace));
	error = trace ? block_trace_open(&trace->block, btf) : -ENOMEM;
	btf__free(btf);
	if (error) {
		probe_failure(why, error);
		trace_close(trace);
		return error;
	}
	*ret = trace;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	block_trace_close(trace->block);
	free(trace);
}

int trace_latency(struct trace *trace, struct latency_snapshot *latency)
{
	int error = trace ? block_trace_read(trace->block, latency) : -ENOENT;

	if (!error)
		return 0;
	latency->n = 0;
	latency->state = ABSENT_OFF;
	return error == -ENOMEM ? error : 0;
}
