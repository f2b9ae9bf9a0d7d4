/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing out what a tick has to say. */
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STOP_PATIENCE_MS = 1000 };

int writer_open(const char *path, int stop_fd)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, PAUSE_MS = 100 };
	struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
	int fd;

	while ((fd = open(path, FLAGS | O_NONBLOCK, 0666)) < 0) {
		if (errno != ENXIO && errno != EINTR)
			return -errno;
		if (poll(&stop, 1, PAUSE_MS) > 0)
			return -ECANCELED;
	}
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

bool writer_grow(struct writer *writer, size_t n)
{
	size_t cap = writer->cap ? writer->cap : 4096;

	while (cap - writer->n < n)
		cap *= 2;
	char *p = realloc(writer->p, cap);
	if (!p) {
		writer->failed = true;
		return false;
	}
	writer->p = p;
	writer->cap = cap;
	return true;
}

void writer_put(struct writer *writer, const char *text, size_t n)
{
	if (n > writer->cap - writer->n && !writer_grow(writer, n))
		return;
	memcpy(writer->p + writer->n, text, n);
	writer->n += n;
}

void writer_puts(struct writer *writer, const char *text)
{
	writer_put(writer, text, strlen(text));
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds there are to wait: for ever, until somebody wants the program to end. */
static int patience(struct writer *writer)
{
	struct pollfd stop = {.fd = writer->stop_fd, .events = POLLIN};

	if (!writer->stop_seen && poll(&stop, 1, 0) > 0) {
		writer->stop_seen = true;
		writer->stop_ms = now_ms();
	}
	if (!writer->stop_seen)
		return -1;
	long left = writer->stop_ms + STOP_PATIENCE_MS - now_ms();
	return left > 0 ? (int)left : 0;
}

/* Waits until the descriptor takes something. 0 or -errno. */
static int wait_writable(struct writer *writer)
{
	for (;;) {
		int timeout = patience(writer);
		struct pollfd fd[2] = {{.fd = writer->fd, .events = POLLOUT},
		                       {.fd = writer->stop_seen ? -1 : writer->stop_fd, .events = POLLIN}};
		if (timeout == 0)
			return -ECANCELED;
		if (poll(fd, 2, timeout) < 0 && errno != EINTR)
			return -errno;
		if (fd[0].revents & POLLOUT)
			return 0;
		if (fd[0].revents & (POLLERR | POLLNVAL | POLLHUP))
			return fd[0].revents & POLLNVAL ? -EBADF : -EPIPE;
	}
}

/*
 * A pipe that polls writable takes PIPE_BUF bytes. A terminal may take fewer and
 * then blocks, so it is not to block for the length of this call.
 */
static ssize_t write_some(const struct writer *writer, const char *p, size_t n)
{
	int flags = isatty(writer->fd) ? fcntl(writer->fd, F_GETFL) : -1;

	if (flags >= 0)
		(void)fcntl(writer->fd, F_SETFL, flags | O_NONBLOCK);
	ssize_t done = write(writer->fd, p, n > PIPE_BUF ? PIPE_BUF : n);
	int error = errno;
	if (flags >= 0)
		(void)fcntl(writer->fd, F_SETFL, flags);
	errno = error;
	return done;
}

static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int writer_flush(struct writer *writer)
{
	bool file = is_file(writer->fd);
	size_t done = 0;

	if (writer->failed)
		return -ENOMEM;
	while (done < writer->n) {
		size_t left = writer->n - done;
		/* a file takes it all; anything else what it has room for, so that we never block */
		int error = file ? 0 : wait_writable(writer);
		if (error)
			return error;
		ssize_t n = file ? write(writer->fd, writer->p + done, left)
		                 : write_some(writer, writer->p + done, left);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	writer->n = 0;
	return 0;
}

void writer_release(struct writer *writer)
{
	free(writer->p);
	*writer = (struct writer){.fd = -1, .stop_fd = -1};
}
