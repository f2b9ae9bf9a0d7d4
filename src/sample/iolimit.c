/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on I/O, line by line, and which of several holds. */
#include "iolimit.h"

#include <stdio.h>

enum limit_kind { LIMIT_RKB, LIMIT_WKB, LIMIT_RIOPS, LIMIT_WIOPS, LIMIT_KINDS };

static const char *const v1_files[LIMIT_KINDS] = {
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
};

static const char *const v2_keys[LIMIT_KINDS] = {"rbps=", "wbps=", "riops=", "wiops="};

static struct value *value_at(struct io_limit *limit, int kind)
{
	struct value *const all[] = {&limit->rkb, &limit->wkb, &limit->riops, &limit->wiops};

	return all[kind];
}

static bool any_value(struct io_limit *limit)
{
	bool any = false;

	for (int kind = 0; kind < LIMIT_KINDS; kind++)
		any = any || value_known(*value_at(limit, kind));
	return any;
}

/* "max" is no number, and no limit. */
static void set(struct io_limit *limit, int kind, struct text number)
{
	double unit = kind == LIMIT_RKB || kind == LIMIT_WKB ? 1024 : 1;
	uint64_t n;

	if (text_u64(number, &n) && n > 0)
		*value_at(limit, kind) = value_of((double)n / unit);
}

static void take_key(struct io_limit *limit, struct text word)
{
	for (int kind = 0; kind < LIMIT_KINDS; kind++) {
		size_t n = strlen(v2_keys[kind]);
		if ((size_t)(word.end - word.p) > n && memcmp(word.p, v2_keys[kind], n) == 0)
			set(limit, kind, (struct text){word.p + n, word.end});
	}
}

/* "8:16" */
static bool take_device(struct io_limit *limit, struct text word)
{
	char text[24];
	int end = 0;

	snprintf(text, sizeof(text), "%.*s", (int)(word.end - word.p), word.p);
	return sscanf(text, "%u:%u%n", &limit->major, &limit->minor, &end) == 2 && !text[end];
}

/* Where another cgroup allows less of it, that is what holds. */
static void tighten(struct limit_list *list, struct io_limit *limit)
{
	for (unsigned i = 0; i < list->n; i++) {
		struct io_limit *other = &list->limit[i];
		if (other->major != limit->major || other->minor != limit->minor)
			continue;
		for (int kind = 0; kind < LIMIT_KINDS; kind++) {
			struct value *a = value_at(other, kind), *b = value_at(limit, kind);
			if (value_known(*a) && value_known(*b))
				*(a->n <= b->n ? b : a) = value_absent(ABSENT_UNSUPPORTED);
		}
	}
}

static bool same_place(const struct io_limit *a, const struct io_limit *b)
{
	return a->major == b->major && a->minor == b->minor && strcmp(a->cgroup, b->cgroup) == 0;
}

static void add(struct limit_list *list, struct io_limit *limit)
{
	unsigned n = 0;

	tighten(list, limit);
	for (unsigned i = 0; i < list->n; i++) {
		struct io_limit *other = &list->limit[i];
		for (int kind = 0; same_place(other, limit) && kind < LIMIT_KINDS; kind++)
			if (value_known(*value_at(limit, kind))) {
				*value_at(other, kind) = *value_at(limit, kind);
				*value_at(limit, kind) = value_absent(ABSENT_UNSUPPORTED);
			}
		if (any_value(other))
			list->limit[n++] = *other;
	}
	if (any_value(limit) && n < IO_LIMITS_MAX)
		list->limit[n++] = *limit;
	list->n = n;
}

static void take_line(struct limit_list *list, int v1_kind, const char *path, struct text line)
{
	const struct value none = value_absent(ABSENT_UNSUPPORTED);
	struct io_limit limit = {.rkb = none, .wkb = none, .riops = none, .wiops = none};
	const size_t room = sizeof(limit.cgroup) - 2, length = strlen(path);
	struct text word;

	if (!text_word(&line, &word) || !take_device(&limit, word))
		return;
	if (length > room)
		memcpy(limit.cgroup, path + length - room - 1, room + 1);
	else
		snprintf(limit.cgroup, sizeof(limit.cgroup), "/%s", path);
	while (text_word(&line, &word))
		if (v1_kind < LIMIT_KINDS)
			set(&limit, v1_kind, word);
		else
			take_key(&limit, word);
	add(list, &limit);
}

void limits_take(struct limit_list *list, const char *file, const char *path, struct text text)
{
	int kind = 0;
	struct text line;

	while (kind < LIMIT_KINDS && strcmp(file, v1_files[kind]) != 0)
		kind++;
	if (kind == LIMIT_KINDS && strcmp(file, "io.max") != 0)
		return;
	while (text_line(&text, &line))
		take_line(list, kind, path, line);
}
