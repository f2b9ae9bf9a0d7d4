/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How tasks do I/O: the parsers of fdinfo, links, maps, mountinfo and cgroups,
 * and the rules for the letters of MODE.
 */
#include "bytes.h"

#include "sample/fdinfo.h"
#include "sample/maps.h"
#include "sample/mountinfo.h"
#include "sample/sheet.h"
#include "sample/usemode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- fdinfo ---- */

static bool parse_info(const char *text, struct fdinfo *info)
{
	struct exact given = exact_text(text);
	bool ok = fdinfo_parse(given.p, given.n, info);

	free(given.p);
	return ok;
}

static void test_fdinfo(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_true(
	    parse_info("pos:\t4096\nflags:\t0140002\nmnt_id:\t27\nino:\t11042946\n", &info));
	assert_int_equal(info.position, 4096);
	assert_int_equal(info.flags, 0140002);
	assert_int_equal(info.mnt_id, 27);
	assert_int_equal(info.inode, 11042946);
	assert_false(info.tails);
	/* before 3.15 there was no more than that */
	assert_true(parse_info("pos:\t0\nflags:\t0100000\n", &info));
	assert_int_equal(info.mnt_id, -1);
	assert_false(parse_info("", &info));
	assert_false(parse_info("pos:\t7\n", &info));
	assert_false(parse_info("pos:\tx\nflags:\t02\n", &info));
	assert_false(parse_info("pos:\t1\nflags:\t09\n", &info));
}

static void test_ring_tails(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_true(parse_info(
	    "pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t9\nSqMask:\t0x7\nSqHead:\t1\n"
	    "SqTail:\t4294967295\nCachedSqHead:\t3\nCqMask:\t0xf\nCqHead:\t4\nCqTail:\t5\n"
	    "CachedCqTail:\t6\nSQEs:\t0\n",
	    &info));
	assert_true(info.tails);
	assert_int_equal(info.sq_tail, UINT32_MAX);
	assert_int_equal(info.cq_tail, 5);
	/* a busy ring tells nothing this time */
	assert_true(parse_info("pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t9\n", &info));
	assert_false(info.tails);
	assert_true(parse_info("pos:\t0\nflags:\t02\nSqTail:\t7\n", &info));
	assert_false(info.tails);
}

