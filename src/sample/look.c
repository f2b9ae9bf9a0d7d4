/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper that looks. It may hang in the kernel at any line below and is then
 * killed. Of users' files it opens none and asks the kernel for none: links are
 * read, never followed.
 */
#include "look.h"
#include "clock.h"
#include "fdinfo.h"
#include "looker.h"
#include "mountinfo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, PIECE_FILES = 1000 };
enum { RECORD_MAX = sizeof(struct look_file) + PATH_MAX + 8, SHEET_MAX = 4096 };
/* A file, its mount, and what else a single step may add. */
enum { ROOM_NEEDED = 2 * RECORD_MAX + 1024 };

static const int64_t piece_ns = 30 * 1000000LL;

static bool time_is_up(const struct looker *looker)
{
	return clock_mono_ns() >= looker->until_ns;
}

/* ---- maps ---- */

static void end_maps(struct maps_lane *lane)
{
	if (lane->fd >= 0)
		close(lane->fd);
	lane->fd = -1;
	lane->n = 0;
}

static void take_map(struct looker *looker, struct text line)
{
	const struct mount_space *space;
	const struct mount_brief *mount;
	struct map map;

	maps_line(line, &map);
	if (map.kind == MAP_OTHER)
		return;
	mount = spaces_find_device(looker, map.major, map.minor, &space);
	if (map.kind == MAP_AIO && !mount && aio_device_has(looker, &map))
		looker->answer->contexts++;
	if (map.kind != MAP_SHARED || !mount || mount->memory || looker_room(looker) < ROOM_NEEDED)
		return;
	for (size_t i = 0; i < looker->ntold; i++)
		if (looker->told[i] == mount->id)
			return; /* one on this mount is enough */
	looker_add_mount(looker, mount, space);
	struct look_map *record = looker_record(looker, RECORD_MAP, sizeof(*record));
	record->mnt_id = mount->id;
}

/* Takes the complete lines out of the buffer. */
static void take_maps(struct looker *looker, struct maps_lane *lane)
{
	struct text text = {lane->buf, lane->buf + lane->n}, line;
	const char *last = memrchr(lane->buf, '\n', lane->n);

	if (!last) {
		lane->n = lane->n == sizeof(lane->buf) ? 0 : lane->n; /* no line is as long */
		return;
	}
	text.end = last + 1;
	while (text_line(&text, &line))
		take_map(looker, line);
	lane->n -= (size_t)(text.end - lane->buf);
	memmove(lane->buf, text.end, lane->n);
}

