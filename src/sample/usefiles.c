/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a process that are told of one by one: those whose position moves,
 * that are direct or synchronous, or open for writing; of very many the first.
 */
#include "fdinfo.h"
#include "iotriage/hash.h"
#include "usestate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard streams are seldom what a program is about. */
enum pick_rank {
	RANK_OWN = 1,
	RANK_WRITES = 2,
	RANK_SYNC = 4,
	RANK_DIRECT = 8,
	RANK_MOVED = 16,
	RANKS = 32
};

static bool is_same(const struct use_pick *pick, const struct look_file *record)
{
	return pick->fd == record->fd && pick->inode == record->inode &&
	       pick->mnt_id == record->mnt_id;
}

static struct use_pick *find(const struct use *use, const struct look_file *record)
{
	for (size_t i = 0; i < use->npick; i++)
		if (is_same(&use->pick[i], record))
			return &use->pick[i];
	return NULL;
}

static struct value rate(uint64_t was, uint64_t is, double seconds)
{
	if (is == was) /* pread and its like leave it there */
		return value_absent(ABSENT_UNSUPPORTED);
	if (is < was)
		return value_absent(ABSENT_RESET);
	return value_of((double)(is - was) / 1024 / seconds);
}

/* Two readings of one tick give no rate: the earlier one stays. */
static void renew(struct use_pick *pick, uint64_t position, int64_t read_ns, double read_kib)
{
	const double least_s = 0.08;
	double seconds = (double)(read_ns - pick->read_ns) / 1e9, read = read_kib - pick->read_kib;

	if (seconds < least_s)
		return;
	pick->pos_kb = rate(pick->position, position, seconds);
	pick->pos_share = value_absent(value_known(pick->pos_kb) ? ABSENT_IDLE : pick->pos_kb.why);
	if (value_known(pick->pos_kb) && read > 0) /* which it is not where one is not known */
		pick->pos_share = value_of(pick->pos_kb.n * seconds / read);
	pick->position = position;
	pick->read_ns = read_ns;
	pick->read_kib = read_kib;
}

/* ---- a look at all files ---- */

static void set_path(struct use_pick *pick, const char *path)
{
	size_t length = strlen(path);
	const size_t room = sizeof(pick->path) - 1;

	snprintf(pick->path, sizeof(pick->path), "%s", path + (length > room ? length - room : 0));
}

/* Where it goes; NULL: all that are there tell as much. */
static struct use_pick *room_for(struct use_lane *lane, unsigned rank)
{
	struct use_pick *least = lane->pick;

	if (lane->npick < PICKS_MAX)
		return &lane->pick[lane->npick++];
	for (size_t i = PICKS_MAX; i-- > 1;)
		if (lane->pick[i].rank < least->rank)
			least = &lane->pick[i];
	return least->rank < rank ? least : NULL;
}

void picks_offer(struct use_lane *lane, const struct look_file *record,
		 const struct use_file *before, const struct use_place *place, int64_t read_ns)
{
	const struct use *use = lane->of;
	const struct use_pick *was;
	struct use_pick *pick;
	unsigned rank = before && before->position != record->position ? RANK_MOVED : 0;

	rank |= fd_is_direct(record->flags) ? RANK_DIRECT : 0;
	rank |= fd_is_sync(record->flags) ? RANK_SYNC : 0;
	rank |= fd_writes(record->flags) ? RANK_WRITES : 0;
	if (rank && record->fd > STDERR_FILENO)
		rank |= RANK_OWN;
	pick = rank ? room_for(lane, rank) : NULL;
	if (!pick)
		return;
	*pick = (struct use_pick){
	    .fd = record->fd,
	    .mnt_id = record->mnt_id,
	    .inode = record->inode,
	    .position = record->position,
	    .read_ns = read_ns,
	    .flags = record->flags,
	    .rank = rank,
	    .read_kib = lane->read_kib,
	    .pos_kb = value_absent(ABSENT_NEW),
	    .pos_share = value_absent(ABSENT_NEW),
	    .place = place,
	};
	set_path(pick, record->path);
	was = find(use, record);
	if (!was && !before)
		return;
	pick->position = was ? was->position : before->position;
	pick->read_ns = was ? was->read_ns : use->stored_ns;
	pick->read_kib = was ? was->read_kib : lane->read_kib;
	pick->pos_kb = was ? was->pos_kb : pick->pos_kb;
	pick->pos_share = was ? was->pos_share : pick->pos_share;
	renew(pick, record->position, read_ns, lane->read_kib);
}

