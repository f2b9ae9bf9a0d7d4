/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mounts of the processes looked at: read once per namespace and 10 s. */
#include "clock.h"
#include "looker.h"
#include "mountinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const int64_t stale_ns = 10 * 1000000000LL, fresh_ns = 2 * 1000000000LL;

static int compare_ids(const void *a, const void *b)
{
	const struct mount_brief *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool add(struct mount_space *space, const struct mount *mount, struct text line)
{
	if (space->n == space->cap) {
		size_t cap = space->cap ? 2 * space->cap : 64;
		struct mount_brief *grown = reallocarray(space->mount, cap, sizeof(*grown));
		if (!grown)
			return false;
		space->mount = grown;
		space->cap = cap;
	}
	space->mount[space->n++] = (struct mount_brief){
	    .id = mount->id,
	    .major = mount->major,
	    .minor = mount->minor,
	    .memory = mount_is_memory(mount->type),
	    .dev = mount_is_dev(mount->type, mount->point),
	    .at = (size_t)(line.p - space->text.p),
	    .length = (size_t)(line.end - line.p),
	};
	return true;
}

static void read_space(struct mount_space *space, int dir_fd, const char *path)
{
	static struct mount mount;
	struct text text, rest;

	space->n = 0;
	space->read_ns = clock_mono_ns();
	if (root_read(dir_fd, path, &space->text) < 0)
		return;
	text = (struct text){space->text.p, space->text.p + space->text.n};
	for (rest = text; mountinfo_next(&rest, &mount); text.p = rest.p)
		if (!add(space, &mount, (struct text){text.p, rest.p}))
			break;
	qsort(space->mount, space->n, sizeof(*space->mount), compare_ids);
}

/* The one that was used last longest ago, but never our own. */
static struct mount_space *room(struct looker *looker)
{
	struct mount_space *oldest = &looker->space[1];

	for (size_t i = 2; i < SPACES; i++)
		if (looker->space[i].used_ns < oldest->used_ns)
			oldest = &looker->space[i];
	return oldest;
}

static struct mount_space *space_of_pid(struct looker *looker)
{
	char name[sizeof(looker->space->name)];
	ssize_t n = readlinkat(looker->live_fd, "ns/mnt", name, sizeof(name) - 1);
	struct mount_space *space = NULL;

	name[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < SPACES && n > 0; i++)
		if (strcmp(looker->space[i].name, name) == 0)
			space = &looker->space[i];
	if (!space || clock_mono_ns() - space->read_ns > stale_ns) {
		space = space ? space : room(looker);
		memcpy(space->name, name, sizeof(name));
		read_space(space, looker->live_fd, "mountinfo");
		looker->renewed = true;
	}
	space->used_ns = clock_mono_ns();
	return space;
}

static struct mount_space *own_space(struct looker *looker)
{
	struct mount_space *own = &looker->space[0];
	ssize_t n;

	if (own->read_ns && clock_mono_ns() - own->read_ns < stale_ns)
		return own;
	n = readlinkat(looker->root_fd, "self/ns/mnt", own->name, sizeof(own->name) - 1);
	own->name[n > 0 ? n : 0] = '\0';
	read_space(own, looker->root_fd, "self/mountinfo");
	return own;
}

static const struct mount_brief *find_id(const struct mount_space *space, int32_t id)
{
	const struct mount_brief key = {.id = id};

	return space->n ? bsearch(&key, space->mount, space->n, sizeof(key), compare_ids) : NULL;
}

static bool is_of(const struct mount_brief *mount, unsigned major, unsigned minor)
{
	return mount->major == major && mount->minor == minor;
}

/* Mappings of one file system stand together as a rule: the last one found is tried first. */
static const struct mount_brief *find_device(struct mount_space *space, unsigned major,
					     unsigned minor)
{
	if (space->last < space->n && is_of(&space->mount[space->last], major, minor))
		return &space->mount[space->last];
	for (size_t i = 0; i < space->n; i++)
		if (is_of(&space->mount[i], major, minor)) {
			space->last = i;
			return &space->mount[i];
		}
	return NULL;
}

/* The process's mounts; they may have changed since they were read. */
static void prepare(struct looker *looker)
{
	if (!looker->of_pid)
		looker->of_pid = space_of_pid(looker);
}

/* Many an ID is of no mount that anybody sees, a memfd's for one: no reason to read it all again.
 */
static bool renew(struct looker *looker)
{
	if (looker->renewed || clock_mono_ns() - looker->of_pid->read_ns < fresh_ns)
		return false;
	read_space(looker->of_pid, looker->live_fd, "mountinfo");
	looker->renewed = true;
	return true;
}

/* A descriptor may have come from another namespace: IDs are one series for all of them. */
const struct mount_brief *spaces_find(struct looker *looker, int32_t id,
				      const struct mount_space **space)
{
	const struct mount_brief *found;

	prepare(looker);
	*space = looker->of_pid;
	found = find_id(looker->of_pid, id);
	if (!found && looker->native) {
		*space = own_space(looker);
		found = find_id(*space, id);
	}
	if (!found && renew(looker)) {
		*space = looker->of_pid;
		found = find_id(looker->of_pid, id);
	}
	return found;
}

const struct mount_brief *spaces_find_device(struct looker *looker, unsigned major, unsigned minor,
					     const struct mount_space **space)
{
	prepare(looker);
	*space = looker->of_pid;
	return find_device(looker->of_pid, major, minor);
}

void spaces_forget(struct looker *looker)
{
	for (size_t i = 0; i < SPACES; i++) {
		looker->space[i].name[0] = '\0';
		looker->space[i].n = 0;
		looker->space[i].read_ns = 0;
	}
}
