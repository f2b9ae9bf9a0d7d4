/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a process's I/O, weighed: D S A U B M. */
#include "usemode.h"
#include "fdinfo.h"

void use_see_file(struct use_seen *seen, uint32_t flags, bool moved)
{
	bool direct = fd_is_direct(flags), sync = fd_is_sync(flags);
	struct use_way *const way[] = {&seen->read, &seen->write};
	const bool fits[] = {fd_reads(flags), fd_writes(flags)};

	if (fd_access(flags) == 'p' || fd_is_folder(flags))
		return;
	seen->direct |= direct;
	seen->sync |= sync;
	seen->moved |= moved;
	for (int i = 0; i < 2; i++) {
		if (!fits[i])
			continue;
		way[i]->explained |= direct || sync;
		way[i]->buffered |= !direct && !sync;
		way[i]->moved |= !direct && !sync && moved;
	}
}

/* So few bytes were asked for by calls that these are not what was read or written. */
static bool calls_are_few(struct value asked, struct value done)
{
	return value_or(done, 0) > 0 && value_known(asked) && asked.n <= done.n / 16;
}

/* Reads of folders and of metadata are no calls either, but they are no faults. */
static bool reads_mapped(const struct use_rates *rates)
{
	const double kib_per_fault_max = 4096; /* read-ahead at its largest */
	double faults = value_or(rates->faults, 0);

	return calls_are_few(rates->rchar, rates->rkb) && faults > 0 &&
	       rates->rkb.n <= faults * kib_per_fault_max;
}

static bool writes_mapped(const struct use_seen *seen, const struct use_rates *rates)
{
	return calls_are_few(rates->wchar, rates->wkb) && seen->shared_map;
}

bool use_is_mapped(const struct use_seen *seen, const struct use_rates *rates)
{
	return !seen->contexts && !seen->rings &&
	       (reads_mapped(rates) || writes_mapped(seen, rates));
}

/*
 * A position that moved proves it. pread and pwrite leave it alone: where none
 * moved, the calls are taken to be on what is open, unless something else is
 * open that explains them.
 */
static bool way_is_buffered(const struct use_way *way, bool moved_any, struct value asked,
			    bool other)
{
	if (value_or(asked, 0) <= 0)
		return false;
	return way->moved || (!moved_any && way->buffered && !way->explained && !other);
}

bool use_is_buffered(const struct use_seen *seen, const struct use_rates *rates)
{
	bool async = seen->contexts || seen->rings;
	bool reads_else = reads_mapped(rates) || (async && calls_are_few(rates->rchar, rates->rkb));
	bool writes_else =
	    writes_mapped(seen, rates) || (async && calls_are_few(rates->wchar, rates->wkb));

	return way_is_buffered(&seen->read, seen->moved, rates->rchar, reads_else) ||
	       way_is_buffered(&seen->write, seen->moved, rates->wchar, writes_else);
}

void use_letters(char mode[MODE_LETTERS + 1], unsigned letters)
{
	static const char all[] = "DSAUBM";
	size_t n = 0;

	for (unsigned i = 0; i < MODE_LETTERS; i++)
		if (letters & 1u << i)
			mode[n++] = all[i];
	mode[n] = '\0';
}

unsigned file_letters(enum file_kind kind, uint32_t flags, bool on_device)
{
	unsigned letters = 0;

	if (kind == FILE_URING)
		return MODE_URING;
	if (!on_device || fd_access(flags) == 'p' || fd_is_folder(flags))
		return 0;
	if (fd_is_direct(flags))
		letters |= MODE_DIRECT;
	if (fd_is_sync(flags))
		letters |= MODE_SYNC;
	return letters ? letters : MODE_BUFFERED;
}
