/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of an amount is shown. */
#include "iotriage/profile.h"

#include <stdio.h>

double profile_value(const struct profile_amount *amount, const struct profile_view *view)
{
	double value = view->unit == PROFILE_TIMES   ? (double)amount->ns / 1e9
		       : view->unit == PROFILE_COUNT ? (double)amount->count
						     : (double)amount->bytes;

	if (view->aggregate == PROFILE_SUM || view->unit == PROFILE_COUNT || amount->count == 0)
		return value;
	return value / (double)amount->count;
}

void profile_print_value(char buf[32], const struct profile_amount *amount,
			 const struct profile_view *view)
{
	int decimals = view->unit == PROFILE_TIMES ? 6
		       : view->unit == PROFILE_SIZES && view->aggregate == PROFILE_AVERAGE ? 1
											     : 0;

	snprintf(buf, 32, "%.*f", decimals, profile_value(amount, view));
}

const char *profile_unit_name(enum profile_unit unit)
{
	static const char *const names[] = {"times", "count", "sizes"};

	return names[unit];
}

const char *profile_by_name(enum profile_by by)
{
	static const char *const names[] = {"file", "pid", "all"};

	return names[by];
}
