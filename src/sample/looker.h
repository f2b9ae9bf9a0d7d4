/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the helper that looks: what its files share. */
#ifndef IOTRIAGE_SAMPLE_LOOKER_H
#define IOTRIAGE_SAMPLE_LOOKER_H

#include "look.h"
#include "maps.h"
#include "root.h"

/* A mount, found by its ID. */
struct mount_brief {
	int32_t id;
	unsigned major, minor;
	bool memory, dev;  /* mount_is_memory, mount_is_dev */
	size_t at, length; /* of its line in the text */
};

/* The mounts of one mount namespace. */
struct mount_space {
	char name[64]; /* of the namespace; "": unknown, so never used again */
	int64_t read_ns, used_ns;
	struct bytes text;
	struct mount_brief *mount; /* ascending ID */
	size_t n, cap;
	size_t last; /* found by its device */
};

/* A maps file that is being read. */
struct maps_lane {
	int fd; /* -1: none */
	int32_t pid;
	size_t n; /* bytes of a line that is not complete */
	char buf[2 * PATH_MAX + 512];
};

/* The file system that AIO contexts are on. */
struct aio_device {
	bool asked, known;
	unsigned major, minor;
};

/* Where a hierarchy of cgroups is mounted, v1's of blkio or v2's. */
struct cgroup_mount {
	bool known;      /* it was looked for */
	int64_t read_ns; /* then */
	int fd;          /* -1: it is not mounted */
	char root[256];  /* the cgroup that is mounted there */
};

enum { SPACES = 3 };

struct looker {
	char root[PATH_MAX];
	int root_fd;
	bool native;                      /* it is this machine's own /proc */
	struct mount_space space[SPACES]; /* the first: the helper's own */
	struct mount_space *of_pid;       /* NULL: not looked for in this piece yet */
	struct cgroup_mount cgroup[2];    /* by whether it is v2's */
	struct bytes mountinfo;           /* room to read in */
	struct aio_device aio;
	bool renewed;                     /* of_pid was read in this piece */
	struct maps_lane lane[LOOK_LANES];
	struct bytes bytes;
	int64_t until_ns; /* a piece ends then */
	int32_t told[32]; /* mounts that have a record in this piece */
	size_t ntold;
	bool direct; /* a file that is open for direct reads was seen in this piece */
	int pid_fd;
	int live_fd; /* the same, or the folder of a thread that lives, or -1: none does */
	const struct look_question *question;
	struct look_answer *answer;
};

/*
 * The process that is meant: its folder, and where its files and mappings are. A
 * main thread that has ended shows none while the others go on with them.
 */
bool looker_enter(struct looker *looker);
void looker_leave(struct looker *looker);

/* What it has read so far, into the answer. */
void looker_read_io(struct looker *looker);

/* Bytes that are left for records. */
size_t looker_room(const struct looker *looker);

/* Adds a record of this size, text included, all 0; the caller made sure that there is room. */
void *looker_record(struct looker *looker, enum look_kind kind, size_t size);
void looker_add_file(struct looker *looker, const struct look_file *file, const char *path,
		     size_t length);

/* Once in each piece. */
void looker_add_mount(struct looker *looker, const struct mount_brief *brief,
		      const struct mount_space *space);

/* An AIO context's mapping, as far as is known. */
bool aio_device_has(struct looker *looker, const struct map *map);

/* Reads mountinfo where needed. NULL: no mount of this process or of ours has this ID. */
const struct mount_brief *spaces_find(struct looker *looker, int32_t id,
				      const struct mount_space **space);
const struct mount_brief *spaces_find_device(struct looker *looker, unsigned major, unsigned minor,
					     const struct mount_space **space);
void spaces_forget(struct looker *looker);

/*
 * The folder of the hierarchy that this cgroup is in, kept open, and its path below
 * that. Limits are files of the hierarchy's own file system, wherever it is mounted
 * here. -1: it is not, or only a part without this cgroup.
 */
int cgroup_folder(struct looker *looker, const char *path, bool v2, const char **below);

/* What limits the process's I/O. false: its cgroups could not be looked into. */
bool cgroup_read_limits(struct looker *looker, struct limit_list *list);

/* Writes the sheet's lines, at most size bytes with the NUL. */
void sheet_who(struct looker *looker, char *buf, size_t size);
void sheet_threads(struct looker *looker, char *buf, size_t size);

/* I/O priority in words; "" where it is not told. */
void look_ioprio(const struct looker *looker, int32_t pid, char *buf, size_t size);

#endif
