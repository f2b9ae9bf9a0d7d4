/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of iotriage profile as CSV. */
#include "csv.h"
#include "profile_output.h"

static void put_amount(struct writer *writer, const struct profile_amount *amount,
		       const struct profile_view *view)
{
	char text[32];

	profile_print_value(text, amount, view);
	writer_put(writer, ",", 1);
	writer_puts(writer, text);
}

void profile_table_csv(struct writer *writer, const struct profile_table *table)
{
	writer_puts(writer, profile_by_name(table->view.by));
	writer_puts(writer, ",total");
	for (int call = 0; call < PROFILE_CALLS; call++)
		if (table->occurred[call]) {
			writer_put(writer, ",", 1);
			csv_text(writer, profile_call_name((enum profile_call)call));
		}
	writer_put(writer, "\n", 1);
	for (size_t i = 0; i < table->nrow; i++) {
		const struct profile_row *row = table->row[i];

		csv_text(writer, row->name);
		put_amount(writer, &row->total, &table->view);
		for (int call = 0; call < PROFILE_CALLS; call++)
			if (table->occurred[call])
				put_amount(writer, &row->call[call], &table->view);
		writer_put(writer, "\n", 1);
	}
}
