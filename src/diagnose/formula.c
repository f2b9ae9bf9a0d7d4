/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule compared, with the figures and the thresholds in force: how clauses
 * are put together, and those of the rules about queue and await.
 */
#include "rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text_number text_figure(double n)
{
	struct text_number figure;
	size_t used;

	if (fabs(n) < 1 || !(fabs(n) < 1e15)) {
		snprintf(figure.text, sizeof(figure.text), "%.3g", n);
		return figure;
	}
	used = (size_t)snprintf(figure.text, sizeof(figure.text), "%.2f", n);
	while (figure.text[used - 1] == '0')
		figure.text[--used] = '\0';
	if (figure.text[used - 1] == '.')
		figure.text[--used] = '\0';
	return figure;
}

void claim_formula(struct claim *claim, const char *format, ...)
{
	char *formula = claim->finding.formula;
	size_t size = sizeof(claim->finding.formula), used = strlen(formula), from;
	va_list args;

	text_append(formula, size, "%s", used ? "; " : "");
	from = strlen(formula);
	va_start(args, format);
	vsnprintf(formula + from, size - from, format, args);
	va_end(args);
	if (strlen(formula) + 1 == size)
		formula[used] = '\0'; /* a whole clause or none */
}

void claim_formula_long(struct claim *claim, const struct device_view *view)
{
	claim_formula(claim, "await = %s ms, above %s", F(view->await.n), F(view->limit_ms));
}

void formula_stalled(struct claim *claim, const struct rule_input *in)
{
	const struct device_view *view = in->device;
	const struct device_row *row = view->row;

	if (value_known(row->inflight) && row->inflight_was > 0)
		claim_formula(claim,
			      "completed = 0 with %s in flight at the beginning and %s at the end",
			      F((double)row->inflight_was), F(row->inflight.n));
	else if (value_or(row->util, 0) >= in->limits->stalled_util)
		claim_formula(claim, "completed = 0 at %%util = %s, at least %s", F(row->util.n),
			      F(in->limits->stalled_util));
	else
		claim_formula(claim, "completed = 0 at avgqu-sz = %.2f, a whole number from 1 on",
			      value_or(row->avgqu_sz, 0));
	claim_formula(claim, "stalled for %s s, critical from %s s on", F(view->stalled_s),
		      F(in->limits->stalled_crit_s));
}

void formula_serial(struct claim *claim, const struct device_view *view,
		    const struct thresholds *limits, bool strict)
{
	double low = strict ? limits->serial_strict_low : limits->serial_low;
	double high = strict ? limits->serial_strict_high : limits->serial_high;
	double flush = value_or(view->flush, 0), busy = value_or(view->row->util, 0) / 100;

	claim_formula(claim, "L = await x iops / 1000 = %s x %s / 1000 = %.2f, within %s to %s",
		      F(view->await.n), F(view->iops.n), view->little.n, F(low), F(high));
	if (flush > 0)
		claim_formula(claim, "Q = avgqu-sz - flushes = %.2f - %.2f = %.2f, within %s to %s",
			      view->row->avgqu_sz.n, flush, view->queue.n, F(low), F(high));
	else
		claim_formula(claim, "Q = %s = %.2f, within %s to %s", view_depth_name(view),
			      view->queue.n, F(low), F(high));
	if (strict && view->util_tainted)
		claim_formula(claim, "%%util cannot be right and is left out");
	else if (strict)
		claim_formula(claim, "Q is at least %s x U = %s x %.2f = %.2f, so U is wrong",
			      F(limits->util_far_below), F(limits->util_far_below), busy,
			      limits->util_far_below * busy);
	else
		claim_formula(claim, "U = %%util / 100 = %.2f, at least %s and Q / %s = %.2f", busy,
			      F(limits->serial_util / 100), F(high), view->queue.n / high);
	if (strict && value_known(view->row->inflight))
		claim_formula(claim, "in flight = %s", F(view->row->inflight.n));
	claim_formula(claim, "a warning from %%util %s and await %s ms on", F(limits->serial_busy),
		      F(limits->serial_warn_ms));
}

void formula_queueing(struct claim *claim, const struct device_view *view,
		      const struct thresholds *limits, double least)
{
	const struct device_row *row = view->row;
	double little = value_or(view->little, INFINITY);

	claim_formula(claim, "Q = %s = %.2f, at least %s", view_depth_name(view), view_depth(view),
		      F(least));
	if (least > limits->queueing_depth)
		claim_formula(claim, "these are %s for each of %s members",
			      F(limits->queueing_depth), F(least / limits->queueing_depth));
	if (little >= least && value_known(view->little) && value_known(row->avgqu_sz))
		claim_formula(claim, "L = await x iops / 1000 = %.2f is as many", little);
	else if (little < least && !view->util_tainted && value_known(row->util))
		claim_formula(claim,
			      "L = await x iops / 1000 = %.2f is less, but %%util = %s, at "
			      "least %s",
			      little, F(row->util.n), F(limits->burst_util));
	claim_formula_long(claim, view);
	if (!view->util_tainted && value_known(row->svctm))
		claim_formula(claim, "await is at least %s x svctm = %s x %s = %s ms",
			      F(limits->queueing_wait), F(limits->queueing_wait), F(row->svctm.n),
			      F(limits->queueing_wait * row->svctm.n));
	claim_formula(claim, "critical from await %s x %s = %s ms on", F(limits->limit_extreme),
		      F(view->limit_ms), F(limits->limit_extreme * view->limit_ms));
}

void formula_slow(struct claim *claim, const struct device_view *view,
		  const struct thresholds *limits)
{
	bool extreme = view->await.n >= limits->limit_extreme * view->limit_ms;
	double enough = extreme ? limits->enough_extreme : limits->enough_requests;

	claim_formula_long(claim, view);
	if (view_measured(view->row))
		claim_formula(claim, "serve = avserv = %s ms, above %s", F(view->row->avserv.n),
			      F(view->limit_ms));
	if (value_known(view->row->avgqu_sz))
		claim_formula(claim, "Q = avgqu-sz = %.2f", view->row->avgqu_sz.n);
	if (value_known(view->little))
		claim_formula(claim, "L = await x iops / 1000 = %s x %s / 1000 = %.2f",
			      F(view->await.n), F(view->iops.n), view->little.n);
	claim_formula(claim, "the smaller of Q and L is below %s", F(limits->slow_concurrency));
	claim_formula(claim, "requests = %s, at least %s", F(view->requests), F(enough));
}
