/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a report: through the importer, the rules and all three writers. */
#include "iotriage/diagnose.h"
#include "iotriage/import.h"
#include "output/report.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct reading {
	struct diagnosis *diagnosis;
	struct writer writer;
	unsigned long segment, intervals;
};

static int take(void *context, const struct import_block *block)
{
	struct reading *reading = context;

	if (block->segment != reading->segment)
		diagnosis_break(reading->diagnosis);
	reading->segment = block->segment;
	if (!block->frame->since_boot)
		reading->intervals = block->frame->number;
	if (diagnose(reading->diagnosis, block->frame) ||
	    report_json_rows(&reading->writer, "fuzz", block))
		abort();
	reading->writer.n = 0;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct diagnosis_setup setup = {.kind = DIAGNOSIS_REPORT};
	static struct report_place place[REPORT_PLACES_MAX];
	struct reading reading = {.diagnosis = diagnosis_new(&setup), .writer = {.fd = -1}};
	struct import *import = import_new(take, &reading);

	if (!import || !reading.diagnosis)
		abort();
	if (import_bytes(import, (const char *)data, n) || import_end(import))
		abort();
	struct report_view view = {
	    .file = "fuzz",
	    .summary = import_summary(import),
	    .diagnosis = reading.diagnosis,
	    .place = place,
	    .intervals = reading.intervals,
	    .verbose = true,
	    .width = 80,
	};
	if (diagnosis_report(reading.diagnosis, &view.finding, &view.nfinding))
		abort();
	report_text(&reading.writer, &view);
	report_csv(&reading.writer, &view);
	if (report_json(&reading.writer, &view))
		abort();
	writer_release(&reading.writer);
	import_free(import);
	diagnosis_free(reading.diagnosis);
	return 0;
}