/* false: no memory. */
static bool reserve(struct use *use, size_t n)
{
	struct use_pick *pick;
	struct file_use *file;

	if (n <= use->pick_cap)
		return true;
	pick = reallocarray(use->pick, n, sizeof(*pick));
	if (pick)
		use->pick = pick;
	file = reallocarray(use->pick_use, n, sizeof(*file));
	if (file)
		use->pick_use = file;
	if (pick && file)
		use->pick_cap = n;
	return pick && file;
}

void picks_drop(struct uses *uses, struct use *use)
{
	uses->npicked -= use->npick;
	use->npick = 0;
	use->use.file = NULL;
	use->use.nfile = 0;
}

void picks_keep(struct uses *uses, struct use_lane *lane)
{
	struct use *use = lane->of;

	picks_drop(uses, use);
	if (uses->npicked + lane->npick > PICKS_IN_ALL || !reserve(use, lane->npick))
		return;
	for (unsigned rank = RANKS; rank-- > 0;)
		for (size_t i = 0; i < lane->npick; i++)
			if (lane->pick[i].rank == rank)
				use->pick[use->npick++] = lane->pick[i];
	uses->npicked += use->npick;
}

void picks_release(struct use *use)
{
	free(use->pick);
	free(use->pick_use);
}

/* ---- between two of them ---- */

size_t picks_moving(const struct use *use, int32_t *fd)
{
	size_t n = 0;

	for (size_t i = 0; i < use->npick && n < LOOK_MOVING_MAX; i++) {
		const struct use_pick *pick = &use->pick[i];
		if (!fd_is_direct(pick->flags) || !fd_reads(pick->flags))
			continue;
		if (fd)
			fd[n] = pick->fd;
		n++;
	}
	return n;
}

void picks_renew(struct use_lane *lane, const struct look_file *record, int64_t read_ns)
{
	struct use_pick *pick = find(lane->of, record);

	if (pick)
		renew(pick, record->position, read_ns, lane->read_kib);
}

/* ---- the frame ---- */

/* The same file by whatever mount it is open, as far as the kernel tells. */
static uint64_t identity(const struct use_pick *pick)
{
	const struct use_place *place = pick->place;
	uint64_t of_place = (uint64_t)(uint32_t)pick->mnt_id, all;

	if (place && place->mnt_id < 0)
		return hash_text(place->source, 0) | 1; /* a device */
	if (place && place->major + place->minor > 0)
		of_place = (uint64_t)place->major << 32 | (place->minor | 1u << 31);
	if (pick->inode == 0) /* kernels before 5.14 */
		return hash_text(pick->path, of_place) | 1;
	all = (of_place ^ pick->inode) * 1099511628211u;
	return (all ^ all >> 32) | 1;
}

void picks_attach(struct use *use)
{
	static const struct file_use none;
	struct task_use *to = &use->use;

	for (size_t i = 0; i < use->npick; i++) {
		const struct use_pick *pick = &use->pick[i];
		use->pick_use[i] = (struct file_use){
		    .fd = pick->fd,
		    .file = identity(pick),
		    .mode = (fd_is_direct(pick->flags) ? MODE_DIRECT : 0u) |
			    (fd_is_sync(pick->flags) ? MODE_SYNC : 0u),
		    .access = fd_access(pick->flags),
		    .pos_kb = pick->pos_kb,
		    .pos_share = pick->pos_share,
		    .path = *pick->path ? pick->path : NULL,
		};
	}
	to->file = use->npick ? use->pick_use : &none;
	to->nfile = use->npick;
}
