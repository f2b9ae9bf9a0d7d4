/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain has to say, as JSON: one object a line. */
#include "csv.h"
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Text of a report may be no UTF-8; JSON must be. */
static json_t *clean_string(const char *text)
{
	json_t *string = json_string(text);
	char clean[FINDING_TEXT_MAX];
	size_t n = 0;

	if (string)
		return string;
	for (; text[n] && n + 1 < sizeof(clean); n++)
		clean[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
	clean[n] = '\0';
	return json_string(clean);
}

static json_t *number(struct value value, unsigned precision)
{
	char buf[NUMBER_MAX];

	if (!value_known(value) || !number_plain(buf, value.n, precision))
		return json_null();
	/* the digits that CSV prints, no more */
	json_t *parsed = json_loads(buf, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
	return parsed ? parsed : json_null();
}

static int put_line(struct writer *writer, json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;

	json_decref(object);
	if (!text)
		return -ENOMEM;
	writer_puts(writer, text);
	writer_put(writer, "\n", 1);
	free(text);
	return 0;
}

static json_t *table_row(const struct table *table, const void *row)
{
	json_t *object = json_object();
	char buf[FINDING_TEXT_MAX];

	for (size_t i = 0; object && i < table->ncolumn; i++) {
		const struct column *column = &table->column[i];
		const char *text = column->number ? NULL : column->text(row, buf, sizeof(buf));
		json_t *value =
		    column->number
			? number(column->number(row), column->precision + (column->precision == 1))
		    : text ? clean_string(text)
			   : json_null();
		(void)json_object_set_new(object, column->name, value);
	}
	return object;
}

int report_json_rows(struct writer *writer, const char *file, const struct import_block *block)
{
	const struct frame *frame = block->frame;
	json_t *object = json_object(), *devices = json_array();

	(void)json_object_set_new(object, "file", clean_string(file));
	(void)json_object_set_new(object, "format", json_string(import_format_name(block->format)));
	(void)json_object_set_new(object, "line", json_integer((json_int_t)block->first_line));
	(void)json_object_set_new(object, "time",
				  *block->clock ? clean_string(block->clock) : json_null());
	(void)json_object_set_new(object, "epoch",
				  block->timed ? json_real(frame->epoch) : json_null());
	(void)json_object_set_new(object, "interval",
				  frame->seconds > 0 ? json_real(frame->seconds) : json_null());
	(void)json_object_set_new(object, "since_boot", json_boolean(frame->since_boot));
	for (size_t i = 0; i < frame->ndevice; i++)
		(void)json_array_append_new(devices, table_row(&device_table, &frame->device[i]));
	(void)json_object_set_new(object, "devices", devices);
	return put_line(writer, object);
}

static json_t *finding_object(const struct report_view *view, const struct finding *finding)
{
	char lines[128];
	json_t *object = json_object();

	report_lines(lines, sizeof(lines), view, finding);
	(void)json_object_set_new(object, "severity",
				  json_string(severity_name(finding->severity)));
	(void)json_object_set_new(object, "rule", json_string(finding->rule));
	(void)json_object_set_new(object, "subject", clean_string(finding->subject));
	(void)json_object_set_new(object, "text", clean_string(finding->text));
	(void)json_object_set_new(object, "evidence", clean_string(finding->evidence));
	(void)json_object_set_new(object, "advice", clean_string(finding->advice));
	(void)json_object_set_new(object, "formula", clean_string(finding->formula));
	(void)json_object_set_new(object, "held", json_integer(finding->held));
	(void)json_object_set_new(object, "intervals", json_string(finding->intervals));
	(void)json_object_set_new(object, "lines", json_string(lines));
	report_clock(lines, sizeof(lines), view, finding);
	(void)json_object_set_new(object, "time", *lines ? clean_string(lines) : json_null());
	return object;
}

static json_t *unjudged(const struct report_view *view)
{
	const struct rule_info *info = rule_infos();
	json_t *list = json_array();

	for (size_t i = 0; info[i].name; i++) {
		const struct rule_check *check = diagnosis_check(view->diagnosis, i);
		json_t *object;

		if (check->looked && !check->lacking)
			continue;
		object = json_object();
		(void)json_object_set_new(object, "rule", json_string(info[i].name));
		(void)json_object_set_new(object, "lacks",
					  check->lacks ? json_string(check->lacks) : json_null());
		(void)json_object_set_new(object, "subject", clean_string(check->subject));
		(void)json_array_append_new(list, object);
	}
	return list;
}

int report_json(struct writer *writer, const struct report_view *view)
{
	const struct import_summary *summary = view->summary;
	json_t *object = json_object(), *formats = json_array(), *findings = json_array();

	for (int i = 0; i < IMPORT_FORMATS; i++)
		if (summary->met[i].line)
			(void)json_array_append_new(formats, json_string(import_format_name(i)));
	for (size_t i = 0; i < view->nfinding; i++)
		(void)json_array_append_new(findings, finding_object(view, &view->finding[i]));
	(void)json_object_set_new(object, "file", clean_string(view->file));
	(void)json_object_set_new(object, "formats", formats);
	/* not "devices": that is the list of rows in a report of rows */
	(void)json_object_set_new(object, "device_count",
				  json_integer((json_int_t)summary->devices));
	(void)json_object_set_new(object, "interval_count",
				  json_integer((json_int_t)view->intervals));
	(void)json_object_set_new(object, "since_boot_line",
				  summary->boot_line ? json_integer((json_int_t)summary->boot_line)
						     : json_null());
	(void)json_object_set_new(object, "findings", findings);
	if (view->verbose)
		(void)json_object_set_new(object, "not_judged", unjudged(view));
	return put_line(writer, object);
}
