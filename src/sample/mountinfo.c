/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "36 35 98:0 /root /mount/point options tag:1 ... - type source options" */
#include "mountinfo.h"

#include <stdio.h>

void mountinfo_unescape(struct text word, char *buf, size_t size)
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
}

bool mountinfo_line(struct text line, struct mount_line *mount)
{
	struct text id, parent, device, word;
	char number[64];

	*mount = (struct mount_line){0};
	if (!text_word(&line, &id) || !text_word(&line, &parent) || !text_word(&line, &device))
		return false;
	snprintf(number, sizeof(number), "%.*s %.*s", (int)(id.end - id.p), id.p,
		 (int)(device.end - device.p), device.p);
	if (sscanf(number, "%d %u:%u", &mount->id, &mount->major, &mount->minor) != 3 ||
	    !text_word(&line, &mount->root) || !text_word(&line, &mount->point))
		return false;
	/* what comes after the lone "-"; kernels before 2.6.26 had none of it */
	while (text_word(&line, &word) && !text_is(word, "-"))
		;
	if (text_word(&line, &mount->type) && text_word(&line, &mount->source))
		(void)text_word(&line, &mount->options);
	return true;
}

bool mountinfo_next(struct text *text, struct mount *mount)
{
	struct text line;
	struct mount_line words;

	while (text_line(text, &line)) {
		if (!mountinfo_line(line, &words))
			continue;
		mount->id = words.id;
		mount->major = words.major;
		mount->minor = words.minor;
		mountinfo_unescape(words.root, mount->root, sizeof(mount->root));
		mountinfo_unescape(words.point, mount->point, sizeof(mount->point));
		mountinfo_unescape(words.type, mount->type, sizeof(mount->type));
		mountinfo_unescape(words.source, mount->source, sizeof(mount->source));
		mountinfo_unescape(words.options, mount->options, sizeof(mount->options));
		return true;
	}
	return false;
}

bool mount_is_memory(const char *type)
{
	static const char *const types[] = {
	    "tmpfs",       "ramfs",   "rootfs",     "proc",     "sysfs",     "devtmpfs",
	    "devpts",      "cgroup",  "cgroup2",    "debugfs",  "tracefs",   "securityfs",
	    "pstore",      "bpf",     "configfs",   "mqueue",   "hugetlbfs", "rpc_pipefs",
	    "binfmt_misc", "fusectl", "autofs",     "efivarfs", "selinuxfs", "nsfs",
	    "resctrl",     "nfsd",    "functionfs",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

bool mount_is_dev(const char *type, const char *point)
{
	return strcmp(type, "devtmpfs") == 0 || strcmp(type, "devpts") == 0 ||
	       strcmp(point, "/dev") == 0;
}
