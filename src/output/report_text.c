/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain has to say, for people. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	writer_puts(writer, line);
}

/* Text of a report may hold anything; a terminal must not obey it. */
static void put_clean(struct writer *writer, const char *text, size_t n)
{
	char clean[256];

	while (n) {
		size_t part = n < sizeof(clean) ? n : sizeof(clean);
		for (size_t i = 0; i < part; i++) {
			unsigned char c = (unsigned char)text[i];
			clean[i] = c < ' ' || c >= 0x7f ? '?' : (char)c;
		}
		writer_put(writer, clean, part);
		text += part;
		n -= part;
	}
}

/* Words from column `at`, in lines of the width with an indent. */
static void put_wrapped(struct writer *writer, const struct report_view *view, unsigned indent,
			unsigned at, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > indent && at + 1 + n > view->width) {
			put(writer, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			writer_put(writer, " ", 1);
			at++;
		}
		put_clean(writer, text, n);
		at += (unsigned)n;
		text += n + strspn(text + n, " ");
	}
	writer_put(writer, "\n", 1);
}

static void put_block(struct writer *writer, const struct report_view *view, const char *label,
		      const char *text)
{
	enum { INDENT = 4 };

	put(writer, "%*s%s", INDENT, "", label);
	put_wrapped(writer, view, INDENT, INDENT + (unsigned)strlen(label), text);
}

/* ---- what was recognised ---- */

static const char *plural(unsigned long n)
{
	return n == 1 ? "" : "s";
}

static void put_formats(struct writer *writer, const struct import_summary *summary)
{
	const char *comma = "";

	for (int i = 0; i < IMPORT_FORMATS; i++) {
		const struct import_met *met = &summary->met[i];

		if (!met->line || (!met->blocks && !met->rows))
			continue;
		put(writer, "%s%s (line %lu)", comma, import_format_name(i), met->line);
		comma = ", ";
	}
}

static void put_blocks(struct writer *writer, const struct report_view *view)
{
	const struct import_summary *summary = view->summary;
	unsigned long boot = 0, blocks = 0;

	for (int i = 0; i < IMPORT_FORMATS; i++) {
		boot += summary->met[i].since_boot;
		blocks += i == IMPORT_AIO ? 0 : summary->met[i].blocks;
	}
	if (!blocks)
		return;
	put(writer, "  %zu%s device%s, %lu interval%s", summary->devices,
	    summary->devices == IMPORT_DEVICES_MAX ? " or more" : "", plural(summary->devices),
	    view->intervals, plural(view->intervals));
	if (boot)
		put(writer, ", %lu average%s since boot set apart (line %lu%s)", boot, plural(boot),
		    summary->boot_line, boot > 1 ? " and more" : "");
	put(writer, "\n");
}

static void put_slab(struct writer *writer, const char *name, const struct slab_value *slab)
{
	if (slab->state == SLAB_COUNTED)
		put(writer, ", %s %.0f of %.0f in use", name, slab->active.n, slab->total.n);
}

static void put_aio(struct writer *writer, const struct import_summary *summary)
{
	const struct aio_row *aio = &summary->aio;

	if (!summary->have_aio)
		return;
	put(writer, "  AIO:");
	if (value_known(aio->aio_nr))
		put(writer, " aio-nr %.0f", aio->aio_nr.n);
	else
		put(writer, " aio-nr not said");
	if (value_known(aio->aio_max_nr))
		put(writer, " of %.0f", aio->aio_max_nr.n);
	put_slab(writer, "kioctx", &aio->kioctx);
	put_slab(writer, "kiocb", &aio->kiocb);
	put_slab(writer, "io_kiocb", &aio->io_kiocb);
	if (aio->eagain_slots > 0)
		put(writer, ", an io_setup of %.0f was refused", aio->eagain_slots);
	else if (aio->eagain)
		put(writer, ", an io_setup was refused");
	put(writer, "\n");
}

static void put_left_out(struct writer *writer, const struct report_view *view)
{
	const struct import_summary *s = view->summary;

	if (s->foreign)
		put(writer, "  Not judged: %s (line %lu); %s\n", s->foreign, s->foreign_line,
		    s->foreign_remedy);
	if (s->dropped)
		put(writer,
		    "  Left out: %lu row%s whose figures do not fit the header (line %lu)\n",
		    s->dropped, plural(s->dropped), s->dropped_line);
	if (s->ambiguous)
		put(writer,
		    "  Left out: %lu number%s that may be thousands or decimals (line %lu)\n",
		    s->ambiguous, plural(s->ambiguous), s->ambiguous_line);
	if (s->too_long)
		put(writer, "  Left out: %lu line%s longer than 1 MiB (line %lu)\n", s->too_long,
		    plural(s->too_long), s->too_long_line);
	if (s->broken_json)
		put(writer, "  Left out: %s (line %lu)\n", s->broken_json, s->broken_json_line);
	if (s->restarts)
		put(writer, "  %lu restart%s of the machine: nothing is compared across\n",
		    s->restarts, plural(s->restarts));
	if (s->only_averages)
		put(writer, "  The averages over all intervals are all there is: read as one\n");
	if (s->averages && view->verbose)
		put(writer, "  Left out: %lu row%s of averages over all intervals\n", s->averages,
		    plural(s->averages));
}

