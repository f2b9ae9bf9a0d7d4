/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iotriage profile: its command line, names of files, and the arithmetic of its tables.
 */
#include "bytes.h"

#include "iotriage/profile.h"
#include "profile_options.h"
#include "trace/profile_path.h"

/* ---- the command line ---- */

static enum options_result parse(struct profile_options *options, const char *const *words)
{
	static char word[16][64];
	static char *argv[17];
	int argc = 0;

	for (; words[argc]; argc++) {
		snprintf(word[argc], sizeof(word[argc]), "%s", words[argc]);
		argv[argc] = word[argc];
	}
	argv[argc] = NULL;
	return profile_options_parse(options, argc, argv);
}

#define PARSE(options, ...) parse(options, (const char *const[]){"profile", __VA_ARGS__, NULL})

static void options_have_defaults(void **state)
{
	struct profile_options options;

	(void)state;
	assert_int_equal(PARSE(&options, "-p", "12,345"), OPTIONS_RUN);
	assert_int_equal(options.npid, 2);
	assert_int_equal(options.pid[0], 12);
	assert_int_equal(options.pid[1], 345);
	assert_true(options.seconds == 30);
	assert_int_equal(options.view.by, PROFILE_BY_FILE);
	assert_int_equal(options.view.unit, PROFILE_TIMES);
	assert_int_equal(options.view.aggregate, PROFILE_SUM);
	assert_null(options.save);
}

static void other_names_are_taken(void **state)
{
	struct profile_options options;

	(void)state;
	assert_int_equal(PARSE(&options, "--profile-process", "mysqld", "--run-time", "5",
			       "--group-by", "filename", "--save-samples", "x", "--cell", "sizes",
			       "--aggregate", "avg"),
			 OPTIONS_RUN);
	assert_string_equal(options.name, "mysqld");
	assert_true(options.seconds == 5);
	assert_string_equal(options.save, "x");
	assert_int_equal(options.view.unit, PROFILE_SIZES);
	assert_int_equal(options.view.aggregate, PROFILE_AVERAGE);
	assert_int_equal(PARSE(&options, "--profile-pid", "7", "--group-by", "all"), OPTIONS_RUN);
	assert_int_equal(options.view.by, PROFILE_BY_ALL);
	assert_int_equal(options.pid[0], 7);
}

static void a_command_keeps_its_options(void **state)
{
	struct profile_options options;

	(void)state;
	assert_int_equal(PARSE(&options, "--by", "pid", "--", "ls", "-p", "--cell"), OPTIONS_RUN);
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-p");
	assert_string_equal(options.command[2], "--cell");
	assert_null(options.command[3]);
	assert_true(options.seconds == 0);
	assert_int_equal(PARSE(&options, "--time", "2", "ls", "-l"), OPTIONS_RUN);
	assert_string_equal(options.command[1], "-l");
	assert_true(options.seconds == 2);
}

