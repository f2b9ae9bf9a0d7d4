/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of iotriage profile as one JSON object. */
#include "profile_output.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

/* Every figure of it, whichever the tables show. */
static json_t *amount_object(const struct profile_amount *amount)
{
	json_t *object = json_object();

	(void)json_object_set_new(object, "count", json_integer((json_int_t)amount->count));
	(void)json_object_set_new(object, "seconds", json_real((double)amount->ns / 1e9));
	(void)json_object_set_new(object, "bytes", json_integer((json_int_t)amount->bytes));
	(void)json_object_set_new(object, "errors", json_integer((json_int_t)amount->errors));
	return object;
}

static json_t *row_object(const struct profile_table *table, const struct profile_row *row)
{
	json_t *object = json_object(), *calls = json_object();

	(void)json_object_set_new(object, profile_by_name(table->view.by), json_string(row->name));
	(void)json_object_set_new(object, "total", amount_object(&row->total));
	for (int call = 0; call < PROFILE_CALLS; call++)
		if (row->call[call].count)
			(void)json_object_set_new(calls, profile_call_name((enum profile_call)call),
						  amount_object(&row->call[call]));
	(void)json_object_set_new(object, "calls", calls);
	return object;
}

static json_t *flush_object(const struct profile_flush *flush)
{
	json_t *object = json_object(), *kinds = json_object();

	(void)json_object_set_new(object, "file", json_string(flush->name));
	(void)json_object_set_new(object, "writes", json_integer((json_int_t)flush->writes));
	(void)json_object_set_new(object, "flushes", json_integer((json_int_t)flush->all.count));
	(void)json_object_set_new(object, "seconds", json_real((double)flush->all.ns / 1e9));
	for (int call = 0; call < PROFILE_CALLS; call++)
		if (flush->count[call])
			(void)json_object_set_new(kinds, profile_call_name((enum profile_call)call),
						  json_integer((json_int_t)flush->count[call]));
	(void)json_object_set_new(object, "calls", kinds);
	return object;
}

int profile_table_json(struct writer *writer, const struct profile_table *table)
{
	json_t *object = json_object(), *rows = json_array(), *flushes = json_array();
	json_t *notes = json_array();
	char *text;

	for (size_t i = 0; i < table->nrow; i++)
		(void)json_array_append_new(rows, row_object(table, table->row[i]));
	for (size_t i = 0; i < table->nflush; i++)
		(void)json_array_append_new(flushes, flush_object(&table->flush[i]));
	for (size_t i = 0; i < table->nnote; i++)
		(void)json_array_append_new(notes, json_string(table->note[i]));
	(void)json_object_set_new(object, "seconds", json_real(table->seconds));
	(void)json_object_set_new(object, "rows", rows);
	(void)json_object_set_new(object, "flushes", flushes);
	(void)json_object_set_new(object, "notes", notes);
	text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	json_decref(object);
	if (!text)
		return -ENOMEM;
	writer_puts(writer, text);
	writer_put(writer, "\n", 1);
	free(text);
	return 0;
}
