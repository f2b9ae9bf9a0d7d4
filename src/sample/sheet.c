/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process in words: who it is, what limits its I/O, what its threads wait for. */
#include "sheet.h"
#include "clock.h"
#include "looker.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void sheet_line(struct sheet *sheet, const char *name, const char *format, ...)
{
	char value[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	for (char *p = value; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = '?';
	size_t room = sheet->size - sheet->n;
	int n = snprintf(sheet->p + sheet->n, room, "%s\t%s\n", name, value);
	if (n > 0 && (size_t)n < room)
		sheet->n += (size_t)n;
	sheet->p[sheet->n] = '\0';
}

void look_ioprio(const struct looker *looker, int32_t pid, char *buf, size_t size)
{
	enum { WHO_PROCESS = 1, CLASS_SHIFT = 13, LEVELS = 7, REALTIME = 1, BEST_EFFORT, IDLE };
	long prio = looker->native ? syscall(SYS_ioprio_get, WHO_PROCESS, pid) : -1;
	long class = prio >> CLASS_SHIFT;

	*buf = '\0';
	if (prio < 0)
		return;
	if (class == REALTIME || class == BEST_EFFORT)
		snprintf(buf, size, "%s/%ld", class == REALTIME ? "rt" : "be", prio & LEVELS);
	else
		snprintf(buf, size, "%s", class == IDLE ? "idle" : "none");
}

/* ---- who it is ---- */

/* When it started, from the boot's time and the ticks since; without that, the ticks. */
static void add_start(struct looker *looker, struct sheet *sheet, const struct task_sample *task)
{
	double seconds = (double)task->start_ticks / (double)sysconf(_SC_CLK_TCK);
	struct text text, line, word;
	uint64_t boot = 0;
	char when[64] = "";
	struct tm tm;

	if (root_read(looker->root_fd, "stat", &looker->bytes) == 0) {
		text = (struct text){looker->bytes.p, looker->bytes.p + looker->bytes.n};
		while (text_line(&text, &line))
			if (text_word(&line, &word) && text_is(word, "btime") &&
			    text_word(&line, &word))
				(void)text_u64(word, &boot);
	}
	time_t start = (time_t)(boot + (uint64_t)seconds);
	if (boot && localtime_r(&start, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	if (*when)
		sheet_line(sheet, "pid", "%d, started %s", (int)task->pid, when);
	else
		sheet_line(sheet, "pid", "%d, started %.2f s after boot", (int)task->pid, seconds);
}

static void add_parent(struct looker *looker, struct sheet *sheet, int32_t ppid)
{
	char name[32], comm[COMM_MAX];

	snprintf(name, sizeof(name), "%d/comm", (int)ppid);
	if (ppid > 0 && root_line(looker->root_fd, name, comm, sizeof(comm)) == 0)
		sheet_line(sheet, "parent", "%d (%s)", (int)ppid, comm);
	else
		sheet_line(sheet, "parent", "%d", (int)ppid);
}

/* "Uid:	real effective saved file-system" */
static void add_users(struct looker *looker, struct sheet *sheet)
{
	struct text text, line, word, id[3];

	if (root_read(looker->pid_fd, "status", &looker->bytes) < 0)
		return;
	text = (struct text){looker->bytes.p, looker->bytes.p + looker->bytes.n};
	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_is(word, "Uid:"))
			continue;
		for (int i = 0; i < 3; i++)
			if (!text_word(&line, &id[i]))
				return;
		sheet_line(sheet, "user ids", "real %.*s, effective %.*s, saved %.*s",
			   (int)(id[0].end - id[0].p), id[0].p, (int)(id[1].end - id[1].p), id[1].p,
			   (int)(id[2].end - id[2].p), id[2].p);
		return;
	}
}

static void add_link(struct looker *looker, struct sheet *sheet, const char *name, const char *link)
{
	char target[900];
	ssize_t n = readlinkat(looker->live_fd, link, target, sizeof(target));

	if (n > 0)
		sheet_line(sheet, name, "%.*s", (int)n, target);
}

/* ---- cgroups ---- */

static void add_limit(void *context, const char *file, const char *path, struct text text)
{
	struct text line;

	while (text_line(&text, &line))
		if (line.p < line.end && !text_is(line, "default 100"))
			sheet_line(context, file, "%.*s in /%s", (int)(line.end - line.p), line.p, path);
}

static void add_limits(struct looker *looker, struct sheet *sheet, const char *path, bool v2)
{
	const char *below;
	int fd = cgroup_folder(looker, path, v2, &below);

	if (fd >= 0)
		cgroup_limits(fd, below, v2, add_limit, sheet);
}

static void add_cgroups(struct looker *looker, struct sheet *sheet)
{
	static const struct {
		const char *controller, *name;
	} all[] = {
	    {"", "cgroup"}, {"name=systemd", "cgroup (systemd)"}, {"blkio", "cgroup (blkio)"}};
	char path[3][512], unit[256];
	bool in[3], unit_known = false;

	if (root_read(looker->pid_fd, "cgroup", &looker->bytes) < 0)
		return;
	for (int i = 0; i < 3; i++) {
		in[i] = cgroup_path(looker->bytes.p, looker->bytes.n, all[i].controller, path[i],
				    sizeof(path[i]));
		if (in[i])
			sheet_line(sheet, all[i].name, "%s", path[i]);
	}
	for (int i = 0; i < 2 && !unit_known; i++)
		unit_known = in[i] && cgroup_unit(path[i], unit, sizeof(unit));
	if (unit_known)
		sheet_line(sheet, "systemd unit", "%s", unit);
	if (*looker->answer->ioprio)
		sheet_line(sheet, "I/O priority", "%s", looker->answer->ioprio);
	if (in[0])
		add_limits(looker, sheet, path[0], true);
	if (in[2])
		add_limits(looker, sheet, path[2], false);
}

void sheet_who(struct looker *looker, char *buf, size_t size)
{
	struct sheet sheet = {.p = buf, .size = size};
	struct task_sample task = {.pid = looker->question->pid};

	look_ioprio(looker, task.pid, looker->answer->ioprio, sizeof(looker->answer->ioprio));
	if (root_read(looker->pid_fd, "stat", &looker->bytes) < 0 ||
	    !task_stat_parse(looker->bytes.p, looker->bytes.n, &task))
		return;
	add_start(looker, &sheet, &task);
	add_parent(looker, &sheet, task.ppid);
	add_users(looker, &sheet);
	add_link(looker, &sheet, "executable", "exe");
	add_link(looker, &sheet, "working folder", "cwd");
	add_cgroups(looker, &sheet);
}

/* ---- threads ---- */

enum { THREADS_MAX = 2000, PLACES = 16 };

struct blocked {
	unsigned threads, all;
	unsigned nplace, at[PLACES];
	char place[PLACES][WCHAN_MAX];
};

static void add_blocked(struct blocked *blocked, const char *wchan)
{
	unsigned i = 0;

	blocked->all++;
	while (i < blocked->nplace && strcmp(blocked->place[i], wchan) != 0)
		i++;
	if (i == PLACES)
		return;
	if (i == blocked->nplace)
		snprintf(blocked->place[blocked->nplace++], WCHAN_MAX, "%s", wchan);
	blocked->at[i]++;
}

static void look_at_thread(struct looker *looker, int tasks, const char *tid,
			   struct blocked *blocked)
{
	struct task_sample task = {0};
	char name[300], wchan[WCHAN_MAX] = "";

	snprintf(name, sizeof(name), "%s/stat", tid);
	if (root_read(tasks, name, &looker->bytes) < 0 ||
	    !task_stat_parse(looker->bytes.p, looker->bytes.n, &task))
		return;
	blocked->threads++;
	if (task.state != 'D')
		return;
	snprintf(name, sizeof(name), "%s/wchan", tid);
	if (root_line(tasks, name, wchan, sizeof(wchan)) < 0 || !*wchan || strcmp(wchan, "0") == 0)
		snprintf(wchan, sizeof(wchan), "somewhere in the kernel");
	add_blocked(blocked, wchan);
}

void sheet_threads(struct looker *looker, char *buf, size_t size)
{
	struct sheet sheet = {.p = buf, .size = size};
	struct blocked blocked = {0};
	int fd = openat(looker->pid_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const int64_t until_ns = clock_mono_ns() + 20 * 1000000LL;
	const struct dirent *entry = NULL;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (blocked.threads < THREADS_MAX && clock_mono_ns() < until_ns &&
	       (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			look_at_thread(looker, fd, entry->d_name, &blocked);
	closedir(dir);
	sheet_line(&sheet, "threads", "%s%u, %u in D", entry ? "of the first " : "",
		   blocked.threads, blocked.all);
	for (unsigned i = 0; i < blocked.nplace; i++)
		sheet_line(&sheet, "in D", "%s x %u", blocked.place[i], blocked.at[i]);
}
