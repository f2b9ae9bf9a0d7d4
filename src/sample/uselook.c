/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking in what the helper found at a process, piece by piece. */
#include "fdinfo.h"
#include "usestate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void look_begin(struct use_lane *lane)
{
	lane->look = (struct use_look){
	    .storage = lane->question.wants & LOOK_STORAGE,
	    .some = lane->question.wants & LOOK_KNOWN,
	};
	lane->nfile = lane->nring = lane->npick = 0;
	lane->limits_read = false;
}

/* ---- records ---- */

static void count(struct use_look *look, struct use_place *place, bool telling)
{
	size_t i = 0;

	while (i < look->ntally && look->tally[i].place != place)
		i++;
	if (!place || i == PLACES_SEEN)
		return;
	if (i == look->ntally)
		look->tally[look->ntally++] = (struct use_tally){.place = place};
	look->tally[i].files++;
	look->tally[i].telling += telling;
}

/* Where its position was in the look before. */
static const struct use_file *find_file(const struct use *use, const struct look_file *record)
{
	size_t low = 0, high = use->nfile;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (use->file[middle].fd < record->fd)
			low = middle + 1;
		else
			high = middle;
	}
	const struct use_file *file = low < use->nfile ? &use->file[low] : NULL;
	return file && file->fd == record->fd && file->inode == record->inode &&
		       file->mnt_id == record->mnt_id
		   ? file
		   : NULL;
}

static void keep_file(struct use_lane *lane, const struct look_file *record)
{
	if (lane->nfile == lane->file_cap && lane->nfile < KEPT_MAX) {
		size_t cap = lane->file_cap ? 2 * lane->file_cap : 128;
		struct use_file *grown = reallocarray(lane->file, cap, sizeof(*grown));
		if (!grown)
			return;
		lane->file = grown;
		lane->file_cap = cap;
	}
	if (lane->nfile < lane->file_cap)
		lane->file[lane->nfile++] =
		    (struct use_file){record->fd, record->mnt_id, record->inode, record->position};
}

static void take_storage(struct uses *uses, struct use_lane *lane, const struct look_file *record,
			 int64_t read_ns)
{
	struct use_place *place = record->kind == FILE_CHAR
				      ? places_device(&uses->places, record->path)
				      : places_find(&uses->places, record->mnt_id);
	const struct use_file *before = find_file(lane->of, record);
	bool moved = before && before->position != record->position;
	bool device = record->kind == FILE_CHAR;

	if ((device && !place) || (!device && place && place->memory))
		return;
	use_see_file(&lane->look.seen, record->flags, moved);
	if (fd_access(record->flags) != 'p' && !fd_is_folder(record->flags)) {
		count(&lane->look, place,
		      moved || fd_is_direct(record->flags) || fd_is_sync(record->flags));
		picks_offer(lane, record, before, place, read_ns);
	}
	keep_file(lane, record);
}

static void take_ring(struct use_lane *lane, const struct look_file *record, int64_t read_ns)
{
	lane->look.seen.rings++;
	if (lane->nring == LOOK_RINGS_MAX)
		return;
	lane->ring[lane->nring++] = (struct use_ring){
	    .fd = record->fd,
	    .known = record->tails,
	    .inode = record->inode,
	    .sq_tail = record->sq_tail,
	    .cq_tail = record->cq_tail,
	    .read_ns = read_ns,
	};
}

static void take_file(struct uses *uses, struct use_lane *lane, const struct look_file *record,
		      int64_t read_ns)
{
	if (record->kind == FILE_URING)
		take_ring(lane, record, read_ns);
	else if (lane->look.storage && record->known &&
		 (record->kind == FILE_REGULAR || record->kind == FILE_CHAR))
		take_storage(uses, lane, record, read_ns);
	else if ((lane->question.wants & LOOK_KNOWN) && record->known)
		picks_renew(lane, record, read_ns);
	if (lane->question.wants & LOOK_EVERY)
		watch_take(uses, record, read_ns);
}

static void take_text(struct use_watch *watch, const struct look_text *record)
{
	if (record->part == 0)
		snprintf(watch->next.head, sizeof(watch->next.head), "%s", record->text);
	else
		snprintf(watch->next.tail, sizeof(watch->next.tail), "%s", record->text);
}

static void take_map(struct uses *uses, struct use_lane *lane, const struct look_map *record)
{
	struct use_place *place = places_find(&uses->places, record->mnt_id);

	if (!place || place->memory)
		return;
	lane->look.seen.shared_map = true;
	count(&lane->look, place, true);
}

static void take_record(struct uses *uses, struct use_lane *lane, const void *record,
			int64_t read_ns)
{
	switch (((const struct look_record *)record)->kind) {
	case RECORD_FILE:
		take_file(uses, lane, record, read_ns);
		break;
	case RECORD_MOUNT:
		places_mount(&uses->places, record);
		break;
	case RECORD_MAP:
		take_map(uses, lane, record);
		break;
	case RECORD_LIMITS:
		lane->limits = ((const struct look_limits *)record)->list;
		lane->limits_read = true;
		break;
	default:
		take_text(&uses->watch, record);
		break;
	}
}

