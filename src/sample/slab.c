/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/slabinfo with what /sys/kernel/slab adds: SLUB merges caches of equal
 * size, so a missing line is not a zero and a line may count other caches too.
 */
#include "slab.h"
#include "clock.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const int64_t period_ns = 5 * 1000000000LL;

/* A mergeable cache is a link to ":NNN"; aliases counts the others in it. */
static void judge(const struct root *root, const char *cache, struct slab_count *slab)
{
	char path[80], target[64];

	snprintf(path, sizeof(path), "kernel/slab/%s", cache);
	bool mergeable = root->sys_fd >= 0 && readlinkat(root->sys_fd, path, target, sizeof(target)) > 0 &&
	                 target[0] == ':';
	if (slab->state == SLAB_UNAVAILABLE && mergeable)
		slab->state = SLAB_MERGED;
	if (slab->state != SLAB_COUNTED || root->sys_fd < 0)
		return;
	snprintf(path, sizeof(path), "kernel/slab/%s/aliases", cache);
	if (root_number(root->sys_fd, path, 0) > 0)
		slab->state = SLAB_SHARED;
}

static void set_all(struct aio_snapshot *aio, enum slab_state state)
{
	aio->kioctx = aio->kiocb = aio->io_kiocb = (struct slab_count){.state = state};
}

static void read_now(struct slabs *slabs, const struct root *root)
{
	int error = root_read(root->proc_fd, "slabinfo", &slabs->bytes);

	set_all(&slabs->last, error == -EACCES || error == -EPERM ? SLAB_DENIED : SLAB_UNAVAILABLE);
	if (error)
		return;
	slabinfo_parse(slabs->bytes.p, slabs->bytes.n, &slabs->last);
	judge(root, "kioctx", &slabs->last.kioctx);
	judge(root, "aio_kiocb", &slabs->last.kiocb);
	judge(root, "kiocb", &slabs->last.kiocb);
	judge(root, "io_kiocb", &slabs->last.io_kiocb);
}

/* Every 5 s, or as often as it is watched; a slow reading is made rarer still. */
static bool due(const struct slabs *slabs, const struct root *root, int64_t now)
{
	int64_t period = slabs->watched ? 0 : period_ns;

	if (slabs->cost_ns > 50 * 1000000LL)
		period = 100 * slabs->cost_ns;
	return !slabs->have_last || !root->live || now - slabs->read_ns >= period;
}

void slabs_read(struct slabs *slabs, const struct root *root, struct aio_snapshot *aio)
{
	int64_t now = clock_mono_ns();

	if (due(slabs, root, now)) {
		read_now(slabs, root);
		slabs->read_ns = now;
		slabs->cost_ns = clock_mono_ns() - now;
		slabs->have_last = true;
	}
	aio->kioctx = slabs->last.kioctx;
	aio->kiocb = slabs->last.kiocb;
	aio->io_kiocb = slabs->last.io_kiocb;
}

void slabs_release(struct slabs *slabs)
{
	bytes_release(&slabs->bytes);
}