static void test_links(void **state)
{
	static const struct {
		const char *link;
		enum file_kind kind;
		size_t length; /* of the path */
		bool deleted;
	} cases[] = {
	    {"/var/lib/mysql/ibdata1", FILE_REGULAR, 22, false},
	    {"/tmp/x (deleted)", FILE_REGULAR, 6, true},
	    {"/ (deleted)", FILE_REGULAR, 1, true},
	    {" (deleted)", FILE_ANON, 10, false},
	    {"socket:[12]", FILE_SOCKET, 11, false},
	    {"pipe:[12]", FILE_PIPE, 9, false},
	    {"anon_inode:[io_uring]", FILE_URING, 21, false},
	    {"anon_inode:[eventfd]", FILE_ANON, 20, false},
	    {"net:[4026531840]", FILE_ANON, 16, false},
	    {"/memfd:name (deleted)", FILE_MEMFD, 11, true},
	    {"/memfd:name", FILE_REGULAR, 11, false},
	    {"/pipe:[12]", FILE_REGULAR, 10, false},
	    {"", FILE_ANON, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct exact given = exact_text(cases[i].link);
		size_t length = given.n;
		bool deleted;
		enum file_kind kind = file_kind_of(given.p, &length, &deleted);

		if (kind != cases[i].kind || length != cases[i].length ||
		    deleted != cases[i].deleted)
			fail_msg("\"%s\" is %d, %zu bytes", cases[i].link, (int)kind, length);
		free(given.p);
	}
}

static void test_flags(void **state)
{
	(void)state;
	assert_int_equal(fd_access(O_RDONLY), 'r');
	assert_int_equal(fd_access(O_WRONLY | O_APPEND), 'w');
	assert_int_equal(fd_access(O_RDWR | O_DIRECT), 'u');
	assert_int_equal(fd_access(O_PATH | O_RDWR), 'p');
	assert_true(fd_is_direct(O_RDWR | O_DIRECT) && !fd_is_direct(O_RDWR | O_DSYNC));
	assert_true(fd_is_sync(O_SYNC) && fd_is_sync(O_DSYNC) && !fd_is_sync(O_DIRECT));
}

/* ---- maps ---- */

static enum map_kind map_kind_of(const char *text)
{
	struct exact given = exact_text(text);
	struct map map;

	maps_line((struct text){given.p, given.p + given.n}, &map);
	free(given.p);
	return map.kind;
}

static void test_maps(void **state)
{
	(void)state;
	assert_int_equal(
	    map_kind_of(
		"7fa8-7fa9 rw-s 00000000 00:13 1065789                    /[aio] (deleted)"),
	    MAP_AIO);
	/* a file of that name is on a device */
	assert_int_equal(
	    map_kind_of(
		"7fa8-7fa9 rw-s 00000000 fe:00 1056774                    /[aio] (deleted)"),
	    MAP_SHARED);
	assert_int_equal(
	    map_kind_of("7fa8-7fa9 rw-s 00000000 00:13 1065789      /tmp/[aio] (deleted)"),
	    MAP_SHARED);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-s 00000000 00:13 1065789      /[aio]"),
			 MAP_SHARED);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-s 00001000 00:13 1065789      /[aio] (deleted)"),
			 MAP_SHARED);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-s 00002000 08:02 77           /var/lib/db file"),
			 MAP_SHARED);
	assert_int_equal(map_kind_of("7fa8-7fa9 r--s 00002000 08:02 77           /var/lib/db"),
			 MAP_OTHER);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-p 00002000 08:02 77           /var/lib/db"),
			 MAP_OTHER);
	assert_int_equal(
	    map_kind_of("7fa8-7fa9 rw-s 00000000 00:01 3391         /dev/zero (deleted)"),
	    MAP_OTHER);
	assert_int_equal(
	    map_kind_of("7fa8-7fa9 rw-s 00000000 00:01 0            /SYSV00000000 (deleted)"),
	    MAP_OTHER);
	assert_int_equal(
	    map_kind_of("7fa8-7fa9 rw-s 00000000 00:01 9            /memfd:x (deleted)"),
	    MAP_OTHER);
	assert_int_equal(
	    map_kind_of("7fa8-7fa9 rw-s 00000000 00:0c 9            anon_inode:[io_uring]"),
	    MAP_OTHER);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-p 00000000 00:00 0"), MAP_OTHER);
	assert_int_equal(map_kind_of("7fa8-7fa9 rw-s"), MAP_OTHER);
	assert_int_equal(map_kind_of("x"), MAP_OTHER);
}

/* ---- mountinfo ---- */

static const char mounts[] =
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
    "a line that is none\n"
    "31 27 0:28 /sub /mnt/with\\040blank rw shared:1 master:2 - btrfs /dev/mapper/vg-x rw\n"
    "32 27 0:40 / /srv rw - nfs4 host:/export rw\n"
    "33 27 8:1 / /old rw\n";

static void test_mountinfo(void **state)
{
	struct exact given = exact_text(mounts);
	struct text text = {given.p, given.p + given.n};
	static struct mount mount;

	(void)state;
	assert_true(mountinfo_next(&text, &mount));
	assert_int_equal(mount.id, 27);
	assert_true(mount.major == 254 && mount.minor == 0);
	assert_string_equal(mount.options, "rw,discard");
	assert_true(mountinfo_next(&text, &mount)); /* the line that is none is left out */
	assert_int_equal(mount.id, 31);
	assert_string_equal(mount.point, "/mnt/with blank");
	assert_string_equal(mount.root, "/sub");
	assert_string_equal(mount.type, "btrfs");
	assert_string_equal(mount.source, "/dev/mapper/vg-x");
	assert_true(mountinfo_next(&text, &mount));
	assert_int_equal(mount.id, 32);
	assert_true(mountinfo_next(&text, &mount));
	assert_int_equal(mount.id, 33);
	assert_string_equal(mount.type, "");
	assert_false(mountinfo_next(&text, &mount));
	free(given.p);
	assert_true(mount_is_memory("tmpfs") && !mount_is_memory("nfs4"));
	assert_true(mount_is_dev("tmpfs", "/dev") && !mount_is_dev("tmpfs", "/dev/shm"));
}

