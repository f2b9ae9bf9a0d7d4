/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iotriage explain: saved reports in, findings out. */
#include "explain.h"
#include "conf.h"
#include "explain_options.h"
#include "output/csv.h"
#include "output/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { READ_BYTES = 65536, FLUSH_BYTES = 65536 };

#define LOOKED_FOR                                                                                 \
	"looked for iostat -x, iostat JSON, sar -d, sadf -d, AIX iostat -D and sar -d, "           \
	"/proc/diskstats, slabinfo, aio-nr, vmstat, iotop -b, iotriage CSV and JSON"

struct explain {
	const struct explain_options *options;
	struct conf *conf;
	struct writer writer;
	bool headed; /* the CSV header is written */
	/* of the file that is being read */
	const char *name;
	struct diagnosis *diagnosis;
	unsigned long segment, intervals;
	struct report_place place[REPORT_PLACES_MAX];
};

/* ---- a block ---- */

static void remember(struct explain *explain, const struct import_block *block)
{
	struct report_place *place;

	if (block->frame->since_boot)
		return;
	explain->intervals = block->frame->number;
	if (block->frame->number > REPORT_PLACES_MAX)
		return;
	place = &explain->place[block->frame->number - 1];
	place->first_line = block->first_line;
	place->last_line = block->last_line;
	snprintf(place->clock, sizeof(place->clock), "%.31s", block->clock);
}

static int write_rows(struct explain *explain, const struct import_block *block)
{
	const struct frame *frame = block->frame;
	char stamp[CSV_STAMP_MAX] = ",";

	if (frame->devices_state != PRESENT)
		return 0;
	if (explain->options->format == EXPLAIN_JSON)
		return report_json_rows(&explain->writer, explain->name, block);
	if (!explain->headed)
		csv_header(&explain->writer, &device_table);
	explain->headed = true;
	if (block->timed)
		csv_stamp(stamp, frame->epoch);
	for (size_t i = 0; i < frame->ndevice; i++)
		csv_row(&explain->writer, &device_table, stamp, &frame->device[i]);
	return explain->writer.n > FLUSH_BYTES ? writer_flush(&explain->writer) : 0;
}

static int take_block(void *context, const struct import_block *block)
{
	struct explain *explain = context;

	if (block->segment != explain->segment)
		diagnosis_break(explain->diagnosis);
	explain->segment = block->segment;
	remember(explain, block);
	int error = diagnose(explain->diagnosis, block->frame);
	if (error || !explain->options->rows)
		return error;
	return write_rows(explain, block);
}

/* ---- a file ---- */

static int read_all(struct import *import, int fd, bool *unreadable)
{
	static char buf[READ_BYTES];
	int error = 0;

	*unreadable = false;
	while (!error && !import_summary(import)->unreadable) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			*unreadable = true;
			return -errno;
		}
		if (n == 0)
			break;
		error = import_bytes(import, buf, (size_t)n);
	}
	return error ? error : import_end(import);
}

static unsigned text_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= 40)
		return size.ws_col < 110 ? size.ws_col : 110;
	return 80;
}

static int write_findings(struct explain *explain, const struct import_summary *summary)
{
	struct report_view view = {
	    .file = explain->name,
	    .summary = summary,
	    .diagnosis = explain->diagnosis,
	    .place = explain->place,
	    .intervals = explain->intervals,
	    .verbose = explain->options->verbose,
	    .colour = explain->options->colour,
	    .width = text_width(),
	};
	int error = diagnosis_report(explain->diagnosis, &view.finding, &view.nfinding);

	if (error)
		return error;
	switch (explain->options->format) {
	case EXPLAIN_TEXT:
		report_text(&explain->writer, &view);
		return 0;
	case EXPLAIN_CSV:
		if (!explain->headed)
			report_csv_header(&explain->writer);
		explain->headed = true;
		report_csv(&explain->writer, &view);
		return 0;
	default:
		return report_json(&explain->writer, &view);
	}
}

