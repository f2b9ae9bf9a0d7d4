/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of one task from two readings. */
#include "counter.h"
#include "tasks.h"

#include <unistd.h>

struct task_pair task_pair(const struct task_snapshot *before, const struct task_sample *was,
			   const struct task_sample *now, bool from_zero)
{
	static const struct task_sample nothing;
	struct task_pair pair = {.was = was, .now = now, .why = ABSENT_NEW};
	int64_t since_ns = was ? was->mono_ns : before ? before->begun_ns : now->mono_ns;

	pair.born = !was && before && from_zero && before->begun_ticks > 0 &&
		    now->stat_state == PRESENT && now->start_ticks >= before->begun_ticks;
	if (pair.born)
		pair.was = &nothing;
	if (!pair.was || since_ns >= now->mono_ns)
		return pair;
	pair.seconds = (double)(now->mono_ns - since_ns) / 1e9;
	pair.why = PRESENT;
	return pair;
}

enum absent task_grown(const struct task_pair *pair, double own[TASK_COUNTERS],
		       double all[TASK_COUNTERS])
{
	const struct task_sample *was = pair->was, *now = pair->now;
	uint64_t delta;

	if (now->io_state != PRESENT)
		return (enum absent)now->io_state;
	if (pair->why != PRESENT || was->io_state != PRESENT)
		return ABSENT_NEW;
	for (int c = 0; c < TASK_COUNTERS; c++) {
		if (!counter_delta(was->counter[c], now->counter[c], &delta))
			return ABSENT_RESET;
		all[c] = (double)delta;
		if (!counter_delta(was->own[c], now->own[c], &delta))
			return ABSENT_RESET;
		own[c] = (double)delta;
	}
	return PRESENT;
}

void task_row_start(struct task_row *row, enum task_kind kind, const struct task_sample *task,
		    enum absent why)
{
	const struct value absent = value_absent(why);

	*row = (struct task_row){.kind = kind, .task = task, .state = task->state};
	row->lock_looks = task->lock_looks;
	row->lock_seen = task->lock_seen;
	row->lock_fd = task->lock_fd;
	row->blocked = task->stat_state == ABSENT_BLOCKED;
	row->rkb = row->wkb = row->ckb = row->rchar = row->wchar = absent;
	row->syscr = row->syscw = row->bytes_call = row->cache_pct = absent;
	row->inh_rkb = row->inh_wkb = row->blocked_threads = absent;
	row->io_pct = row->swapin_pct = absent;
	row->req = row->req_await = value_absent(ABSENT_UNTRACED);
}

void task_row_rates(struct task_row *row, const double d[TASK_COUNTERS], double t)
{
	double calls = d[TASK_SYSCR] + d[TASK_SYSCW];

	row->seconds = t;
	row->rkb = value_of(d[TASK_READ_BYTES] / 1024 / t);
	row->wkb = value_of(d[TASK_WRITE_BYTES] / 1024 / t);
	row->ckb = value_of(d[TASK_CANCELLED_BYTES] / 1024 / t);
	row->rchar = value_of(d[TASK_RCHAR] / 1024 / t);
	row->wchar = value_of(d[TASK_WCHAR] / 1024 / t);
	row->syscr = value_of(d[TASK_SYSCR] / t);
	row->syscw = value_of(d[TASK_SYSCW] / t);
	row->bytes_call = ratio(d[TASK_RCHAR] + d[TASK_WCHAR], calls);
	row->cache_pct = ratio(100 * (d[TASK_RCHAR] - d[TASK_READ_BYTES]), d[TASK_RCHAR]);
	/* read-ahead, mmap and AIO read without being asked: what came from the cache is unknown */
	if (value_known(row->cache_pct) && row->cache_pct.n < 0)
		row->cache_pct = value_absent(ABSENT_UNSUPPORTED);
}

/* Why none of its delays is known. */
static enum absent accounted(const struct task_sample *now, const struct system_row *system)
{
	if (system->delayacct == 0)
		return ABSENT_OFF;
	return now->stat_state;
}

/* Of a delay that grew from was to is, in s. A little over the interval is the clock's grain. */
static struct value share_of(const struct task_pair *pair, uint64_t was, uint64_t is, double unit_s)
{
	const double grain_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	uint64_t delta;

	if (!counter_delta(was, is, &delta))
		return value_absent(ABSENT_RESET);
	/* the kernel adds the delay when the wait is over */
	if (delta == 0 && pair->was->state == 'D' && pair->now->state == 'D')
		return value_absent(ABSENT_LATE);
	double percent = 100 * (double)delta * unit_s / pair->seconds;
	if (percent > 100 + 100 * grain_s / pair->seconds)
		return value_absent(ABSENT_IMPLAUSIBLE);
	return value_of(percent > 100 ? 100 : percent);
}

struct value task_io_percent(const struct task_pair *pair, const struct system_row *system)
{
	const struct task_sample *was = pair->was, *now = pair->now;
	enum absent why = accounted(now, system);

	if (why != PRESENT)
		return value_absent(why);
	if (now->start_ticks < system->delayacct_since_ticks && now->blkio_ticks == 0)
		return value_absent(ABSENT_OLDER);
	if (pair->why != PRESENT || was->stat_state != PRESENT)
		return value_absent(ABSENT_NEW);
	return share_of(pair, was->blkio_ticks, now->blkio_ticks,
			1.0 / (double)sysconf(_SC_CLK_TCK));
}

struct value task_swapin_percent(const struct task_pair *pair, const struct system_row *system)
{
	const struct task_sample *was = pair->was, *now = pair->now;
	enum absent why = accounted(now, system);

	if (why != PRESENT)
		return value_absent(why);
	if (!now->swapin_known)
		return value_absent(now->traced ? ABSENT_OLDER : ABSENT_UNTRACED);
	if (pair->why != PRESENT || (!was->swapin_known && !pair->born))
		return value_absent(ABSENT_NEW);
	return share_of(pair, was->swapin_ns, now->swapin_ns, 1e-9);
}
