/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about asynchronous I/O: slots that run out, and AIO that is not
 * used where it would help. aio-nr is exact; slab counts are weak evidence.
 */
#include "rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool slab_counted(const struct slab_value *slab)
{
	return slab->state == SLAB_COUNTED && value_known(slab->active);
}

/* slabinfo was read and has no such cache: this kernel has no such objects. */
static bool slab_lacking(const struct slab_value *slab, const struct aio_row *aio)
{
	bool read = false;
	const struct slab_value *all[] = {&aio->kioctx, &aio->kiocb, &aio->io_kiocb};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		read |= all[i]->state <= SLAB_MERGED;
	return read && slab->state == SLAB_UNAVAILABLE;
}

static bool slab_idle(const struct slab_value *slab)
{
	return slab_counted(slab) && slab->active.n <= 0;
}

/* aio-nr decides about contexts where it is known: kioctx lags behind on SLUB. */
static enum aio_use aio_contexts(const struct aio_row *aio)
{
	if (value_known(aio->aio_nr) ? aio->aio_nr.n > 0
				     : slab_counted(&aio->kioctx) && aio->kioctx.active.n > 0)
		return AIO_IDLE;
	return AIO_NONE;
}

/* Where the slabs do not tell, a look at the task that matters does. */
static bool no_rings(const struct task_row *leader)
{
	return leader && leader->use && leader->use->why == PRESENT &&
	       value_known(leader->use->rings) && leader->use->rings.n <= 0;
}

enum aio_use aio_use(const struct aio_row *aio, const struct task_row *leader)
{
	bool uring_silent =
	    slab_idle(&aio->io_kiocb) || slab_lacking(&aio->io_kiocb, aio) || no_rings(leader);
	bool reserved = value_or(aio->aio_nr, 0) > 0;

	if (slab_idle(&aio->kiocb))
		return uring_silent ? aio_contexts(aio) : AIO_UNKNOWN;
	if (slab_counted(&aio->kiocb))
		return reserved || !value_known(aio->aio_nr) ? AIO_ACTIVE : AIO_UNKNOWN;
	if (aio->kiocb.state == SLAB_UNREAD || !value_known(aio->aio_nr) || reserved)
		return AIO_UNKNOWN;
	return uring_silent ? AIO_NONE : AIO_UNKNOWN;
}

static void slab_words(char *to, size_t size, const char *name, const struct slab_value *slab)
{
	const char *comma = to[0] ? ", " : "";

	switch (slab->state) {
	case SLAB_COUNTED:
		if (value_known(slab->active))
			text_append(to, size, "%s%s %.0f of %.0f", comma, name, slab->active.n,
				    value_or(slab->total, slab->active.n));
		break;
	case SLAB_SHARED:
		text_append(to, size, "%s%s unknown (counted with other caches)", comma, name);
		break;
	case SLAB_MERGED:
		text_append(to, size, "%s%s unknown (merged)", comma, name);
		break;
	case SLAB_DENIED:
		text_append(to, size, "%s%s unknown (needs root)", comma, name);
		break;
	default:
		break;
	}
}

void aio_words(char *to, size_t size, const struct aio_row *aio)
{
	to[0] = '\0';
	slab_words(to, size, "kiocb", &aio->kiocb);
	if (!value_known(aio->aio_nr))
		return;
	text_append(to, size, "%saio-nr %.0f", to[0] ? ", " : "", aio->aio_nr.n);
	if (value_known(aio->aio_max_nr))
		text_append(to, size, " of %.0f", aio->aio_max_nr.n);
}

static void slab_evidence(struct claim *claim, const char *name, const struct slab_value *slab)
{
	if (slab_counted(slab))
		claim_evidence(claim, name, "%.0f/%.0f", slab->active.n,
			       value_or(slab->total, slab->active.n));
}

void aio_evidence(struct claim *claim, const struct aio_row *aio)
{
	slab_evidence(claim, "kiocb", &aio->kiocb);
	slab_evidence(claim, "kioctx", &aio->kioctx);
	slab_evidence(claim, "io_kiocb", &aio->io_kiocb);
	if (value_known(aio->aio_nr))
		claim_evidence(claim, "aio-nr", "%.0f", aio->aio_nr.n);
}

