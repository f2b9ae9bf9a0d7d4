/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the column tables share. */
#ifndef IOTRIAGE_COLUMNS_COLUMNS_H
#define IOTRIAGE_COLUMNS_COLUMNS_H

#include "iotriage/column.h"
#include "iotriage/hash.h"

/* Defines `name`, which gives the value `expression` of a row of type `type`. */
#define COLUMN_NUMBER(name, type, expression)                                                      \
	static struct value name(const void *data)                                                 \
	{                                                                                          \
		const type *row = data;                                                            \
		return row->expression;                                                            \
	}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
