/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run could not see, with its share. */
#include "profile/store.h"

#include <stdarg.h>
#include <stdio.h>

void profile_table_note(struct profile_table *table, const char *format, ...)
{
	va_list arguments;

	if (table->nnote == PROFILE_NOTES_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(table->note[table->nnote++], PROFILE_NOTE_MAX, format, arguments);
	va_end(arguments);
}

static void note_loss(struct profile_table *table, __u64 n, const char *what)
{
	char number[32];

	profile_print_count(number, n);
	if (n)
		profile_table_note(table, "%s: %s", what, number);
}

/* Bytes of calls that read or write files, whole pages for the small ones. */
static __u64 in_calls(const struct profile_snapshot *snapshot, bool (*does)(enum profile_call))
{
	__u64 bytes = 0;

	for (size_t i = 0; i < snapshot->ncell; i++) {
		const struct profile_key *key = &snapshot->cell[i].key;
		const struct profile_path *path = profile_path_find(snapshot, &key->file);

		/* a file whose name is not known may be a stored one */
		if (key->call < PROFILE_CALLS && does((enum profile_call)key->call) &&
		    (!path || path->stored))
			bytes += snapshot->cell[i].amount.pages;
	}
	return bytes;
}

static __u64 in_other(const struct profile_snapshot *snapshot)
{
	__u64 calls = 0;

	for (size_t i = 0; i < snapshot->ncell; i++)
		if (snapshot->cell[i].key.file.dev == 0 &&
		    snapshot->cell[i].key.file.mark == PROFILE_OTHER)
			calls += snapshot->cell[i].amount.count;
	return calls;
}

/* More of the storage I/O than calls can explain; the least that it can be. */
static void note_unseen(struct profile_table *table, __u64 storage, __u64 calls, const char *what,
			const char *else_by)
{
	enum { LEAST_BYTES = 1 << 20, LEAST_PERCENT = 5 };
	__u64 unseen = storage > calls ? storage - calls : 0;
	double percent = storage ? 100 * (double)unseen / (double)storage : 0;

	if (unseen < LEAST_BYTES || percent < LEAST_PERCENT)
		return;
	profile_table_note(table, "%.0f MiB of storage %s, %.0f %%, were in no call: mapped files, or %s",
			   (double)unseen / (1 << 20), what, percent, else_by);
}

void profile_table_notes(struct profile_table *table, const struct profile_snapshot *snapshot,
			 const struct profile_storage *storage)
{
	const struct profile_losses *lost = &snapshot->losses;

	if (storage->known) {
		note_unseen(table, storage->read, in_calls(snapshot, profile_call_reads), "reads",
			    "read ahead");
		note_unseen(table, storage->written, in_calls(snapshot, profile_call_writes),
			    "writes", "the file system's own blocks");
	}
	note_loss(table, lost->events, "calls that were counted, but lost to the saved file");
	note_loss(table, in_other(snapshot), "calls added up as (other), of too many files");
	note_loss(table, lost->requests, "requests of io_submit that could not be looked at");
	note_loss(table, lost->threads, "calls that were lost, of too many threads");
	if (!snapshot->rings)
		profile_table_note(table, "requests of io_uring cannot be seen on this kernel");
	note_loss(table, lost->narrow, "calls of 32-bit programs, which are left out");
}