static int open_maps(struct looker *looker, struct maps_lane *lane)
{
	end_maps(lane);
	lane->pid = looker->question->pid;
	lane->fd = openat(looker->live_fd, "maps",
			  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	return lane->fd < 0 ? -errno : 0;
}

static void look_at_maps(struct looker *looker)
{
	struct look_answer *answer = looker->answer;
	struct maps_lane *lane = &looker->lane[looker->question->lane];
	ssize_t n = 0;

	if (answer->cookie == 0)
		answer->maps_error = -open_maps(looker, lane);
	else if (lane->fd < 0 || lane->pid != looker->question->pid)
		answer->error = ESTALE;
	while (lane->fd >= 0 && !answer->error) {
		n = read(lane->fd, lane->buf + lane->n, sizeof(lane->buf) - lane->n);
		if (n <= 0)
			break;
		lane->n += (size_t)n;
		take_maps(looker, lane);
		answer->cookie = 1;
		if (time_is_up(looker))
			return;
	}
	if (n < 0)
		answer->maps_error = errno;
	end_maps(lane);
	answer->cookie = 0;
	answer->stage = looker->question->wants & LOOK_KNOWN ? LOOK_SOME : LOOK_FILES;
}

/* ---- descriptors ---- */

struct folders {
	int links, infos; /* fd and fdinfo; that is opened when it is needed, -1: not yet */
};

/* A busy ring's tails are not told at every reading: the kernel only tries its lock. */
static void read_info(struct looker *looker, struct folders *folders, const char *name,
		      struct look_file *file)
{
	struct fdinfo info;
	int tries = file->kind == FILE_URING ? 5 : 1;

	if (folders->infos < 0)
		folders->infos = openat(looker->live_fd, "fdinfo", FOLDER);
	do {
		if (root_read(folders->infos, name, &looker->bytes) < 0)
			return;
		file->known = fdinfo_parse(looker->bytes.p, looker->bytes.n, &info);
	} while (!info.tails && --tries > 0);
	file->tails = info.tails;
	file->flags = info.flags;
	file->mnt_id = info.mnt_id;
	file->inode = info.inode;
	file->position = info.position;
	file->sq_tail = info.sq_tail;
	file->cq_tail = info.cq_tail;
}

/* A path may be an ordinary file's, a device's, or that of memory. True: it may be on a device. */
static bool place(struct looker *looker, struct look_file *file)
{
	const struct mount_space *space;
	const struct mount_brief *mount =
	    file->known ? spaces_find(looker, file->mnt_id, &space) : NULL;

	if (!mount)
		return file->kind == FILE_REGULAR;
	file->kind = mount->dev ? FILE_CHAR : FILE_REGULAR;
	if (mount->dev || !mount->memory || (looker->question->wants & LOOK_EVERY))
		looker_add_mount(looker, mount, space);
	return mount->dev || !mount->memory;
}

static bool is_path(const struct look_file *file)
{
	return file->kind == FILE_REGULAR || file->kind == FILE_MEMFD;
}

static const char too_long[] = "(path too long)";

/* The kernel tells no path that is longer than a page. 0 or an errno. */
static int read_link(int links, const char *name, char *link, size_t *length)
{
	ssize_t n = readlinkat(links, name, link, *length);

	if (n < 0 && errno == ENAMETOOLONG)
		n = snprintf(link, *length, "%s", too_long);
	if (n < 0)
		return errno == EPERM ? EACCES : errno;
	*length = (size_t)n;
	return 0;
}

static bool is_told(unsigned wants, const struct look_file *file, bool storage)
{
	return file->kind == FILE_URING || (wants & LOOK_EVERY) ||
	       ((wants & (LOOK_STORAGE | LOOK_KNOWN)) && storage);
}

/* 0, or an errno: nothing of this process can be told; EACCES: it may not be read. */
static int look_at_file(struct looker *looker, struct folders *folders, const char *name)
{
	static char link[PATH_MAX];
	struct look_answer *answer = looker->answer;
	unsigned wants = looker->question->wants;
	struct look_file file = {.fd = atoi(name), .mnt_id = -1};
	bool storage = false;
	size_t whole = sizeof(link);
	int error = read_link(folders->links, name, link, &whole);

	if (error)
		return error == ENOENT || error == ESRCH ? 0 : error; /* closed by now */
	size_t length = whole;
	file.kind = file_kind_of(link, &length, &file.deleted);
	if (strncmp(link, too_long, sizeof(too_long)) == 0)
		file.kind = FILE_REGULAR; /* only paths are as long */
	if (is_told(wants, &file, is_path(&file)))
		read_info(looker, folders, name, &file);
	if (is_path(&file) && file.known)
		storage = place(looker, &file);
	if (file.kind == FILE_REGULAR)
		length = whole; /* its own name may end so */
	answer->all++;
	answer->deleted += file.deleted;
	answer->kind[file.kind]++;
	looker->direct |= storage && fd_is_direct(file.flags) && fd_reads(file.flags);
	if (is_told(wants, &file, storage))
		looker_add_file(looker, &file, link, wants & LOOK_KNOWN ? 0 : length);
	return 0;
}

static bool is_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits > 0 && digits < 10 && !name[digits];
}

static bool open_folders(struct looker *looker, struct folders *folders)
{
	folders->links = openat(looker->live_fd, "fd", FOLDER);
	if (folders->links < 0)
		looker->answer->files_error = errno;
	folders->infos = -1;
	return folders->links >= 0;
}

static void close_folders(const struct folders *folders)
{
	if (folders->links >= 0)
		close(folders->links);
	if (folders->infos >= 0)
		close(folders->infos);
}

static bool piece_is_full(const struct looker *looker)
{
	return looker->answer->all >= PIECE_FILES || looker_room(looker) < ROOM_NEEDED ||
	       time_is_up(looker);
}

