/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about how a task does its I/O.
 */
#include "world.h"

static void mode(struct world *world, int n, const char *letters)
{
	snprintf(world->use[n].mode, sizeof(world->use[n].mode), "%s", letters);
}

/* ---- direct-no-readahead ---- */

static void direct(struct world *world, double kib, double calls, double position)
{
	struct task_row *task;

	world_start(world, 1);
	task = world_task(world, 90, "dd");
	task->rkb = task->rchar = value_of(kib);
	task->syscr = value_of(calls);
	mode(world, 0, "D");
	world_file(world, 0, "/dev/sdb", MODE_DIRECT, 'r')->pos_kb = value_of(position);
	world->file[0].pos_share = value_of(position / kib);
}

static int direct_severity(struct world *world, unsigned long lacks)
{
	int severity;

	world_tick(world);
	severity = severity_found(world, "pid 90", "direct-no-readahead");
	assert_int_equal(lacking(world, "direct-no-readahead"), lacks);
	world_end(world);
	return severity;
}

static void test_direct_no_readahead(void **state)
{
	struct world world;

	(void)state;
	direct(&world, 4000, 1000, 4000);
	assert_int_equal(direct_severity(&world, 0), INFO);
	/* large pieces; few; not where it stands; many at once; through the cache */
	direct(&world, 40000, 40, 40000);
	assert_int_equal(direct_severity(&world, 0), NO);
	direct(&world, 40, 10, 40);
	assert_int_equal(direct_severity(&world, 0), NO);
	direct(&world, 4000, 1000, 900);
	assert_int_equal(direct_severity(&world, 0), NO);
	direct(&world, 4000, 1000, 4000);
	mode(&world, 0, "DA");
	assert_int_equal(direct_severity(&world, 0), NO);
	direct(&world, 4000, 1000, 4000);
	mode(&world, 0, "B");
	assert_int_equal(direct_severity(&world, 0), NO);
	/* pread leaves the position where it is */
	direct(&world, 4000, 1000, 4000);
	world.file[0].pos_kb = world.file[0].pos_share = value_absent(ABSENT_UNSUPPORTED);
	assert_int_equal(direct_severity(&world, 0), NO);
	direct(&world, 4000, 1000, 4000);
	world.task[0].use = NULL;
	assert_int_equal(direct_severity(&world, 1), NO);
	direct(&world, 4000, 1000, 4000);
	world.use[0].file = NULL;
	assert_int_equal(direct_severity(&world, 1), NO);
}

/* ---- double-caching ---- */

static int caching_severity(const char *comm, const char *path, unsigned flags, const char *letters,
			    double kib)
{
	struct world world;
	int severity;

	world_start(&world, 1);
	world_task(&world, 91, comm)->rkb = value_of(kib);
	mode(&world, 0, letters);
	world_file(&world, 0, path, flags, 'u');
	world_tick(&world);
	severity = severity_found(&world, "pid 91", "double-caching");
	world_end(&world);
	return severity;
}

static void test_double_caching(void **state)
{
	(void)state;
	assert_int_equal(caching_severity("mysqld", "/var/db/t.ibd", 0, "B", 5000), INFO);
	assert_int_equal(caching_severity("ora_dbw0_A", "/u01/users01.dbf", 0, "B", 5000), INFO);
	assert_int_equal(caching_severity("mysqld", "/var/db/t.ibd", MODE_DIRECT, "DB", 5000), NO);
	assert_int_equal(caching_severity("mysqld", "/var/db/t.ibd", 0, "B", 50), NO);
	assert_int_equal(caching_severity("mysqld", "/var/log/slow.log", 0, "B", 5000), NO);
	assert_int_equal(caching_severity("cp", "/var/db/t.ibd", 0, "B", 5000), NO);
}

/* ---- sync-writer ---- */

/* A disk that works one write at a time, and who writes. */
static void writers(struct world *world, double wkb, const char *letters)
{
	world_start(world, 1);
	world_add(world, "sda", SERIAL);
	world_task(world, 92, "walwriter")->wkb = value_of(wkb);
	mode(world, 0, letters);
	world_task(world, 93, "other")->wkb = value_of(40);
}