static void what_is_wrong_is_refused(void **state)
{
	struct profile_options options;

	(void)state;
	assert_int_equal(PARSE(&options, "--by", "file"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "-c", "x"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "ls"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1,"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "0"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "99999999999"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "--time", "nan"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "--time", "0"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "--cell", "bytes"), OPTIONS_WRONG);
	assert_int_equal(PARSE(&options, "-p", "1", "--nonesuch"), OPTIONS_WRONG);
}

/* ---- names ---- */

static const char *text_of(struct profile_name *name, const char *parts, size_t length)
{
	static char text[PROFILE_TEXT_MAX];

	memcpy(name->text, parts, length);
	name->length = (__u32)length;
	profile_path_text(text, name);
	return text;
}

#define TEXT(name, parts) text_of(name, parts, sizeof(parts))

static void paths_are_put_together(void **state)
{
	static struct profile_name name;

	(void)state;
	name = (struct profile_name){.rooted = 1, .cut = 1};
	assert_string_equal(TEXT(&name, "file\0lib\0var"), "/var/lib/file");
	assert_string_equal(text_of(&name, "", 0), "/");
	name.deleted = 1;
	assert_string_equal(TEXT(&name, "file\0tmp"), "/tmp/file (deleted)");
	name = (struct profile_name){.cut = 1};
	assert_string_equal(TEXT(&name, "file\0deep"), ".../deep/file");
	name = (struct profile_name){.deleted = 1}; /* what was never in a folder */
	assert_string_equal(TEXT(&name, "memfd:x"), "memfd:x");
	name = (struct profile_name){.kind = PROFILE_ANONYMOUS};
	assert_string_equal(TEXT(&name, "[eventpoll]"), "anon_inode:[eventpoll]");
	name = (struct profile_name){.kind = PROFILE_SOCKET};
	assert_string_equal(TEXT(&name, ""), "socket");
}

static void paths_are_cleaned(void **state)
{
	static struct profile_name name;

	(void)state;
	name = (struct profile_name){.rooted = 1};
	assert_string_equal(TEXT(&name, "a\nb\033[2Jc"), "/a?b?[2Jc");
	assert_string_equal(TEXT(&name, "\xc3\xa9\xff\xc3"), "/\xc3\xa9??");
	assert_string_equal(TEXT(&name, "\xc2\x9bx\xed\xa0\x80"), "/??x???");
}

/* ---- tables ---- */

static const struct profile_file log_file = {.dev = 1, .ino = 10}, data = {.dev = 1, .ino = 11},
				 unknown = {.dev = (8 << 20) + 3, .ino = 12};

#define CELL(id, process, what, n, time_ns, moved)                                                 \
	{                                                                                          \
		.key = {.file = id, .tgid = process, .call = what}, .amount = {                    \
			.count = n,                                                                \
			.ns = time_ns,                                                             \
			.bytes = moved,                                                            \
			.pages = moved                                                             \
		}                                                                                  \
	}

static struct profile_cell cells[8];
static struct profile_path paths[2];
static struct profile_snapshot snapshot;

static void snapshot_begin(void)
{
	const struct profile_cell all[] = {
		CELL(log_file, 1, PROFILE_WRITE, 3677, 1000000000, 3677 * 512),
		CELL(log_file, 1, PROFILE_FDATASYNC, 3666, 7332000000, 0),
		CELL(data, 1, PROFILE_PREAD64, 10, 20000000, 163840),
		CELL(data, 2, PROFILE_PREAD64, 30, 20000000, 491520),
		CELL(data, 2, PROFILE_URING_WRITE, 100, 5000000, 1638400),
		CELL(data, 2, PROFILE_URING_FSYNC, 2, 4000000, 0),
		CELL(unknown, 2, PROFILE_CLOSE, 1, 1000, 0),
		CELL(data, 0, PROFILE_READ, 0, 0, 0), /* nothing is in it */
	};

	memcpy(cells, all, sizeof(all));
	paths[0] = (struct profile_path){log_file, true, "/db/ib_logfile0"};
	paths[1] = (struct profile_path){data, true, "/db/ibdata1"};
	snapshot = (struct profile_snapshot){
		.cell = cells, .ncell = 8, .path = paths, .npath = 2, .rings = true};
}

static struct profile_table build(enum profile_by by, enum profile_unit unit)
{
	struct profile_view view = {by, unit, PROFILE_SUM};
	struct profile_table table;

	snapshot_begin();
	assert_int_equal(profile_table_build(&table, &view, &snapshot), 0);
	return table;
}

static void rows_are_by_file(void **state)
{
	struct profile_table table = build(PROFILE_BY_FILE, PROFILE_TIMES);

	(void)state;
	assert_int_equal(table.nrow, 3);
	assert_string_equal(table.row[0]->name, "/db/ib_logfile0");
	assert_true(profile_value(&table.row[0]->total, &table.view) == 8.332);
	assert_string_equal(table.row[1]->name, "/db/ibdata1");
	assert_int_equal(table.row[1]->call[PROFILE_PREAD64].count, 40);
	assert_int_equal(table.row[1]->total.count, 142);
	assert_string_equal(table.row[2]->name, "(device 8:3, inode 12)");
	assert_true(table.occurred[PROFILE_CLOSE]);
	assert_false(table.occurred[PROFILE_READ]);
	profile_table_release(&table);
}

static void rows_are_ordered_by_what_is_shown(void **state)
{
	struct profile_table table = build(PROFILE_BY_FILE, PROFILE_SIZES);

	(void)state;
	assert_string_equal(table.row[0]->name, "/db/ibdata1");
	assert_true(profile_value(&table.row[0]->total, &table.view) == 2293760);
	profile_table_release(&table);
	table = build(PROFILE_BY_PID, PROFILE_COUNT);
	assert_int_equal(table.nrow, 2);
	assert_string_equal(table.row[0]->name, "1");
	assert_true(profile_value(&table.row[0]->total, &table.view) == 7353);
	assert_string_equal(table.row[1]->name, "2");
	profile_table_release(&table);
	table = build(PROFILE_BY_ALL, PROFILE_COUNT);
	assert_int_equal(table.nrow, 1);
	assert_string_equal(table.row[0]->name, "all");
	assert_int_equal(table.row[0]->total.count, 7486);
	profile_table_release(&table);
}

static void averages_are_per_call(void **state)
{
	const struct profile_amount amount = {.count = 4, .ns = 8000000, .bytes = 10}, none = {0};
	struct profile_view view = {PROFILE_BY_FILE, PROFILE_TIMES, PROFILE_AVERAGE};
	char text[32];

	(void)state;
	profile_print_value(text, &amount, &view);
	assert_string_equal(text, "0.002000");
	profile_print_value(text, &none, &view);
	assert_string_equal(text, "0.000000");
	view.unit = PROFILE_SIZES;
	profile_print_value(text, &amount, &view);
	assert_string_equal(text, "2.5");
	view.unit = PROFILE_COUNT;
	profile_print_value(text, &amount, &view);
	assert_string_equal(text, "4");
}

static void flushes_are_beside_writes(void **state)
{
	struct profile_table table = build(PROFILE_BY_PID, PROFILE_TIMES);
	char text[256];

	(void)state;
	assert_int_equal(table.nflush, 2);
	profile_print_flush(text, sizeof(text), &table.flush[0]);
	assert_string_equal(text, "ib_logfile0: 3,666 fdatasync for 3,677 writes: one per write, "
				  "2.000 ms each");
	profile_print_flush(text, sizeof(text), &table.flush[1]);
	assert_string_equal(text, "ibdata1: 2 io_uring:fsync for 100 writes: one per 50 writes, "
				  "2.000 ms each");
	profile_table_release(&table);
}

static void nothing_makes_no_row(void **state)
{
	struct profile_view view = {PROFILE_BY_FILE, PROFILE_TIMES, PROFILE_SUM};
	struct profile_snapshot none = {.cell = NULL};
	struct profile_table table;

	(void)state;
	assert_int_equal(profile_table_build(&table, &view, &none), 0);
	assert_int_equal(table.nrow, 0);
	assert_int_equal(table.nflush, 0);
	profile_table_release(&table);
}

static void storage_in_no_call_is_named(void **state)
{
	struct profile_table table = build(PROFILE_BY_FILE, PROFILE_TIMES);
	struct profile_storage storage = {true, 655360 + (2 << 20), 1638400 + 3677 * 512};

	(void)state;
	profile_table_notes(&table, &snapshot, &storage);
	assert_int_equal(table.nnote, 1);
	assert_string_equal(table.note[0], "2 MiB of storage reads, 76 %, were in no call: mapped "
					   "files, or read ahead");
	table.nnote = 0;
	storage.known = false;
	snapshot.losses.events = 1234;
	profile_table_notes(&table, &snapshot, &storage);
	assert_int_equal(table.nnote, 1);
	assert_string_equal(table.note[0], "calls that were counted, but lost to the saved file: 1,234");
	profile_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_have_defaults),
		cmocka_unit_test(other_names_are_taken),
		cmocka_unit_test(a_command_keeps_its_options),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(paths_are_put_together),
		cmocka_unit_test(paths_are_cleaned),
		cmocka_unit_test(rows_are_by_file),
		cmocka_unit_test(rows_are_ordered_by_what_is_shown),
		cmocka_unit_test(averages_are_per_call),
		cmocka_unit_test(flushes_are_beside_writes),
		cmocka_unit_test(nothing_makes_no_row),
		cmocka_unit_test(storage_in_no_call_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