static void test_nothing_is_read_beyond_the_end(void **state)
{
	static const char info[] = "pos:\t4096\nflags:\t0140002\nSqTail:\t12\nCqTail:\t12\n";
	static const char map[] =
	    "7fa8-7fa9 rw-s 00000000 00:13 1065789                    /[aio] (deleted)";
	static struct mount mount;
	uint32_t seed = 20261130;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct exact given = exact_spoiled(mounts, &seed);
		struct fdinfo parsed;
		struct map mapped;
		struct text text = {given.p, given.p + given.n};
		while (mountinfo_next(&text, &mount))
			;
		free(given.p);
		given = exact_spoiled(info, &seed);
		(void)fdinfo_parse(given.p, given.n, &parsed);
		free(given.p);
		given = exact_spoiled(map, &seed);
		maps_line((struct text){given.p, given.p + given.n}, &mapped);
		free(given.p);
	}
}

/* ---- cgroups ---- */

static void test_cgroup_paths(void **state)
{
	static const char text[] = "12:blkio:/system.slice/db.service\n3:cpu,cpuacct:/"
				   "x\n1:name=systemd:/user.slice\n0::/v2\n";
	char path[64];

	(void)state;
	assert_true(cgroup_path(text, sizeof(text) - 1, "", path, sizeof(path)));
	assert_string_equal(path, "/v2");
	assert_true(cgroup_path(text, sizeof(text) - 1, "blkio", path, sizeof(path)));
	assert_string_equal(path, "/system.slice/db.service");
	assert_true(cgroup_path(text, sizeof(text) - 1, "cpuacct", path, sizeof(path)));
	assert_string_equal(path, "/x");
	assert_false(cgroup_path(text, sizeof(text) - 1, "cpua", path, sizeof(path)));
	assert_false(cgroup_path("12:blkio:/x\n", 12, "", path, sizeof(path)));
	assert_false(
	    cgroup_path("0::/longer than the room there is for a path\n", 45, "", path, 8));
	assert_true(cgroup_unit("/system.slice/mariadb.service/sub", path, sizeof(path)));
	assert_string_equal(path, "mariadb.service");
	assert_true(
	    cgroup_unit("/user.slice/user@0.service/app.slice/run-7.scope", path, sizeof(path)));
	assert_string_equal(path, "run-7.scope");
	assert_false(cgroup_unit("/system.slice/.service", path, sizeof(path)));
	assert_false(cgroup_unit("/", path, sizeof(path)));
}

static const char *below(const char *path, const char *root)
{
	const char *found = cgroup_below(path, root);

	return found ? found : "none";
}