/* An io_setup that was seen to fail says more than any share. */
static void aio_refused_words(struct claim *claim, const struct aio_row *aio)
{
	double room = aio->aio_max_nr.n - value_or(aio->aio_nr, 0);

	if (aio->eagain_slots > 0)
		claim_text(claim, "an io_setup that asked for %.0f slots failed with EAGAIN",
			   aio->eagain_slots);
	else
		claim_text(claim, "an io_setup failed with EAGAIN");
	if (!value_known(aio->aio_max_nr))
		claim_text(claim, ": no AIO slots were left of fs.aio-max-nr.");
	else if (aio->eagain_slots > 0 ? aio->eagain_slots <= room : room >= aio->aio_max_nr.n / 2)
		claim_text(claim,
			   "; fs.aio-max-nr (%.0f) has room for it as it is shown here, so it was "
			   "lower, or others held the rest, when it failed.",
			   aio->aio_max_nr.n);
	else
		claim_text(claim, ", for which fs.aio-max-nr (%.0f) leaves no room.",
			   aio->aio_max_nr.n);
}

static void aio_exhausted_words(struct claim *claim, const struct aio_row *aio, double percent,
				bool full)
{
	if (value_known(aio->aio_nr) && value_known(aio->aio_max_nr))
		claim_text(claim,
			   "%.0f of %.0f AIO slots are reserved (%.1f %% of fs.aio-max-nr): ",
			   aio->aio_nr.n, aio->aio_max_nr.n, percent);
	if (aio->eagain)
		aio_refused_words(claim, aio);
	else if (full)
		claim_text(claim, "every further io_setup fails with EAGAIN.");
	else
		claim_text(claim, "an io_setup that asks for more than the rest fails with "
				  "EAGAIN.");
	claim_text(claim, " These are reservations, not requests in flight.");
	if (value_known(aio->aio_max_nr))
		claim_advice(claim, "Raise the limit, for instance sysctl -w fs.aio-max-nr=%.0f,",
			     2 * fmax(aio->aio_max_nr.n, aio->eagain_slots));
	else
		claim_advice(claim, "Compare fs.aio-nr with fs.aio-max-nr (sysctl) and raise the "
				    "limit,");
	claim_advice(claim, " or find the program that reserves so much (iotriage --panel aio; "
			    "each context is a mapping named /[aio] in /proc/PID/maps).");
}

static void aio_exhausted_formula(struct claim *claim, const struct aio_row *aio, double percent,
				  const struct thresholds *limits)
{
	if (value_known(aio->aio_nr) && value_or(aio->aio_max_nr, 0) > 0)
		claim_formula(claim,
			      "100 x aio-nr / aio-max-nr = 100 x %.0f / %.0f = %.1f %%, "
			      "a warning from %s on, critical from %s on",
			      aio->aio_nr.n, aio->aio_max_nr.n, percent, F(limits->aio_warn),
			      F(limits->aio_crit));
	if (aio->eagain_slots > 0)
		claim_formula(claim, "io_setup(%.0f) = EAGAIN is critical", aio->eagain_slots);
	else if (aio->eagain)
		claim_formula(claim, "io_setup = EAGAIN is critical from the 1st on");
	if (aio->eagain && value_known(aio->aio_max_nr))
		claim_formula(claim, "aio-max-nr = %.0f", aio->aio_max_nr.n);
}

enum rule_answer system_rule_aio_exhausted(const struct rule_input *in, struct claim *claim)
{
	const struct aio_row *aio = &in->frame->aio;
	struct value nr = aio->aio_nr, max = aio->aio_max_nr;
	double percent = 0;
	bool full;

