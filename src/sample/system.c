/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's own figures: /proc/stat, vmstat, meminfo and pressure/io. */
#include "parse.h"

#include <stdlib.h>
#include <unistd.h>

/* Takes "key value" lines; calls found for each. */
static void each_pair(const char *p, size_t n,
                      void (*found)(struct text key, uint64_t number, struct system_snapshot *system),
                      struct system_snapshot *system)
{
	struct text text = {p, p + n}, line, key, value;
	uint64_t number;

	while (text_line(&text, &line))
		if (text_word(&line, &key) && text_word(&line, &value) && text_u64(value, &number))
			found(key, number, system);
}

/* "cpu user nice system idle iowait irq softirq steal guest guest_nice": guests are in user. */
static void parse_cpu(struct text line, struct system_snapshot *system)
{
	enum { IOWAIT = 4, STEAL = 7 };
	struct text word;
	uint64_t number;

	system->cpu_total_ticks = system->cpu_iowait_ticks = 0;
	for (int i = 0; i <= STEAL && text_word(&line, &word) && text_u64(word, &number); i++) {
		system->cpu_total_ticks += number;
		if (i != IOWAIT)
			continue;
		system->cpu_iowait_ticks = number;
		system->cpu_state = PRESENT; /* kernels before 2.6 had no such field */
	}
}

void stat_parse(const char *p, size_t n, struct system_snapshot *system)
{
	struct text text = {p, p + n}, line, word;
	uint64_t number;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word))
			continue;
		if (text_is(word, "cpu"))
			parse_cpu(line, system);
		else if (text_is(word, "procs_blocked") && text_word(&line, &word) && text_u64(word, &number))
			system->procs_blocked = value_of((double)number);
		else if (text_is(word, "processes") && text_word(&line, &word) && text_u64(word, &number))
			system->forks = number;
	}
}

static void vmstat_pair(struct text key, uint64_t number, struct system_snapshot *system)
{
	if (text_is(key, "pgpgin")) {
		system->pgpgin_kib = number;
		system->vm_state = PRESENT;
	} else if (text_is(key, "pgpgout")) {
		system->pgpgout_kib = number;
	} else if (text_is(key, "pswpin")) {
		system->pswpin_pages = number;
		system->swap_state = PRESENT;
	} else if (text_is(key, "pswpout")) {
		system->pswpout_pages = number;
	} else if (text_is(key, "nr_dirty_threshold")) {
		system->dirty_limit_kib = value_of((double)number * (double)sysconf(_SC_PAGESIZE) / 1024);
	}
}

void vmstat_parse(const char *p, size_t n, struct system_snapshot *system)
{
	each_pair(p, n, vmstat_pair, system);
}

static void meminfo_pair(struct text key, uint64_t number, struct system_snapshot *system)
{
	if (text_is(key, "Dirty:"))
		system->dirty_kib = value_of((double)number);
	else if (text_is(key, "Writeback:"))
		system->writeback_kib = value_of((double)number);
}

void meminfo_parse(const char *p, size_t n, struct system_snapshot *system)
{
	each_pair(p, n, meminfo_pair, system);
}

/* "avg10=1.25 avg60=... total=123" without strtod, which follows the locale. */
static void parse_pressure_line(struct text line, double *avg10, uint64_t *total_us)
{
	struct text word;

	while (text_word(&line, &word)) {
		const char *equals = memchr(word.p, '=', (size_t)(word.end - word.p));
		if (!equals)
			continue;
		struct text key = {word.p, equals}, value = {equals + 1, word.end};
		const char *point = memchr(value.p, '.', (size_t)(value.end - value.p));
		struct text whole = {value.p, point ? point : value.end};
		struct text tenths = {point ? point + 1 : value.end, value.end};
		uint64_t n = 0, fraction = 0;
		if (!text_u64(whole, &n))
			continue;
		if (text_is(key, "total"))
			*total_us = n;
		if (!text_is(key, "avg10"))
			continue;
		*avg10 = (double)n;
		if (tenths.end - tenths.p == 2 && text_u64(tenths, &fraction))
			*avg10 += (double)fraction / 100;
	}
}

void pressure_parse(const char *p, size_t n, struct system_snapshot *system)
{
	struct text text = {p, p + n}, line, word;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word))
			continue;
		if (text_is(word, "some")) {
			system->psi_has_some = true;
			parse_pressure_line(line, &system->psi_some_avg10, &system->psi_some_us);
		} else if (text_is(word, "full")) {
			system->psi_has_full = true;
			parse_pressure_line(line, &system->psi_full_avg10, &system->psi_full_us);
		}
	}
	if (system->psi_has_some || system->psi_has_full)
		system->psi_state = PRESENT;
}
