/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often files are flushed, beside how often they are written. */
#include "profile/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_files(const void *a, const void *b, const void *context)
{
	(void)context;
	return profile_file_compare(&((const struct profile_cell *)a)->key.file,
				    &((const struct profile_cell *)b)->key.file);
}

static int compare_flushes(const void *a, const void *b)
{
	const struct profile_flush *left = a, *right = b;

	if (left->all.count != right->all.count)
		return left->all.count > right->all.count ? -1 : 1;
	return compare_natural(left->name, right->name);
}

static void take(struct profile_flush *flush, const struct profile_cell *cell)
{
	enum profile_call call = (enum profile_call)cell->key.call;

	if (profile_call_writes(call))
		flush->writes += cell->amount.count;
	if (!profile_call_flushes(call))
		return;
	profile_amount_add(&flush->all, &cell->amount);
	flush->count[call] += cell->amount.count;
}

int profile_flushes_build(struct profile_table *table, const struct profile_snapshot *snapshot)
{
	struct profile_store *store = table->store;
	size_t next, files = 0;

	sort_pointers(store->cell, store->scratch, store->ncell, compare_files, NULL);
	for (size_t i = 0; i < store->ncell; i++)
		files += i == 0 || compare_files(store->cell[i - 1], store->cell[i], NULL);
	table->flush = calloc(files + 1, sizeof(*table->flush));
	store->flush_name = calloc(files + 1, sizeof(*store->flush_name));
	if (!table->flush || !store->flush_name)
		return -ENOMEM;
	for (size_t i = 0; i < store->ncell; i = next) {
		const struct profile_cell *first = store->cell[i];
		struct profile_flush *flush = &table->flush[table->nflush];
		for (next = i; next < store->ncell && !compare_files(first, store->cell[next], NULL); next++)
			take(flush, store->cell[next]);
		flush->name = profile_file_name(snapshot, &first->key.file,
						store->flush_name[table->nflush]);
		if (flush->all.count)
			table->nflush++;
		else
			*flush = (struct profile_flush){.name = NULL};
	}
	qsort(table->flush, table->nflush, sizeof(*table->flush), compare_flushes);
	return 0;
}

void profile_print_count(char buf[32], __u64 n)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t at = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "3,666 fdatasync", "2 fsync and 5 fdatasync" */
static size_t print_kinds(char *buf, size_t size, const struct profile_flush *flush)
{
	char number[32];
	size_t n = 0;

	for (int call = 0; call < PROFILE_CALLS && n < size; call++) {
		if (!flush->count[call])
			continue;
		profile_print_count(number, flush->count[call]);
		n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? " and " : "", number,
				      profile_call_name((enum profile_call)call));
	}
	return n;
}

/* Within a tenth of one per write it is one per write. */
static void print_ratio(char buf[64], const struct profile_flush *flush)
{
	double ratio = (double)flush->writes / (double)flush->all.count;

	if (flush->writes == 0)
		snprintf(buf, 64, "not written meanwhile");
	else if (ratio >= 0.9 && ratio <= 1.1)
		snprintf(buf, 64, "one per write");
	else if (ratio > 1)
		snprintf(buf, 64, "one per %.*f writes", ratio < 10 ? 1 : 0, ratio);
	else
		snprintf(buf, 64, "%.1f per write", 1 / ratio);
}

void profile_print_flush(char *buf, size_t size, const struct profile_flush *flush)
{
	char kinds[256] = "", writes[32], ratio[64];

	print_kinds(kinds, sizeof(kinds), flush);
	profile_print_count(writes, flush->writes);
	print_ratio(ratio, flush);
	snprintf(buf, size, "%s: %s for %s write%s: %s, %.3f ms each", base_name(flush->name), kinds,
		 writes, flush->writes == 1 ? "" : "s", ratio,
		 (double)flush->all.ns / (double)flush->all.count / 1e6);
}