void look_take(struct uses *uses, struct use_lane *lane, const struct look_answer *answer)
{
	struct use_look *look = &lane->look;
	struct file_counts *counts = &uses->watch.next.counts;
	int64_t read_ns = uses->story ? uses_now_ns(uses) : answer->mono_ns;

	lane->read_kib = answer->io_known ? (double)answer->read_bytes / 1024 : NAN;
	if (*answer->ioprio)
		memcpy(look->ioprio, answer->ioprio, sizeof(look->ioprio));
	look->maps_error = look->maps_error ? look->maps_error : answer->maps_error;
	look->files_error = look->files_error ? look->files_error : answer->files_error;
	look->seen.contexts += answer->contexts;
	look->all += answer->all;
	if (lane->question.wants & LOOK_EVERY) {
		counts->all += answer->all;
		counts->deleted += answer->deleted;
		for (int i = 0; i < FILE_KINDS; i++)
			counts->kind[i] += answer->kind[i];
	}
	for (size_t at = 0; at < answer->length;) {
		const struct look_record *record = (const void *)(answer->records + at);
		take_record(uses, lane, record, read_ns);
		at += record->size;
	}
}

/* ---- the end of a look ---- */

/* Rates of a ring, from what its tails were: 32-bit counters that wrap. */
static void rate_ring(struct use_ring *ring, const struct use_ring *before)
{
	const double least_s = 0.08; /* two looks of one tick give no rate */
	double seconds = (double)(ring->read_ns - before->read_ns) / 1e9;

	if (!before->known)
		return;
	if (!ring->known || seconds < least_s) {
		*ring = *before;
		return;
	}
	ring->rated = true;
	ring->sq = (double)(uint32_t)(ring->sq_tail - before->sq_tail) / seconds;
	ring->cq = (double)(uint32_t)(ring->cq_tail - before->cq_tail) / seconds;
}

/* false: no memory. */
static bool keep_rings(struct use *use, struct use_lane *lane)
{
	for (size_t i = 0; i < lane->nring; i++)
		for (size_t j = 0; j < use->nring; j++)
			if (lane->ring[i].fd == use->ring[j].fd &&
			    lane->ring[i].inode == use->ring[j].inode)
				rate_ring(&lane->ring[i], &use->ring[j]);
	if (lane->nring > use->ring_cap) {
		struct use_ring *grown = reallocarray(use->ring, lane->nring, sizeof(*grown));
		if (!grown)
			return false;
		use->ring = grown;
		use->ring_cap = lane->nring;
	}
	if (lane->nring)
		memcpy(use->ring, lane->ring, lane->nring * sizeof(*use->ring));
	use->nring = lane->nring;
	return true;
}

static int compare_files(const void *a, const void *b)
{
	const struct use_file *x = a, *y = b;

	return (x->fd > y->fd) - (x->fd < y->fd);
}

/* Copied, so that a process holds no more than what it has open. */
static void keep_files(struct uses *uses, struct use *use, struct use_lane *lane)
{
	size_t n = uses->nkept - use->nfile + lane->nfile <= KEPT_IN_ALL ? lane->nfile : 0;

	if (n > use->file_cap) {
		struct use_file *grown = reallocarray(use->file, n, sizeof(*grown));
		if (grown) {
			use->file = grown;
			use->file_cap = n;
		}
	}
	n = n < use->file_cap ? n : use->file_cap;
	for (size_t i = 1; i < n; i++)
		if (lane->file[i].fd <
		    lane->file[i - 1].fd) { /* a copied tree may list them in any order */
			qsort(lane->file, n, sizeof(*lane->file), compare_files);
			break;
		}
	if (n)
		memcpy(use->file, lane->file, n * sizeof(*use->file));
	uses->nkept += n - use->nfile;
	use->nfile = n;
}

/* A look without files leaves what is known of them as it was. */
static void keep_evidence(struct use_look *look, const struct use_look *before)
{
	struct use_seen seen = before->seen;

	seen.contexts = look->seen.contexts;
	seen.rings = look->seen.rings;
	look->seen = seen;
	look->storage = before->storage;
	if (!*look->ioprio)
		memcpy(look->ioprio, before->ioprio, sizeof(look->ioprio));
	look->ntally = before->ntally;
	memcpy(look->tally, before->tally, sizeof(look->tally));
	if (look->some)
		look->all = before->all;
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

static enum absent absence(const struct use_look *look)
{
	if (is_denied(look->maps_error) || is_denied(look->files_error))
		return ABSENT_DENIED;
	return look->files_error ? ABSENT_UNSUPPORTED : PRESENT;
}

static void end_limits(struct use_lane *lane, int64_t now)
{
	struct task_use *to = &lane->of->use;

	lane->of->limits_ns = now;
	to->limits_read = lane->limits_read;
	to->nlimit = lane->limits_read ? lane->limits.n : 0;
	memcpy(to->limit, lane->limits.limit, to->nlimit * sizeof(*to->limit));
}

void look_end(struct uses *uses, struct use_lane *lane)
{
	static const struct use_look nothing;
	struct use *use = lane->of;
	struct use_look *look = &lane->look;
	const struct use_look *before = use->found ? use->found : &nothing;

	if (lane->question.wants & LOOK_LIMITS)
		end_limits(lane, uses_now_ns(uses));
	if (lane->question.wants == LOOK_LIMITS)
		return;
	use->looked_ns = uses_now_ns(uses);
	use->looks += !look->some;
	use->why = absence(look);
	if (look->storage) {
		keep_files(uses, use, lane);
		picks_keep(uses, lane);
	} else {
		keep_evidence(look, before);
	}
	if (lane->question.wants & LOOK_STORAGE) {
		use->stored_ns = use->looked_ns;
		use->cost_ns = uses->story ? 0 : lane->cost_ns;
	}
	if (!use->found)
		use->found = malloc(sizeof(*use->found));
	if (!use->found || !keep_rings(use, lane))
		use->why = ABSENT_NEW; /* no memory */
	if (use->found)
		*use->found = *look;
}
