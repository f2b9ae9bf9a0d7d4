/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing out what a tick has to say. */
#include "writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STOP_PATIENCE_MS = 1000 };

void writer_put(struct writer *writer, const char *text, size_t n)
{
	if (n > writer->cap - writer->n) {
		size_t cap = writer->cap ? writer->cap : 4096;
		while (cap - writer->n < n)
			cap *= 2;
		char *p = realloc(writer->p, cap);
		if (!p) {
			writer->failed = true;
			return;
		}
		writer->p = p;
		writer->cap = cap;
	}
	memcpy(writer->p + writer->n, text, n);
	writer->n += n;
}

void writer_puts(struct writer *writer, const char *text)
{
	writer_put(writer, text, strlen(text));
}

/* Waits until the descriptor takes PIPE_BUF bytes. 0 or -errno. */
static int wait_writable(const struct writer *writer)
{
	struct pollfd fd[2] = {{.fd = writer->fd, .events = POLLOUT}, {.fd = writer->stop_fd, .events = POLLIN}};

	for (;;) {
		if (poll(fd, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fd[0].revents & POLLOUT)
			return 0;
		if (fd[0].revents & (POLLERR | POLLNVAL | POLLHUP))
			return fd[0].revents & POLLNVAL ? -EBADF : -EPIPE;
		if (fd[1].revents)
			break;
	}
	if (poll(fd, 1, STOP_PATIENCE_MS) > 0 && (fd[0].revents & POLLOUT))
		return 0;
	return -ECANCELED;
}

static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int writer_flush(struct writer *writer)
{
	size_t done = 0;

	if (writer->failed)
		return -ENOMEM;
	while (done < writer->n) {
		size_t chunk = writer->n - done;
		/* a file takes it all; anything else what it has room for, so that we never block */
		int error = is_file(writer->fd) ? 0 : wait_writable(writer);
		if (error)
			return error;
		if (chunk > PIPE_BUF && !is_file(writer->fd))
			chunk = PIPE_BUF;
		ssize_t n = write(writer->fd, writer->p + done, chunk);
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