static void test_cgroup_below_a_mount(void **state)
{
	static const char list[] = "rw,xblkio,blkiox", both[] = "rw,cpu,blkio";

	(void)state;
	assert_string_equal(below("/a/b", "/"), "/a/b");
	assert_string_equal(below("/", "/"), "/");
	assert_string_equal(below("/a/b", "/a"), "/b");
	assert_string_equal(below("/a", "/a"), "");
	assert_string_equal(below("/ab", "/a"), "none");
	assert_string_equal(below("/b/a", "/a"), "none");
	/* of another namespace */
	assert_string_equal(below("/../other", "/"), "none");
	assert_string_equal(below("/a/..", "/a"), "none");
	assert_string_equal(below("/../other", "/.."), "/other");
	assert_string_equal(below("/..a/b../...", "/"), "/..a/b../...");
	assert_false(cgroup_has_controller((struct text){list, list + strlen(list)}, "blkio"));
	assert_true(cgroup_has_controller((struct text){both, both + strlen(both)}, "blkio"));
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void add_line(void *context, const char *file, const char *path, struct text text)
{
	sheet_line(context, file, "%.*s in /%s", (int)(text.end - text.p - 1), text.p, path);
}

static void test_cgroup_limits(void **state)
{
	char folder[] = "/tmp/test_uses.XXXXXX", path[256], text[512] = "";
	static const char *const made[] = {
	    "a.slice/b.service/io.max", "a.slice/io.max", "a.slice/io.weight",
	    "a.slice/b.service/blkio.throttle.read_bps_device",
	    "a.slice/blkio.throttle.read_bps_device",
	    "a.slice/b.service",        "a.slice",        ""};
	struct sheet sheet = {.p = text, .size = sizeof(text)};

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.slice", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/a.slice/b.service", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	put(folder, "a.slice/b.service/io.max",
	    "8:0 rbps=max wbps=1048576 riops=max wiops=max\n");
	put(folder, "a.slice/io.max", "");
	put(folder, "a.slice/io.weight", "default 50\n");
	int fd = open(folder, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	cgroup_limits(fd, "/a.slice/b.service", true, add_line, &sheet);
	assert_string_equal(
	    text, "io.max\t8:0 rbps=max wbps=1048576 riops=max wiops=max in /a.slice/b.service\n"
		  "io.weight\tdefault 50 in /a.slice\n");
	/* in v1 those above it do not count */
	put(folder, "a.slice/b.service/blkio.throttle.read_bps_device", "8:0 100\n");
	put(folder, "a.slice/blkio.throttle.read_bps_device", "8:0 50\n");
	sheet.n = 0;
	cgroup_limits(fd, "/a.slice/b.service", false, add_line, &sheet);
	assert_string_equal(
	    text, "blkio.throttle.read_bps_device\t8:0 100 in /a.slice/b.service\n");
	close(fd);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, made[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void test_sheet_is_never_cut_in_a_line(void **state)
{
	char text[24];
	struct sheet sheet = {.p = text, .size = sizeof(text)};

	(void)state;
	sheet_line(&sheet, "name", "%s", "a\nb\tc");
	assert_string_equal(text, "name\ta?b?c\n");
	sheet_line(&sheet, "name", "%s", "too long for it");
	assert_string_equal(text, "name\ta?b?c\n");
	sheet_line(&sheet, "more", "%s", "fits");
	assert_string_equal(text, "name\ta?b?c\nmore\tfits\n");
}

/* ---- the letters ---- */

struct given {
	uint32_t file[3]; /* flags of open files; 0 at the end: none but the first */
	bool moved[3];
	unsigned nfile, contexts, rings;
	bool shared_map;
	double rchar, wchar, rkb, wkb, faults;
};

static struct use_seen seen_of(const struct given *given)
{
	struct use_seen seen = {
	    .contexts = given->contexts, .rings = given->rings, .shared_map = given->shared_map};

	for (unsigned i = 0; i < given->nfile; i++)
		use_see_file(&seen, given->file[i], given->moved[i]);
	return seen;
}

static struct use_rates rates_of(const struct given *given)
{
	return (struct use_rates){value_of(given->rchar), value_of(given->wchar),
				  value_of(given->rkb), value_of(given->wkb),
				  value_of(given->faults)};
}

static void check_letters(const char *what, struct given given, bool buffered, bool mapped)
{
	struct use_seen seen = seen_of(&given);
	struct use_rates rates = rates_of(&given);

	if (use_is_buffered(&seen, &rates) != buffered || use_is_mapped(&seen, &rates) != mapped)
		fail_msg("%s", what);
}

enum { NO_B = 0, B = 1, NO_M = 0, M = 1 };

static void test_buffered(void **state)
{
	(void)state;
	check_letters("pread on a buffered file",
		      (struct given){.file = {O_RDWR}, .nfile = 1, .rchar = 100}, B, NO_M);
	check_letters("no calls", (struct given){.file = {O_RDWR}, .moved = {true}, .nfile = 1},
		      NO_B, NO_M);
	check_letters("nothing open", (struct given){.rchar = 100}, NO_B, NO_M);
	check_letters("reads, but the file is open for writing",
		      (struct given){.file = {O_WRONLY}, .nfile = 1, .rchar = 100}, NO_B, NO_M);
	check_letters(
	    "direct calls, the output into a file",
	    (struct given){
		.file = {O_RDWR | O_DIRECT, O_WRONLY}, .nfile = 2, .wchar = 100, .wkb = 100},
	    NO_B, NO_M);
	check_letters("direct calls, and a log that grows",
		      (struct given){.file = {O_RDWR | O_DIRECT, O_WRONLY},
				     .moved = {false, true},
				     .nfile = 2,
				     .wchar = 100,
				     .wkb = 100},
		      B, NO_M);
	check_letters(
	    "synchronous writes",
	    (struct given){.file = {O_WRONLY | O_DSYNC}, .moved = {true}, .nfile = 1, .wchar = 100},
	    NO_B, NO_M);
	check_letters(
	    "a direct file for reading does not explain writes",
	    (struct given){.file = {O_RDONLY | O_DIRECT, O_WRONLY}, .nfile = 2, .wchar = 9}, B,
	    NO_M);
	check_letters("another file's position moved: that one is what is read",
		      (struct given){.file = {O_RDONLY | O_DIRECT, O_RDONLY},
				     .moved = {true, false},
				     .nfile = 2,
				     .rchar = 100},
		      NO_B, NO_M);
	check_letters("a path only", (struct given){.file = {O_PATH}, .nfile = 1, .rchar = 100},
		      NO_B, NO_M);
	check_letters("a folder",
		      (struct given){.file = {O_RDONLY | O_DIRECTORY}, .nfile = 1, .rchar = 100},
		      NO_B, NO_M);
	check_letters(
	    "a ring does the writes, calls only wake",
	    (struct given){.file = {O_RDWR}, .nfile = 1, .rings = 1, .wchar = 1, .wkb = 1000}, NO_B,
	    NO_M);
}

static void test_mapped(void **state)
{
	struct given reads = {
	    .file = {O_RDONLY}, .nfile = 1, .rchar = 1, .rkb = 1000, .faults = 20};

	(void)state;
	check_letters("faults that read", reads, NO_B, M);
	reads.rchar = 100;
	check_letters("read calls beside", reads, B, NO_M);
	check_letters("folders read: no faults", (struct given){.rkb = 1000}, NO_B, NO_M);
	check_letters("a fault or two beside many folders",
		      (struct given){.rkb = 100000, .faults = 2}, NO_B, NO_M);
	check_letters("AIO does it", (struct given){.contexts = 1, .rkb = 1000, .faults = 20}, NO_B,
		      NO_M);
	check_letters("a ring does it", (struct given){.rings = 1, .wkb = 1000, .shared_map = true},
		      NO_B, NO_M);
	check_letters(
	    "a shared mapping is written to",
	    (struct given){
		.file = {O_RDWR}, .nfile = 1, .wkb = 1000, .wchar = 1, .shared_map = true},
	    NO_B, M);
	check_letters("removing files dirties folders", (struct given){.wkb = 1000}, NO_B, NO_M);
	check_letters(
	    "a shared mapping, but calls write",
	    (struct given){
		.file = {O_RDWR}, .nfile = 1, .wkb = 1000, .wchar = 900, .shared_map = true},
	    B, NO_M);
}

static void test_unknown_rates_prove_nothing(void **state)
{
	struct given given = {.file = {O_RDWR}, .moved = {true}, .nfile = 1, .shared_map = true};
	struct use_seen seen = seen_of(&given);
	const struct value late = value_absent(ABSENT_LATE);
	struct use_rates rates = {late, late, value_of(1000), value_of(1000), late};

	(void)state;
	assert_false(use_is_buffered(&seen, &rates));
	assert_false(use_is_mapped(&seen, &rates));
}

static void test_letters_of_a_file(void **state)
{
	(void)state;
	assert_int_equal(file_letters(FILE_REGULAR, O_RDWR | O_DIRECT | O_DSYNC, true),
			 MODE_DIRECT | MODE_SYNC);
	assert_int_equal(file_letters(FILE_REGULAR, O_RDWR, true), MODE_BUFFERED);
	assert_int_equal(file_letters(FILE_REGULAR, O_RDWR, false), 0);
	assert_int_equal(file_letters(FILE_REGULAR, O_PATH, true), 0);
	assert_int_equal(file_letters(FILE_REGULAR, O_RDONLY | O_DIRECTORY, true), 0);
	assert_int_equal(file_letters(FILE_URING, O_RDWR, false), MODE_URING);
}

static void test_order_of_letters(void **state)
{
	char mode[MODE_LETTERS + 1];

	(void)state;
	use_letters(mode, (1u << MODE_LETTERS) - 1);
	assert_string_equal(mode, "DSAUBM");
	use_letters(mode, MODE_MMAP | MODE_DIRECT);
	assert_string_equal(mode, "DM");
	use_letters(mode, 0);
	assert_string_equal(mode, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fdinfo),
	    cmocka_unit_test(test_ring_tails),
	    cmocka_unit_test(test_links),
	    cmocka_unit_test(test_flags),
	    cmocka_unit_test(test_maps),
	    cmocka_unit_test(test_mountinfo),
	    cmocka_unit_test(test_nothing_is_read_beyond_the_end),
	    cmocka_unit_test(test_cgroup_paths),
	    cmocka_unit_test(test_cgroup_below_a_mount),
	    cmocka_unit_test(test_cgroup_limits),
	    cmocka_unit_test(test_sheet_is_never_cut_in_a_line),
	    cmocka_unit_test(test_buffered),
	    cmocka_unit_test(test_mapped),
	    cmocka_unit_test(test_unknown_rates_prove_nothing),
	    cmocka_unit_test(test_letters_of_a_file),
	    cmocka_unit_test(test_order_of_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
