/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part the rig's filesystems share: going to the background, mounting, the
 * request loop, one flat directory.
 *
 * The server's PID is in the mount's source, so a script finds all it needs to
 * clean up in /proc/self/mountinfo and leaves no state of its own on disk.
 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Attributes are asked for each time: a dead connection is noticed by fstat(2). */
#define ATTR_TIMEOUT 0.0
#define ENTRY_TIMEOUT 86400.0

const struct serve_file *serve_files;

void serve_tune(struct fuse_conn_info *conn)
{
	conn->max_background = 1024;
	conn->congestion_threshold = 1024;
	conn->max_write = SERVE_MAX_IO;
	conn->max_read = SERVE_MAX_IO; /* has to equal the mount option */
	conn->want |= conn->capable & FUSE_CAP_ASYNC_DIO;
	conn->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
}

static bool fill_attr(fuse_ino_t ino, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_blksize = 4096;
	if (ino == FUSE_ROOT_ID) {
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
		return true;
	}
	for (fuse_ino_t i = 0; serve_files[i].name; i++) {
		if (i + 2 != ino)
			continue;
		st->st_mode = S_IFREG | serve_files[i].mode;
		st->st_nlink = 1;
		st->st_size = serve_files[i].size;
		st->st_blocks = st->st_size / 512;
		return true;
	}
	return false;
}

void serve_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = { .attr_timeout = ATTR_TIMEOUT,
					  .entry_timeout = ENTRY_TIMEOUT };

	for (fuse_ino_t i = 0; parent == FUSE_ROOT_ID && serve_files[i].name; i++) {
		if (strcmp(name, serve_files[i].name) != 0)
			continue;
		entry.ino = i + 2;
		fill_attr(entry.ino, &entry.attr);
		fuse_reply_entry(req, &entry);
		return;
	}
	fuse_reply_err(req, ENOENT);
}

void serve_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	if (fill_attr(ino, &st))
		fuse_reply_attr(req, &st, ATTR_TIMEOUT);
	else
		fuse_reply_err(req, ENOENT);
}

/* A shell's "> ctl" truncates: accepted, and nothing changes. */
void serve_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int which,
		   struct fuse_file_info *fi)
{
	(void)st;
	(void)which;
	serve_getattr(req, ino, fi);
}

void serve_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		   struct fuse_file_info *fi)
{
	char buf[1024];
	size_t used = 0;
	struct stat st;

	(void)fi;
	if (ino != FUSE_ROOT_ID) {
		fuse_reply_err(req, ENOTDIR);
		return;
	}
	if (size > sizeof(buf))
		size = sizeof(buf);
	for (off_t i = 0;; i++) {
		bool dots = i < 2;
		const char *name = i == 0 ? "." : i == 1 ? ".." : serve_files[i - 2].name;
		size_t need;

		if (!name)
			break;
		if (i < off)
			continue;
		fill_attr(dots ? FUSE_ROOT_ID : (fuse_ino_t)i, &st);
		need = fuse_add_direntry(req, buf + used, size - used, name, &st, i + 1);
		if (need > size - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buf, used);
}

void serve_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct statvfs st = { .f_bsize = 4096, .f_frsize = 4096, .f_namemax = 255 };

	(void)ino;
	fuse_reply_statfs(req, &st);
}

bool serve_number(const char *text, unsigned long long max, unsigned long long *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *out <= max;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/*
 * Returns in the child, with the pipe's end to say "mounted" on; the parent
 * never returns.
 */
static int go_background(void)
{
	int ends[2];
	int status;
	char byte;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		close(ends[0]);
		setsid();
		return ends[1];
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1)
		_exit(0);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1);
}

static bool say_mounted(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok;

	if (null < 0)
		return false;
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	close(null);
	ok = write(fd, "", 1) == 1;
	close(fd);
	return ok;
}

static struct fuse_session *mount_it(const struct serve *how, const char *path,
				     const struct fuse_lowlevel_ops *ops)
{
	char options[256];
	char *argv[] = { (char *)how->kind, "-o", options, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	struct fuse_session *session;

	snprintf(options, sizeof(options),
		 "fsname=%s:%d,subtype=%s,allow_other,nosuid,nodev,max_read=%u", how->kind,
		 (int)getpid(), how->kind, SERVE_MAX_IO);
	session = fuse_session_new(&args, ops, sizeof(*ops), NULL);
	fuse_opt_free_args(&args);
	if (session && fuse_session_mount(session, path) != 0) {
		fuse_session_destroy(session);
		session = NULL;
	}
	return session;
}

/*
 * Until a signal, the end of the lifetime or the end of the connection. After a
 * signal go on until nothing has come for 50 ms, a second at most, so that what
 * was held is answered rather than cut off.
 */
static void loop(const struct serve *how, struct fuse_session *session, int signals)
{
	struct pollfd fds[] = { { .fd = fuse_session_fd(session), .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	long long end = how->lifetime_s ? now_ms() + how->lifetime_s * 1000LL : LLONG_MAX;
	bool leaving = false;
	struct fuse_buf buf = { 0 };

	while (!fuse_session_exited(session)) {
		long long left = end - now_ms();
		int wait = left < 0 ? 0 : left < 60000 ? (int)left : 60000;
		int n = poll(fds, 2, leaving && wait > 50 ? 50 : wait);

		if (n < 0 && errno != EINTR)
			break;
		if (n <= 0 && leaving)
			break;
		if (!leaving && (now_ms() >= end || (n > 0 && fds[1].revents))) {
			leaving = true;
			fds[1].fd = -1;
			end = now_ms() + 1000;
			if (how->release)
				how->release();
			continue;
		}
		if (leaving && now_ms() >= end)
			break;
		if (n <= 0 || !fds[0].revents)
			continue;
		n = fuse_session_receive_buf(session, &buf);
		if (n > 0)
			fuse_session_process_buf(session, &buf);
		else if (n != -EINTR && n != -EAGAIN)
			break;
	}
	free(buf.mem);
}

int serve(const struct serve *how, const struct fuse_lowlevel_ops *ops)
{
	struct fuse_session *session;
	char path[PATH_MAX];
	sigset_t set;
	int tell = -1;
	int signals;
	int fd;

	if (!realpath(how->mountpoint, path)) {
		fprintf(stderr, "%s: %s: %s\n", how->kind, how->mountpoint, strerror(errno));
		return 1;
	}
	if (!how->foreground) {
		tell = go_background();
		if (tell < 0 || chdir("/") < 0) {
			perror(how->kind);
			return 1;
		}
	}
	prctl(PR_SET_TIMERSLACK, 1UL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0) {
		perror(how->kind);
		return 1;
	}

	session = mount_it(how, path, ops);
	if (!session)
		return 1;
	fd = fuse_session_fd(session);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);

	if ((!how->start || how->start()) && (tell < 0 || say_mounted(tell)))
		loop(how, session, signals);
	if (how->stop)
		how->stop();

	/* libfuse would leave the mount in place where the connection was aborted. */
	umount2(path, how->stay_if_busy ? 0 : MNT_DETACH);
	fuse_session_destroy(session);
	return 0;
}
