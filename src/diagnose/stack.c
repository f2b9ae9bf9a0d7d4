/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cause, one finding. A slow disk makes md and dm above it slow: the disk
 * has the finding and names the layers it carries, they stay silent.
 */
#include "stages.h"

#include <stdio.h>
#include <string.h>

enum { STACK_NAMED = 6 }; /* layers named in a text */

struct stack {
	const struct frame *frame;
	const uint32_t *lower; /* rows below devices */
	struct device_view *view;
	struct claims *claims;
};

/* A stall below explains slowness above, not the other way round. */
static bool stack_explains(const struct claim *below, const struct claim *above)
{
	enum rule_cause cause = rules_at(below->rule)->cause;
	enum rule_cause effect = rules_at(above->rule)->cause;

	if (cause != effect && !(cause == CAUSE_STALL && effect == CAUSE_LATENCY))
		return false;
	return below->finding.severity >= SEVERITY_WARN ||
	       below->finding.severity >= above->finding.severity;
}

/* Row of a device below whose claim explains this one, or INDEX_NONE. */
static long stack_explanation(const struct stack *stack, const struct device_view *upper,
			      const struct claim *claim, int depth)
{
	for (size_t i = 0; depth > 0 && i < upper->nlower; i++) {
		long row = (long)stack->lower[upper->lower + i], deeper;
		const struct device_view *view = &stack->view[row];

		if (row == claim->device)
			continue;
		for (size_t k = 0; k < view->nclaim; k++)
			if (stack_explains(&stack->claims->claim[view->claim + k], claim))
				return row;
		deeper = stack_explanation(stack, view, claim, depth - 1);
		if (deeper != INDEX_NONE)
			return deeper;
	}
	return INDEX_NONE;
}

static void stack_name(struct claim *claim, const char *name, long row)
{
	if (claim->explained || claim->last_above == row)
		return;
	claim->last_above = row;
	if (claim->nabove < STACK_NAMED &&
	    strlen(claim->above) + strlen(name) + 2 < CLAIM_ABOVE_MAX)
		text_append(claim->above, sizeof(claim->above), "%s%s", claim->nabove ? "," : "",
			    name);
	else
		claim->nunnamed++;
	claim->nabove++;
}

/* Adds the device of row `above` to what is carried by everything below it. */
static void stack_carry(const struct stack *stack, const struct device_view *upper, long above,
			int depth)
{
	for (size_t i = 0; depth > 0 && i < upper->nlower; i++) {
		long row = (long)stack->lower[upper->lower + i];
		const struct device_view *view = &stack->view[row];

		if (row == above)
			continue;
		for (size_t k = 0; k < view->nclaim; k++)
			stack_name(&stack->claims->claim[view->claim + k],
				   stack->frame->device[above].name, above);
		stack_carry(stack, view, above, depth - 1);
	}
}

static bool stack_in_use(const struct device_row *row)
{
	return row->ios > 0 || value_or(row->r, 0) + value_or(row->w, 0) > 0 ||
	       value_or(row->inflight, 0) > 0 || value_or(row->util, 0) > 0 ||
	       value_or(row->avgqu_sz, 0) > 0;
}

static void stack_write(struct claim *claim)
{
	if (claim->nabove == 0 || claim->explained)
		return;
	claim_evidence(claim, "carries", "%s", claim->above);
	claim_text(claim, " It carries ");
	for (const char *c = claim->above; *c; c++)
		claim_text(claim, *c == ',' ? ", " : "%c", *c);
	if (claim->nunnamed)
		claim_text(claim, " and %u more", claim->nunnamed);
	claim_text(claim, ".");
}

/* Members of one set, or many devices that hang at once, have one cause. */
static void stack_group(const struct stack *stack, struct claim *claim, size_t stalled)
{
	enum { MANY = 3 };
	const struct device_view *view = &stack->view[claim->device];

	if (claim->explained || claim->finding.group[0])
		return;
	if (view->set) {
		snprintf(claim->finding.group, sizeof(claim->finding.group), "%s %s",
			 claim->finding.rule, view->set_name);
		return;
	}
	if (rules_at(claim->rule)->cause == CAUSE_STALL && stalled >= MANY)
		snprintf(claim->finding.group, sizeof(claim->finding.group), "%s",
			 claim->finding.rule);
}

void stack_absorb(const struct frame *frame, const struct layers *layers, struct device_view *view,
		  struct claims *claims)
{
	const struct stack stack = {frame, layers->lower, view, claims};
	size_t stalled = 0;

	for (size_t i = 0; i < claims->n; i++) {
		struct claim *claim = &claims->claim[i];
		long below = stack_explanation(&stack, &view[claim->device], claim, STACK_DEPTH);

		claim->explained = below != INDEX_NONE;
		if (!claim->explained) {
			stalled += rules_at(claim->rule)->cause == CAUSE_STALL;
			continue;
		}
		view[claim->device].explained = true;
		view[claim->device].explained_by = (size_t)below;
	}
	for (size_t i = 0; claims->n && i < frame->ndevice; i++)
		if (stack_in_use(&frame->device[i]))
			stack_carry(&stack, &view[i], (long)i, STACK_DEPTH);
	for (size_t i = 0; i < claims->n; i++) {
		stack_write(&claims->claim[i]);
		stack_group(&stack, &claims->claim[i], stalled);
	}
}
