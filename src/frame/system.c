/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's rows: system and AIO. */
#include "system.h"
#include "counter.h"

static struct value rate(uint64_t was, uint64_t now, double per)
{
	uint64_t delta;

	return counter_delta(was, now, &delta) ? value_of((double)delta / per) : value_absent(ABSENT_RESET);
}

/* A source that could not be read before gives no rate now. */
static enum absent both(enum absent before, enum absent now)
{
	return now != PRESENT ? now : before != PRESENT ? ABSENT_NEW : PRESENT;
}

static void build_cpu(struct system_row *row, const struct system_snapshot *before,
                      const struct system_snapshot *now)
{
	uint64_t total, iowait;

	row->iowait = value_absent(both(before->cpu_state, now->cpu_state));
	if (row->iowait.why != PRESENT)
		return;
	/* iowait is known to go back a little: that is no time waited */
	if (!counter_delta(before->cpu_total_ticks, now->cpu_total_ticks, &total)) {
		row->iowait = value_absent(ABSENT_RESET);
		return;
	}
	(void)counter_delta(before->cpu_iowait_ticks, now->cpu_iowait_ticks, &iowait);
	row->iowait = ratio(100 * (double)iowait, (double)total);
}

static void build_pressure(struct system_row *row, const struct system_snapshot *before,
                           const struct system_snapshot *now, double seconds)
{
	struct value absent = value_absent(now->psi_state == PRESENT ? ABSENT_UNSUPPORTED : now->psi_state);

	row->psi_some = row->psi_full = row->psi_some_avg10 = row->psi_full_avg10 = absent;
	if (now->psi_state == PRESENT && now->psi_has_some) {
		row->psi_some = both(before->psi_state, PRESENT) ? value_absent(ABSENT_NEW) : rate(before->psi_some_us, now->psi_some_us, seconds * 1e4);
		row->psi_some_avg10 = value_of(now->psi_some_avg10);
	}
	if (now->psi_state == PRESENT && now->psi_has_full) {
		row->psi_full = both(before->psi_state, PRESENT) ? value_absent(ABSENT_NEW) : rate(before->psi_full_us, now->psi_full_us, seconds * 1e4);
		row->psi_full_avg10 = value_of(now->psi_full_avg10);
	}
}

static void build_paging(struct system_row *row, const struct system_snapshot *before,
                         const struct system_snapshot *now, double seconds)
{
	row->pgpgin = row->pgpgout = value_absent(both(before->vm_state, now->vm_state));
	row->pswpin = row->pswpout = value_absent(both(before->swap_state, now->swap_state));
	if (row->pgpgin.why == PRESENT) {
		row->pgpgin = rate(before->pgpgin_kib, now->pgpgin_kib, seconds);
		row->pgpgout = rate(before->pgpgout_kib, now->pgpgout_kib, seconds);
	}
	if (row->pswpin.why == PRESENT) {
		row->pswpin = rate(before->pswpin_pages, now->pswpin_pages, seconds);
		row->pswpout = rate(before->pswpout_pages, now->pswpout_pages, seconds);
	}
}

/* 0 is unknown, but for the reading at boot. */
static struct value fork_rate(const struct system_row *row, const struct system_snapshot *before,
                              const struct system_snapshot *now)
{
	double seconds = (double)(now->stat_ns - before->stat_ns) / 1e9;

	if (now->forks == 0)
		return value_absent(ABSENT_UNSUPPORTED);
	if (before->forks == 0 && !row->since_boot)
		return value_absent(ABSENT_NEW);
	return rate(before->forks, now->forks, row->since_boot ? row->seconds : seconds);
}

static void build_done(struct frame *frame)
{
	struct system_row *row = &frame->system;

	row->done_rkb = row->done_wkb =
		value_absent(frame->devices_state == PRESENT ? ABSENT_NEW : frame->devices_state);
	for (size_t i = 0; i < frame->ndevice; i++) {
		const struct device_row *device = &frame->device[i];
		if (!device->counts_in_totals || !value_known(device->rkb) || !value_known(device->wkb))
			continue;
		row->done_rkb = value_of(value_or(row->done_rkb, 0) + device->rkb.n);
		row->done_wkb = value_of(value_or(row->done_wkb, 0) + device->wkb.n);
	}
}

void system_build(struct frame *frame, const struct system_snapshot *before,
                  const struct system_snapshot *now, double seconds)
{
	struct system_row *row = &frame->system;

	*row = (struct system_row){.seconds = seconds, .since_boot = frame->since_boot};
	row->blocked = now->procs_blocked;
	row->dirty_kib = now->dirty_kib;
	row->writeback_kib = now->writeback_kib;
	row->dirty_limit_kib = now->dirty_limit_kib;
	row->delayacct = now->delayacct;
	row->delayacct_since_ticks = now->delayacct_since_ticks;
	row->others_hidden = now->others_hidden;
	row->forks = fork_rate(row, before, now);
	row->forked = value_known(row->forks) ? (double)(now->forks - before->forks) : 0;
	row->asked_rkb = row->asked_wkb = row->tasks = row->unreadable = value_absent(ABSENT_OFF);
	row->unattributed_rkb = row->unattributed_wkb = value_absent(ABSENT_OFF);
	build_cpu(row, before, now);
	build_pressure(row, before, now, seconds);
	build_paging(row, before, now, seconds);
	build_done(frame);
}

static void build_slab(struct slab_value *value, const struct slab_count *count)
{
	static const enum absent why[] = {
		[SLAB_COUNTED] = PRESENT,
		[SLAB_SHARED] = PRESENT,
		[SLAB_MERGED] = ABSENT_MERGED,
		[SLAB_DENIED] = ABSENT_DENIED,
		[SLAB_UNAVAILABLE] = ABSENT_UNSUPPORTED,
		[SLAB_UNREAD] = ABSENT_OFF,
	};

	value->state = count->state;
	value->active = (struct value){(double)count->active, why[count->state]};
	value->total = (struct value){(double)count->total, why[count->state]};
}

void aio_build(struct aio_row *row, const struct aio_snapshot *now)
{
	/* of processes, whose files are looked at by others */
	row->contexts = row->rings = row->sq = row->cq = value_absent(ABSENT_OFF);
	row->aio_nr = now->aio_nr;
	row->aio_max_nr = now->aio_max_nr;
	if (!value_known(now->aio_nr) || !value_known(now->aio_max_nr))
		row->aio_pct = value_known(now->aio_nr) ? now->aio_max_nr : now->aio_nr;
	else if (now->aio_max_nr.n <= 0)
		row->aio_pct = value_absent(ABSENT_UNSUPPORTED);
	else
		row->aio_pct = value_of(100 * now->aio_nr.n / now->aio_max_nr.n);
	build_slab(&row->kioctx, &now->kioctx);
	build_slab(&row->kiocb, &now->kiocb);
	build_slab(&row->io_kiocb, &now->io_kiocb);
}
