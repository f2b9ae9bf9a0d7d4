/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batch sink. */
#include "batch.h"
#include "csv.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS_MAX = 8 };

struct output {
	const struct table *table;
	struct writer writer;
	struct choice choice;
	struct rows rows;
	bool headed;
};

struct batch {
	struct output output[OUTPUTS_MAX];
	size_t n;
	bool to_stdout;
	char path[PATH_MAX]; /* of the file last tried */
};

static void set_sort(struct choice *choice, const struct table *table, const char *sort)
{
	choice->sort = sort ? column_find(table, sort) : NULL;
	choice->descending = choice->sort && !(choice->sort->flags & COLUMN_ASCENDING);
}

static int open_output(struct batch *batch, const struct batch_setup *setup, const struct table *table)
{
	struct output *output = &batch->output[batch->n];

	*output = (struct output){.table = table, .choice = setup->choice,
	                          .writer = {.fd = STDOUT_FILENO, .stop_fd = setup->stop_fd}};
	set_sort(&output->choice, table, setup->sort);
	/* the machine has one row, whatever is chosen among devices and tasks */
	if (table == &system_table || table == &aio_table || table == &finding_table)
		output->choice.top = 0;
	/* each frame has the findings that hold: what has ended was written before */
	output->choice.active |= table == &finding_table;
	batch->n++;
	if (batch->to_stdout)
		return 0;
	output->writer.fd = writer_open(batch->path, setup->stop_fd);
	return output->writer.fd < 0 ? output->writer.fd : 0;
}

static int open_all(struct batch *batch, const struct batch_setup *setup)
{
	snprintf(batch->path, sizeof(batch->path), "%s", setup->output);
	if (mkdir(setup->output, 0777) < 0 && errno != EEXIST)
		return -errno;
	for (size_t i = 0; tables[i] && batch->n < OUTPUTS_MAX; i++) {
		if (tables[i]->apart)
			continue;
		int n = snprintf(batch->path, sizeof(batch->path), "%s/%s.csv", setup->output, tables[i]->name);
		int error = n >= (int)sizeof(batch->path) ? -ENAMETOOLONG
		                                          : open_output(batch, setup, tables[i]);
		if (error)
			return error;
	}
	return 0;
}

int batch_open(struct batch **ret, const struct batch_setup *setup, const char **what)
{
	static char named[PATH_MAX];
	struct batch *batch = calloc(1, sizeof(*batch));
	int error;

	if (!batch)
		return -ENOMEM;
	batch->to_stdout = !setup->output;
	snprintf(batch->path, sizeof(batch->path), "%s", setup->output ? setup->output : "stdout");
	error = setup->table ? open_output(batch, setup, setup->table) : open_all(batch, setup);
	if (error) {
		snprintf(named, sizeof(named), "%s", batch->path);
		*what = named;
		batch_close(batch);
		return error;
	}
	*ret = batch;
	return 0;
}

void batch_close(struct batch *batch)
{
	if (!batch)
		return;
	for (size_t i = 0; i < batch->n; i++) {
		if (!batch->to_stdout && batch->output[i].writer.fd >= 0)
			close(batch->output[i].writer.fd);
		writer_release(&batch->output[i].writer);
		rows_release(&batch->output[i].rows);
	}
	free(batch);
}

int batch_choose(struct batch *batch, struct frame *frame)
{
	for (size_t i = 0; i < batch->n; i++) {
		struct output *output = &batch->output[i];
		int error = rows_choose(&output->rows, output->table, &output->choice, frame);
		if (error)
			return error;
		for (size_t j = 0; output->table == &task_table && j < output->rows.n; j++)
			((struct task_row *)output->rows.row[j])->on_show = true;
	}
	return 0;
}

/* An average since boot is of devices and of the machine; nothing else has one. */
static bool has_rows(const struct table *table, const struct frame *frame)
{
	return !frame->since_boot || table == &device_table || table == &system_table;
}

static int write_output(struct output *output, const struct frame *frame, const char *stamp)
{
	if (!output->headed)
		csv_header(&output->writer, output->table);
	output->headed = true;
	for (size_t i = 0; has_rows(output->table, frame) && i < output->rows.n; i++)
		csv_row(&output->writer, output->table, stamp, output->rows.row[i]);
	return writer_flush(&output->writer);
}

int batch_write(struct batch *batch, const struct frame *frame)
{
	char stamp[CSV_STAMP_MAX];
	int error = 0;

	csv_stamp(stamp, frame->epoch);
	for (size_t i = 0; i < batch->n && !error; i++)
		error = write_output(&batch->output[i], frame, stamp);
	return error;
}

int batch_fd(const struct batch *batch)
{
	return batch->to_stdout ? STDOUT_FILENO : -1;
}