/* True: that was all; else the cookie says where to go on. */
static bool look_at_list(struct looker *looker, struct folders *folders)
{
	static _Alignas(struct dirent64) char buf[32 * 1024];
	struct look_answer *answer = looker->answer;
	ssize_t n;

	if (answer->cookie && lseek(folders->links, answer->cookie, SEEK_SET) < 0)
		return true;
	while ((n = getdents64(folders->links, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(buf + at);
			if (is_number(entry->d_name))
				answer->files_error = look_at_file(looker, folders, entry->d_name);
			if (answer->files_error)
				return true;
			at += entry->d_reclen;
			answer->cookie = entry->d_off; /* where the one after it begins */
			if (piece_is_full(looker))
				return false;
		}
	}
	return true;
}

static enum look_stage after_files(const struct looker *looker)
{
	if (looker->question->wants & LOOK_LIMITS)
		return LOOK_CGROUP;
	return looker->question->wants & LOOK_TEXT ? LOOK_SHEET : LOOK_DONE;
}

static void look_at_files(struct looker *looker)
{
	struct look_answer *answer = looker->answer;
	struct folders folders;
	bool all = !open_folders(looker, &folders) || look_at_list(looker, &folders);

	close_folders(&folders);
	if (!all)
		return;
	answer->cookie = 0;
	answer->stage = after_files(looker);
}

static void look_at_some(struct looker *looker)
{
	const struct look_question *question = looker->question;
	struct look_answer *answer = looker->answer;
	struct folders folders;
	char name[16];

	if (open_folders(looker, &folders))
		while (answer->cookie < question->nknown && !answer->files_error &&
		       !piece_is_full(looker)) {
			snprintf(name, sizeof(name), "%d", (int)question->known[answer->cookie++]);
			answer->files_error = look_at_file(looker, &folders, name);
		}
	else
		answer->cookie = question->nknown;
	close_folders(&folders);
	if (answer->cookie >= question->nknown || answer->files_error)
		answer->stage = after_files(looker);
}

/* ---- its cgroups, and the sheet ---- */

static void look_at_limits(struct looker *looker)
{
	struct limit_list list = {0};
	bool read = cgroup_read_limits(looker, &list);

	if (read) {
		struct look_limits *record = looker_record(looker, RECORD_LIMITS, sizeof(*record));
		record->list = list;
	}
	looker->answer->stage = looker->question->wants & LOOK_TEXT ? LOOK_SHEET : LOOK_DONE;
}

static void look_at_sheet(struct looker *looker)
{
	static char text[SHEET_MAX];

	if (looker_room(looker) < 2 * (SHEET_MAX + sizeof(struct look_text) + 8))
		return; /* in the next piece */
	for (uint32_t part = 0; part < 2; part++) {
		text[0] = '\0';
		if (part == 0)
			sheet_who(looker, text, sizeof(text));
		else
			sheet_threads(looker, text, sizeof(text));
		size_t n = strlen(text) + 1;
		struct look_text *record = looker_record(looker, RECORD_TEXT, sizeof(*record) + n);
		record->part = part;
		memcpy(record->text, text, n);
	}
	looker->answer->stage = LOOK_DONE;
}

/* ---- a question ---- */

/* The root and whether it is this machine's; kept as long as questions name the same one. */
static bool enter_root(struct looker *looker)
{
	const char *path = looker->question->root;
	struct stat root, own;

	if (looker->root_fd >= 0 && strcmp(looker->root, path) == 0)
		return true;
	if (looker->root_fd >= 0)
		close(looker->root_fd);
	spaces_forget(looker);
	looker->root[0] = '\0';
	looker->root_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (looker->root_fd < 0)
		return false;
	snprintf(looker->root, sizeof(looker->root), "%s", path);
	looker->native = fstat(looker->root_fd, &root) == 0 && stat("/proc", &own) == 0 &&
			 root.st_dev == own.st_dev && root.st_ino == own.st_ino;
	return true;
}

static enum look_stage first_stage(const struct looker *looker)
{
	return looker->question->wants & LOOK_NO_MAPS ? LOOK_FILES : LOOK_MAPS;
}

static void go_on(struct looker *looker)
{
	struct look_answer *answer = looker->answer;

	if (looker->question->stage == first_stage(looker) && answer->cookie == 0)
		look_ioprio(looker, answer->pid, answer->ioprio, sizeof(answer->ioprio));
	while (answer->stage != LOOK_DONE && !answer->error && !piece_is_full(looker)) {
		if (answer->stage == LOOK_MAPS)
			look_at_maps(looker);
		else if (answer->stage == LOOK_FILES)
			look_at_files(looker);
		else if (answer->stage == LOOK_SOME)
			look_at_some(looker);
		else if (answer->stage == LOOK_CGROUP)
			look_at_limits(looker);
		else if (looker_room(looker) < LOOK_SPACE / 2)
			break;
		else
			look_at_sheet(looker);
	}
}

static void answer_question(struct looker *looker)
{
	const struct look_question *question = looker->question;
	struct look_answer *answer = looker->answer;
	int64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	memset(answer, 0, offsetof(struct look_answer, records));
	answer->pid = question->pid;
	answer->lane = question->lane;
	answer->stage = question->stage;
	answer->cookie = question->cookie;
	looker->until_ns = clock_mono_ns() + piece_ns;
	looker->of_pid = NULL;
	looker->renewed = looker->direct = false;
	looker->ntold = 0;
	if (enter_root(looker) && looker_enter(looker))
		go_on(looker);
	else
		answer->error = ESRCH;
	if (looker->direct)
		looker_read_io(looker);
	looker_leave(looker);
	answer->mono_ns = clock_mono_ns();
	answer->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
}

void look_serve(int fd)
{
	static struct look_question question;
	static struct look_answer answer;
	static struct looker looker = {.root_fd = -1, .question = &question, .answer = &answer};

	for (size_t i = 0; i < LOOK_LANES; i++)
		looker.lane[i].fd = -1;
	while (recv(fd, &question, sizeof(question), 0) >
	       (ssize_t)offsetof(struct look_question, root)) {
		if (question.lane >= LOOK_LANES || question.nknown > LOOK_KNOWN_MAX)
			break;
		question.root[sizeof(question.root) - 1] = '\0';
		answer_question(&looker);
		if (send(fd, &answer, offsetof(struct look_answer, records) + answer.length,
			 MSG_NOSIGNAL) < 0)
			break;
	}
}