static int write_file(struct explain *explain, const struct import_summary *summary)
{
	if (!explain->options->rows)
		return write_findings(explain, summary);
	if (!explain->headed && explain->options->format == EXPLAIN_CSV)
		csv_header(&explain->writer, &device_table);
	explain->headed = true;
	return 0;
}

static void complain_unrecognised(const char *name, const struct import_summary *summary)
{
	if (summary->unreadable)
		complain("%s: %s", name, summary->unreadable);
	else if (summary->foreign)
		complain("%s: line %lu: this is %s, which is not judged here: %s", name,
			 summary->foreign_line, summary->foreign, summary->foreign_remedy);
	else if (summary->broken_json)
		complain("%s: line %lu: %s", name, summary->broken_json_line, summary->broken_json);
	else if (summary->too_long)
		complain("%s: line %lu: longer than 1 MiB and no JSON: " LOOKED_FOR, name,
			 summary->too_long_line);
	else if (summary->lines)
		complain("%s: no report found in %lu line%s; " LOOKED_FOR, name, summary->lines,
			 summary->lines == 1 ? "" : "s");
	else
		complain("%s: no report found, it is empty; " LOOKED_FOR, name);
}

static int complain_output(int error)
{
	if (error == -EPIPE)
		return EXIT_DONE; /* the reader has seen enough */
	complain("stdout: %s", strerror(-error));
	return EXIT_FAILED;
}

static int explain_descriptor(struct explain *explain, struct import *import, int fd)
{
	const struct import_summary *summary = import_summary(import);
	bool unreadable;
	int error = read_all(import, fd, &unreadable);

	if (unreadable || error == -ENOMEM) {
		complain("%s: %s", explain->name, strerror(-error));
		return EXIT_FAILED;
	}
	if (error)
		return complain_output(error);
	if (!report_recognised(summary)) {
		complain_unrecognised(explain->name, summary);
		return EXIT_FAILED;
	}
	error = write_file(explain, summary);
	return error ? complain_output(error) : EXIT_DONE;
}

static int explain_file(struct explain *explain, const char *path)
{
	const struct diagnosis_setup setup = {.kind = DIAGNOSIS_REPORT};
	bool from_stdin = strcmp(path, "-") == 0;
	int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int status = EXIT_FAILED;

	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	explain->name = from_stdin ? "stdin" : path;
	explain->segment = explain->intervals = 0;
	explain->diagnosis = diagnosis_new(&setup);
	if (explain->diagnosis)
		conf_thresholds(explain->conf, explain->diagnosis);
	struct import *import = import_new(take_block, explain);
	if (import && explain->diagnosis)
		status = explain_descriptor(explain, import, fd);
	else
		complain("%s: %s", explain->name, strerror(ENOMEM));
	import_free(import);
	diagnosis_free(explain->diagnosis);
	if (!from_stdin)
		close(fd);
	return status;
}

static int explain_files(struct explain *explain)
{
	int status = EXIT_DONE;

	for (int i = 0; i < explain->options->nfile; i++) {
		int worse = explain_file(explain, explain->options->file[i]);
		int error = writer_flush(&explain->writer);

		status = worse ? worse : status;
		if (error)
			return complain_output(error);
	}
	return status;
}

int explain_run(int argc, char **argv)
{
	struct explain_options options;
	enum options_result result = explain_options_parse(&options, argc, argv);

	if (result == OPTIONS_WRONG)
		return EXIT_USAGE;
	if (result == OPTIONS_HELP)
		return printed();
	struct explain *explain = calloc(1, sizeof(*explain));
	if (!explain) {
		complain("explain: %s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	explain->options = &options;
	explain->writer = (struct writer){.fd = STDOUT_FILENO, .stop_fd = -1};
	int status = conf_open(&explain->conf, options.config);
	if (status == EXIT_DONE) {
		conf_tell(explain->conf);
		status = explain_files(explain);
	}
	conf_close(explain->conf);
	writer_release(&explain->writer);
	free(explain);
	return status;
}
