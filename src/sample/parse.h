/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of kernel text. They take bytes, never open a file, never fail on a
 * line they do not know: they leave it out.
 */
#ifndef IOTRIAGE_SAMPLE_PARSE_H
#define IOTRIAGE_SAMPLE_PARSE_H

#include "iotriage/snapshot.h"

#include <string.h>

/* Text not yet read: [p, end). */
struct text {
	const char *p, *end;
};

/* Takes the next line, without its newline. false at the end. */
static inline bool text_line(struct text *text, struct text *line)
{
	if (text->p >= text->end)
		return false;
	const char *newline = memchr(text->p, '\n', (size_t)(text->end - text->p));
	line->p = text->p;
	line->end = newline ? newline : text->end;
	text->p = newline ? newline + 1 : text->end;
	return true;
}

/* Takes the next word of blanks-separated text. false at the end. */
static inline bool text_word(struct text *line, struct text *word)
{
	while (line->p < line->end && (*line->p == ' ' || *line->p == '\t' || *line->p == '\r'))
		line->p++;
	word->p = line->p;
	while (line->p < line->end && *line->p != ' ' && *line->p != '\t' && *line->p != '\r')
		line->p++;
	word->end = line->p;
	return word->p < word->end;
}

static inline bool text_is(struct text word, const char *s)
{
	size_t n = (size_t)(word.end - word.p);

	return strlen(s) == n && memcmp(word.p, s, n) == 0;
}

/* A whole word as a number; too large saturates, a minus wraps as the kernel's own would. */
bool text_u64(struct text word, uint64_t *number);

/* Fills devices from /proc/diskstats text; info is left NULL. 0 or -ENOMEM. */
int diskstats_parse(const char *p, size_t n, struct device_snapshot *devices);

/* The seven counters of /proc/PID/io. false: one is missing. */
bool task_io_parse(const char *p, size_t n, uint64_t counter[TASK_COUNTERS]);

/* /proc/PID/stat into comm and the fields a sample has. false: not such a line. */
bool task_stat_parse(const char *p, size_t n, struct task_sample *task);

/* /proc/stat: CPU ticks, procs_blocked and forks. */
void stat_parse(const char *p, size_t n, struct system_snapshot *system);
/* /proc/vmstat: paging, swapping, the dirty threshold. */
void vmstat_parse(const char *p, size_t n, struct system_snapshot *system);
/* /proc/meminfo: Dirty and Writeback. */
void meminfo_parse(const char *p, size_t n, struct system_snapshot *system);
/* /proc/pressure/io: either line may be missing. */
void pressure_parse(const char *p, size_t n, struct system_snapshot *system);

/* The caches of AIO in /proc/slabinfo of any layout; those without a line stay as they are. */
void slabinfo_parse(const char *p, size_t n, struct aio_snapshot *aio);

#endif