static void journal(struct world *world, const char *comm)
{
	world_task(world, 94, comm);
	world->sample[2].kernel = true;
	snprintf(world->use[0].device, sizeof(world->use[0].device), "sda");
}

static int writer_severity(struct world *world)
{
	int severity;

	world_tick(world);
	severity = severity_found(world, "pid 92", "sync-writer");
	assert_null(found(world, "pid 93", "sync-writer"));
	world_end(world);
	return severity;
}

static void test_sync_writer(void **state)
{
	struct world world;

	(void)state;
	writers(&world, 1300, "S");
	world_tick(&world);
	assert_non_null(strstr(found(&world, "pid 92", "sync-writer")->text,
			       "walwriter (pid 92) writes 1300 KiB/s synchronously (files opened "
			       "O_SYNC or O_DSYNC) and sets the pace of sda (serial-io)"));
	assert_non_null(strstr(found(&world, "sda", "serial-io")->text, "mode S"));
	assert_int_equal(writer_severity(&world), INFO);
	writers(&world, 1300, "B"); /* not known to be synchronous */
	assert_int_equal(writer_severity(&world), NO);
	writers(&world, 300, "S"); /* not most of what is written */
	assert_int_equal(writer_severity(&world), NO);
	writers(&world, 1300, "S");
	world_numbers(&world, 0, FINE); /* the device is not held up */
	assert_int_equal(writer_severity(&world), NO);
	/* the rest is the journal's, if there is one of this device at work */
	writers(&world, 300, "S");
	journal(&world, "jbd2/sda-8");
	assert_int_equal(writer_severity(&world), INFO);
	writers(&world, 300, "S");
	journal(&world, "jbd2/sdb-8");
	assert_int_equal(writer_severity(&world), NO);
	writers(&world, 300, "S");
	journal(&world, "jbd2/sda-8");
	world.sample[2].mono_ns++; /* it did not run */
	assert_int_equal(writer_severity(&world), NO);
	writers(&world, 100, "S"); /* so much is not because of it */
	journal(&world, "jbd2/sda-8");
	assert_int_equal(writer_severity(&world), NO);
	/* another one writes more there */
	writers(&world, 300, "S");
	journal(&world, "jbd2/sda-8");
	world.task[1].wkb = value_of(310);
	snprintf(world.use[1].device, sizeof(world.use[1].device), "sda");
	assert_int_equal(writer_severity(&world), NO);
	/* flushes set the pace: then they are its fsyncs */
	writers(&world, 1300, "B");
	world_kinds(&world, 0, 0, 6, 80, 6);
	assert_int_equal(writer_severity(&world), INFO);
}

static int journal_severity(const char *comm, double waits, double wkb)
{
	struct world world;
	struct task_row *journal;
	int severity;

	world_start(&world, 1);
	world_task(&world, 92, "etcd")->wkb = value_of(wkb);
	world_task(&world, 93, "other")->wkb = value_of(400);
	journal = world_task(&world, 94, comm);
	journal->io_pct = value_of(waits);
	journal->wkb = value_of(12);
	world_tick(&world);
	severity = severity_found(&world, "pid 92", "sync-writer");
	assert_null(found(&world, "pid 94", "sync-writer"));
	if (severity != NO)
		assert_non_null(strstr(found(&world, "pid 92", "sync-writer")->text, "symptom"));
	world_end(&world);
	return severity;
}

static void test_sync_writer_by_journal(void **state)
{
	(void)state;
	assert_int_equal(journal_severity("jbd2/sda1-8", 39, 2000), INFO);
	assert_int_equal(journal_severity("[txg_sync]", 54, 2000), INFO);
	assert_int_equal(journal_severity("jbd2/sda1-8", 5, 2000), NO);
	assert_int_equal(journal_severity("kworker/0:1", 54, 2000), NO);
	assert_int_equal(journal_severity("jbd2/sda1-8", 39, 100), NO);
	assert_int_equal(journal_severity("jbd2/sda1-8", 97, 0), NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_direct_no_readahead),
	    cmocka_unit_test(test_double_caching),
	    cmocka_unit_test(test_sync_writer),
	    cmocka_unit_test(test_sync_writer_by_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