	if (!(value_known(max) && value_known(nr)) && !aio->eagain)
		return rule_lacks(claim, "aio-nr and aio-max-nr");
	if (value_known(nr) && value_or(max, 0) > 0)
		percent = 100 * nr.n / max.n;
	if (!(percent >= in->limits->aio_warn) && !aio->eagain)
		return RULE_SILENT;
	full = percent >= in->limits->aio_crit;
	claim->finding.severity = full || aio->eagain ? SEVERITY_CRIT : SEVERITY_WARN;
	claim->weight = percent;
	aio_exhausted_words(claim, aio, percent, full);
	aio_exhausted_formula(claim, aio, percent, in->limits);
	if (value_known(nr))
		claim_evidence(claim, "aio-nr", "%.0f", nr.n);
	if (value_known(max))
		claim_evidence(claim, "aio-max-nr", "%.0f", max.n);
	if (value_known(nr) && value_known(max))
		claim_evidence(claim, "%aio", "%.1f", percent);
	if (aio->eagain_slots > 0)
		claim_evidence(claim, "io_setup", "%.0f", aio->eagain_slots);
	else if (aio->eagain)
		claim_evidence(claim, "io_setup", "EAGAIN");
	return RULE_CLAIMS;
}

/* The strongest serial device that speaks for itself. */
static const struct claim *aio_serial(const struct rule_input *in)
{
	const struct claim *serial = NULL;

	for (size_t i = 0; i < in->nclaim; i++) {
		const struct claim *claim = &in->claim[i];

		if (claim->explained || strcmp(claim->finding.rule, "serial-io") != 0)
			continue;
		if (!serial || claim->finding.severity > serial->finding.severity)
			serial = claim;
	}
	return serial;
}

static void aio_unused_words(struct claim *claim, const char *device, const struct aio_row *aio,
			     enum aio_use use)
{
	char words[160];

	aio_words(words, sizeof(words), aio);
	slab_words(words, sizeof(words), "kioctx", &aio->kioctx);
	if (use == AIO_IDLE)
		claim_text(claim,
			   "AIO contexts exist but nothing is in flight in them (%s) while %s "
			   "works one request at a time: a program asks for AIO and does not "
			   "get it.",
			   words, device);
	else
		claim_text(claim,
			   "No AIO context is in use (%s) while %s works one request at a "
			   "time: nothing asks for asynchronous I/O.",
			   words, device);
	claim_advice(claim, "Check the database's setting (filesystemio_options and "
			    "disk_asynch_io, innodb_use_native_aio, or its like) and that its "
			    "files are opened O_DIRECT: AIO on buffered files is synchronous.");
}

static void aio_unused_formula(struct claim *claim, const struct aio_row *aio, const char *device)
{
	if (value_known(aio->aio_nr))
		claim_formula(claim, "contexts: aio-nr = %.0f", aio->aio_nr.n);
	else if (slab_counted(&aio->kioctx))
		claim_formula(claim, "contexts: kioctx = %.0f", aio->kioctx.active.n);
	if (slab_counted(&aio->kiocb))
		claim_formula(claim, "requests in flight: kiocb = %.0f", aio->kiocb.active.n);
	claim_formula(claim, "either is 0 while %s is serial-io", device);
}

enum rule_answer system_rule_aio_unused(const struct rule_input *in, struct claim *claim)
{
	const struct aio_row *aio = &in->frame->aio;
	const struct claim *serial = aio_serial(in);
	const struct device_row *row;
	enum aio_use use;
	double most;

	if (!serial)
		return RULE_SILENT;
	row = &in->frame->device[serial->device];
	use = aio_use(aio, leader_find(in, row, value_or(row->r, 0) > value_or(row->w, 0), &most));
	if (use == AIO_UNKNOWN)
		return rule_lacks(claim,
				  "AIO requests in flight (kiocb of /proc/slabinfo, root), or "
				  "aio-nr 0 and a look at the leading task's rings");
	if (use == AIO_ACTIVE)
		return RULE_SILENT;
	claim->finding.severity = SEVERITY_INFO;
	aio_unused_words(claim, serial->finding.subject, aio, use);
	aio_unused_formula(claim, aio, serial->finding.subject);
	aio_evidence(claim, aio);
	claim_evidence(claim, "serial", "%s", serial->finding.subject);
	return RULE_CLAIMS;
}
