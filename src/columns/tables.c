/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of tables, and how columns are found and compared. */
#include "iotriage/column.h"
#include "iotriage/sort.h"

#include <math.h>
#include <string.h>

const struct table *const tables[] = {
	&device_table, &task_table, &aio_table, &system_table, &finding_table,
	&file_table,   &total_table, NULL,
};

const struct table *table_find(const char *name)
{
	for (size_t i = 0; tables[i]; i++)
		if (strcmp(tables[i]->name, name) == 0)
			return tables[i];
	return NULL;
}

const struct column *column_find(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->ncolumn; i++)
		if (strcmp(table->column[i].name, name) == 0)
			return &table->column[i];
	return NULL;
}

/* What has an order among its like, then what is no number, then what is absent. */
static int rank(struct value v)
{
	return !value_known(v) ? 2 : isnan(v.n) ? 1 : 0;
}

static int compare_numbers(const struct column *column, bool descending, const void *a, const void *b)
{
	struct value x = column->number(a), y = column->number(b);

	if (rank(x) || rank(y))
		return rank(x) - rank(y);
	int order = (x.n > y.n) - (x.n < y.n);
	return descending ? -order : order;
}

static int compare_texts(const struct column *column, bool descending, const void *a, const void *b)
{
	char x[FINDING_TEXT_MAX], y[FINDING_TEXT_MAX];
	const char *s = column->text(a, x, sizeof(x)), *t = column->text(b, y, sizeof(y));

	if (!s || !t)
		return (int)!s - (int)!t;
	int order = compare_natural(s, t);
	return descending ? -order : order;
}

int column_compare(const struct column *column, bool descending, const void *a, const void *b)
{
	return column->number ? compare_numbers(column, descending, a, b)
	                      : compare_texts(column, descending, a, b);
}

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"info", "warn", "crit"};
	return names[severity];
}

const char *pair_issuer_name(int32_t issuer)
{
	return issuer == PAIR_WRITE_BACK ? "(write-back)" : "(other)";
}