/* ---- findings ---- */

static void put_severity(struct writer *writer, const struct report_view *view,
			 enum severity severity)
{
	static const char *const colours[] = {"\033[36m", "\033[33m", "\033[31m"};

	if (view->colour)
		put(writer, "\033[1m%s%s\033[0m", colours[severity], severity_name(severity));
	else
		put(writer, "%s", severity_name(severity));
}

static void put_when(struct writer *writer, const struct report_view *view,
		     const struct finding *finding)
{
	char lines[128], clock[80];
	bool several = view->intervals > 1;

	if (!finding->held) {
		put(writer, ", in the average since boot\n");
		return;
	}
	report_lines(lines, sizeof(lines), view, finding);
	report_clock(clock, sizeof(clock), view, finding);
	if (several)
		put(writer, ", in interval%s %s of %lu", plural(finding->held), finding->intervals,
		    view->intervals);
	if (*lines)
		put(writer, "%sline%s %s%s", several ? " (" : ", ", strpbrk(lines, "-,") ? "s" : "",
		    lines, several ? ")" : "");
	if (*clock) {
		put(writer, ", ");
		put_clean(writer, clock, strlen(clock));
	}
	put(writer, "\n");
}

static void put_finding(struct writer *writer, const struct report_view *view,
			const struct finding *finding)
{
	put(writer, "\n");
	put_severity(writer, view, finding->severity);
	put(writer, " ");
	put_clean(writer, finding->subject, strlen(finding->subject));
	put(writer, ": %s", finding->rule);
	put_when(writer, view, finding);
	put_block(writer, view, "", finding->text);
	if (*finding->evidence)
		put_block(writer, view, "Evidence:", finding->evidence);
	if (*finding->formula && view->verbose)
		put_block(writer, view, "Formula:", finding->formula);
	if (*finding->advice)
		put_block(writer, view, "Advice:", finding->advice);
}

/* One cause on several devices, or the same remark on many. */
static bool is_alike(const struct finding *a, const struct finding *b)
{
	if (strcmp(a->rule, b->rule) != 0 || a->severity != b->severity)
		return false;
	return *a->group ? strcmp(a->group, b->group) == 0
			 : !*b->group && a->severity == SEVERITY_INFO;
}

static bool was_told(const struct report_view *view, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_alike(&view->finding[i], &view->finding[at]))
			return true;
	return false;
}

static void put_others(struct writer *writer, const struct report_view *view, size_t at)
{
	char names[1024] = "";
	size_t n = 0, more = 0;

	for (size_t i = at + 1; i < view->nfinding; i++) {
		const char *subject = view->finding[i].subject;

		if (!is_alike(&view->finding[at], &view->finding[i]))
			continue;
		if (n + strlen(subject) + 3 < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      subject);
		else
			more++;
	}
	if (!n)
		return;
	put_block(writer, view, "The same of:", names);
	if (more)
		put(writer, "    and %zu more\n", more);
}

static void put_unjudged(struct writer *writer, const struct report_view *view)
{
	const struct rule_info *info = rule_infos();

	put(writer, "\nRules that could not be judged:\n");
	for (size_t i = 0; info[i].name; i++) {
		const struct rule_check *check = diagnosis_check(view->diagnosis, i);

		if (!check->looked)
			put(writer, "  %s: nothing in the report to try it on\n", info[i].name);
		else if (check->lacking)
			put(writer, "  %s: %s, of %s (%lu of %lu times)\n", info[i].name,
			    check->lacks ? check->lacks : "figures are missing", check->subject,
			    check->lacking, check->looked);
	}
}

static void put_none(struct writer *writer, const struct report_view *view)
{
	bool lacking = false;

	for (size_t i = 0; rule_infos()[i].name; i++)
		lacking |= diagnosis_check(view->diagnosis, i)->lacking > 0;
	put(writer, "\nNo finding.%s\n",
	    lacking && !view->verbose ? " Not every rule had the figures it needs: see --verbose."
				      : "");
}

void report_text(struct writer *writer, const struct report_view *view)
{
	put_clean(writer, view->file, strlen(view->file));
	put(writer, ": ");
	put_formats(writer, view->summary);
	put(writer, "\n");
	put_blocks(writer, view);
	put_aio(writer, view->summary);
	put_left_out(writer, view);
	for (size_t i = 0; i < view->nfinding; i++) {
		if (was_told(view, i))
			continue;
		put_finding(writer, view, &view->finding[i]);
		put_others(writer, view, i);
	}
	if (!view->nfinding)
		put_none(writer, view);
	if (view->verbose)
		put_unjudged(writer, view);
	put(writer, "\n");
}
