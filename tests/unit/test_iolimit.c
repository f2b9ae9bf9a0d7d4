/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits on I/O from the files of cgroups.
 */
#include "bytes.h"

#include "sample/iolimit.h"

static void take(struct limit_list *list, const char *file, const char *path, const char *text)
{
	struct exact exact = exact_text(text);

	limits_take(list, file, path, (struct text){exact.p, exact.p + exact.n});
	free(exact.p);
}

/* -1: no such limit. */
static double of(struct value value)
{
	return value_or(value, -1);
}

static void assert_limit(const struct io_limit *limit, double rkb, double wkb, double riops,
			 double wiops)
{
	assert_float_equal(of(limit->rkb), rkb, 1e-9);
	assert_float_equal(of(limit->wkb), wkb, 1e-9);
	assert_float_equal(of(limit->riops), riops, 1e-9);
	assert_float_equal(of(limit->wiops), wiops, 1e-9);
}

static void test_v2(void **state)
{
	struct limit_list list = {0};

	(void)state;
	take(&list, "io.max", "a.slice",
	     "8:16 rbps=2097152 wbps=max riops=max wiops=120\n"
	     "259:1 rbps=max wbps=512 riops=7 wiops=max\n"
	     "8:32 rbps=max wbps=max riops=max wiops=max\n");
	take(&list, "io.weight", "a.slice", "8:48 50\n");
	assert_int_equal(list.n, 2);
	assert_int_equal(list.limit[0].major, 8);
	assert_int_equal(list.limit[0].minor, 16);
	assert_string_equal(list.limit[0].cgroup, "/a.slice");
	assert_limit(&list.limit[0], 2048, -1, -1, 120);
	assert_int_equal(list.limit[1].major, 259);
	assert_limit(&list.limit[1], -1, 0.5, 7, -1);
}

static void test_v1(void **state)
{
	struct limit_list list = {0};

	(void)state;
	take(&list, "blkio.throttle.read_bps_device", "db", "8:16 1048576\n8:0 1024\n");
	take(&list, "blkio.throttle.write_bps_device", "db", "8:16 2048\n");
	take(&list, "blkio.throttle.read_iops_device", "db", "");
	take(&list, "blkio.throttle.write_iops_device", "db", "8:16 30\n8:0 0\n");
	assert_int_equal(list.n, 2);
	assert_limit(&list.limit[0], 1024, 2, -1, 30);
	assert_limit(&list.limit[1], 1, -1, -1, -1);
	assert_string_equal(list.limit[1].cgroup, "/db");
}

static void test_the_tightest_holds(void **state)
{
	struct limit_list list = {0};

	(void)state;
	take(&list, "io.max", "a/b", "8:16 rbps=1024 wbps=4096 riops=max wiops=max\n");
	take(&list, "io.max", "a", "8:16 rbps=2048 wbps=2048 riops=5 wiops=max\n");
	assert_int_equal(list.n, 2);
	assert_string_equal(list.limit[0].cgroup, "/a/b");
	assert_limit(&list.limit[0], 1, -1, -1, -1);
	assert_string_equal(list.limit[1].cgroup, "/a");
	assert_limit(&list.limit[1], -1, 2, 5, -1);
	/* one that loses all it has is no limit any more */
	take(&list, "io.max", "", "8:16 rbps=512 wbps=max riops=max wiops=max\n");
	assert_int_equal(list.n, 2);
	assert_string_equal(list.limit[0].cgroup, "/a");
	assert_string_equal(list.limit[1].cgroup, "/");
	assert_limit(&list.limit[1], 0.5, -1, -1, -1);
}

static void test_more_than_there_is_room_for(void **state)
{
	struct limit_list list = {0};
	char path[200], line[64];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	memcpy(path + sizeof(path) - 5, "/end", 4);
	for (int i = 0; i < 9; i++) {
		snprintf(line, sizeof(line), "8:%d 1000\n", 16 * i);
		take(&list, "blkio.throttle.read_bps_device", path, line);
	}
	assert_int_equal(list.n, IO_LIMITS_MAX);
	assert_int_equal(strlen(list.limit[0].cgroup), sizeof(list.limit[0].cgroup) - 1);
	assert_string_equal(list.limit[0].cgroup + sizeof(list.limit[0].cgroup) - 5, "/end");
}

static void test_spoiled(void **state)
{
	static const char *const texts[] = {
	    "8 1000\n", ":16 1000\n", "8:16\n", "8:16x 1000\n", "8:16 -\n", "\n\n", "8:16 rbps=",
	    "123456789012345678901234567890:1 1000\n"};
	uint32_t seed = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct limit_list list = {0};
		take(&list, "io.max", "a", texts[i]);
		take(&list, "blkio.throttle.read_bps_device", "a", texts[i]);
		assert_int_equal(list.n, 0);
	}
	for (int i = 0; i < 2000; i++) {
		struct limit_list list = {0};
		struct exact spoiled = exact_spoiled(
		    "8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=1 wbps=2\n", &seed);
		limits_take(&list, "io.max", "a", (struct text){spoiled.p, spoiled.p + spoiled.n});
		assert_true(list.n <= IO_LIMITS_MAX);
		free(spoiled.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_v2),
	    cmocka_unit_test(test_v1),
	    cmocka_unit_test(test_the_tightest_holds),
	    cmocka_unit_test(test_more_than_there_is_room_for),
	    cmocka_unit_test(test_spoiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
