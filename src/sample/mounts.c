/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo: the longest mount point above a path names its device. */
#include "mounts.h"

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

/* "36 35 98:0 /root /mount/point rw,noatime master:1 - ext4 /dev/sda1 rw,errors=continue" */
bool mounts_parse(struct text line, struct mount *mount)
{
	struct text word;
	char number[32];

	*mount = (struct mount){0};
	if (!text_word(&line, &word) || !text_word(&line, &word) || !text_word(&line, &word))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)(word.end - word.p), word.p);
	if (sscanf(number, "%u:%u", &mount->major, &mount->minor) != 2 || !text_word(&line, &mount->root) ||
	    !text_word(&line, &mount->point))
		return false;
	while (text_word(&line, &word) && !text_is(word, "-"))
		;
	if (text_word(&line, &mount->type) && text_word(&line, &mount->source))
		(void)text_word(&line, &mount->options);
	return true;
}

int mounts_find(const char *p, size_t n, const char *path, unsigned *major, unsigned *minor)
{
	struct text text = {p, p + n}, line;
	size_t best = 0;

	while (text_line(&text, &line)) {
		struct mount mount;
		char point[4096];
		if (!mounts_parse(line, &mount))
			continue;
		size_t length = unescape(mount.point, point, sizeof(point));
		if (length >= best && length > 0 && holds(point, length, path)) {
			best = length;
			*major = mount.major;
			*minor = mount.minor;
		}
	}
	return best > 0 ? 0 : -ENOENT;
}

int mounts_read(const struct root *root, struct bytes *bytes)
{
	/* a host's /proc seen from a container: self is us, 1 is the host's init */
	int error = root_read(root->proc_fd, root->native ? "self/mountinfo" : "1/mountinfo", bytes);

	return error ? root_read(root->proc_fd, "self/mountinfo", bytes) : 0;
}

int mounts_device(const struct root *root, struct bytes *bytes, const char *path, unsigned *major,
                  unsigned *minor)
{
	int error = mounts_read(root, bytes);

	return error ? error : mounts_find(bytes->p, bytes->n, path, major, minor);
}
