/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a finding: sentences, evidence pairs and the numbers in them.
 */
#include "rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void append_list(char *to, size_t size,
							      const char *format, va_list args)
{
	size_t used = strlen(to);

	vsnprintf(to + used, size - used, format, args);
}

void text_append(char *to, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(to, size, format, args);
	va_end(args);
}

void claim_text(struct claim *claim, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(claim->finding.text, sizeof(claim->finding.text), format, args);
	va_end(args);
}

void claim_advice(struct claim *claim, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(claim->finding.advice, sizeof(claim->finding.advice), format, args);
	va_end(args);
}

void claim_evidence(struct claim *claim, const char *name, const char *format, ...)
{
	char *evidence = claim->finding.evidence;
	size_t size = sizeof(claim->finding.evidence), used = strlen(evidence);
	int head, tail = -1;
	va_list args;

	head = snprintf(evidence + used, size - used, "%s%s=", used ? " " : "", name);
	if (head > 0 && (size_t)head < size - used) {
		va_start(args, format);
		tail = vsnprintf(evidence + used + head, size - used - (size_t)head, format, args);
		va_end(args);
	}
	if (tail < 0 || (size_t)head + (size_t)tail >= size - used)
		evidence[used] = '\0'; /* a whole pair or none */
}

void claim_evidence_value(struct claim *claim, const char *name, struct value value)
{
	if (value_known(value))
		claim_evidence(claim, name, "%.2f", value.n);
}

void claim_evidence_latency(struct claim *claim, const struct device_view *view)
{
	const struct device_row *row = view->row;

	claim_evidence_value(claim, "avgqu-sz", row->avgqu_sz);
	claim_evidence_value(claim, "await", row->await);
	if (view_measured(row)) {
		claim_evidence_value(claim, "avserv", row->avserv);
		claim_evidence_value(claim, "avwait", row->avwait);
	}
	if (view->slots_waiting > 0) {
		claim_evidence_value(claim, "slotwait/s", row->slotwait);
		claim_evidence_value(claim, "avslot", row->avslot);
	}
	if (!view->util_tainted)
		claim_evidence_value(claim, "svctm", row->svctm);
	claim_evidence_value(claim, "%util", row->util);
	claim_evidence_value(claim, "r/s", row->r);
	claim_evidence_value(claim, "w/s", row->w);
	claim_evidence_value(claim, "rkB/s", row->rkb);
	claim_evidence_value(claim, "wkB/s", row->wkb);
	claim_evidence_value(claim, "concurrency", view->little);
	claim_evidence(claim, "limit_ms", "%g", view->limit_ms);
	claim_evidence(claim, "requests", "%.0f", view->requests);
}

enum rule_answer rule_lacks(struct claim *claim, const char *what)
{
	claim->lacks = what;
	return RULE_LACKS;
}

struct text_number text_number(double n)
{
	struct text_number number;
	int decimals = 1;

	if (fabs(n) >= 100 || fabs(n - round(n)) < 0.05)
		decimals = 0;
	if (fabs(n) < 10 && fabs(n - round(n)) >= 0.005)
		decimals = 2;
	snprintf(number.text, sizeof(number.text), fabs(n) < 1e15 ? "%.*f" : "%.*g",
		 fabs(n) < 1e15 ? decimals : 3, n);
	return number;
}

struct text_path text_sysfs(const struct device_row *row)
{
	static const char dev[] = "/dev/";
	const char *of = row->name;
	struct text_path path;
	unsigned major, minor;
	char name[DEVICE_NAME_MAX];
	int end = 0;

	if (!row->info && sscanf(of, "dev%u-%u%n", &major, &minor, &end) == 2 && !of[end]) {
		snprintf(path.text, sizeof(path.text), "/sys/dev/block/%u:%u", major, minor);
		return path;
	}
	if (strncmp(of, dev, sizeof(dev) - 1) == 0)
		of += sizeof(dev) - 1;
	text_clean(name, sizeof(name), of);
	for (char *p = name; (p = strchr(p, '/'));)
		*p = '!';
	snprintf(path.text, sizeof(path.text), "/sys/class/block/%s", name);
	return path;
}

void text_clean(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = '\0';
}
