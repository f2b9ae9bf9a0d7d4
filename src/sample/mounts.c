/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo: the longest mount point above a path names its device. */
#include "mounts.h"
#include "parse.h"

#include <errno.h>
#include <stdio.h>

/* mountinfo writes blanks, tabs, newlines and backslashes as \ooo. */
static size_t unescape(struct text word, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *p = word.p; p < word.end && n + 1 < size; p++) {
		if (*p == '\\' && word.end - p > 3) {
			buf[n++] = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
			p += 3;
		} else {
			buf[n++] = *p;
		}
	}
	buf[n] = '\0';
	return n;
}

static bool holds(const char *mount, size_t n, const char *path)
{
	if (n == 1)
		return true; /* "/" */
	return strncmp(path, mount, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

int mounts_find(const char *p, size_t n, const char *path, unsigned *major, unsigned *minor)
{
	struct text text = {p, p + n}, line, word;
	size_t best = 0;

	while (text_line(&text, &line)) {
		char number[32], mount[4096];
		unsigned maj, min;
		/* "36 35 98:0 /root /mount/point ..." */
		if (!text_word(&line, &word) || !text_word(&line, &word) || !text_word(&line, &word))
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(word.end - word.p), word.p);
		if (sscanf(number, "%u:%u", &maj, &min) != 2 || !text_word(&line, &word) ||
		    !text_word(&line, &word))
			continue;
		size_t length = unescape(word, mount, sizeof(mount));
		if (length >= best && length > 0 && holds(mount, length, path)) {
			best = length;
			*major = maj;
			*minor = min;
		}
	}
	return best > 0 ? 0 : -ENOENT;
}

int mounts_device(const struct root *root, struct bytes *bytes, const char *path, unsigned *major,
                  unsigned *minor)
{
	/* a host's /proc seen from a container: self is us, 1 is the host's init */
	int error = root_read(root->proc_fd, root->native ? "self/mountinfo" : "1/mountinfo", bytes);

	if (error)
		error = root_read(root->proc_fd, "self/mountinfo", bytes);
	return error ? error : mounts_find(bytes->p, bytes->n, path, major, minor);
}
