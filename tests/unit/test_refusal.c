/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why there is no tracing: each cause by its own name, and no other's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/refusal.h"

#include <errno.h>
#include <string.h>

static const char *said(struct refusal refusal)
{
	static char why[TRACE_WHY_MAX];

	refusal_text(why, &refusal);
	assert_true(strlen(why) < sizeof(why) - 1); /* whole */
	return why;
}

static void test_without_capabilities(void **state)
{
	(void)state;
	assert_string_equal(said((struct refusal){.error = -EPERM}), "needs CAP_BPF and CAP_PERFMON, or root");
	assert_string_equal(said((struct refusal){.error = -EACCES}), "needs CAP_BPF and CAP_PERFMON, or root");
	/* what else holds could not be told yet */
	assert_string_equal(said((struct refusal){.error = -EPERM, .locked = true, .contained = true}),
	                    "needs CAP_BPF and CAP_PERFMON, or root");
}

static void test_in_a_container(void **state)
{
	(void)state;
	assert_non_null(strstr(said((struct refusal){.error = -EPERM, .capable = true, .contained = true}),
	                       "outside of this user namespace"));
}

static void test_lockdown(void **state)
{
	static const int errors[] = {-EPERM, -EINVAL, -EACCES};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_string_equal(
		    said((struct refusal){.error = errors[i], .locked = true, .capable = true}),
		    "the kernel is locked down (confidentiality)");
	assert_null(strstr(said((struct refusal){.error = -EINVAL, .capable = true}), "locked"));
	assert_null(strstr(said((struct refusal){.error = -EPERM, .capable = true}), "locked"));
	assert_non_null(strstr(said((struct refusal){.error = -ENOENT, .capable = true}), "tracepoint"));
	assert_null(strstr(said((struct refusal){.error = -ENOMEM, .locked = true, .capable = true}), "locked"));
}

static void test_levels_of_lockdown(void **state)
{
	(void)state;
	assert_true(refusal_is_lockdown("none integrity [confidentiality]\n"));
	assert_false(refusal_is_lockdown("[none] integrity confidentiality\n"));
	assert_false(refusal_is_lockdown("none [integrity] confidentiality\n"));
	assert_false(refusal_is_lockdown(""));
}

static void test_locked_memory(void **state)
{
	(void)state;
	const char *why = said((struct refusal){.error = -EPERM, .capable = true});

	assert_non_null(strstr(why, "in spite of CAP_BPF and CAP_PERFMON"));
	assert_non_null(strstr(why, "RLIMIT_MEMLOCK"));
}

static void test_anything_else(void **state)
{
	(void)state;
	assert_string_equal(said((struct refusal){.error = -EINVAL, .capable = true}),
	                    "the kernel refuses the programs: Invalid argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_capabilities), cmocka_unit_test(test_in_a_container),
		cmocka_unit_test(test_lockdown),             cmocka_unit_test(test_levels_of_lockdown),
		cmocka_unit_test(test_locked_memory),        cmocka_unit_test(test_anything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
